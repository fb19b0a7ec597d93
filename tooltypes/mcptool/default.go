package mcptool

import (
	"bytes"
	"encoding/json"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/elicit"
)

// given returns the default of a part in the form of an answer. It is nil if there is none, or if
// it would not be a valid answer.
func (f *form) given(q *tools.Question, i int) json.RawMessage {
	var value any
	d := json.NewDecoder(bytes.NewReader(f.defaults[i]))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil
	}
	part := q.Parts[i]
	fits := false
	switch v := value.(type) {
	case string:
		fits = part.InputType == tools.Text || part.InputType == tools.Date || part.InputType == tools.Datetime || part.InputType == tools.Select
		if part.InputType == tools.Text {
			value = elicit.Clean(v)
		}
	case json.Number:
		fits = part.InputType == tools.Number
	case bool:
		fits = part.InputType == tools.Confirm
	case []any:
		fits = part.InputType == tools.Multiselect && len(v) > 0
	}
	raw, err := json.Marshal(value)
	if err != nil || !fits {
		return nil
	}
	a := tools.Answer{Value: raw}
	if part.InputType == tools.Multiselect {
		a.Value = nil
		if json.Unmarshal(raw, &a.Values) != nil {
			return nil
		}
	}
	if _, err := f.asking.Asker.Check(tools.Question{Kind: q.Kind, Parts: []tools.Part{part}, MaxAnswer: q.MaxAnswer}, a); err != nil {
		return nil
	}
	return raw
}
