package askuser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/confusable"
)

// optionList returns options as a list. It accepts JSON or Python in a string, one option
// alone, and a map of values to labels or options. It returns nil if v cannot be read.
func (r *optionReader) optionList(v any) []any {
	switch v := r.unnest(v).(type) {
	case []any:
		return v
	case *object:
		switch one, sure := isOption(v); {
		case !sure:
			return nil
		case one:
			r.repaired(RepairOptionShape)
			return []any{v}
		}
		return r.optionMap(v)
	case string:
		return r.optionText(v)
	}
	return nil
}

// isOption tells one option from a map of values to labels, whose keys may have the names of
// an option's fields. An option has a label, no field twice, and no text that would be lost.
// sure is false if o could be either.
func isOption(o *object) (one, sure bool) {
	fields, lost := map[string]bool{}, false
	for _, key := range o.keys {
		field, known := optionNames[canonical(key)]
		_, isText := o.values[key].(string)
		lost = lost || fields[field] || !known && isText
		fields[field] = true
	}
	return fields["label"], !fields["label"] || !lost
}

// codeMark matches the start of a list in a programming language, a quoted word, or markup.
var codeMark = tools.Late(`^(?:[\[{<"']|\(\s*["'])`)

var listBullet = tools.Late(`^(?:[-*•–]|\d+[.)])\s+`)

// optionText reads a list in one text: "red, green, blue", or a line for each. It returns nil
// for a single entry, and for what looks like a list in a programming language or like markup
// but cannot be read as one.
func (r *optionReader) optionText(s string) []any {
	if s = strings.TrimSpace(s); codeMark().MatchString(s) {
		list, _ := python("[" + s + "]") // 'red', 'green'
		quoted, _ := list.([]any)
		if len(quoted) < 2 {
			return nil
		}
		r.repaired(RepairOptionShape)
		return quoted
	}
	for _, mark := range []string{"\n", ";", "|", ",", "、", "，"} {
		if !strings.Contains(s, mark) {
			continue
		}
		var list []any
		for _, piece := range strings.Split(s, mark) {
			if piece = strings.TrimSpace(listBullet().ReplaceAllString(strings.TrimSpace(piece), "")); piece != "" {
				list = append(list, piece)
			}
		}
		if len(list) > 1 {
			r.repaired(RepairOptionShape)
			return list
		}
	}
	return nil
}

func (r *optionReader) optionMap(o *object) []any {
	list := make([]any, 0, len(o.keys))
	for _, key := range o.keys {
		option := &object{keys: []string{"value"}, values: map[string]any{"value": key}}
		switch v := o.values[key].(type) {
		case *object:
			for _, k := range v.keys {
				option.keys = append(option.keys, k)
				option.values[k] = v.values[k]
			}
		default:
			option.keys = append(option.keys, "label")
			option.values["label"] = v
		}
		list = append(list, option)
	}
	r.repaired(RepairOptionShape)
	return list
}

// options reads the options of a choice.
func (r *optionReader) options(path string, list []any, kind tools.InputType) []tools.Option {
	switch {
	case len(list) == 0:
		r.refuse(ReasonNoOptions, path, " is missing: a %s needs 1 to %d options such as {\"label\": \"French\", \"value\": \"fr\"}; for an open question use input_type text.", kind, r.limits.MaxOptions)
		return nil
	case len(list) > r.limits.MaxOptions:
		r.refuse(ReasonTooManyOptions, path, " has %d options, the limit is %d: keep the likeliest and set allow_other, or use input_type text.", len(list), r.limits.MaxOptions)
		return nil
	}
	options := make([]tools.Option, 0, len(list))
	var labels, values confusable.Set
	recommended := 0
	for i, item := range list {
		o, ok := r.option(fmt.Sprintf("%s[%d]", path, i), item)
		if !ok {
			options = append(options, tools.Option{}) // keeps the numbering of the messages
			continue
		}
		at := fmt.Sprintf("%s[%d]", path, i)
		if other, taken := labels.Add(o.Label); taken {
			j := slices.IndexFunc(options, func(before tools.Option) bool { return before.Label == other })
			r.duplicate(at, "label", o.Label, other, j)
		} else if other, taken := values.Add(o.Value); taken {
			j := slices.IndexFunc(options, func(before tools.Option) bool { return before.Value == other })
			r.duplicate(at, "value", o.Value, other, j)
		}
		if o.Recommended {
			recommended++
		}
		options = append(options, o)
	}
	if recommended > 1 && kind == tools.Select {
		r.refuse(ReasonSeveralRecommended, path, " has %d recommended options, the limit of a select is 1: recommend the best one, or use input_type multiselect.", recommended)
	}
	return options
}

// duplicate refuses a label or value that is the same as that of option j, or looks the same.
func (r *optionReader) duplicate(path, field, s, other string, j int) {
	if s == other {
		r.refuse(ReasonDuplicateOption, path+"."+field, " is the same as that of option %d (%s): give each option its own %s.", j, quoted(s), field)
		return
	}
	// In ASCII, which shows the difference.
	r.refuse(ReasonDuplicateOption, path+"."+field, " (%+q) looks like that of option %d (%+q), and a person cannot tell them apart: give each option its own %s.", s, j, other, field)
}

