package main

import (
	"github.com/spf13/cobra"
)

func mcpCommand() *cobra.Command {
	var app string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Run an MCP server on stdin and stdout that asks people through a gateway",
		Long: `Connects an MCP client on stdin and stdout to the MCP server of the gateway, so that clients that start
their servers as programs can ask people. A call that waits for a person keeps waiting after lost
connections and restarts of the gateway.

` + whichGateway,
		Example: `  claude mcp add askgate -- askgate mcp
  ASKGATE_URL=https://ask.example.org ASKGATE_KEY=ag_... askgate mcp --app assistant`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			c, err := connect(nil)
			if err != nil {
				return err
			}
			if app, err = chooseApp(ctx, c, app); err != nil {
				return signalled(err, "")
			}
			return signalled(c.CarryMCP(ctx, app, cmd.InOrStdin(), cmd.OutOrStdout()), "")
		},
	}
	cmd.Flags().StringVar(&app, "app", "", "app that asks; default: ASKGATE_APP, or the only one")
	return cmd
}
