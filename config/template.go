package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"github.com/askgate/askgate/tools"
)

const (
	maxTemplates         = 50  // of one tool: the model reads them all
	maxTemplateOptions   = 100 // in the file
	defaultTemplateCache = Duration(time.Minute)
	maxTemplateCache     = 24 * time.Hour
)

// Template is a question that the model asks by name.
type Template struct {
	// Description tells the model when to ask it; zero: the question itself does.
	Description Text
	// Values are the names in braces that the model gives values for, sorted.
	Values []string
	// From says where the options come from; nil: they are in the template.
	From *OptionsFrom
	// Cache is how long options that were listed are offered without asking the tool again.
	Cache Duration
	// ExpiresIn is how long the question waits at most; 0: as long as the app lets it.
	ExpiresIn Duration
	// Remember is how answers are kept of a person.
	Remember Remember

	question json.RawMessage // the fields of ask_user, standard JSON, still localised
	fallback json.RawMessage // a list of options, likewise; nil: a free text
}

// OptionsFrom is the tool that lists options, and where they are in its result.
type OptionsFrom struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"` // a JSON object, {name} in its texts; nil: none
	// JSON pointers (RFC 6901): Rows into the result, the others into a row.
	Rows        string `json:"rows"`
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description"`
}

// QuestionIn is the template as the fields of ask_user, a JSON object whose texts are
// plain strings in that language, by the rule of Text.In. The {name}s are still in it.
func (t *Template) QuestionIn(language string) json.RawMessage {
	return localisedFields(t.question, language)
}

// FallbackIn are the options where the tool cannot list any, in that language; nil where
// the question is then answered with a free text.
func (t *Template) FallbackIn(language string) json.RawMessage {
	return localisedFields(t.fallback, language)
}

func localisedFields(raw json.RawMessage, language string) json.RawMessage {
	if raw == nil {
		return nil
	}
	v, err := hujson.Parse(raw)
	if err != nil { // Load has checked it
		return raw
	}
	questionTexts(&v, func(text *hujson.Value) { text.Value = hujson.String(plainText(text).In(language)) })
	return v.Pack()
}

// The texts of a question, and of its options and rules.
var questionTextKeys = []string{"question", "header", "context", "placeholder", "label", "description", "message", "default", "preview"}

// questionTexts visits every text of a question that is localised.
func questionTexts(v *hujson.Value, visit func(*hujson.Value)) {
	switch x := v.Value.(type) {
	case *hujson.Array:
		for i := range x.Elements {
			questionTexts(&x.Elements[i], visit)
		}
	case *hujson.Object:
		for i := range x.Members {
			m := &x.Members[i]
			if slices.Contains(questionTextKeys, literal(&m.Name)) && m.Value.Value.Kind() == '{' {
				visit(&m.Value)
			} else {
				questionTexts(&m.Value, visit)
			}
		}
	}
}

// templates reads the templates of an ask_user, over those of the entry that it changes.
func (n Node) templates(dst *map[string]*Template) {
	list, ok := n.Members()
	if !ok {
		return
	}
	if len(list) > maxTemplates {
		list[maxTemplates].Name.Fault("too many templates; at most %d are allowed", maxTemplates)
		list = list[:maxTemplates]
	}
	merged := maps.Clone(*dst)
	if merged == nil {
		merged = map[string]*Template{}
	}
	for _, m := range list {
		if !toolID.MatchString(m.Key) {
			m.Name.Fault("%s is no name of a template; %s", m.Name.Raw(), toolIDRule)
			continue
		}
		merged[m.Key] = m.template()
	}
	*dst = merged
}

// templateNodes are where the parts of a template stand, to blame them.
type templateNodes struct{ question, input, options, from, cache, fallback, rules Node }

