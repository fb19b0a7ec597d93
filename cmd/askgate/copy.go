package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/store/storecopy"
)

// toVariable has the URL of the target, which may contain a password.
const toVariable = "ASKGATE_COPY_TO"

func copyCommand() *cobra.Command {
	var f configFlags
	var to, filesTo string
	var abandon bool
	var secretFiles []string
	cmd := &cobra.Command{ //nolint:gosec // the example names a variable, not a password
		Use:   "copy",
		Short: "Copy the store to another database: SQLite to PostgreSQL, or back",
		Long: `Copies everything in a store to an empty one: chats, open questions, drafts, queued messages,
memories, the audit. Start the gateway on the copy and its clients continue where they were.

Stop every gateway on both stores first: the command refuses a store that a gateway uses. Once
it has begun, no gateway starts on either store. If it is interrupted, run it again. At the end it
compares the two stores, checks the audit as "askgate audit --verify" does, and opens the copy.
The source stays closed, so that no question is answered twice; keep it as a backup.

With --abandon it opens the source again, as long as the copy is not finished. The unfinished copy
cannot be used; delete the file or drop the tables.

Keep auth.session.secret: the seals of questions and the audit's HMACs are copied with it. --config
names the configuration of the source, which says where its files are and which secrets it has.`,
		Example: `  askgate copy --from sqlite:askgate.db --to postgres://askgate@db.example.org/askgate
  ASKGATE_COPY_TO=postgres://askgate:PASSWORD@db.example.org/askgate askgate copy --config conf --files s3://bucket
  askgate copy --from sqlite:askgate.db --to postgres://askgate@db.example.org/askgate --abandon`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			to = cmp.Or(to, os.Getenv(toVariable))
			if to == "" {
				return usageError{errors.New("askgate copy: name the new store with --to, or in " + toVariable)}
			}
			if abandon && (filesTo != "" || secretFiles != nil) {
				return usageError{errors.New("--abandon copies nothing; omit --files and --secret-file")}
			}
			snap, err := config.Load(f.options)
			if err != nil {
				return err
			}
			former, err := readSecrets(secretFiles)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			o := storecopy.Options{
				From: snap.Gateway.Store, To: to, AuditSecrets: append(auditSecrets(snap), former...),
				Progress: func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) },
			}
			if abandon {
				return abandonCopy(ctx, cmd.OutOrStdout(), o)
			}
			if err := openBoth(&o, &snap.Gateway, filesTo); err != nil {
				return err
			}
			return copyStore(ctx, cmd.OutOrStdout(), o, &snap.Gateway, filesTo)
		},
	}
	f.registerAt(cmd, "from", "`URL` of the store to copy, sqlite:PATH or postgres://...; default: that of the configuration (ASKGATE_STORE)")
	cmd.Flags().StringVar(&to, "to", "", "`URL` of an empty store, or of the one that an interrupted copy began to fill ("+toVariable+")")
	cmd.Flags().StringVar(&filesTo, "files", "", "also copy uploaded files to this `place`: a folder, or s3://BUCKET...")
	cmd.Flags().BoolVar(&abandon, "abandon", false, "open the source of an unfinished copy again; the copy becomes useless")
	cmd.Flags().StringArrayVar(&secretFiles, "secret-file", nil, "a `file` with a former auth.session.secret, to check the audit; may be repeated")
	return cmd
}

// openBoth opens the places of uploaded files.
func openBoth(o *storecopy.Options, g *config.Gateway, filesTo string) (err error) {
	if filesTo == "" {
		return nil
	}
	from := g.FilesStore()
	if from == "" {
		return errors.New("--files: the configuration does not say where the source keeps its files; name its folder with --config, or omit --files")
	}
	if from == filesTo || !strings.Contains(from+filesTo, "://") && filepath.Clean(from) == filepath.Clean(filesTo) {
		return usageError{errors.New("--files: the files are already there; omit --files")}
	}
	if o.FilesFrom, err = openFiles(g); err != nil {
		return err
	}
	if o.FilesTo, err = files.Open(filesTo); err != nil {
		return fmt.Errorf("--files: %w", err)
	}
	return nil
}

func copyStore(ctx context.Context, w io.Writer, o storecopy.Options, g *config.Gateway, filesTo string) error {
	report, err := storecopy.Copy(ctx, o)
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted; run the same command again to continue: %w", err)
		}
		return err
	}
	total := int64(0)
	for n := range maps.Values(report.Rows) {
		total += n
	}
	lines := []string{fmt.Sprintf("The copy in %s is finished. %s stays closed; keep it as a backup.", report.To, report.From)}
	if report.Rows != nil {
		lines = append(lines, fmt.Sprintf("Chats: %d, messages: %d, questions: %d, all rows: %d, uploaded files: %d",
			report.Rows["conversations"], report.Rows["messages"], report.Rows["clarifications"], total, report.Files))
	}
	v := report.Audit
	switch {
	case v.Broken != nil:
		lines = append(lines, fmt.Sprintf("The audit is broken at record %d, in the source too: %s", v.Broken.ID, v.Broken.What))
	case v.Unchecked != "":
		lines = append(lines, "The audit has HMACs made with a secret that was not given; they were copied but not checked.")
	case v.Records > 0:
		lines = append(lines, fmt.Sprintf("The audit is whole. Records: %d, head: %s", v.Records, v.Head.Hash))
	}
	switch {
	case filesTo != "":
		lines = append(lines, fmt.Sprintf(`Set "files": {"store": %q} in gateway.json before you start the gateway.`, filesTo))
	case report.Uploads > 0:
		lines = append(lines, fmt.Sprintf(`%d uploaded files are still in %s: set "files": {"store": ...} in gateway.json to that place before you start the gateway.`, report.Uploads, g.FilesStore()))
	}
	lines = slices.Concat(lines, []string{"Start the gateway on the copy: set ASKGATE_STORE, --store or \"store\" in gateway.json to the URL of --to."})
	_, err = fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

func abandonCopy(ctx context.Context, w io.Writer, o storecopy.Options) error {
	from, to, err := storecopy.Abandon(ctx, o)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s is open again: start the gateway on it. The unfinished copy in %s cannot be used; delete the file or drop the tables.\n", from, to)
	return err
}
