package askuser

import (
	"bytes"
	"encoding/json"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser/pattern"
)

// The fields of an answer, as in tools.FieldError.Field.
const (
	fieldValue    = "value"
	fieldValues   = "values"
	fieldOther    = "other"
	fieldNote     = "note"
	fieldSkipped  = "skipped"
	fieldDeclined = "declined"
	fieldAnswers  = "answers"
	fieldResult   = "result"
	fieldError    = "error"
	fieldArgs     = "arguments"
)

// checker checks an answer and collects its faults.
type checker struct {
	maxAnswer int
	matcher   *pattern.Matcher
	matches   tools.Matches
	question  int // index of the current part
	own       string
	faults    []tools.FieldError
}

// fault adds a fault of a field. Only the first fault of each field is kept.
func (c *checker) fault(field, code string, params map[string]any) {
	c.add(tools.FieldError{Question: c.question, Field: field, Code: code, Params: params})
}

func (c *checker) add(e tools.FieldError) {
	for _, f := range c.faults {
		if f.Question == e.Question && f.Field == e.Field {
			return
		}
	}
	c.faults = append(c.faults, e)
}

// rule adds a fault against a rule of the question, with the asker's own message if there
// is one.
func (c *checker) rule(field, code string, params map[string]any) {
	c.add(tools.FieldError{Question: c.question, Field: field, Code: code, Params: params, Message: c.own})
}

// quote returns s as a JSON string.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return nil // a string always encodes
	}
	return bytes.TrimSpace(b.Bytes())
}

// only returns the answer to a clarification with one part: a itself, or the only entry of
// `answers`.
func only(a tools.Answer) tools.Answer {
	if len(a.Answers) != 1 || hasContent(a) || a.Skipped || a.Declined || !tools.Blank(a.Note) && !tools.Blank(a.Answers[0].Note) {
		return a
	}
	inner := a.Answers[0]
	if tools.Blank(inner.Note) {
		inner.Note = a.Note
	}
	return inner
}

// given reports whether v is a JSON value other than null.
func given(v json.RawMessage) bool {
	v = bytes.TrimSpace(v)
	return len(v) > 0 && string(v) != "null"
}