func (n Node) template() *Template {
	n.pure = true // as in parameters: no text for people or the model comes from the environment
	t := &Template{Cache: defaultTemplateCache}
	var at templateNodes
	kind := ""
	places := map[string]bool{}
	text := func(n Node) {
		var text Text
		n.Localised(&text)
		for _, e := range text.entries {
			for _, m := range tools.Placeholder.FindAllStringSubmatch(e.text, -1) {
				places[m[1]] = true
			}
		}
	}
	faulty := func() int { return len(n.s.faults) + n.s.dropped }
	before := faulty()
	known := Keys{
		"description": func(n Node) { n.Localised(&t.Description) },
		"question":    func(n Node) { at.question = n; text(n) },
		"id":          Node.questionID,
		"key":         Node.questionKey,
		"header":      text,
		"context":     text,
		"placeholder": text,
		"input_type": func(n Node) {
			at.input = n
			n.OneOf(&kind, "input type", "text", "select", "multiselect", "confirm", "number", "date")
		},
		"options":     func(n Node) { at.options = n; n.templateOptions() },
		"allow_other": func(n Node) { var b bool; n.Boolean(&b) },
		"allow_skip":  func(n Node) { var b bool; n.Boolean(&b) },
		"format":      func(n Node) { var s string; n.OneOf(&s, "format", "email", "uri", "phone", "duration") },
		"default":     Node.templateDefault,
		"validation":  func(n Node) { at.rules = n; n.templateRules() },
		"optionsFrom": func(n Node) { at.from = n; t.From = n.optionsFrom(places) },
		"cache": func(n Node) {
			at.cache = n
			n.Duration(&t.Cache, 0, maxTemplateCache, "")
		},
		"fallback":  func(n Node) { at.fallback = n },
		"expiresIn": func(n Node) { n.Duration(&t.ExpiresIn, time.Second, 3650*day, "as long as the app lets it wait") },
	}
	together := templateRemember(t, known)
	if !n.Object(known, nil) {
		return t
	}
	together()
	if at.question.v == nil {
		n.Fault(`"question" is missing; write what the person is asked`)
	}
	at.together(t, kind)
	t.Values = slices.Sorted(maps.Keys(places))
	if faulty() > before {
		return t
	}
	t.question = n.without("description", "optionsFrom", "cache", "fallback", "expiresIn", "remember", "rememberFor", "silent")
	if at.from.v != nil && kind == "" {
		t.question = append([]byte(`{"input_type":"select",`), t.question[1:]...)
	}
	n.askable(t.QuestionIn, t.From != nil)
	if at.fallback.v != nil && at.fallback.v.Value.Kind() == '[' {
		t.fallback = packed(at.fallback.v)
		at.fallback.askable(func(language string) json.RawMessage {
			return slices.Concat([]byte(`{"question":"?","input_type":"multiselect","options":`), t.FallbackIn(language), []byte("}"))
		}, false)
	}
	if t.From != nil {
		n.l.templateAt[t] = at.from.Find("/tool")
	}
	return t
}

// together checks the keys of a template against each other.
func (at templateNodes) together(t *Template, kind string) {
	switch {
	case at.from.v == nil && at.cache.v != nil:
		at.cache.Fault(`"cache" is about "optionsFrom", which is not there; add that, or remove the key`)
	case at.from.v == nil && at.fallback.v != nil:
		at.fallback.Fault(`"fallback" is about "optionsFrom", which is not there; add that, or remove the key`)
	case at.from.v != nil && at.options.v != nil:
		at.options.Fault(`the options come from "optionsFrom"; remove one of the two, or move these to "fallback"`)
	case at.from.v != nil && kind != "" && kind != "select" && kind != "multiselect":
		at.input.Fault(`a %s has no options; write "select" or "multiselect", or remove "optionsFrom"`, kind)
	}
	if at.rules.v != nil && (kind == "select" || kind == "confirm" || kind == "" && (at.options.v != nil || at.from.v != nil)) {
		at.rules.Warn(`a select or confirm has no rules; remove the key`)
	}
	if at.fallback.v == nil || at.from.v == nil {
		return
	}
	if at.fallback.v.Value.Kind() == '[' {
		at.fallback.templateOptions()
		return
	}
	if word, ok := at.fallback.Text(); ok && word != "text" {
		at.fallback.Fault(`%s is no fallback; write "text" for a free text, or a list of options`, at.fallback.Raw())
	}
}

