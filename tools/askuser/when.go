package askuser

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/tools"
)

var whenNames = names(map[string]string{
	fieldQuestion: "id questionid field ref part on",
	"is":          "in equals equal value values answer answers oneof anyof",
})

const fieldQuestion = "question"

// keep stores the condition of the current part until all parts have their ids.
func (r *whenReader) keep(v any) {
	if v == nil {
		return
	}
	if r.unread == nil {
		r.unread = map[int]any{}
	}
	r.unread[r.index] = v
}

// conditions reads the conditions of all parts.
func (r *whenReader) conditions(parts []tools.Part) {
	for i := range parts {
		v, there := r.unread[i]
		if !there {
			continue
		}
		path := fieldWhen
		if r.listing {
			path = fmt.Sprintf("questions[%d].%s", i, fieldWhen)
		}
		r.index = i
		parts[i].When = r.when(path, v, parts)
	}
}

// when reads the condition of the current part.
func (r *whenReader) when(path string, v any, parts []tools.Part) *tools.When {
	o, ok := r.unnest(v).(*object)
	if !ok {
		r.refuse(ReasonWrongKind, path, ` must be an object such as {"question": "q1", "is": ["yes"]}.`)
		return nil
	}
	f := r.fields(o, whenNames)
	r.spell(path+".", f)
	if f[fieldQuestion] == nil && f["is"] == nil && len(o.keys) == 1 { // {"q1": "yes"}
		f = map[string]any{fieldQuestion: o.keys[0], "is": o.values[o.keys[0]]}
		r.repaired(RepairCondition)
	}
	name, _ := f[fieldQuestion].(string)
	list, isList := r.unnest(f["is"]).([]any)
	if !isList && f["is"] != nil {
		list = []any{f["is"]}
		r.repaired(RepairCondition)
	}
	if tools.Blank(name) && len(list) == 0 { // some models leave it out like this
		r.repaired(RepairDropped)
		return nil
	}
	j := r.earlier(path+".question", r.trim(name), parts)
	if j < 0 {
		return nil
	}
	w := &tools.When{Question: parts[j].ID}
	if path += ".is"; len(list) == 0 || len(list) > maxTemplateOptions {
		r.refuse(ReasonBadCondition, path, " must list the answers to %s after which to ask this, 1 to %d of them.", quoted(parts[j].ID), maxTemplateOptions)
		return nil
	}
	for k, item := range list {
		value, ok := r.awaited(fmt.Sprintf("%s[%d]", path, k), item, parts, j)
		if !ok {
			return nil
		}
		if !slices.Contains(w.Is, value) {
			w.Is = append(w.Is, value)
		}
	}
	return w
}

// earlier returns the index of the earlier part that a condition names: by its id, else by
// its position (q1 to qn), else by its exact text. It returns -1 if the name is refused.
func (r *whenReader) earlier(path, name string, parts []tools.Part) int {
	own := slices.IndexFunc(parts, func(p tools.Part) bool { return p.ID == name })
	if own < 0 && len(name) > 1 && (name[0] == 'q' || name[0] == 'Q') {
		if n, err := strconv.Atoi(name[1:]); err == nil && n > 0 && n <= len(parts) {
			own = n - 1
		}
	}
	if own < 0 && name != "" {
		own = slices.IndexFunc(parts, func(p tools.Part) bool { return p.Question == name })
		r.repaired(RepairCondition)
	}
	switch before := parts[:r.index]; {
	case own >= 0 && own < r.index:
		return own
	case len(before) == 0:
		r.refuse(ReasonBadCondition, path, " needs an earlier question, since the first is always asked: put the one that this depends on before it, in the same call, or leave `when` out.")
	default:
		ids := make([]string, len(before))
		for i, p := range before {
			ids[i] = quoted(p.ID)
		}
		r.refuse(ReasonBadCondition, path, " is %s, which is not an earlier question: use one of %s.", quoted(name), strings.Join(ids, ", "))
	}
	return -1
}