// option reads one option; ok is false if it is refused.
func (r *optionReader) option(path string, item any) (o tools.Option, ok bool) {
	if s, isText := item.(string); isText {
		// A label may look like JSON ("[1]"); only an object can be an option.
		if inner, isObject := (&findings{}).unnest(s).(*object); isObject {
			r.repaired(RepairNestedJSON)
			item = inner
		}
	}
	var f map[string]any
	switch item := item.(type) {
	case *object:
		f = r.fields(item, optionNames)
		r.spell(path+".", f)
		if !r.oneLabel(path, item, f) {
			return o, false
		}
	case string, json.Number, bool:
		r.repaired(RepairOptionShape)
		f = map[string]any{"label": scalar(item)}
	default:
		r.refuse(ReasonBadLabel, path, " must be an object with `label`.")
		return o, false
	}
	before := len(r.faults)
	o.Label = r.label(path+".label", f["label"])
	o.Value = r.value(path+".value", f["value"], o.Label)
	o.Description = r.cosmetic(path+".description", f["description"], maxDescription)
	o.Recommended = r.boolean(path+".recommended", f["recommended"])
	o.Preview = r.cosmetic(path+".preview", f["preview"], maxPreview)
	return o, len(r.faults) == before
}

// oneLabel makes sure that no text of an option is lost if several keys mean the label. A
// name next to another label becomes the value if there is none; other texts are refused,
// and ok is false.
func (r *optionReader) oneLabel(path string, o *object, f map[string]any) (ok bool) {
	var labels []string // the keys, the name last
	for _, key := range o.keys {
		s, isText := o.values[key].(string)
		switch isName := canonical(key) == "name"; {
		case !isText || optionNames[canonical(key)] != "label" || tools.Blank(s):
		case isName:
			labels = append(labels, key)
		default:
			labels = slices.Insert(labels, 0, key)
		}
	}
	if len(labels) == 2 && f["value"] == nil && canonical(labels[1]) == "name" {
		f["label"], f["value"] = o.values[labels[0]], o.values[labels[1]]
		return true
	}
	for _, key := range labels {
		if o.values[key] != f["label"] {
			r.refuse(ReasonBadLabel, path+"."+key, " differs from the label: send one text as `label`, a line about it as `description`, and what you want back as `value`.")
			return false
		}
	}
	return true
}

func (r *optionReader) label(path string, v any) string {
	s, isText := v.(string)
	switch {
	case v == nil:
		r.refuse(ReasonBadLabel, path, " is missing: write what the user reads, 1 to %d characters.", maxLabel)
		return ""
	case !isText:
		r.refuse(ReasonBadLabel, path, " must be a text: send a JSON string of 1 to %d characters.", maxLabel)
		return ""
	case tools.Blank(s):
		r.refuse(ReasonBadLabel, path, " is blank: write what the user reads, 1 to %d characters that can be seen.", maxLabel)
		return ""
	}
	s = r.shown(s)
	r.atMost(path, s, maxLabel, "shorten it, and put details into `description`")
	return s
}

func (r *optionReader) value(path string, v any, label string) string {
	switch v := v.(type) {
	case nil:
		return label
	case string:
		s := r.trim(v)
		if tools.Blank(s) {
			return label
		}
		if c := tools.Clean(s); c != s {
			r.refuse(ReasonEncoding, path, " contains invisible control characters or direction overrides (%+q), and so would the answer: send %s.", cut(s, maxValue), quoted(c))
		}
		r.atMost(path, s, maxValue, "use a short key")
		return s
	case json.Number, bool:
		r.repaired(RepairOptionValue)
		s := scalar(v)
		r.atMost(path, s, maxValue, "use a short key")
		return s
	}
	r.refuse(ReasonWrongKind, path, " must be a text: send a JSON string of 1 to %d characters, or leave it out to use the label.", maxValue)
	return label
}

// Option returns an option with texts from another source. Label and description are cleaned,
// cut to their limits and trimmed. ok is false if the label or the value is blank, or if the
// value is too long or not clean: a changed value would name something else.
func Option(label, value, description string) (o tools.Option, ok bool) {
	o = tools.Option{
		Label: strings.TrimSpace(cut(strings.TrimSpace(tools.Clean(label)), maxLabel)), Value: strings.TrimSpace(value),
		Description: strings.TrimSpace(cut(strings.TrimSpace(tools.Clean(description)), maxDescription)),
	}
	if tools.Blank(o.Description) {
		o.Description = ""
	}
	return o, !tools.Blank(o.Label) && !tools.Blank(o.Value) && count(o.Value) <= maxValue && tools.Clean(o.Value) == o.Value
}

// ToldApart returns a label that includes the value, for an option whose label another option already has.
func ToldApart(o tools.Option) string {
	value := " (" + o.Value + ")"
	if room := maxLabel - count(value); room > 0 {
		return cut(o.Label, room) + value
	}
	return o.Value
}
