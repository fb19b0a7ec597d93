package httptool

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/outgoing"
	"github.com/askgate/askgate/tools/placeholder"
)

// Type returns the type "http" of tools.json.
func Type() config.ToolType {
	return config.ToolType{
		Name: "http", About: "calls an address.",
		Example: `{"method": "GET", "url": "https://..."}`,
		Keys: func() (any, config.Item) {
			o := &Options{Method: "GET", Timeout: 10 * time.Second}
			return o, config.Item{Keys: o.keys()}
		},
		Check: check, Lists: lists,
		Shown: func(t *config.Tool) config.Shown {
			o := t.Own.(*Options)
			server, _ := outgoing.Split(o.URL)
			return config.Shown{
				Method: o.Method, Server: server, Headers: slices.Sorted(maps.Keys(o.Headers)), Body: bodyNames(o.Body),
				Timeout: config.Duration(o.Timeout), AllowPrivate: o.AllowPrivate,
			}
		},
		Placeholders: func(t *config.Tool) []string { return t.Own.(*Options).Placeholders() },
		New: func(_ *config.App, entry *config.Tool) (tools.Tool, error) {
			o := *entry.Own.(*Options)
			o.Once = entry.Approval != nil // a person allows one request
			o.Declared = parametersOf(entry).names()
			return New(o)
		},
	}
}

func (o *Options) keys() []config.Key {
	return []config.Key{
		config.Word("method", &o.Method, "HTTP method", []string{"GET", "POST", "PUT", "PATCH", "DELETE"}, "`GET`, `POST`, `PUT`, `PATCH` or `DELETE`"),
		config.Filled("url", &o.URL, isTemplate, "`http://` or `https://`, with `{name}` for parameters in the path and as values in the query; the other arguments go into the query of a `GET`, otherwise into a JSON body. Both may have [placeholders of the caller](tools/http.md#as-the-person-who-asks)").
			Must(`write it like "https://terms.example.org/v1/{term}"`).Caller(),
		config.Headers(&o.Headers, &o.Secrets, "put secrets into environment variables: only those are hidden from the model. Values may have [placeholders of the caller](tools/http.md#as-the-person-who-asks)"),
		config.Free("body", "any object", `"type": "object"`, o.readBody, "fixed members of the JSON body, before the arguments, for all methods but `GET`; up to 64 KiB, 16 levels deep. Their texts may have [placeholders of the caller](tools/http.md#as-the-person-who-asks)").Caller(),
		config.CallTimeout(&o.Timeout, "of a call, including its retries"),
		config.Bool("allowPrivate", &o.AllowPrivate, "the host may resolve to private addresses even though its name looks public; see [where a call may lead](tools/http.md#where-a-call-may-lead)"),
	}
}

// readBody reads the fixed members of the body.
func (o *Options) readBody(n config.Value) {
	if _, ok := n.Members(); !ok {
		return
	}
	clean := true
	o.Body = n.JSON(func(at config.Value, text string) {
		clean = at.CheckPlaceholders(text) && clean
		if at.FromEnvironment() {
			o.Secrets = append(o.Secrets, text)
		}
	})
	if _, err := parseFixed(o.Body); err != nil && clean {
		n.Fault("%s", err)
	}
}

// bodyNames returns the names of the members of a body.
func bodyNames(body json.RawMessage) []string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members) // readBody has checked it
	return slices.Sorted(maps.Keys(members))
}

func isTemplate(n config.Value, text string) bool {
	_, err := parseTemplate(text)
	if err != nil {
		n.Fault("%s", strings.Replace(err.Error(), theText, n.Raw(), 1))
	}
	return err == nil
}

// parameters is the part of an entry's JSON Schema that is used here.
type parameters struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

func parametersOf(entry *config.Tool) (p parameters) {
	_ = json.Unmarshal(entry.Parameters, &p) // package config reports faults of the schema
	return p
}

func (p parameters) names() []string { return slices.Sorted(maps.Keys(p.Properties)) }

// check reports parameters that collide with the caller's placeholders or the fixed members of the
// body, and placeholders of the address that are not parameters, or not required ones.
func check(at config.Value, entry *config.Tool) {
	o := entry.Own.(*Options)
	parameters := parametersOf(entry)
	known := parameters.names()
	body, _ := parseFixed(o.Body) // readBody has reported faults
	for _, name := range known {
		switch {
		case placeholder.Reserved(name):
			at.Fault("the parameter %q has a name like a placeholder of the caller; rename it", name)
		case body.has(name):
			at.Find("/body").Fault("the parameter %q has the name of a member of \"body\", or one that some servers take for it; rename or remove one of them", name)
		}
	}
	if o.Method == http.MethodGet && len(o.Body) > 0 {
		at.Find("/body").Fault(`a GET has no body; remove the key, or write "method": "POST"`)
	}
	address, err := parseTemplate(o.URL)
	if err != nil {
		return // isTemplate has reported it
	}
	at = at.Find("/url")
	for _, name := range slices.Sorted(maps.Keys(address.used)) {
		switch _, there := parameters.Properties[name]; {
		case !there:
			at.Fault("placeholder {%s} is not a parameter; add it to the properties of \"parameters\" (%s)", name, config.Suggest(name, known))
		case address.mandatory(name) && !slices.Contains(parameters.Required, name):
			at.Warn("the address cannot be built without {%s}; list it under \"required\" of \"parameters\", so that the model gives it", name)
		}
	}
}

// lists returns why a tool cannot list options, or "" if it can.
func lists(entry *config.Tool, _ *config.OptionsFrom) string {
	if method := entry.Own.(*Options).Method; method != "GET" && method != "POST" {
		return "it is called with " + method + "; options are listed with GET or POST"
	}
	return ""
}