// askable has a question judged as the model's own would be, in each of its languages.
func (n Node) askable(in func(language string) json.RawMessage, listed bool) {
	if n.l.opts.Question == nil {
		return
	}
	languages := []string{"en"}
	v := n.v.Clone()
	questionTexts(&v, func(text *hujson.Value) { languages = append(languages, plainText(text).Languages()...) })
	slices.Sort(languages)
	for _, language := range slices.Compact(languages) {
		if err := n.l.opts.Question(in(language), listed); err != nil {
			n.Fault("the question cannot be asked (%s): %s", language, err)
			return
		}
	}
}

// without is an object as standard JSON, without some of its keys.
func (n Node) without(keys ...string) json.RawMessage {
	v := n.v.Clone()
	obj := v.Value.(*hujson.Object)
	obj.Members = slices.DeleteFunc(obj.Members, func(m hujson.ObjectMember) bool { return slices.Contains(keys, literal(&m.Name)) })
	return packed(&v)
}

func packed(v *hujson.Value) json.RawMessage {
	plain := v.Clone()
	plain.BeforeExtra, plain.AfterExtra = nil, nil
	plain.Minimize()
	return plain.Pack()
}

func (n Node) questionID() {
	if text, ok := n.Text(); ok && !tools.IsPartID(text) {
		n.Fault(`%s is no id of a question; write 1 to %d printable characters, none of them white space at an end, like "city"`, n.Raw(), tools.MaxPartID)
	}
}

func (n Node) questionKey() {
	if text, ok := n.Text(); ok && !tools.IsKey(text) {
		n.Fault(`%s is no key of a question; write 1 to %d of the characters A-Z, a-z, 0-9, "_", "." and "-", like "report_format"`, n.Raw(), tools.MaxKey)
	}
}

func (n Node) templateOptions() {
	n.pure = true
	items, _ := n.List()
	if len(items) > maxTemplateOptions {
		items[maxTemplateOptions].Fault("too many options; at most %d are allowed here, a tool can list more", maxTemplateOptions)
		items = items[:maxTemplateOptions]
	}
	for _, item := range items {
		label := false
		var text Text
		var b bool
		if ok := item.Object(Keys{
			"label":       func(n Node) { label = true; n.Localised(&text) },
			"value":       func(n Node) { n.Text() },
			"description": func(n Node) { n.Localised(&text) },
			"recommended": func(n Node) { n.Boolean(&b) },
			"preview":     func(n Node) { n.Localised(&text) },
		}, nil); ok && !label {
			item.Fault(`"label" is missing; write what the person reads`)
		}
	}
}

// templateDefault reads what an answer would send; whether it is one, is judged with the question.
func (n Node) templateDefault() {
	var text Text
	switch n.v.Value.Kind() {
	case '"', '{':
		n.Localised(&text)
	case '[':
		items, _ := n.List()
		for _, item := range items {
			item.Text()
		}
	case '0', 't', 'f':
	default:
		n.want("what an answer would be: a text, a number, true or false, or a list of values")
	}
}

func (n Node) templateRules() {
	bound := func(n Node) {
		if kind := n.v.Value.Kind(); kind != '0' && kind != '"' {
			n.want(`a number, or a date like "2026-12-31"`)
		}
	}
	var b bool
	var text Text
	n.Object(Keys{
		"pattern": func(n Node) { n.Text() },
		"min":     bound, "max": bound,
		"integer": func(n Node) { n.Boolean(&b) },
		"message": func(n Node) { n.Localised(&text) },
	}, nil)
}

