package mcptool

import (
	_ "embed"
	"errors"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/outgoing"
)

const (
	maxArgs        = 100
	maxParkTimeout = time.Hour
)

//go:embed schema.json
var entrySchema []byte

// Type is the type "mcp" of tools.json, whose servers are in the pool. asking says how an
// app asks its users. Where no tool is made, both may be nil.
func Type(pool *Pool, asking func(app *config.App, entry *config.Tool) Asking) config.ToolType {
	return config.ToolType{
		Name: "mcp", About: "the tools of an MCP server.", OwnParameters: true, Family: "the server's tools",
		Schema: entrySchema, Example: `{"url": "http://..."}, or {"command": "..."}`,
		Read: func(n config.Node) any { return read(n) },
		Shown: func(t *config.Tool) config.Shown {
			o := t.Own.(*Options)
			shown := config.Shown{Headers: slices.Sorted(maps.Keys(o.Headers)), Timeout: config.Duration(o.Timeout)}
			if o.Command != "" {
				shown.Server = filepath.Base(o.Command) // not what it is started with
			} else if u, err := url.Parse(o.URL); err == nil {
				shown.Server = u.Scheme + "://" + u.Host
			}
			return shown
		},
		Members: func(t *config.Tool) int { return len(t.Own.(*Options).Tools) },
		New: func(app *config.App, entry *config.Tool) (tools.Tool, error) {
			o := *entry.Own.(*Options)
			o.ID = entry.ID
			return pool.Tool(o, asking(app, entry))
		},
	}
}

func read(n config.Node) *Options {
	o := &Options{Timeout: 30 * time.Second}
	elicitation, park := "park", 10*time.Minute
	at := map[string]config.Node{} // keys that are there
	keep := func(key string, read func(config.Node)) func(config.Node) {
		return func(n config.Node) {
			at[key] = n
			read(n)
		}
	}
	secret := func(values []string) { o.Secrets = append(o.Secrets, values...) }
	ok := n.Object(config.Keys{
		"url":     keep("url", func(n config.Node) { n.Filled(&o.URL); checkAddress(n, o.URL) }),
		"command": keep("command", func(n config.Node) { n.Filled(&o.Command) }),
		"args":    keep("args", func(n config.Node) { o.Args = readArgs(n, secret) }),
		"env":     keep("env", func(n config.Node) { o.Env = readEnv(n, secret) }),
		"headers": keep("headers", func(n config.Node) {
			var secrets []string
			o.Headers, secrets = n.Headers()
			secret(secrets)
		}),
		"allowPrivate": keep("allowPrivate", func(n config.Node) { n.Boolean(&o.AllowPrivate) }),
		"tools":        func(n config.Node) { n.Words(&o.Tools, maxTools, nil) },
		"timeout":      func(n config.Node) { n.CallTimeout(&o.Timeout) },
		"elicitation":  func(n config.Node) { n.OneOf(&elicitation, "way with questions", "cancel", "park") },
		"parkTimeout":  func(n config.Node) { n.Duration((*config.Duration)(&park), time.Second, maxParkTimeout, "") },
	}, nil)
	if ok {
		oneServer(n, at)
	}
	if elicitation == "park" {
		o.Park = park
	}
	return o
}

// oneServer checks that there is one way to reach the server, and only keys of that way.
func oneServer(n config.Node, at map[string]config.Node) {
	_, byURL := at["url"]
	_, byCommand := at["command"]
	switch {
	case !byURL && !byCommand:
		n.Fault(`"url" is missing; write it like "http://127.0.0.1:9000/mcp", or name a program with "command"`)
	case byURL && byCommand:
		at["command"].Fault(`"command" and "url" are two servers; remove one`)
	}
	for key, other := range map[string]string{"args": "command", "env": "command", "headers": "url", "allowPrivate": "url"} {
		if n, ok := at[key]; ok && byURL != byCommand && byCommand != (other == "command") {
			n.Fault("%q belongs to %q; remove it", key, other)
		}
	}
}

func checkAddress(n config.Node, address string) {
	if address == "" {
		return
	}
	u, err := url.Parse(address)
	var wrong error
	if err == nil {
		wrong = outgoing.Check(u.Scheme + address[len(u.Scheme):]) // in lower case
	}
	switch {
	case err != nil || errors.Is(wrong, outgoing.ErrNoAddress):
		n.Fault(`%s is no address of an MCP server; write it like "http://127.0.0.1:9000/mcp"`, n.Raw())
	case wrong != nil:
		n.Fault("%s", wrong)
	}
}

// readArgs reads what a program is started with.
func readArgs(n config.Node, secret func([]string)) []string {
	items, _ := n.List()
	if len(items) > maxArgs {
		items[maxArgs].Fault("too many; at most %d are allowed here", maxArgs)
		items = items[:maxArgs]
	}
	list := make([]string, 0, len(items))
	for _, item := range items {
		text, _ := item.Text()
		if strings.Contains(text, "\x00") {
			item.Fault("an argument has no U+0000; remove it")
		}
		list = append(list, text)
		if item.FromEnvironment() {
			secret(list[len(list)-1:])
		}
	}
	return list
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

// readEnv reads a program's environment.
func readEnv(n config.Node, secret func([]string)) map[string]string {
	list, _ := n.Members()
	values := make(map[string]string, len(list))
	for _, m := range list {
		if !variableName.MatchString(m.Key) {
			m.Name.Fault("%s is no name of an environment variable; use letters, digits and underscores", m.Name.Raw())
			continue
		}
		text, _ := m.Text()
		if strings.Contains(text, "\x00") {
			m.Fault("the value of a variable has no U+0000; remove it")
			continue
		}
		values[m.Key] = text
		if m.FromEnvironment() {
			secret([]string{text})
		}
	}
	return values
}
