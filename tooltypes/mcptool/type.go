package mcptool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/outgoing"
	"github.com/askgate/askgate/tools/placeholder"
)

const (
	maxArgs        = 100
	maxParkTimeout = time.Hour
)

// Type returns the type "mcp" of tools.json, with the servers of the pool. asking returns how an
// app asks its users. Both may be nil if no tool is made.
func Type(pool *Pool, asking func(app *config.App, entry *config.Tool) Asking) config.ToolType {
	return config.ToolType{
		Name: "mcp", About: "the tools of an MCP server.", OwnParameters: true, Family: "the server's tools",
		Example: `{"url": "http://..."}, or {"command": "..."}`,
		Keys: func() (any, config.Item) {
			o := &Options{Timeout: 30 * time.Second}
			return o, config.Item{Keys: o.keys(), Done: func(n config.Value, _ bool) { oneServer(n) }}
		},
		Shown: func(t *config.Tool) config.Shown {
			o := t.Own.(*Options)
			shown := config.Shown{Headers: slices.Sorted(maps.Keys(o.Headers)), Timeout: config.Duration(o.Timeout)}
			if o.Command != "" {
				shown.Server = filepath.Base(o.Command) // without its arguments
			} else if u, err := url.Parse(o.URL); err == nil {
				shown.Server = u.Scheme + "://" + u.Host
			}
			if len(o.Personal) > 0 {
				shown.State = "connected per caller"
			}
			return shown
		},
		Offered:      offered,
		Placeholders: func(t *config.Tool) []string { return t.Own.(*Options).placeholders() },
		Members: func(t *config.Tool) (ids []string) {
			for _, name := range t.Own.(*Options).Tools {
				ids = append(ids, offered(t.ID, name))
			}
			return ids
		},
		New: func(app *config.App, entry *config.Tool) (tools.Tool, error) {
			o := *entry.Own.(*Options)
			o.ID, o.Approvals = entry.ID, nil
			if entry.Approval != nil {
				o.Approvals = slices.DeleteFunc(slices.Sorted(maps.Keys(entry.Approval.Tools)), func(name string) bool { return name == "*" })
			}
			if len(o.Personal) > 0 {
				return pool.Personal(o, asking(app, entry))
			}
			return pool.Tool(o, asking(app, entry))
		},
	}
}

func (o *Options) keys() []config.Key {
	o.Park = 10 * time.Minute
	return []config.Key{
		config.Filled("url", &o.URL, isAddress, "address of an [MCP server](tools/mcp.md); this or `command`. Each of its tools is offered as `<id>__<name>`; apps list `<id>` for all of them, or `<id>__<name>`. The `id` has at most 32 characters, and no `__`"),
		config.Headers(&o.Headers, &o.Secrets, "sent to `url`; put secrets into environment variables: only those are hidden from the model. With placeholders of the caller, such as `{caller.subject}`, the server is [connected per caller](tools/mcp.md#as-the-person-who-asks)").Then(o.findPersonal),
		config.Bool("allowPrivate", &o.AllowPrivate, "as for `http`"),
		config.Filled("command", &o.Command, nil, "a program, found in `PATH` or, with a `/`, relative to the working directory; AskGate starts it, talks to it over its standard input and output, and restarts it when it ends").Then(o.startable),
		config.Free("args", "list of strings", fmt.Sprintf(`"type": "array", "maxItems": %d, "items": {"type": "string"}`, maxArgs), o.readArgs, "the arguments of `command`, up to 100"),
		config.Free("env", "strings by name", `"type": "object", "propertyNames": {"pattern": "`+variableName.String()+`"}, "additionalProperties": {"type": "string"}`, o.readEnv,
			"the environment of `command`, in addition to the gateway's `PATH`, `HOME`, `LANG`, `TZ`, `TMPDIR` and `USER`; it gets no other variables"),
		config.Words("tools", &o.Tools, maxTools, nil, "which of the server's tools are offered, by the server's names").Unset("all"),
		config.CallTimeout(&o.Timeout, "of a call, and of connecting"),
		config.Length("parkTimeout", (*config.Duration)(&o.Park), time.Second, maxParkTimeout, "none", "how long a call is held open while a question of a server with a protocol before 2026-07-28 [waits](tools/mcp.md#servers-of-older-protocols); empty: such questions are cancelled"),
	}
}

