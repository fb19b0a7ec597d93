package config

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/placeholder"
)

const (
	maxTemplates       = 50  // of one tool; the model reads them all
	maxTemplateOptions = 100 // in the file
)

// Template is a prepared question that the model asks by name.
type Template struct {
	// Description tells the model when to ask the question; zero: the question itself must.
	Description Text
	// Values are the names in braces for which the model must give values, sorted.
	Values []string
	// From says from which tool the options come; nil: they are in the template.
	From *OptionsFrom
	// Remember says how answers are remembered for a person.
	Remember Remember

	question json.RawMessage // the fields of ask_user as standard JSON with localised texts
	fallback json.RawMessage // a list of options, likewise; nil: free text
	fallen   bool            // "fallback" is given
}

// OptionsFrom names the tool that lists the options, and says where they are in its result.
type OptionsFrom struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"` // a JSON object whose strings may contain {name} and placeholders of the caller; nil: none
	// Placeholders are the names of the placeholders of the caller in Arguments.
	Placeholders []string `json:"-"`
	// JSON pointers (RFC 6901): Rows within the result, the others within a row.
	Rows        string `json:"rows"`
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description"`
}

// QuestionIn returns the fields of ask_user as a JSON object whose texts are plain strings in a
// language, chosen as by Text.In. {name} is not replaced.
func (t *Template) QuestionIn(language string) json.RawMessage {
	return localisedFields(t.question, language)
}

// FallbackIn returns the options to show, in a language, if the tool cannot list any. It returns nil if
// the question then takes free text.
func (t *Template) FallbackIn(language string) json.RawMessage {
	return localisedFields(t.fallback, language)
}

// HasFallback reports whether the template says how its question is asked if the tool lists no options.
func (t *Template) HasFallback() bool { return t.fallen }

func localisedFields(raw json.RawMessage, language string) json.RawMessage {
	if raw == nil {
		return nil
	}
	v, err := hujson.Parse(raw)
	if err != nil { // impossible: Load has checked it
		return raw
	}
	questionTexts(&v, func(text *hujson.Value) { text.Value = hujson.String(plainText(text).In(language)) })
	return v.Pack()
}

// questionTextKeys are the keys of texts in a question, its options and its rules.
var questionTextKeys = []string{"question", "header", "context", "placeholder", "label", "description", "message", "default", "preview", "low", "high"}

// questionTexts visits each localised text of a question.
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

// templatesKey is the key for the templates of an ask_user tool. They are added to those of the entry
// that it overrides; one with the same name replaces the other.
func templatesKey(dst *map[string]*Template, at map[*Template]Value) Key {
	var merged map[string]*Template
	return Named("templates", Names{toolID, "is not a valid template name; " + toolIDRule, maxTemplates, "too many templates; the limit is %d", ""}, func(name string) Item {
		r := &templateReader{Template: &Template{}, places: map[string]bool{}}
		if merged != nil {
			merged[name] = r.Template
		}
		return Item{r.keys(), func(n Value, clean bool) { r.done(n, clean, at) }}
	}, "of `ask_user`: [questions that the model asks by name](tools/templates.md)").literally().First(func() {
		merged = map[string]*Template{}
		maps.Copy(merged, *dst)
	}).Then(func(Value) { *dst = merged })
}

// templateReader reads one template.
type templateReader struct {
	*Template
	kind   string          // its input_type
	places map[string]bool // the names in braces
}

func (r *templateReader) keys() []Key {
	own := []Key{
		Localised("description", &r.Description, 0, "tells the model when to ask this").Unset("the question itself"),
		r.optionsFrom(),
		later(Free("fallback", "`text` or a list of options", `"anyOf": [{"const": "text"}, {"type": "array", "minItems": 1, "maxItems": 100, "items": {%s}}]`, nil,
			"how the question is asked if the tool lists no options: with free text, or with these options").of("[]", optionKeys).elsewhere()).Unset("free text if the tool cannot be called; of an empty list, the model is informed"),
	}
	return slices.Concat(r.questionKeys(), own, r.Remember.keys())
}

