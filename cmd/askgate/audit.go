package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

func auditCommand() *cobra.Command {
	var f configFlags
	var span store.AuditSpan
	var verify bool
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Print the audit: who asked, who answered, when, from where, as JSON lines",
		Long: `Prints the records of the store's audit as JSON lines, in order of time. A gateway may
serve from the store meanwhile. What is recorded: "audit" in gateway.json.

With --verify it prints no records, but checks that none was changed or taken out: each has
the hash of the one before. It exits with 1 and names the first that does not fit.`,
		Example: `  askgate audit --config conf --since yesterday | jq -r .by.subject
  askgate audit --config conf --since 2026-02-06 --until 2026-02-07 --app helper
  askgate audit --config conf --verify`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !span.Until.IsZero() && !span.Since.Before(span.Until) {
				return usageError{errors.New("--since must be before --until")}
			}
			if verify && span != (store.AuditSpan{}) {
				return usageError{errors.New("--verify looks at all records: leave out --since, --until and --app")}
			}
			snap, err := config.Load(f.options)
			if err != nil {
				return err
			}
			if !snap.Gateway.Audit.Enabled {
				fmt.Fprintln(cmd.ErrOrStderr(), `The audit is off: nothing new is recorded. Write "audit": {"enabled": true} into gateway.json.`)
			}
			db, err := sqldb.Open(cmd.Context(), snap.Gateway.Store, sqldb.Options{Existing: true})
			if err != nil {
				return err
			}
			defer db.Close()
			if verify {
				return verifyAudit(cmd.Context(), cmd.OutOrStdout(), db)
			}
			return printAudit(cmd.Context(), cmd.OutOrStdout(), db, span)
		},
	}
	f.register(cmd)
	cmd.Flags().Var((*instant)(&span.Since), "since", "only from this `time` on: "+instants)
	cmd.Flags().Var((*instant)(&span.Until), "until", "only before this `time`, written likewise")
	cmd.Flags().StringVar(&span.App, "app", "", "only of this app")
	cmd.Flags().BoolVar(&verify, "verify", false, "check the chains of all records instead")
	return cmd
}

func verifyAudit(ctx context.Context, w io.Writer, from store.Auditor) error {
	v, err := from.VerifyAudit(ctx)
	if err != nil {
		return err
	}
	if v.Broken != nil {
		return fmt.Errorf("the audit is broken at record %d: %s", v.Broken.ID, v.Broken.What)
	}
	_, err = fmt.Fprintf(w, "The audit is whole. Records: %d, erased: %d, chains: %d, head: %s\n", v.Records, v.Erased, v.Chains, cmp.Or(v.Head.Hash, "none"))
	return err
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
