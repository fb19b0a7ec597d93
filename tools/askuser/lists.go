package askuser

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
)

// optionsAt is a list of options as the caller sent it.
type optionsAt struct {
	at     string     // path below its question, as the caller spelled it
	apart  bool       // it was next to `questions`, not in one of them
	value  any        // not yet read, not empty
	labels *optionsAt // labels of its values, as in MCP's enumNames; nil: none
}

// place returns the path of the list, for a message about the question at a path.
func (l *optionsAt) place(path string) string {
	if l.apart {
		return l.at
	}
	return path + l.at
}

// listPlaces has the fields, apart from the names of the options themselves, in which other
// systems send lists of options: the labels of an enum (MCP up to 2025-06-18), a JSON Schema
// of the answer, and the items of such a schema, of which several can be chosen.
var listPlaces = names(map[string]string{
	"labels": "enumnames enumlabels optionlabels optionnames",
	"schema": "jsonschema answerschema responseschema requestedschema",
	"items":  "",
})

// maxListDepth is how deep below a question lists are searched for: `schema.items.enum`.
const maxListDepth = 3

// lists returns all lists of options in o, the object of a question, and in the schemas in it.
// several is true if one of them allows several choices.
func lists(at string, o *object, depth int) (found []optionsAt, several bool) {
	var labels *optionsAt
	own := 0 // how many of found are in o itself
	for _, key := range o.keys {
		value, name := o.values[key], canonical(key)
		place := listPlaces[name]
		switch {
		case empty(value):
			continue
		case partNames[name] == fieldOptions:
			found = slices.Insert(found, own, optionsAt{at: at + key, value: value})
			own++
			continue
		case place == "labels":
			labels = &optionsAt{at: at + key, value: value}
			continue
		case place == "" && partNames[name] != "validation" || depth == 0:
			continue
		}
		switch inner := (&findings{}).unnest(value).(type) {
		case *object:
			below, many := lists(at+key+".", inner, depth-1)
			found, several = append(found, below...), several || many || place == "items" && len(below) > 0
		case []any:
			if place == "items" {
				found, several = append(found, optionsAt{at: at + key, value: value}), true
			}
		}
	}
	switch {
	case labels == nil:
	case own == 0:
		found = slices.Insert(found, 0, *labels)
	default:
		for i := range own {
			found[i].labels = labels
		}
	}
	return found, several
}

// empty reports whether v lists nothing, so that leaving it out loses nothing.
func empty(v any) bool {
	switch v := (&findings{}).unnest(v).(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return tools.Blank(v)
	case []any:
		return len(v) == 0
	case *object:
		return len(v.keys) == 0
	}
	return false
}

// keepLists adds all lists of options to a question's fields.
func (r *optionReader) keepLists(o *object, f map[string]any) {
	found, several := lists("", o, maxListDepth)
	if len(found) == 0 {
		return
	}
	f[fieldLists], f[fieldOptions] = found, found[0].value
	if several && f["multiple"] == nil {
		f["multiple"] = true
	}
}

// listsOf returns the lists of options among a question's fields.
func listsOf(f map[string]any) []optionsAt {
	found, noted := f[fieldLists].([]optionsAt)
	if !noted && !empty(f[fieldOptions]) { // the fields of a template
		found = []optionsAt{{at: fieldOptions, value: f[fieldOptions]}}
	}
	return found
}

// hand moves the lists next to `questions` into the only question. With several questions
// they are refused, since they could belong to any.
func (r *optionReader) hand(top map[string]any, questions []any) {
	found := listsOf(top)
	if len(found) == 0 {
		return
	}
	only, isObject := questions[0].(map[string]any)
	if len(questions) > 1 || !isObject {
		r.refuse(ReasonOptionLists, found[0].at, " is next to `questions`, not in one of them: move it into its question, as `options`.")
		return
	}
	for _, l := range found {
		l.apart = true
		only[fieldLists] = append(listsOf(only), l)
	}
	only[fieldOptions] = listsOf(only)[0].value
	r.repaired(RepairQuestionsShape)
}

// given returns the options of a question as one list. ok is false if they were refused: a
// list could not be read, or two lists differ.
func (r *optionReader) given(path string, f map[string]any) (list []any, ok bool) {
	found := listsOf(f)
	for i := range found {
		l := &found[i]
		read, readable := r.optionsIn(path, l)
		switch {
		case !readable:
			return nil, false
		case i == 0:
			list = read
			if l.at != fieldOptions {
				r.spell(path, map[string]any{spelling: map[string]string{fieldOptions: l.at}})
			}
			continue
		}
		if list, ok = r.merged(list, read); !ok {
			r.refuse(ReasonOptionLists, l.place(path), " and `%s` list different options: send one list, as `options`.", found[0].place(path))
			return nil, false
		}
	}
	return list, true
}

// optionsIn reads one list and its labels.
func (r *optionReader) optionsIn(path string, l *optionsAt) (list []any, ok bool) {
	list = r.optionList(l.value)
	if len(list) == 0 {
		r.refuse(ReasonNoOptions, l.place(path), " cannot be read as a list of options: send a JSON array of 1 to %d options such as {\"label\": \"French\", \"value\": \"fr\"}, or leave it out if the question is open.", r.limits.MaxOptions)
		return nil, false
	}
	if l.labels == nil {
		return list, true
	}
	labels := r.optionList(l.labels.value)
	if !slices.ContainsFunc(list, func(v any) bool { return !isScalar(v) }) {
		if len(labels) != len(list) {
			r.refuse(ReasonOptionLists, l.labels.place(path), " has %d labels, and `%s` has %d values: send one list, as `options`, with `label` and `value` in each option.", len(labels), l.place(path), len(list))
			return nil, false
		}
		options := make([]any, len(list))
		for i := range list {
			options[i] = &object{keys: []string{"value", "label"}, values: map[string]any{"value": list[i], "label": labels[i]}}
		}
		r.repaired(RepairOptionShape)
		return options, true
	}
	if list, ok = r.merged(list, labels); !ok {
		r.refuse(ReasonOptionLists, l.labels.place(path), " and `%s` list different options: send one list, as `options`.", l.place(path))
	}
	return list, ok
}