// questionKeys returns the keys that a template shares with ask_user. They are read to find faults; the
// question itself is kept as JSON.
func (r *templateReader) questionKeys() []Key {
	var b bool
	var format string
	text := func(name, doc string) Key {
		var t Text
		return Localised(name, &t, 0, doc).Then(func(n Value) {
			r.filled(t)
			n.noCallerIn(false, `only in the arguments of "optionsFrom"; remove it`)
		})
	}
	return []Key{
		Free("id", "text", `"type": "string", "minLength": 1, "maxLength": 64`, questionID, "identifies the question in events and answers, instead of `q1`"),
		Free("key", "text", `"type": "string", "pattern": `+quoted(tools.KeyPattern.String()), questionKey, "identifies what is asked; use the same key in all templates that ask for it, so that an earlier answer is offered"),
		text("question", "what the person is asked, 1 to 500 characters. In `question`, `header`, `context`, `placeholder` and the arguments of `optionsFrom`, `{name}` stands for a value from the model").Must("write what the person is asked"),
		text("header", "a title of one to three words"),
		text("context", "why it is asked"),
		text("placeholder", "an example in the empty field"),
		Word("input_type", &r.kind, "input type", tools.InputTypeWords(), "the kind of answer: `text`, `select`, `multiselect`, `confirm`, `number`, `date`, `datetime`, `scale` or `rank`").Unset("`select` if there are options, otherwise `text`"),
		Free("options", "list of objects", `"type": "array", "minItems": 1, "maxItems": 100, "items": {%s}`, templateOptions, "the options to choose from, up to 100").of("[]", optionKeys),
		Bool("allow_other", &b, "`true`: people may write an answer of their own"),
		Bool("allow_skip", &b, "`true`: the question may be skipped"),
		Word("format", &format, "format", []string{"email", "uri", "phone", "duration"}, "for `text`: the form of the answer, `email`, `uri`, `phone` or `duration`"),
		Free("default", "an answer", `"anyOf": [{"type": ["number", "boolean"]}, {"type": "array", "items": {"type": "string"}}, {"$ref": "#/$defs/text"}]`, templateDefault,
			"the answer that is filled in or chosen for the person, who may change it; for options, their values. Not with `optionsFrom`"),
		Object("validation", ruleKeys, "rules for the answer"),
		Object("scale", scaleKeys, "for `scale`: the names of its ends"),
	}
}

// filled collects the names in braces in a text.
func (r *templateReader) filled(t Text) {
	for _, e := range t.entries {
		for _, m := range tools.Placeholder.FindAllStringSubmatch(e.text, -1) {
			if !placeholder.Reserved(m[1]) {
				r.places[m[1]] = true
			}
		}
	}
}

// done completes the template after its keys were read, unless it has faults.
func (r *templateReader) done(n Value, clean bool, at map[*Template]Value) {
	before := n.faults()
	r.Remember.check(n)
	r.together(n)
	r.unfilled(n)
	r.Values = slices.Sorted(maps.Keys(r.places))
	if !clean || n.faults() > before {
		return
	}
	from, fallback := n.Key("optionsFrom"), n.Key("fallback")
	r.question = n.without("description", "optionsFrom", "fallback", "remember", "rememberFor", "silent")
	if from.Given() && r.kind == "" {
		r.question = append([]byte(`{"input_type":"select",`), r.question[1:]...)
	}
	n.askable(r.QuestionIn, r.From != nil)
	r.fallen = fallback.Given()
	if fallback.Given() && fallback.v.Value.Kind() == '[' {
		r.Template.fallback = packed(fallback.v)
		fallback.askable(func(language string) json.RawMessage {
			return slices.Concat([]byte(`{"question":"?","input_type":"multiselect","options":`), r.FallbackIn(language), []byte("}"))
		}, false)
	}
	if r.From != nil {
		at[r.Template] = from.Find("/tool")
	}
}

// together checks the keys of a template against each other.
func (r *templateReader) together(n Value) {
	from, fallback, options, rules := n.Key("optionsFrom"), n.Key("fallback"), n.Key("options"), n.Key("validation")
	switch {
	case !from.Given() && fallback.Given():
		fallback.Fault(`"fallback" requires "optionsFrom"; add that, or remove the key`)
	case from.Given() && options.Given():
		options.Fault(`"options" and "optionsFrom" cannot be combined; remove one of them, or move the options to "fallback"`)
	case from.Given() && r.kind == "rank":
		n.Key("input_type").Fault(`a rank cannot be combined with "optionsFrom", since the person sees and orders all its options; write "select" or "multiselect", or list the options`)
	case from.Given() && r.kind != "" && r.kind != "select" && r.kind != "multiselect":
		n.Key("input_type").Fault(`a %s question has no options; write "select" or "multiselect", or remove "optionsFrom"`, r.kind)
	}
	if rules.Given() && (r.kind == "select" || r.kind == "confirm" || r.kind == "" && (options.Given() || from.Given())) {
		rules.Warn(`"validation" has no effect on a select or confirm; remove the key`)
	}
	if !fallback.Given() || !from.Given() {
		return
	}
	if fallback.v.Value.Kind() == '[' {
		templateOptions(fallback)
		return
	}
	if word, ok := fallback.Text(); ok && word != "text" {
		fallback.Fault(`%s is not a valid fallback; write "text" for free text, or a list of options`, fallback.Raw())
	}
}

// askable checks a question like one from the model, in each of its languages.
func (n Value) askable(in func(language string) json.RawMessage, listed bool) {
	if n.p.question == nil {
		return
	}
	languages := []string{"en"}
	v := n.v.Clone()
	questionTexts(&v, func(text *hujson.Value) { languages = append(languages, plainText(text).Languages()...) })
	slices.Sort(languages)
	for _, language := range slices.Compact(languages) {
		if err := n.p.question(in(language), listed); err != nil {
			n.Fault("the question cannot be asked (%s): %s", language, err)
			return
		}
	}
}

