package config

import (
	"encoding/json"
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

// Asked are the variables that a person is asked for.
func (a *App) Asked() []Variable {
	return slices.DeleteFunc(slices.Clone(a.Variables), func(v Variable) bool { return v.Given })
}

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

// Worded is what the model reads in place of a message. A prompt without a place for the
// message has it behind.
func (a *App) Worded(message, language string, values map[string]string) string {
	prompt := a.Prompt.In(language)
	if tools.Blank(prompt) {
		return message
	}
	if !strings.Contains(prompt, "{{"+messageName+"}}") {
		prompt += "\n\n{{" + messageName + "}}"
	}
	all := map[string]string{messageName: message}
	for name, value := range values {
		if name != messageName {
			all[name] = value
		}
	}
	return Fill(prompt, all)
}

func (n Node) prompt(dst *Text) {
	n.Localised(dst)
	n.atMost(*dst, maxPrompt)
}

func (n Node) atMost(t Text, most int) {
	for _, e := range t.entries {
		if len([]rune(e.text)) > most {
			n.Fault("the text is too long; at most %d characters are allowed here", most)
			return
		}
	}
}

func (n Node) variables(dst *[]Variable) {
	items, _ := n.List()
	if len(items) > maxVariables {
		items[maxVariables].Fault("too many variables; at most %d are allowed", maxVariables)
		items = items[:maxVariables]
	}
	for _, item := range items {
		v, ok := item.variable()
		if !ok {
			continue
		}
		if slices.ContainsFunc(*dst, func(before Variable) bool { return before.Name == v.Name }) {
			item.Fault("the variable %q is given twice; remove one", v.Name)
			continue
		}
		*dst = append(*dst, v)
	}
}

// variable reads one; false where it has faults.
func (n Node) variable() (v Variable, ok bool) {
	n.pure = true // as in parameters: no text for people or the model comes from the environment
	before := len(n.s.faults) + n.s.dropped
	named, given := false, false
	if !n.Object(Keys{
		"name": func(n Node) {
			named = true
			n.matching(&v.Name, variableName, "use 1 to 64 letters, digits, dashes and underscores, a letter or underscore first")
			if v.Name == messageName {
				n.Fault("%s stands for the message itself; call the variable something else", n.Raw())
			} else if v.Name != "" && !tools.IsPartID(v.Name) {
				n.Fault("no question can be called %s; call the variable something else", n.Raw())
			}
		},
		"label":       func(n Node) { n.Localised(&v.Label) },
		"description": func(n Node) { n.Localised(&v.Description) },
		"placeholder": func(n Node) { n.Localised(&v.Placeholder) },
		"type": func(n Node) {
			n.OneOf(&v.Type, "type of variable", "string", "text", "number", "boolean", "date", "select")
		},
		"required":         func(n Node) { n.Boolean(&v.Required) },
		"defaultValue":     func(n Node) { given = true; n.variableDefault(&v.Default) },
		"predefinedValues": func(n Node) { v.Options = n.variableOptions() },
	}, nil) {
		return v, false
	}
	if !named {
		n.Fault(`"name" is missing; name the variable as the prompt does, like "language" for {{language}}`)
	}
	// An empty default is one where the variable may stay empty.
	v.Given = given && (!v.Required || !v.Default.IsZero())
	if len(n.s.faults)+n.s.dropped > before {
		return v, false
	}
	if !v.Given && n.l.opts.Question != nil {
		n.askableVariable(v)
	}
	return v, len(n.s.faults)+n.s.dropped == before
}

// askableVariable has the question judged in each language that it has texts in.
func (n Node) askableVariable(v Variable) {
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
		if err := n.l.opts.Question(raw, false); err != nil {
			n.Fault("the variable %q cannot be asked for (%s): %s", v.Name, language, err)
			return
		}
	}
}

// variableDefault reads a text, or a number, or true or false, as what the prompt is filled with.
func (n Node) variableDefault(dst *Text) {
	switch n.v.Value.Kind() {
	case '0', 't', 'f':
		*dst = NewText(string(n.v.Value.(hujson.Literal)))
	default:
		n.Localised(dst)
		n.atMost(*dst, maxDefault)
	}
}

func (n Node) variableOptions() (options []VariableOption) {
	items, _ := n.List()
	if len(items) > maxTemplateOptions {
		items[maxTemplateOptions].Fault("too many values; at most %d are allowed here", maxTemplateOptions)
		items = items[:maxTemplateOptions]
	}
	for _, item := range items {
		var o VariableOption
		if item.v.Value.Kind() == '{' {
			item.Object(Keys{
				"value": func(n Node) { n.optionValue(&o.Value) },
				"label": func(n Node) { n.Localised(&o.Label) },
			}, nil)
		} else {
			item.optionValue(&o.Value)
		}
		if tools.Blank(o.Value) {
			item.Fault(`"value" is missing or empty; write what the prompt is filled with`)
			continue
		}
		options = append(options, o)
	}
	return options
}

func (n Node) optionValue(dst *string) {
	if n.v.Value.Kind() == '0' {
		*dst = string(n.v.Value.(hujson.Literal))
		return
	}
	if text, ok := n.Text(); ok {
		*dst = text
		n.atMost(NewText(text), maxDefault)
	}
}