func isScalar(v any) bool {
	switch v.(type) {
	case string, json.Number, bool:
		return true
	}
	return false
}

// merged joins two lists that mean the same, taking the more detailed form of each option. A
// text alone means the option with that label or value.
func (r *optionReader) merged(a, b []any) (list []any, ok bool) {
	if len(a) != len(b) {
		return nil, false
	}
	if len(a) > r.limits.MaxOptions {
		return a, true // refused later, for its length
	}
	read := func(item any) tools.Option {
		o, _ := (&optionReader{&terms{limits: r.limits}, &findings{}}).option("", item)
		return o
	}
	names := func(plain, o tools.Option) bool {
		return plain == tools.Option{Label: plain.Label, Value: plain.Label} && (plain.Label == o.Label || plain.Label == o.Value)
	}
	list = slices.Clone(a)
	for i := range a {
		switch x, y := read(a[i]), read(b[i]); {
		case names(y, x):
		case names(x, y):
			list[i] = b[i]
		case x != y:
			return nil, false
		}
	}
	return list, true
}

// choice returns the input type and the allow_other of a question that has options. Options
// turn a text, number or date into a choice, and so do options other than yes and no on a
// confirm. They are refused, and ok is false, if a program or an admin asks or if a rule
// would be lost.
func (r *optionReader) choice(path string, f map[string]any, kind tools.InputType, multiple bool, options []any) (as tools.InputType, other any, ok bool) {
	other = f["allow_other"]
	lost := ""
	switch {
	case kind.HasOptions():
		return kind, other, true
	case kind == tools.Confirm:
		if _, yesNo := r.yesOrNo(options); yesNo {
			return kind, other, true
		}
	case kind == tools.File:
		r.refuse(ReasonOptionsType, path+fieldOptions, " is not allowed with input_type file: leave it out, or ask for the choice in another question.")
		return kind, other, false
	default:
		lost = ruleOf(path, f)
	}
	switch {
	case lost != "":
		r.refuse(ReasonOptionsType, path+fieldOptions, " is not allowed with %s, which a choice does not check: leave out the options, or use input_type select and leave that out.", lost)
		return kind, other, false
	case r.exact:
		r.refuse(ReasonOptionsType, path+fieldOptions, " is not allowed with input_type %s: use input_type select, with allow_other if the user may write an answer, or leave out the options.", kind)
		return kind, other, false
	}
	r.repaired(RepairTypeOptions)
	if kind != tools.Confirm { // the model asked for a text, so the user may write one
		other = true
	}
	if multiple {
		return tools.Multiselect, other, true
	}
	return tools.Select, other, true
}

// ruleOf returns the name of a rule, as the caller spelled it, that a text, number or date
// has and a choice cannot have; "" if there is none.
func ruleOf(path string, f map[string]any) string {
	called, _ := f[spelling].(map[string]string)
	spelled := func(field string) string {
		if key := called[field]; key != "" {
			return key
		}
		return field
	}
	says := func(field string, v any) bool {
		word, _ := v.(string)
		return !empty(v) && (field != fieldFormat || typeWords[canonical(strings.TrimSpace(word))] != string(tools.Text) || formatWords[canonical(strings.TrimSpace(word))] != "")
	}
	for _, field := range append([]string{fieldFormat}, ruleNames...) {
		if says(field, f[field]) {
			return "`" + path + spelled(field) + "`"
		}
	}
	if inside, isObject := (&findings{}).unnest(f["validation"]).(*object); isObject {
		for _, key := range inside.keys {
			field := validationNames[canonical(key)]
			if canonical(key) == fieldFormat {
				field = fieldFormat
			}
			if field != "" && says(field, inside.values[key]) {
				return "`" + path + spelled("validation") + "." + key + "`"
			}
		}
	}
	word, _ := f["input_type"].(string)
	if c := canonical(strings.TrimSpace(word)); formatWords[c] != "" || slices.Contains(strings.Fields(integerWords), c) {
		return spelled("input_type") + " " + quoted(word)
	}
	return ""
}

// ruleNames are the fields of a validation, in one order.
var ruleNames = []string{"integer", "max", "message", "min", "pattern"}

// yesOrNo reports whether the options are exactly yes and no, in the chat's language or in
// English, and returns them as the options of a confirm. Those have the labels of the chat's
// language: the forms of other systems show a confirm as a yes or no, without labels.
func (r *optionReader) yesOrNo(list []any) (options []tools.Option, ok bool) {
	options = []tools.Option{{Label: r.words.Yes, Value: valueYes}, {Label: r.words.No, Value: valueNo}}
	if len(list) == 0 {
		return options, true
	}
	said := map[string]bool{}
	for _, item := range list {
		o, readable := (&optionReader{&terms{limits: r.limits}, &findings{}}).option("", item)
		word := r.words.yesOrNo(o.Label)
		if !readable || word == "" || r.words.yesOrNo(o.Value) != word || said[word] || o.Description != "" || o.Preview != "" {
			return options, false
		}
		said[word] = true
		at := slices.IndexFunc(options, func(o tools.Option) bool { return o.Value == word })
		options[at].Recommended = o.Recommended && !options[1-at].Recommended
	}
	return options, len(said) == len(options)
}
