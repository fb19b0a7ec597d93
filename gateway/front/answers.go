package front

import (
	"encoding/json"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Answers returns the answers to a clarification, by the ids of its questions: a value, the
// values of a multiselect or rank, or null if there is none. What a person wrote instead of choosing an
// option counts as a value.
func Answers(c *chat.Clarification) map[string]json.RawMessage {
	all := make(map[string]json.RawMessage, len(c.Question.Parts))
	for i, p := range c.Question.Parts {
		var a tools.Answer
		switch {
		case c.State != tools.StateAnswered && c.State != tools.StateRemembered || c.Answer == nil:
		case i < len(c.Answer.Answers):
			a = c.Answer.Answers[i]
		case len(c.Question.Parts) == 1:
			a = *c.Answer
		}
		all[p.ID] = value(p.InputType, &a)
	}
	return all
}

func value(t tools.InputType, a *tools.Answer) json.RawMessage {
	switch {
	case a.Skipped || a.Declined:
	case t.TakesValues() && (a.Values != nil || a.Other != ""):
		values := append([]string{}, a.Values...)
		if a.Other != "" {
			values = append(values, a.Other)
		}
		data, _ := json.Marshal(values) // texts always encode
		return data
	case a.Other != "":
		return quoted(a.Other)
	case !isNull(a.Value):
		return a.Value
	}
	return json.RawMessage("null")
}
