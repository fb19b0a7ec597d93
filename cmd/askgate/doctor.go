package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/gateway/doctor"
	"github.com/askgate/askgate/tools"
)

func doctorCommand() *cobra.Command {
	var quiet time.Duration
	cmd := &cobra.Command{
		Use:   "doctor URL",
		Short: "Find out what a proxy in front of a gateway breaks, and how to fix it",
		Long: `Requests test streams from the gateway at URL, through all proxies in front of it, and reports
what does not arrive as sent. It needs no key, app or model. If ASKGATE_KEY is set, it is sent as a
bearer token, for a proxy that requires one.`,
		Example: `  askgate doctor https://chat.example.org
  askgate doctor localhost:8080 --quiet 1m`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{errors.New("askgate doctor: name the URL that clients use, such as https://chat.example.org")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			defer client.CloseIdleConnections()
			well := doctor.Examine(cmd.Context(), doctor.Options{
				URL: withScheme(args[0]), Client: client, Key: os.Getenv("ASKGATE_KEY"), Quiet: quiet,
			}, func(c doctor.Check) {
				if c.OK {
					fmt.Fprintf(cmd.OutOrStdout(), "ok      %s: %s\n", c.Name, tools.Visible(c.Found))
					return
				}
				fmt.Fprintf(cmd.OutOrStdout(), "broken  %s: %s. Hint: %s\n", c.Name, tools.Visible(c.Found), tools.Visible(c.Hint))
			})
			if !well {
				return errors.New("askgate doctor: a proxy between here and the gateway breaks streams or requests; see the lines with \"broken\" above")
			}
			return nil
		},
	}
	cmd.Flags().DurationVar(&quiet, "quiet", doctor.Promise, "how long a stream stays silent, to find idle timeouts; 15s to 2m")
	return cmd
}
