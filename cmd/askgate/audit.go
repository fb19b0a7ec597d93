package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

func auditCommand() *cobra.Command {
	var f configFlags
	var span store.AuditSpan
	var verify bool
	var secretFiles []string
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Print the audit: who asked, who answered, when, from where, as JSON lines",
		Long: `Prints the records of the store's audit as JSON lines, oldest first. A gateway may
use the store at the same time. "audit" in gateway.json decides what is recorded.

With --verify it prints no records, but checks that none was changed or removed: each has
the hash of the one before it, and an HMAC made with auth.session.secret. If a check fails,
it names the first faulty record and exits with 1. It also exits with 1 if records cannot be
checked: those from before the secret was changed need the former secret, from
auth.session.otherSecrets or --secret-file.`,
		Example: `  askgate audit --config conf --since yesterday | jq -r .by.subject
  askgate audit --config conf --since 2026-02-06 --until 2026-02-07 --app helper
  askgate audit --config conf --verify --secret-file former-secret.txt`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !span.Until.IsZero() && !span.Since.Before(span.Until) {
				return usageError{errors.New("--since must be before --until")}
			}
			if verify && span != (store.AuditSpan{}) {
				return usageError{errors.New("--verify checks all records; omit --since, --until and --app")}
			}
			if !verify && secretFiles != nil {
				return usageError{errors.New("--secret-file requires --verify")}
			}
			snap, err := config.Load(f.options)
			if err != nil {
				return err
			}
			if !snap.Gateway.Audit.Enabled {
				fmt.Fprintln(cmd.ErrOrStderr(), `The audit is off, so nothing new is recorded. To turn it on, write "audit": {"enabled": true} into gateway.json.`)
			}
			former, err := readSecrets(secretFiles)
			if err != nil {
				return err
			}
			secrets := append(auditSecrets(snap), former...)
			if err := reachStore(cmd.Context(), snap.Gateway.Store); err != nil {
				return err
			}
			db, err := sqldb.Open(cmd.Context(), snap.Gateway.Store, sqldb.Options{Existing: true, AuditSecrets: func() []string { return secrets }})
			if err != nil {
				return err
			}
			defer db.Close()
			if verify {
				return verifyAudit(cmd.Context(), cmd.OutOrStdout(), db.Audit())
			}
			return printAudit(cmd.Context(), cmd.OutOrStdout(), db.Audit(), span)
		},
	}
	f.register(cmd)
	cmd.Flags().Var((*instant)(&span.Since), "since", "only from this `time` on: "+instants)
	cmd.Flags().Var((*instant)(&span.Until), "until", "only before this `time`, in the same form")
	cmd.Flags().StringVar(&span.App, "app", "", "only for this app")
	cmd.Flags().BoolVar(&verify, "verify", false, "check the chains of all records instead")
	cmd.Flags().StringArrayVar(&secretFiles, "secret-file", nil, "with --verify, a `file` with a former auth.session.secret; may be repeated")
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
	if v.Unchecked != "" {
		return fmt.Errorf("the audit cannot be checked: its hashes match, but the HMACs of chain %s were made with a secret that was not given; "+
			"name a file with the auth.session.secret of that time with --secret-file", v.Unchecked)
	}
	_, err = fmt.Fprintf(w, "The audit is whole. Records: %d, erased: %d, chains: %d, with HMAC: %d, head: %s\n",
		v.Records, v.Erased, v.Chains, v.Keyed, cmp.Or(v.Head.Hash, "none"))
	return err
}

// auditSecrets returns the secrets of a configuration with which HMACs of the audit are checked. The
// first also makes new ones.
func auditSecrets(snap *config.Snapshot) []string {
	s := &snap.Gateway.Auth.Session
	return append([]string{s.Secret}, s.OtherSecrets...)
}

// Limits of --secret-file.
const (
	maxSecretFiles = 100
	maxSecret      = 64 << 10 // bytes
)

// readSecrets reads a secret from each file, without a line end at its end.
func readSecrets(paths []string) ([]string, error) {
	if len(paths) > maxSecretFiles {
		return nil, usageError{fmt.Errorf("--secret-file is given %d times; the limit is %d", len(paths), maxSecretFiles)}
	}
	var secrets []string
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("--secret-file: %w", err)
		}
		data, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
		_ = f.Close() // an error does not matter after reading
		text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
		switch {
		case err != nil:
			return nil, fmt.Errorf("--secret-file: %w", err)
		case len(data) > maxSecret:
			return nil, fmt.Errorf("--secret-file: %s is larger than 64 KiB; name a file that holds only a secret", path)
		case text == "":
			return nil, fmt.Errorf("--secret-file: %s is empty; name a file that holds a secret", path)
		}
		secrets = append(secrets, text)
	}
	return secrets, nil
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
