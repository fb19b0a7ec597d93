package mcptool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
	"github.com/askgate/askgate/tools/elicit"
)

// Limits of one form of a server.
const (
	MaxFields  = 20  // questions of a form
	MaxOptions = 100 // options of a question
)

const maxLink = 2000 // bytes of a URL to visit

// form collects a server's requests as the arguments of ask_user.
type form struct {
	asking   Asking
	language string
	server   string
	hide     func(string) string // removes secrets from the server's texts

	requests []request
	parts    []map[string]any
	links    []string          // by part, "" without one
	defaults []json.RawMessage // by part, as the server sent them
}

// add adds one request. The error is for the model.
func (f *form) add(key string, p *mcp.ElicitParams) error {
	if p.Mode == "url" || p.URL != "" {
		return f.visit(key, p)
	}
	var schema elicit.Schema
	if p.RequestedSchema != nil {
		raw, ok := p.RequestedSchema.(string) // as the server sent it; see order.go
		if !ok {
			sorted, err := json.Marshal(p.RequestedSchema)
			if err != nil {
				return err
			}
			raw = string(sorted)
		}
		if json.Unmarshal([]byte(f.hide(raw)), &schema) != nil {
			return unaskable("its schema is not valid in the protocol")
		}
	}
	if len(f.parts)+len(schema.Properties) > MaxFields {
		return unaskable(fmt.Sprintf("more than %d fields", MaxFields))
	}
	message := elicit.Clean(f.hide(p.Message))
	if len(schema.Properties) == 0 {
		f.requests = append(f.requests, request{Key: key})
		f.part(map[string]any{"question": tools.Shorten(cmp.Or(message, f.server), elicit.MaxQuestion), "input_type": tools.Confirm}, "", nil)
		return nil
	}
	questions, err := schema.Questions(message, key)
	if err != nil {
		return unaskable(err.Error())
	}
	r := request{Key: key}
	for i := range schema.Properties {
		p := &schema.Properties[i]
		f.part(questions[i], "", p.Default)
		r.Fields = append(r.Fields, field{p.Name, p.Type, schema.Wants(p.Name)})
	}
	if r.Schema, err = schema.Check(); err != nil {
		return err
	}
	if _, err := arguments.CompileStrict(r.Schema); err != nil {
		return unaskable("its schema is not valid in the protocol")
	}
	f.requests = append(f.requests, r)
	return nil
}

func (f *form) part(part map[string]any, link string, given json.RawMessage) {
	f.parts, f.links, f.defaults = append(f.parts, part), append(f.links, link), append(f.defaults, given)
}

// visit asks the user whether they have visited a page. The gateway itself never opens it.
func (f *form) visit(key string, p *mcp.ElicitParams) error {
	u, err := url.Parse(p.URL)
	switch {
	case f.hide(p.URL) != p.URL:
		return unaskable("a page whose address contains a gateway secret")
	case err != nil || len(p.URL) > maxLink || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil:
		return unaskable("a page whose address is not http(s), or too long")
	case strings.ContainsFunc(u.Host, func(r rune) bool { return r >= utf8.RuneSelf || r <= ' ' }):
		return unaskable("a page whose host is not in ASCII")
	}
	f.requests = append(f.requests, request{Key: key})
	f.part(map[string]any{
		"question": tools.Shorten(f.asking.Visit(f.language, f.server, u.Host), elicit.MaxQuestion),
		"context":  elicit.Clean(f.hide(p.Message)), "input_type": tools.Confirm,
	}, u.String(), nil)
	return nil
}

// question has ask_user make the question. If ask_user refuses a pattern, patterns are left out,
// and only the check of the answer applies them.
func (f *form) question() (*tools.Question, error) {
	if len(f.parts) == 0 {
		return nil, unaskable("an empty form")
	}
	out, err := f.run()
	var refused *tools.Error
	if errors.As(err, &refused) && f.unpattern() {
		out, err = f.run()
	}
	switch {
	case errors.As(err, &refused) && refused.Reason == "secret": // askuser.ReasonSecret
		return nil, unaskable("it asks for a password or another secret")
	case errors.As(err, &refused):
		return nil, unaskable("its form exceeds limits")
	case err != nil:
		return nil, err
	case out.Question == nil || len(out.Question.Parts) != len(f.parts):
		return nil, unaskable("its form exceeds limits")
	}
	for i, link := range f.links {
		out.Question.Parts[i].Link = link
		out.Question.Parts[i].Default = f.given(out.Question, i)
	}
	out.Question.AskedBy = &tools.Asker{Kind: tools.AskerServer, Title: f.server}
	out.Question.Warning = f.asking.Warning(f.language, f.server)
	return out.Question, nil
}

// unpattern removes the patterns, and reports whether there were any.
func (f *form) unpattern() bool {
	there := false
	for _, part := range f.parts {
		if rules, ok := part["validation"].(map[string]any); ok && rules["pattern"] != nil {
			there = true
			delete(rules, "pattern")
		}
	}
	return there
}

func (f *form) run() (tools.Outcome, error) {
	var asked any = map[string]any{"questions": f.parts}
	if len(f.parts) == 1 {
		asked = f.parts[0]
	}
	raw, err := json.Marshal(asked)
	if err != nil {
		return tools.Outcome{}, err
	}
	out, err := f.asking.Asker.Run(context.Background(), tools.Call{Arguments: string(raw), Language: f.language})
	if err == nil && out.Error != nil {
		err = out.Error
	}
	return out, err
}
