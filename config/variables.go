package config

import (
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
	maxDefault   = 8000  // code points of a default
	maxPrompt    = 32000 // of a prompt in one language
)

// Variable is something that an app's prompts are filled with, by its name in double braces:
// asked from the person once in a chat, unless a default is given.
type Variable struct {
	Name        string
	Label       Text // what is asked; the name where it is missing
	Description Text
	Placeholder Text
	Type        string // of VariableTypes; "" is string
	Required    bool
	Default     Text
	Given       bool // nobody is asked: Default counts, which may be empty
	Options     []VariableOption
}

// VariableOption is one of the values that a variable may have.
type VariableOption struct {
	Value string // what the prompt is filled with
	Label Text   // what the person reads; Value where it is missing
}

// variableTypes are the input types of the question, by ihub-apps' types of variables.
var variableTypes = map[string]tools.InputType{
	"string": tools.Text, "text": tools.Text, "select": tools.Text, "number": tools.Number, "boolean": tools.Confirm, "date": tools.Date,
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// messageName is what the message itself is called in a prompt.
const messageName = "content"

// Form are the arguments of an ask_user that asks for variables, in a language.
func Form(list []Variable, language string) json.RawMessage {
	questions := make([]formQuestion, len(list))
	for i := range list {
		questions[i] = list[i].question(language)
	}
	raw, _ := json.Marshal(map[string]any{"questions": questions}) // texts and flags
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
		if len([]rune(o.Value)) > maxOptionValue { // the label stands for it
			option.Value = ""
		}
		q.Options = append(q.Options, option)
	}
	return q
}

// maxOptionValue is how long a value may be in a question, in code points.
const maxOptionValue = 100

// Means is what an answer fills the prompt with: of an option whose label stands for it,
// the value.
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

// Fill puts values into the places of a text that name them, in one pass: what looks like
// a place in a value stays as it is, and so do places that no value is named by.
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

// notAName is what names in prompts are told that cannot be one.
const notAName = "use 1 to 64 letters, digits, dashes and underscores, starting with a letter or underscore"

// variablesKey is the key of what prompts are filled with, as ihub-apps' apps have them.
func variablesKey(dst *[]Variable) Key {
	return Objects("variables", maxVariables, func() Item {
		v := &Variable{}
		return Item{v.keys(), func(n Value, clean bool) { v.add(n, clean, dst) }}
	}, "what `prompt` and `system` are [filled with](apps.md#prompt-and-variables) besides the message. The person is asked for those without `defaultValue`, once per chat").literally()
}

func (v *Variable) keys() []Key {
	return []Key{
		Matching("name", &v.Name, variableName, notAName, "the prompts have it in double braces; "+notAName+"; not `content`").Then(v.named).
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
		n.Fault("no question can be called %s; choose another name", n.Raw())
	}
}

// add adds a variable to those before it; one that has faults is left out.
func (v *Variable) add(n Value, clean bool, dst *[]Variable) {
	// An empty default is one where the variable may stay empty.
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

// defaultValue reads a text, or a number, or true or false, as what the prompt is filled with.
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
			item.Fault(`"value" is missing or empty; write what the prompt is filled with`)
			continue
		}
		v.Options = append(v.Options, o)
	}
}

func (o *VariableOption) keys() []Key {
	return []Key{
		Free("value", "string or number", `"type": ["string", "number"]`, o.value, "what the prompt is filled with"),
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