// awaited reads one of the answers to part j for which the current part is asked, and
// returns it in the form of an answer.
func (r *whenReader) awaited(path string, v any, parts []tools.Part, j int) (string, bool) {
	p := parts[j]
	s := strings.TrimSpace(scalar(v))
	if tools.Blank(s) {
		r.refuse(ReasonWrongKind, path, " must be a text: a value that the answer can have.")
		return "", false
	}
	if !r.atMost(path, s, maxValue, "use a value of an option") {
		return "", false
	}
	if slices.ContainsFunc(r.sources, func(from tools.OptionSource) bool { return from.Part == j }) {
		return s, true // not known until the tool has listed the options
	}
	value, hint := s, ""
	switch row := types[p.InputType]; {
	case row.awaited != nil:
		value, hint = row.awaited(p, s)
	case p.InputType != "": // "": refused already
		hint = "conditions cannot use this type: leave `when` out"
	}
	if hint != "" {
		r.refuse(ReasonBadCondition, path, " is %s, which cannot answer %s: %s.", quoted(scalar(v)), quoted(p.ID), hint)
		return s, false
	}
	if len(p.Options) > 0 && value != v {
		r.repaired(RepairCondition)
	}
	return value, true
}

// optionNamed returns the value of the option that s names by its value or its label. Letter
// case is ignored if only one option matches then. true and false also mean yes and no.
func optionNamed(p tools.Part, s string) (string, bool) {
	is := func(same func(o tools.Option) bool) (string, int) {
		value, n := "", 0
		for _, o := range p.Options {
			if same(o) {
				value, n = o.Value, n+1
			}
		}
		return value, n
	}
	for _, same := range []func(o tools.Option) bool{
		func(o tools.Option) bool { return o.Value == s },
		func(o tools.Option) bool { return o.Label == s },
		func(o tools.Option) bool { return strings.EqualFold(o.Value, s) || strings.EqualFold(o.Label, s) },
		func(o tools.Option) bool {
			truth := map[string]string{"true": valueYes, "yes": valueYes, "false": valueNo, "no": valueNo}
			return p.InputType == tools.Confirm && truth[strings.ToLower(s)] == o.Value
		},
	} {
		if value, n := is(same); n == 1 {
			return value, true
		}
	}
	return "", false
}

// valuesOf lists the first values of a choice's options, for a message.
func valuesOf(p tools.Part) string {
	const most = 10
	var list []string
	for _, o := range p.Options[:min(most, len(p.Options))] {
		list = append(list, quoted(o.Value))
	}
	if len(p.Options) > most {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

// parts checks the answers of a form, some parts of which may not be asked. A part whose
// condition refers to a faulty answer is not checked: whether it is asked is not yet known.
func (c *checker) parts(parts []tools.Part, answers []tools.Answer) []tools.Answer {
	const (
		asked = iota
		hidden
		open
	)
	out := make([]tools.Answer, len(parts))
	state := make([]int, len(parts))
	for i, p := range parts {
		c.question = i
		switch j := tools.Before(parts, i); {
		case j >= 0 && state[j] == open:
			state[i] = open
			continue
		case j >= 0 && (state[j] == hidden || !p.When.Met(out[j])):
			state[i], out[i] = hidden, c.notAsked(answers[i])
			continue
		}
		faults := len(c.faults)
		if out[i] = c.part(p, answers[i]); len(c.faults) > faults {
			state[i] = open
		}
	}
	return out
}

// notAsked checks the entry for a question that is not asked: it must be empty or say that
// the question was skipped.
func (c *checker) notAsked(a tools.Answer) tools.Answer {
	for _, f := range []struct {
		name  string
		there bool
	}{
		{fieldValue, given(a.Value)}, {fieldValues, len(a.Values) > 0}, {fieldOther, !tools.Blank(a.Other)},
		{fieldNote, !tools.Blank(a.Note)}, {fieldDeclined, a.Declined}, {fieldAnswers, len(a.Answers) > 0},
	} {
		if f.there {
			c.fault(f.name, FaultNotAsked, nil)
		}
	}
	return tools.Answer{Skipped: true}
}