// without returns an object as standard JSON, without some of its keys.
func (n Value) without(keys ...string) json.RawMessage {
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

func questionID(n Value) {
	if text, ok := n.Text(); ok && !tools.IsPartID(text) {
		n.Fault(`%s is not a valid question id; use 1 to %d printable characters, without white space at either end, like "city"`, n.Raw(), tools.MaxPartID)
	}
}

func questionKey(n Value) {
	if text, ok := n.Text(); ok && !tools.IsKey(text) {
		n.Fault("%s %s", n.Raw(), notAKey)
	}
}

func templateOptions(n Value) {
	items, _ := n.List(maxTemplateOptions, "too many options; the limit is %d (a tool can list more)")
	for _, item := range items {
		item.Read(optionKeys())
	}
}

func optionKeys() []Key {
	var text Text
	var b bool
	return []Key{
		Localised("label", &text, 0, "what the person reads").Must("write what the person reads"),
		Free("value", "text", `"type": "string", "maxLength": 100`, func(n Value) { n.Text() }, "what the model gets").Unset("the label"),
		Localised("description", &text, 0, "more about the option"),
		Bool("recommended", &b, "`true`: it is marked as recommended"),
		Localised("preview", &text, 0, "Markdown that shows a preview of the option, up to 2000 characters"),
	}
}

// templateDefault reads a value in the form of an answer. Whether it is a valid answer is checked with
// the question.
func templateDefault(n Value) {
	var text Text
	switch n.v.Value.Kind() {
	case '"', '{':
		n.Localised(&text)
	case '[':
		items, _ := n.List(math.MaxInt, tooMany)
		for _, item := range items {
			item.Text()
		}
	case '0', 't', 'f':
	default:
		n.want("an answer: a string, a number, true or false, or a list of values")
	}
}

func scaleKeys() []Key {
	var low, high Text
	return []Key{
		Localised("low", &low, 0, "what 1 means, 1 to 60 characters"),
		Localised("high", &high, 0, "what the highest number means"),
	}
}

func ruleKeys() []Key {
	var b bool
	var text Text
	bound := func(name, doc string) Key {
		return Free(name, "number or date", `"type": ["number", "string"]`, func(n Value) {
			if kind := n.v.Value.Kind(); kind != '0' && kind != '"' {
				n.want(`a number, or a date like "2026-12-31" or a time like "2026-12-31T14:00:00+01:00"`)
			}
		}, doc)
	}
	return []Key{
		Free("pattern", "text", `"type": "string", "maxLength": 200`, func(n Value) { n.Text() }, "for `text`: a JavaScript regular expression that must match the whole answer"),
		bound("min", "minimum length, number, date, time or number of choices"),
		bound("max", "maximum of the same; for `scale` its highest number, 2 to 10, otherwise 5"),
		Bool("integer", &b, "for `number`: whole numbers only"),
		Localised("message", &text, 0, "what the person reads if the answer breaks a rule"),
	}
}

// optionsFrom is the key for the tool that lists the options.
func (r *templateReader) optionsFrom() Key {
	f := &OptionsFrom{}
	pointer := func(name string, dst *string, doc string) Key {
		k := String(name, dst, func(n Value, text string) bool {
			ok := jsontext.Pointer(text).IsValid()
			if !ok {
				n.Fault(`%s is not a JSON pointer; write it like "/name" or "/owner/name" (~1 for a /, ~0 for a ~ in a name)`, n.Raw())
			}
			return ok
		}, doc).orNone(dst)
		k.kind, k.schema = "JSON pointer", `"type": "string", "pattern": "^(/([^~]|~[01])*)?$"`
		return k
	}
	return Object("optionsFrom", func() []Key {
		return []Key{
			Filled("tool", &f.Tool, nil, "the tool that lists the options, both when the question is asked and when it is answered. It need not be in the app's list").Must("name the tool that lists the options"),
			Free("arguments", "any object", `"type": "object"`, func(n Value) {
				f.Arguments = r.arguments(n)
				f.Placeholders, _ = placeholder.OfJSON(f.Arguments) // r.arguments reports faults
			}, "the arguments that the tool is called with; their texts may have [placeholders of the caller](tools/http.md#as-the-person-who-asks)"),
			pointer("rows", &f.Rows, "the list in the result; without it, the result itself, or its only list"),
			pointer("label", &f.Label, "the label in a row; `\"\"`: the row itself").Must(`write where the label is in a row, like "/name" ("" where a row is the label)`),
			pointer("value", &f.Value, "the value in a row").Unset("the label"),
			pointer("description", &f.Description, "the description in a row"),
		}
	}, "the tool that lists the options").Then(func(Value) { r.From = f })
}

func (r *templateReader) arguments(n Value) json.RawMessage {
	if n.v.Value.Kind() != '{' {
		n.want("an object of arguments")
		return nil
	}
	for v := range n.v.All() {
		if lit, ok := v.Value.(hujson.Literal); ok && lit.Kind() == '"' {
			r.filled(NewText(lit.String()))
			n.child(v).CheckPlaceholders(lit.String())
		}
	}
	n.noCallerIn(true, "only in values; remove it")
	return packed(n.v)
}
