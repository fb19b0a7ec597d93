package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/askgate/askgate/tools"
)

const (
	maxVariables = 50
	maxDefault   = 8000  // code points in a default
	maxPrompt    = 32000 // code points in a prompt in one language
)

// Variable is a value for the prompts of an app, which contain its name in double braces. The user is
// asked for it once per chat, unless it has a default.
type Variable struct {
	Name        string
	Label       Text // the question; zero: the name
	Description Text
	Placeholder Text
	Type        string // a key of variableTypes; "" means string
	Required    bool
	Default     Text
	Given       bool // no one is asked: Default is used, which may be empty
	Options     []VariableOption
}

// VariableOption is a value to choose from.
type VariableOption struct {
	Value string // inserted into the prompt
	Label Text   // shown to the user; zero: Value
}

// instead says what to write for a value that does not answer the question for the variable.
func (v *Variable) instead(value string) string {
	if len(v.Options) == 0 {
		return fmt.Sprintf("write one of type %q", cmp.Or(v.Type, "string"))
	}
	values := make([]string, len(v.Options))
	for i, o := range v.Options {
		values[i] = o.Value
	}
	return Suggest(value, values)
}

// variableTypes are the input types of the question, by the types of variables in ihub-apps.
var variableTypes = map[string]tools.InputType{
	"string": tools.Text, "text": tools.Text, "select": tools.Text, "number": tools.Number, "boolean": tools.Confirm, "date": tools.Date,
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// messageName is the name of the message itself in a prompt.
const messageName = "content"

// Form returns the arguments of an ask_user call that asks for variables, in a language. Those with a
// value in filled have it as the default.
func Form(list []Variable, language string, filled map[string]string) json.RawMessage {
	questions := make([]formQuestion, len(list))
	for i := range list {
		questions[i] = list[i].question(language)
		if value, ok := filled[list[i].Name]; ok {
			questions[i].fill(value)
		}
	}
	raw, _ := json.Marshal(map[string]any{"questions": questions}) // cannot fail: strings and booleans
	return raw
}

type formQuestion struct {
	ID          string          `json:"id"`
	Question    string          `json:"question"`
	InputType   tools.InputType `json:"input_type"`
	Options     []formOption    `json:"options,omitempty"`
	AllowSkip   bool            `json:"allow_skip,omitempty"`
	Placeholder string          `json:"placeholder,omitempty"`
	Context     string          `json:"context,omitempty"`
	Default     any             `json:"default,omitempty"`
}

// fill makes a value the default.
func (q *formQuestion) fill(value string) {
	q.Default = value
	if q.InputType == tools.Confirm {
		q.Default = value == "true"
	}
	for _, o := range q.Options {
		if o.Value == "" && o.Label == value { // too long for a value, see question
			q.Default = o.Label
		}
	}
}

type formOption struct {
	Label string `json:"label"`
	Value string `json:"value,omitempty"`
}

func (v *Variable) question(language string) formQuestion {
	q := formQuestion{
		ID: v.Name, Question: v.Label.In(language), InputType: variableTypes[v.Type], AllowSkip: !v.Required,
		Placeholder: v.Placeholder.In(language), Context: v.Description.In(language),
	}
	if q.Question == "" {
		q.Question = v.Name
	}
	if q.InputType == "" {
		q.InputType = tools.Text
	}
	for _, o := range v.Options {
		q.InputType = tools.Select
		option := formOption{Label: o.Label.In(language), Value: o.Value}
		if option.Label == "" {
			option.Label = o.Value
		}
		if len([]rune(o.Value)) > maxOptionValue { // the label is sent instead, see Means
			option.Value = ""
		}
		q.Options = append(q.Options, option)
	}
	return q
}

// maxOptionValue is the longest value of an option in a question, in code points.
const maxOptionValue = 100

// Means returns the value to insert into the prompt for an answer. If the answer is the label of an
// option, that is the value of the option.
func (v *Variable) Means(answer string) string {
	for _, o := range v.Options {
		if o.Value == answer {
			return answer
		}
	}
	for _, o := range v.Options {
		if slices.ContainsFunc(o.Label.entries, func(e textEntry) bool { return e.text == answer }) {
			return o.Value
		}
	}
	return answer
}

var filledPlace = regexp.MustCompile(`\{\{([A-Za-z_][A-Za-z0-9_-]*)\}\}`)

// Fill replaces {{name}} in a text by the value with that name, in one pass: {{name}} within a value is
// not replaced, and neither is a name without a value.
func Fill(text string, values map[string]string) string {
	if !strings.Contains(text, "{{") {
		return text
	}
	return filledPlace.ReplaceAllStringFunc(text, func(place string) string {
		if value, ok := values[place[2:len(place)-2]]; ok {
			return value
		}
		return place
	})
}

// notAName is the rule for names of variables, for faults.
const notAName = "use 1 to 64 letters, digits, dashes and underscores, starting with a letter or underscore"

// variablesKey is the key for the variables of prompts, as in apps of ihub-apps.
func variablesKey(dst *[]Variable) Key {
	return Objects("variables", maxVariables, func() Item {
		v := &Variable{}
		return Item{v.keys(), func(n Value, clean bool) { v.add(n, clean, dst) }}
	}, "what `prompt` and `system` are [filled with](apps.md#prompt-and-variables) besides the message. The person is asked for those without `defaultValue`, once per chat").literally()
}

func (v *Variable) keys() []Key {
	return []Key{
		Matching("name", &v.Name, variableName, notAName, "the name in the prompts, there in double braces; "+notAName+"; not `content`").Then(v.named).
			Must(`name the variable as the prompt does, like "language" for {{language}}`),
		Localised("label", &v.Label, 0, "what the person is asked, up to 500 characters").Unset("the name"),
		Localised("description", &v.Description, 0, "why it is asked"),
		Localised("placeholder", &v.Placeholder, 0, "an example in the empty field"),
		Word("type", &v.Type, "type of variable", []string{"string", "text", "number", "boolean", "date", "select"}, "`string`, `text`, `select`: text; `number`, `date`; `boolean`: yes or no, `true` or `false` in the prompt").Unset(`"string"`),
		Free("predefinedValues", "list of strings or objects", fmt.Sprintf(`"type": "array", "maxItems": %d, "items": {"anyOf": [{"type": ["string", "number"]}, {%%s}]}`, maxTemplateOptions),
			v.options, "up to 100 values to choose from: strings or objects").of("[]", (&VariableOption{}).keys),
		Bool("required", &v.Required, "`false`: the person may skip it, and its place stays empty"),
		Free("defaultValue", "string, number, true or false", `"anyOf": [{"type": ["number", "boolean"]}, {"$ref": "#/$defs/text"}]`,
			v.defaultValue, "used without asking. An empty one is used only if the variable is not required. Up to 8000 characters, localised"),
	}
}

func (v *Variable) named(n Value) {
	switch {
	case v.Name == messageName:
		n.Fault("%s stands for the message itself; choose another name", n.Raw())
	case v.Name != "" && !tools.IsPartID(v.Name):
		n.Fault("%s cannot be the id of a question; choose another name", n.Raw())
	}
}

// add adds a variable to dst, unless it has faults.
func (v *Variable) add(n Value, clean bool, dst *[]Variable) {
	// An empty default counts only if the variable is not required.
	v.Given = n.Key("defaultValue").Given() && (!v.Required || !v.Default.IsZero())
	if !v.Given && n.p.question != nil && clean {
		before := n.faults()
		n.askableVariable(*v)
		clean = n.faults() == before
	}
	switch {
	case !clean:
	case slices.ContainsFunc(*dst, func(before Variable) bool { return before.Name == v.Name }):
		n.Fault("variable %q is defined twice; remove one", v.Name)
	default:
		*dst = append(*dst, *v)
	}
}

// askableVariable has the question judged in each language that it has texts in.
func (n Value) askableVariable(v Variable) {
	texts := []Text{v.Label, v.Description, v.Placeholder}
	for _, o := range v.Options {
		texts = append(texts, o.Label)
	}
	languages := []string{"en"}
	for _, t := range texts {
		languages = append(languages, t.Languages()...)
	}
	slices.Sort(languages)
	for _, language := range slices.Compact(languages) {
		raw, _ := json.Marshal(v.question(language))
		if err := n.p.question(raw, false); err != nil {
			n.Fault("variable %q cannot be asked for (%s): %s", v.Name, language, err)
			return
		}
	}
}

// defaultValue reads a string, a number, true or false as the text to insert into the prompt.
func (v *Variable) defaultValue(n Value) {
	switch n.v.Value.Kind() {
	case '0', 't', 'f':
		v.Default = NewText(string(n.v.Value.(hujson.Literal)))
	default:
		n.Localised(&v.Default)
		n.atMost(v.Default, maxDefault)
	}
}

func (v *Variable) options(n Value) {
	items, _ := n.List(maxTemplateOptions, "too many values; the limit is %d")
	for _, item := range items {
		var o VariableOption
		if item.v.Value.Kind() == '{' {
			item.Read(o.keys())
		} else {
			o.value(item)
		}
		if tools.Blank(o.Value) {
			item.Fault(`"value" is missing or empty; write the text to insert into the prompt`)
			continue
		}
		v.Options = append(v.Options, o)
	}
}

func (o *VariableOption) keys() []Key {
	return []Key{
		Free("value", "string or number", `"type": ["string", "number"]`, o.value, "the text that is inserted into the prompt"),
		Localised("label", &o.Label, 0, "what the person reads").Unset("the value"),
	}
}

func (o *VariableOption) value(n Value) {
	if n.v.Value.Kind() == '0' {
		o.Value = string(n.v.Value.(hujson.Literal))
		return
	}
	if text, ok := n.Text(); ok {
		o.Value = text
		n.atMost(NewText(text), maxDefault)
	}
}
