package front

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/strictjson"
)

// MaxNested is how deep the JSON of an answer may be.
const MaxNested = 16

// ReadAnswer reads a client's answer to a clarification, in any of the forms that clients use:
//
//	{"answers": {id, header or question: value | label | [values] | null | native answer}}
//	{"answers": [...]}, {"value": ...} and every other native form
//	{"action": "accept"|"decline"|"cancel", "content": {id: value}}
//	{"approved": true|false, "reason": "..."}, of an approval
//	a value, or a text as a person types it, where there is one question
//	a JSON text of any of these
//
// A yes to an approval is for its call alone, unless an object says "once": false, because the
// question does not say how far a yes reaches. null skips, and cancel declines. For a call of the client's own tool, all of data is the
// result; it is a text if it is not JSON. typed reads a text by the rules of plain messages.
// ReadAnswer does not check whether the answer fits; that is done where all answers are checked.
// An error is a *chat.Error, a *tools.AnswerError, or a *NoAnswer if the data itself says that no
// person answered.
func ReadAnswer(data []byte, c *chat.Clarification, typed func(text string) (turn.Answer, bool)) (turn.Answer, error) {
	return readAnswer(data, reader{c: c, typed: typed})
}

// ReadResult is ReadAnswer for clients whose libraries write results by themselves when a tool
// fails. There, a text is never the person's own words but *NoAnswer, unless it is an option, a
// number, a date, or a yes or no that the question takes.
func ReadResult(data []byte, c *chat.Clarification, typed func(text string) (turn.Answer, bool)) (turn.Answer, error) {
	return readAnswer(data, reader{c: c, typed: typed, strict: true})
}

func readAnswer(data []byte, r reader) (turn.Answer, error) {
	c := r.c
	named := turn.Answer{ClarificationID: c.ID}
	if c.Question.Kind == tools.KindInput {
		named.Result = slices.Clone(data)
		if !json.Valid(data) {
			named.Result = quoted(strings.ToValidUTF8(string(data), "\uFFFD"))
		}
		return named, nil
	}
	a, err := r.whole(data, true)
	if c.Question.Remember != "" && !r.lasting {
		a.Once = true
	}
	named.Answer = a
	return named, err
}

type reader struct {
	c      *chat.Clarification
	typed  func(text string) (turn.Answer, bool)
	strict bool // a text is not the person's own words
	// lasting: the answer says "once": false, so that a yes may be remembered.
	lasting bool
}

// form covers the objects that represent a whole answer; unknown members belong to other programs
// and are ignored.
type form struct {
	Answers  json.RawMessage `json:"answers"`
	Action   *string         `json:"action"`
	Content  json.RawMessage `json:"content"`
	Approved *bool           `json:"approved"`
	Reason   string          `json:"reason"`
	// Result is what a person gives in place of a call that waits for approval, if the question takes it.
	Result json.RawMessage `json:"result"`
	native
}

func (f *form) answer() tools.Answer {
	a := f.native.answer()
	if !isNull(f.Result) {
		a.Result = f.Result
	}
	return a
}

// native is the answer to one question in the gateway's own form.
type native struct {
	Value    json.RawMessage `json:"value"`
	Values   []string        `json:"values"`
	Other    string          `json:"other"`
	Note     string          `json:"note"`
	Skipped  bool            `json:"skipped"`
	Declined bool            `json:"declined"`
	// DontAskAgain is the person's wish that comes with the answer.
	DontAskAgain bool `json:"dontAskAgain"`
	// Arguments are those of an approval that a person changed.
	Arguments json.RawMessage `json:"arguments"`
	// Once is of an approval: whether a yes is for its call alone.
	Once *bool `json:"once"`
}

func (n *native) answer() tools.Answer {
	a := tools.Answer{Values: n.Values, Other: n.Other, Note: n.Note, Skipped: n.Skipped, Declined: n.Declined, DontAskAgain: n.DontAskAgain}
	if !isNull(n.Value) {
		a.Value = n.Value
	}
	if !isNull(n.Arguments) {
		a.Arguments = n.Arguments
	}
	return a
}

