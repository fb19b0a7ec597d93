package main

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/report"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/locales"
)

func reportCommand() *cobra.Command {
	var f configFlags
	var since string
	var asJSON bool
	wish := report.Wish{Rows: report.DefaultRows, Texts: true}
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Print what happened to each question: asked, answered, declined, how fast, what to do",
		Long: `Counts the questions in the store by template, or by text and options if they have no template,
and prints a line for each, the most often asked first, with advice if there is
something to do. A gateway may use the store at the same time. Questions of deleted chats
are not counted.`,
		Example: "  askgate report --since 90d --app assistant\n  askgate report --since yesterday --json | jq '.items[] | select(.advice)'",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			wish.Now = time.Now()
			if wish.Since, err = report.ParseSince(since, wish.Now); err != nil {
				return usageError{errors.New("--since: " + err.Error())}
			}
			snap, err := config.Load(f.options)
			if err != nil {
				return err
			}
			texts, err := locales.New()
			if err != nil {
				return err
			}
			if err := reachStore(cmd.Context(), snap.Gateway.Store); err != nil {
				return err
			}
			db, err := sqldb.Open(cmd.Context(), snap.Gateway.Store, sqldb.Options{Existing: true})
			if err != nil {
				return err
			}
			defer db.Close()
			found, err := report.Read(cmd.Context(), db.Overview(), wish, func(id string, data map[string]any) string {
				return texts.Text("en", id, data)
			})
			if err != nil {
				return err
			}
			if !asJSON {
				return found.Print(cmd.OutOrStdout())
			}
			out := json.NewEncoder(cmd.OutOrStdout())
			out.SetEscapeHTML(false)
			return out.Encode(found)
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&since, "since", "30d", "how far back to look, or from when: "+instants)
	cmd.Flags().StringVar(&wish.App, "app", "", "only for this app")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, as GET /v1/admin/questions does")
	return cmd
}
