package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

func auditCommand() *cobra.Command {
	var f serveFlags
	var span store.AuditSpan
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Print the audit: who asked, who answered, when, from where, as JSON lines",
		Long: `Prints the records of the store's audit as JSON lines, in order of time. A gateway may
serve from the store meanwhile. What is recorded: "audit" in gateway.json.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !span.Until.IsZero() && !span.Since.Before(span.Until) {
				return usageError{errors.New("--since must be before --until")}
			}
			snap, err := config.Load(f.options)
			if err != nil {
				return err
			}
			db, err := sqldb.Open(cmd.Context(), snap.Gateway.Store, sqldb.Options{Existing: true})
			if err != nil {
				return err
			}
			defer db.Close()
			return printAudit(cmd.Context(), cmd.OutOrStdout(), db, span)
		},
	}
	f.register(cmd.Flags())
	times := []string{time.RFC3339, time.DateOnly}
	cmd.Flags().TimeVar(&span.Since, "since", time.Time{}, times, "only from this time on, like 2026-02-06 (UTC) or 2026-02-06T10:30:00+01:00")
	cmd.Flags().TimeVar(&span.Until, "until", time.Time{}, times, "only before this time")
	cmd.Flags().StringVar(&span.App, "app", "", "only of this app")
	return cmd
}

func printAudit(ctx context.Context, w io.Writer, from store.Auditor, span store.AuditSpan) error {
	lines := bufio.NewWriter(w)
	out := json.NewEncoder(lines)
	out.SetEscapeHTML(false)
	for records, err := range store.AuditPages(ctx, from, span) {
		if err != nil {
			return errors.Join(lines.Flush(), err)
		}
		for i := range records {
			if err := out.Encode(&records[i]); err != nil {
				return err
			}
		}
	}
	return lines.Flush()
}