func (n Node) optionsFrom(places map[string]bool) *OptionsFrom {
	f := &OptionsFrom{}
	label, tool := false, false
	pointer := func(dst *string) func(Node) {
		return func(n Node) {
			text, ok := n.Text()
			if ok && !jsontext.Pointer(text).IsValid() {
				n.Fault(`%s is no JSON pointer; write it like "/name" or "/owner/name" (~1 for a /, ~0 for a ~ in a name)`, n.Raw())
				return
			}
			*dst = text
		}
	}
	ok := n.Object(Keys{
		"tool":        func(n Node) { tool = true; n.Filled(&f.Tool) },
		"arguments":   func(n Node) { f.Arguments = n.templateArguments(places) },
		"rows":        pointer(&f.Rows),
		"label":       func(n Node) { label = true; pointer(&f.Label)(n) },
		"value":       pointer(&f.Value),
		"description": pointer(&f.Description),
	}, nil)
	switch {
	case !ok:
	case !tool:
		n.Fault(`"tool" is missing; name the tool that lists the options`)
	case !label:
		n.Fault(`"label" is missing; write where the label is in a row, like "/name" ("" where a row is the label)`)
	}
	return f
}

func (n Node) templateArguments(places map[string]bool) json.RawMessage {
	if n.v.Value.Kind() != '{' {
		n.want("an object of arguments")
		return nil
	}
	for v := range n.v.All() {
		if lit, ok := v.Value.(hujson.Literal); ok && lit.Kind() == '"' {
			for _, m := range tools.Placeholder.FindAllStringSubmatch(lit.String(), -1) {
				places[m[1]] = true
			}
		}
	}
	return packed(n.v)
}

// optionSources checks the tools that templates take their options from: of the templates that
// this file has, and of those whose tool it changes.
func (l *loader) optionSources(root Node, set toolSet, base map[string]*Tool) {
	ids := slices.Sorted(maps.Keys(set.byID))
	for _, id := range ids {
		t := set.byID[id]
		for _, name := range slices.Sorted(maps.Keys(t.Templates)) {
			template := t.Templates[name]
			if template.From == nil || template.From.Tool == "" {
				continue
			}
			from := find(set.byID, template.From.Tool)
			if from == nil && l.opts.Dir == "" { // as built-in apps do without the tool
				delete(t.Templates, name)
				continue
			}
			at, here := l.templateAt[template]
			if inherited := base[id] != nil && base[id].Templates[name] == template; inherited {
				if from == find(base, template.From.Tool) {
					continue // judged where it stands
				}
				at, here = root, true
			}
			if why := l.sourceFault(from, template.From); why != "" && here {
				if from == nil {
					why += "; " + Mend(template.From.Tool, ids)
				}
				at.Fault("the template %q cannot take its options from %q: %s", name, template.From.Tool, why)
			}
		}
	}
}

// sourceFault says why a tool cannot list options, "" where it can.
func (l *loader) sourceFault(t *Tool, from *OptionsFrom) string {
	switch {
	case t == nil:
		return "there is no such tool, or it is disabled"
	case t.kind.Lists == nil:
		listers := l.types.names(func(t ToolType) bool { return t.Lists != nil && !t.Builtin })
		return `it is of type "` + t.Type + `"; options come from a tool of type "` + strings.Join(listers, `" or "`) + `"`
	case t.NeedsApproval:
		return `a person must allow each of its calls; use a tool without "needsApproval"`
	case t.Own != nil && t.kind.Lists(t, from.Tool) != "":
		return t.kind.Lists(t, from.Tool)
	}
	var schema struct{ Required []string }
	var given map[string]json.RawMessage
	_ = json.Unmarshal(t.Parameters, &schema) // what is wrong with it is found elsewhere
	_ = json.Unmarshal(from.Arguments, &given)
	for _, name := range schema.Required {
		if _, ok := given[name]; !ok {
			return fmt.Sprintf("it needs the argument %q; write it under \"arguments\"", name)
		}
	}
	return ""
}
