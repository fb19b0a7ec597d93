package config

import (
	"net/url"
	"regexp"
	"strings"
	"time"
)

const (
	defaultMCPTimeout  = Duration(30 * time.Second)
	defaultParkTimeout = Duration(2 * time.Minute)
	maxParkTimeout     = time.Hour
	maxServerID        = 32  // characters: half of what models take as a tool's name
	maxServerTools     = 128 // that an entry may name
	maxServerArgs      = 100
)

func (n node) mcpTool() *MCPTool {
	m := &MCPTool{Timeout: defaultMCPTimeout, Elicitation: ElicitCancel, ParkTimeout: defaultParkTimeout}
	at := map[string]node{} // keys that are there
	secret := func(values []string) { m.Secrets = append(m.Secrets, values...) }
	ok := n.object(keys{
		"url":     func(n node) { at["url"] = n; n.filled(&m.URL); n.serverAddress(m.URL) },
		"command": func(n node) { at["command"] = n; n.filled(&m.Command) },
		"args": func(n node) {
			at["args"] = n
			var secrets []string
			m.Args, secrets = n.arguments()
			secret(secrets)
		},
		"env": func(n node) {
			at["env"] = n
			var secrets []string
			m.Env, secrets = n.variables()
			secret(secrets)
		},
		"headers": func(n node) {
			at["headers"] = n
			var secrets []string
			m.Headers, secrets = n.headers()
			secret(secrets)
		},
		"allowPrivate": func(n node) { at["allowPrivate"] = n; n.boolean(&m.AllowPrivate) },
		"tools":        func(n node) { n.words(&m.Tools, maxServerTools, nil) },
		"timeout":      func(n node) { n.duration(&m.Timeout, 10*time.Millisecond, maxToolTimeout, "") },
		"elicitation":  func(n node) { n.oneOf(&m.Elicitation, "way with questions", ElicitCancel, ElicitPark) },
		"parkTimeout":  func(n node) { n.duration(&m.ParkTimeout, time.Second, maxParkTimeout, "") },
	}, nil)
	if ok {
		n.oneServer(at)
	}
	return m
}

// oneServer checks that there is one way to reach the server, and only keys of that way.
func (n node) oneServer(at map[string]node) {
	_, byURL := at["url"]
	_, byCommand := at["command"]
	switch {
	case !byURL && !byCommand:
		n.fault(`"url" is missing; write it like "http://127.0.0.1:9000/mcp", or name a program with "command"`)
	case byURL && byCommand:
		at["command"].fault(`"command" and "url" are two servers; remove one`)
	}
	for key, other := range map[string]string{"args": "command", "env": "command", "headers": "url", "allowPrivate": "url"} {
		if n, ok := at[key]; ok && byURL != byCommand && byCommand != (other == "command") {
			n.fault("%q belongs to %q; remove it", key, other)
		}
	}
}

func (n node) serverAddress(address string) {
	if address == "" {
		return
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		n.fault(`%s is no address of an MCP server; write it like "http://127.0.0.1:9000/mcp"`, n.raw())
	case u.User != nil:
		n.fault(`a user stands in the address; remove it, and write "headers": {"Authorization": "$NAME"}`)
	case strings.Contains(address, "#"):
		n.fault("an address to call has no #; remove it")
	default:
		if wrong := hostFault(u.Host); wrong != "" {
			n.fault("%s", wrong)
		}
	}
}

// arguments reads what a program is started with; secrets are the values that came from
// the environment.
func (n node) arguments() (list, secrets []string) {
	items, _ := n.list()
	if len(items) > maxServerArgs {
		items[maxServerArgs].fault("too many; at most %d are allowed here", maxServerArgs)
		items = items[:maxServerArgs]
	}
	list = make([]string, 0, len(items))
	for _, item := range items {
		text, _ := item.text()
		if strings.Contains(text, "\x00") {
			item.fault("an argument has no U+0000; remove it")
		}
		list = append(list, text)
		if variable.MatchString(literal(item.v)) {
			secrets = append(secrets, text)
		}
	}
	return list, secrets
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

// variables reads a program's environment; secrets are the values that came from the
// gateway's own.
func (n node) variables() (values map[string]string, secrets []string) {
	list, _ := n.members()
	values = make(map[string]string, len(list))
	for _, m := range list {
		if !variableName.MatchString(m.key) {
			m.name.fault("%s is no name of an environment variable; use letters, digits and underscores", m.name.raw())
			continue
		}
		text, _ := m.text()
		if strings.Contains(text, "\x00") {
			m.fault("the value of a variable has no U+0000; remove it")
			continue
		}
		values[m.key] = text
		if variable.MatchString(literal(m.v)) {
			secrets = append(secrets, text)
		}
	}
	return values, secrets
}