// whole reads the answer to all questions. text says whether a text may be JSON.
func (r *reader) whole(data []byte, text bool) (tools.Answer, error) {
	data = bytes.TrimSpace(data)
	if err := wellFormed(data); err != nil {
		return tools.Answer{}, err
	}
	switch data[0] {
	case '"':
		var s string
		_ = json.Unmarshal(data, &s) // it is well-formed
		if inner := bytes.TrimSpace([]byte(s)); text && len(inner) > 0 && strings.IndexByte(`{["`, inner[0]) >= 0 && wellFormed(inner) == nil {
			a, err := r.whole(inner, false)
			if _, none := errors.AsType[*NoAnswer](err); err == nil || none || !r.isText() || r.strict {
				return a, err
			}
		}
		return r.typedAnswer(s)
	case '{':
		var f form
		if err := json.Unmarshal(data, &f); err != nil {
			return tools.Answer{}, wrong("type")
		}
		if none := r.failed(data); none != nil {
			return tools.Answer{}, none
		}
		return r.form(&f, data)
	case '[':
		if len(r.c.Question.Parts) != 1 {
			return r.list(data)
		}
		a, err := r.part(0, data)
		if err == nil && r.strict && !(own(&a) && r.c.Question.Parts[0].InputType != tools.Text) {
			err = &NoAnswer{ReasonText}
		}
		return a, err
	case 'n':
		if r.strict { // the result of a tool that returns nothing
			return tools.Answer{}, &NoAnswer{ReasonEmpty}
		}
	}
	if len(r.c.Question.Parts) != 1 {
		return tools.Answer{}, wrong("type")
	}
	return r.part(0, data)
}

// isText reports whether any text may be the answer, including JSON as such.
func (r *reader) isText() bool {
	parts := r.c.Question.Parts
	return len(parts) == 1 && parts[0].InputType == tools.Text
}

// typedAnswer reads a text where a whole answer is expected.
func (r *reader) typedAnswer(s string) (tools.Answer, error) {
	if tools.Blank(s) {
		return tools.Answer{}, &NoAnswer{ReasonEmpty}
	}
	if r.strict {
		a, ok := r.chosen(s)
		if !ok {
			return tools.Answer{}, &NoAnswer{ReasonText}
		}
		return a, nil
	}
	if a, ok := r.typed(s); ok {
		return a.Answer, nil
	}
	if len(r.c.Question.Parts) != 1 {
		return tools.Answer{}, wrong("type")
	}
	return r.text(0, s), nil
}

func (r *reader) form(f *form, data []byte) (tools.Answer, error) {
	approval := r.c.Question.Kind == tools.KindApproval
	if approval && ambiguous(data) {
		return tools.Answer{}, wrong("type")
	}
	if !r.c.Question.Respond {
		f.Result = nil // in other forms it is the id of a question, if anything
	}
	r.lasting = f.Once != nil && !*f.Once
	switch {
	case f.Action != nil:
		switch *f.Action {
		case "accept":
			if approval && f.Approved != nil && !*f.Approved {
				return tools.Answer{}, wrong("type")
			}
			return f.withNote(r.byName(f.Content))
		case "decline", "cancel":
			return tools.Answer{Declined: true}, nil
		}
		return tools.Answer{}, wrong("type")
	case f.Approved != nil && approval:
		a := f.answer() // the form's other members count too: arguments, or a contradiction
		a.Value, a.Note = json.RawMessage(`"no"`), cmp.Or(f.Reason, f.Note)
		if *f.Approved {
			a.Value = json.RawMessage(`"yes"`)
		}
		return f.withNote(a, nil)
	case isNull(f.Answers):
		if a := f.answer(); !empty(&a) {
			return a, nil
		}
		if f.Answers != nil || len(r.c.Question.Parts) == 0 {
			return tools.Answer{Skipped: true}, nil
		}
		return r.byName(data) // only {id: value}, as forms send it
	case bytes.TrimSpace(f.Answers)[0] == '[':
		return f.withNote(r.list(f.Answers))
	}
	return f.withNote(r.byName(f.Answers))
}

