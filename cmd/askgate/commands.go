package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	neturl "net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/client"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

func initCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "init DIR",
		Short:   "Write the default configuration into an empty directory, to edit",
		Example: "  askgate init conf",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{errors.New("askgate init: name the directory to write to")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := config.WriteDefault(args[0]); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Configuration written to %s. To serve it: askgate --config %s\nOnce it names a model, try that first: askgate check --models --config %s\n", args[0], args[0], args[0])
			return nil
		},
	}
}

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "schema [" + strings.Join(config.SchemaNames(), "|") + "]",
		Short:     "Print the JSON Schema of a configuration file, or of all",
		Example:   "  askgate schema gateway > gateway.schema.json",
		Args:      atMostOne,
		ValidArgs: config.SchemaNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) == 1 {
				name = args[0]
			}
			schema, err := config.Schema(name, toolTypes(nil, nil, nil))
			if err != nil {
				return usageError{err}
			}
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, schema, "", "  "); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), pretty.String())
			return nil
		},
	}
}

func configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Describe the configuration", Example: "  askgate config keys", Args: noArguments, RunE: func(*cobra.Command, []string) error {
		return usageError{errors.New("askgate config: name a command, such as: askgate config keys")}
	}}
	cmd.AddCommand(&cobra.Command{
		Use:     "keys",
		Short:   "Print every key of the configuration: file, path, type, limits, default, and what it does",
		Example: "  askgate config keys | grep limits",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows := config.Rows(toolTypes(nil, nil, nil))
			for _, row := range rows {
				fmt.Fprintln(cmd.OutOrStdout(), row)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d keys\n", len(rows))
			return nil
		},
	})
	return cmd
}

func migrateCommand() *cobra.Command {
	var f configFlags
	cmd := &cobra.Command{
		Use:     "migrate",
		Short:   "Bring the tables of the store up to date (serve does this too)",
		Example: "  askgate migrate --store postgres://askgate@db.example.org/askgate",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			snap, err := config.Load(f.options)
			if err != nil {
				return err
			}
			done, err := sqldb.Migrate(cmd.Context(), snap.Gateway.Store)
			if err != nil {
				return err
			}
			where := place(snap.Gateway.Store)
			if !done {
				fmt.Fprintf(cmd.OutOrStdout(), "Nothing to do: the tables of %s are up to date.\n", where)
				return nil
			}
			fmt.Fprintf(cmd.OutOrStdout(), "The tables of %s are now up to date.\n", where)
			return nil
		},
	}
	f.register(cmd)
	return cmd
}

func keyCommand() *cobra.Command {
	key := &cobra.Command{Use: "key", Short: "Make API keys", Example: "  askgate key new --tenant acme --subject alice", Args: noArguments, RunE: func(*cobra.Command, []string) error {
		return usageError{errors.New("askgate key: name a command; see: askgate key new --help")}
	}}
	var entry keyEntry
	var interactive bool
	create := &cobra.Command{
		Use:   "new",
		Short: "Make an API key, and the entry for auth.keys in gateway.json",
		Example: `  askgate key new --tenant acme --subject alice
  askgate key new --tenant acme --subject ci --interactive=false --may-ask role:oncall`,
		Long: "Prints the key, which is never shown again, and its entry for gateway.json. The entry contains only the hash of the key.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if entry.Tenant == "" || entry.Subject == "" {
				return usageError{errors.New("askgate key new: --tenant and --subject are required")}
			}
			for _, who := range entry.MayAsk {
				if !config.MayBeAsked(who) {
					return usageError{fmt.Errorf(`askgate key new: --may-ask: %q does not name anyone who can be asked; write a subject, "role:" and a role, or "*" for everyone in the tenant`, who)}
				}
			}
			if !interactive {
				entry.Interactive = &interactive
			}
			return newKey(cmd.OutOrStdout(), entry)
		},
	}
	create.Flags().StringVar(&entry.ID, "id", "", "name of the key in logs; default: a random one")
	create.Flags().StringVar(&entry.Tenant, "tenant", "", "tenant of the caller")
	create.Flags().StringVar(&entry.Subject, "subject", "", "subject of the caller")
	create.Flags().StringSliceVar(&entry.Roles, "roles", nil, "roles of the caller, separated by commas")
	create.Flags().BoolVar(&entry.MayActAs, "may-act-as", false, "the caller may act for other people with X-Askgate-User")
	create.Flags().BoolVar(&interactive, "interactive", true, "false: no one can answer questions, so the model asks none")
	create.Flags().StringSliceVar(&entry.MayAsk, "may-ask", nil, `whom its programs may ask in addition to the subject itself, separated by commas: subjects, role:R, or "*" for all`)
	key.AddCommand(create)
	return key
}

func healthCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "health [URL]",
		Short: "Ask a running gateway whether it is healthy, for container health checks",
		Example: `  askgate health
  askgate health 127.0.0.1:9090
  askgate health https://chat.example.org/readyz`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			url := "http://127.0.0.1:8080/healthz"
			if len(args) == 1 {
				url = withScheme(args[0])
				if u, err := neturl.Parse(url); err == nil && strings.Trim(u.Path, "/") == "" {
					url = strings.TrimRight(url, "/") + "/healthz"
				}
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), healthTimeout)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
			if err != nil {
				return usageError{err}
			}
			resp, err := healthClient(req.URL.Hostname()).Do(req)
			if err != nil {
				return fmt.Errorf("no gateway answers at %s: %w; start it, or name its address: askgate health HOST:PORT", url, client.Reason(err))
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("%s: %s", url, resp.Status)
			}
			return nil
		},
	}
}

// withScheme returns an address as a URL: with http for an IP address or localhost, otherwise with https.
func withScheme(address string) string {
	if strings.Contains(address, "://") {
		return address
	}
	host, _, _ := strings.Cut(address, "/")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || host == "" || host == "localhost" {
		return "http://" + address
	}
	return "https://" + address
}

// healthClient returns a client that does not check the certificate of a gateway on this machine, which
// is for another name. It sends no secret, and uses nothing but the status of the response.
func healthClient(host string) *http.Client {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	if ip, err := netip.ParseAddr(host); host == "localhost" || err == nil && ip.IsLoopback() {
		transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true} //nolint:gosec // see above
	}
	return &http.Client{Transport: transport}
}

// healthTimeout is shorter than the timeouts of health checks in container runtimes.
const healthTimeout = readPatience

// keyEntry is an entry of auth.keys, as printed by askgate key new.
type keyEntry struct {
	ID       string   `json:"id"`
	Hash     string   `json:"hash"`
	Tenant   string   `json:"tenant"`
	Subject  string   `json:"subject"`
	Roles    []string `json:"roles"`
	MayActAs bool     `json:"mayActAs"`
	// Interactive is nil unless it is false.
	Interactive *bool    `json:"interactive,omitempty"`
	MayAsk      []string `json:"mayAsk,omitempty"`
}

func newKey(w io.Writer, entry keyEntry) error {
	key := "ag_" + rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(key))
	entry.Hash = "sha256:" + hex.EncodeToString(sum[:])
	if entry.ID == "" {
		entry.ID = "key-" + strings.ToLower(rand.Text()[:8])
	}
	if entry.Roles == nil {
		entry.Roles = []string{}
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(struct {
		Key   string   `json:"key"`
		Entry keyEntry `json:"entry"`
	}{key, entry})
}
