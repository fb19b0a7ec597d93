package httptool

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/outgoing"
)

//go:embed schema.json
var schema []byte

// Type is the type "http" of tools.json.
func Type() config.ToolType {
	return config.ToolType{
		Name: "http", About: "calls an address.",
		Schema: schema, Example: `{"method": "GET", "url": "https://..."}`,
		Read:  func(n config.Node) any { return read(n) },
		Check: check, Lists: lists,
		Shown: func(t *config.Tool) config.Shown {
			o := t.Own.(*Options)
			server, _ := outgoing.Split(o.URL)
			return config.Shown{
				Method: o.Method, Server: server, Headers: slices.Sorted(maps.Keys(o.Headers)),
				Timeout: config.Duration(o.Timeout), AllowPrivate: o.AllowPrivate,
			}
		},
		New: func(_ *config.App, entry *config.Tool) (tools.Tool, error) {
			o := *entry.Own.(*Options)
			o.Once = entry.NeedsApproval // that is what a person allows
			o.Declared = parametersOf(entry).names()
			return New(o)
		},
	}
}

func read(n config.Node) *Options {
	o := &Options{Method: "GET", Timeout: 10 * time.Second}
	given := false
	ok := n.Object(config.Keys{
		"method": func(n config.Node) { n.OneOf(&o.Method, "HTTP method", "GET", "POST", "PUT", "PATCH", "DELETE") },
		"url": func(n config.Node) {
			given = true
			n.Filled(&o.URL)
			if _, err := parseTemplate(o.URL); o.URL != "" && err != nil {
				n.Fault("%s", strings.Replace(err.Error(), theText, n.Raw(), 1))
			}
		},
		"headers":      func(n config.Node) { o.Headers, o.Secrets = n.Headers() },
		"timeout":      func(n config.Node) { n.CallTimeout(&o.Timeout) },
		"allowPrivate": func(n config.Node) { n.Boolean(&o.AllowPrivate) },
	}, nil)
	if ok && !given {
		n.Fault(`"url" is missing; write it like "https://terms.example.org/v1/{term}"`)
	}
	return o
}

// parameters are what is read of an entry's JSON Schema.
type parameters struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

func parametersOf(entry *config.Tool) (p parameters) {
	_ = json.Unmarshal(entry.Parameters, &p) // its faults are found elsewhere
	return p
}

func (p parameters) names() []string { return slices.Sorted(maps.Keys(p.Properties)) }

// check compares the placeholders of the address with the parameters.
func check(at config.Node, entry *config.Tool) {
	address, err := parseTemplate(entry.Own.(*Options).URL)
	if err != nil {
		return // read has said so
	}
	at = at.Find("/url")
	parameters := parametersOf(entry)
	known := parameters.names()
	for _, name := range slices.Sorted(maps.Keys(address.used)) {
		switch _, there := parameters.Properties[name]; {
		case !there:
			at.Fault("the placeholder {%s} names no parameter; add it to the properties of \"parameters\", or: %s", name, config.Mend(name, known))
		case address.inPath(name) && !slices.Contains(parameters.Required, name):
			at.Warn("there is no address without {%s}; name it under \"required\" of \"parameters\", so that the model knows", name)
		}
	}
}

// lists says why a tool cannot list options.
func lists(entry *config.Tool, _ string) string {
	if method := entry.Own.(*Options).Method; method != "GET" && method != "POST" {
		return "it is called with " + method + "; options are listed with GET or POST"
	}
	return ""
}