// ambiguous reports whether two members of an object differ in case alone: encoding/json takes
// the later one, and a person's no must not depend on that.
func ambiguous(data []byte) bool {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(data, &members) // it is an object
	seen := map[string]bool{}
	for name := range members {
		name = strings.ToLower(name)
		if seen[name] {
			return true
		}
		seen[name] = true
	}
	return false
}

// withNote adds what a form says about all of its answers. Changed arguments must not be lost when
// they come with a yes: the call would run with other arguments than the person sent. Nor may a result:
// the model would read of a refusal.
func (f *form) withNote(a tools.Answer, err error) (tools.Answer, error) {
	if !isNull(f.Result) {
		a.Result = f.Result
	}
	if !isNull(f.Arguments) {
		a.Arguments = f.Arguments
	}
	if f.Declined {
		a = tools.Answer{Declined: true}
	}
	a.Note = cmp.Or(f.Note, a.Note)
	return a, err
}

// list reads answers by position.
func (r *reader) list(data []byte) (tools.Answer, error) {
	var items []json.RawMessage
	if json.Unmarshal(data, &items) != nil {
		return tools.Answer{}, wrong("type")
	}
	if len(items) != len(r.c.Question.Parts) {
		return tools.Answer{}, &tools.AnswerError{Fields: []tools.FieldError{{
			Field: "answers", Code: "count", Params: map[string]any{"Count": len(r.c.Question.Parts)},
		}}}
	}
	return r.each(func(i int) json.RawMessage { return items[i] })
}

// byName reads answers by the id of their question, or else by its header or text.
func (r *reader) byName(data []byte) (tools.Answer, error) {
	given := map[string]json.RawMessage{}
	if isNull(data) || json.Unmarshal(data, &given) != nil {
		return tools.Answer{}, wrong("type")
	}
	of := make([]json.RawMessage, len(r.c.Question.Parts))
	for name, v := range given {
		i := r.named(name)
		if i < 0 {
			return tools.Answer{}, wrong("unknown_question")
		}
		if of[i] != nil {
			return tools.Answer{}, wrong("unknown_question") // named twice: by its id, and by its text
		}
		of[i] = v
	}
	return r.each(func(i int) json.RawMessage { return of[i] })
}

// named returns the index of the question with that id, header or text, or -1.
func (r *reader) named(name string) int {
	for _, is := range []func(p tools.Part) bool{
		func(p tools.Part) bool { return p.ID == name },
		func(p tools.Part) bool { return p.Question == name },
		func(p tools.Part) bool { return p.Header == name },
	} {
		if i := slices.IndexFunc(r.c.Question.Parts, is); i >= 0 {
			return i
		}
	}
	return -1
}