// findPersonal finds the headers with placeholders of the caller.
func (o *Options) findPersonal(config.Value) {
	o.Personal = nil
	for name, value := range o.Headers {
		if text, err := placeholder.Parse(value); err == nil && len(text.Names()) > 0 {
			o.Personal = append(o.Personal, name)
		}
	}
	slices.Sort(o.Personal)
}

// oneServer checks that there is one way to reach the server, and that all keys belong to it.
func oneServer(n config.Value) {
	byURL, byCommand := n.Key("url").Given(), n.Key("command").Given()
	switch {
	case !byURL && !byCommand:
		n.Fault(`"url" is missing; write it like "http://127.0.0.1:9000/mcp", or name a program with "command"`)
	case byURL && byCommand:
		n.Key("command").Fault(`"command" and "url" cannot be combined; remove one`)
	}
	for key, other := range map[string]string{"args": "command", "env": "command", "headers": "url", "allowPrivate": "url"} {
		if at := n.Key(key); at.Given() && byURL != byCommand && byCommand != (other == "command") {
			at.Fault("%q requires %q; remove it", key, other)
		}
	}
}

func isAddress(n config.Value, address string) bool {
	u, err := url.Parse(address)
	var wrong error
	if err == nil {
		wrong = outgoing.Check(u.Scheme + address[len(u.Scheme):]) // in lower case
	}
	switch {
	case err != nil || errors.Is(wrong, outgoing.ErrNoAddress):
		n.Fault(`%s is not the address of an MCP server; write it like "http://127.0.0.1:9000/mcp"`, n.Raw())
	case wrong != nil:
		n.Fault("%s", wrong)
	}
	return err == nil && wrong == nil
}

// startable warns about a program that cannot be started here. It is not a fault: the check may run on
// another machine, and the program may be installed later.
func (o *Options) startable(n config.Value) {
	if o.Command == "" {
		return
	}
	_, err := exec.LookPath(o.Command)
	program, arguments, spaced := strings.Cut(strings.TrimSpace(o.Command), " ")
	switch {
	case err == nil || n.FromEnvironment(): // the value is not shown
	case spaced:
		quoted, _ := json.Marshal(strings.Fields(arguments)) // cannot fail for texts
		n.Warn(`"command" is one program without arguments; write "command": %q, "args": %s`, program, strings.ReplaceAll(string(quoted), `","`, `", "`))
	case strings.Contains(o.Command, "/"):
		n.Warn("there is no program %s that can be run; correct the path (a relative one starts at the working directory), or install the program", n.Raw())
	default:
		n.Warn("the program %s is not in PATH; install it, or write its path", n.Raw())
	}
}

// readArgs reads a program's arguments.
func (o *Options) readArgs(n config.Value) {
	items, _ := n.List(maxArgs, "too many; at most %d are allowed here")
	o.Args = make([]string, 0, len(items))
	for _, item := range items {
		text, _ := item.Text()
		if strings.Contains(text, "\x00") {
			item.Fault("arguments cannot contain U+0000; remove it")
		}
		o.Args = append(o.Args, text)
		if item.FromEnvironment() {
			o.Secrets = append(o.Secrets, text)
		}
	}
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

// readEnv reads a program's environment.
func (o *Options) readEnv(n config.Value) {
	list, _ := n.Members()
	o.Env = make(map[string]string, len(list))
	for _, m := range list {
		if !variableName.MatchString(m.Key) {
			m.Name.Fault("%s is not a valid name for an environment variable; use letters, digits and underscores", m.Name.Raw())
			continue
		}
		text, _ := m.Text()
		if strings.Contains(text, "\x00") {
			m.Fault("variables cannot contain U+0000; remove it")
			continue
		}
		o.Env[m.Key] = text
		if m.FromEnvironment() {
			o.Secrets = append(o.Secrets, text)
		}
	}
}