// each makes the whole answer from the answers to the single questions; nil means no answer,
// which the check refuses if one is needed.
func (r *reader) each(of func(i int) json.RawMessage) (tools.Answer, error) {
	parts := make([]tools.Answer, len(r.c.Question.Parts))
	for i := range parts {
		v := of(i)
		if v == nil {
			parts[i].Skipped = r.c.Question.Parts[i].AllowSkip
			continue
		}
		a, err := r.part(i, v)
		if err != nil {
			return tools.Answer{}, err
		}
		parts[i] = a
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	// A client that does not support conditions has asked all of them.
	for i, applies := range r.c.Question.Applies(parts) {
		if !applies {
			parts[i] = tools.Answer{Skipped: true}
		}
	}
	return tools.Answer{Answers: parts}, nil
}

// part reads the answer to one question.
func (r *reader) part(i int, data []byte) (tools.Answer, error) {
	data = bytes.TrimSpace(data)
	p := &r.c.Question.Parts[i]
	switch {
	case isNull(data):
		return tools.Answer{Skipped: true}, nil
	case data[0] == '"':
		var s string
		_ = json.Unmarshal(data, &s)
		return r.text(i, s), nil
	case data[0] == '[':
		var texts []string
		if json.Unmarshal(data, &texts) != nil {
			return tools.Answer{}, wrongIn(i, "type")
		}
		return choices(p, texts), nil
	case data[0] == '{':
		var n native
		if json.Unmarshal(data, &n) != nil {
			return tools.Answer{}, wrongIn(i, "type")
		}
		return n.answer(), nil
	}
	if p.InputType == tools.Confirm && (data[0] == 't' || data[0] == 'f') {
		return tools.Answer{Value: quoted(map[bool]string{true: "yes", false: "no"}[data[0] == 't'])}, nil
	}
	return tools.Answer{Value: slices.Clone(data)}, nil
}

// text reads a text as the answer to one question: an option's value or label, or else the
// person's own words.
func (r *reader) text(i int, s string) tools.Answer {
	p := &r.c.Question.Parts[i]
	if p.OwnWords(s) {
		return tools.Answer{Other: s}
	}
	switch p.InputType {
	case tools.Select, tools.Confirm:
		if v, ok := option(p, s); ok {
			return tools.Answer{Value: quoted(v)}
		}
		if p.AllowOther && p.InputType == tools.Select {
			return tools.Answer{Other: s}
		}
	case tools.Multiselect, tools.Rank:
		if _, ok := option(p, s); ok {
			return choices(p, []string{s})
		}
		return choices(p, strings.Split(s, ", ")) // as joined labels
	case tools.Number, tools.Scale:
		if number := []byte(strings.TrimSpace(s)); wellFormed(number) == nil && strings.IndexByte("-0123456789", number[0]) >= 0 {
			return tools.Answer{Value: number}
		}
	}
	return tools.Answer{Value: quoted(s)}
}

// choices returns the options that texts name by value or label; other texts are the person's own
// words if those are allowed.
func choices(p *tools.Part, texts []string) tools.Answer {
	if !p.InputType.TakesValues() && len(texts) == 1 {
		if v, ok := option(p, texts[0]); ok {
			return tools.Answer{Value: quoted(v)}
		}
		if p.OwnWords(texts[0]) {
			return tools.Answer{Other: texts[0]}
		}
		return tools.Answer{Value: quoted(texts[0])}
	}
	var a tools.Answer
	var own []string
	for _, s := range texts {
		v, ok := option(p, s)
		switch {
		case ok:
			a.Values = append(a.Values, v)
		case p.AllowOther:
			own = append(own, s)
		default:
			a.Values = append(a.Values, s) // refused by the check
		}
	}
	a.Other = strings.Join(own, ", ")
	return a
}

// option returns the value of the option with that value, or else with that label.
func option(p *tools.Part, s string) (value string, ok bool) {
	for _, o := range p.Options {
		if o.Value == s {
			return o.Value, true
		}
	}
	for _, o := range p.Options {
		if o.Label == s {
			return o.Value, true
		}
	}
	return "", false
}

func empty(a *tools.Answer) bool {
	return a.Value == nil && a.Values == nil && a.Other == "" && a.Note == "" && !a.Skipped && !a.Declined && a.Arguments == nil && a.Result == nil
}

func isNull(data json.RawMessage) bool {
	return len(data) == 0 || bytes.Equal(bytes.TrimSpace(data), []byte("null"))
}

func quoted(s string) json.RawMessage {
	data, _ := json.Marshal(s) // a string always encodes
	return data
}

// wrong refuses an answer that cannot be read; code names the text that says why.
func wrong(code string) error { return wrongIn(0, code) }

func wrongIn(question int, code string) error {
	return &tools.AnswerError{Fields: []tools.FieldError{{Question: question, Field: "answers", Code: code}}}
}

// wellFormed refuses data that is not JSON, or is nested too deeply.
func wellFormed(data []byte) error {
	_, err := strictjson.Open(data, strictjson.Rules{MaxDepth: MaxNested, AllowHuge: true})
	switch {
	case err == nil && len(bytes.TrimSpace(data)) > 0:
		return nil
	case errors.Is(err, strictjson.ErrDepth):
		return Invalid("depth", "", map[string]any{"Max": MaxNested})
	}
	return Invalid("malformed_json", "", nil)
}
