package mcptool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
)

// maxState is in bytes of what is stored with a question: the server's state, and the
// schemas that it asks for.
const maxState = 64 << 10

// maxRounds is how often one call may ask.
const maxRounds = 8

// state is what a call needs to go on: it is stored with its question.
type state struct {
	Round        int       `json:"round"`
	RequestState string    `json:"requestState,omitempty"`
	Asked        []request `json:"asked"`
	// Before says that the call has not begun: it is made as if for the first time.
	Before bool `json:"before,omitempty"`
	// Park is the flight that waits in this process.
	Park string `json:"park,omitempty"`

	requests mcp.InputRequestMap // not yet read
}

// request is one thing that a server asked for. Its parts of the question are as many as
// its fields, and one where it has none.
type request struct {
	Key    string          `json:"key"`
	Fields []field         `json:"fields,omitempty"`
	Schema json.RawMessage `json:"schema,omitempty"`
}

// field is one property that a server asked for.
type field struct {
	Name string `json:"name"`
	Type string `json:"type"`               // of JSON Schema
	Want bool   `json:"required,omitempty"` //
}

func (r request) parts() int { return max(1, len(r.Fields)) }

func readState(raw json.RawMessage) (*state, error) {
	s := &state{}
	err := json.Unmarshal(raw, s)
	return s, err
}

// pageWanted is what a server of an older protocol wants visited before a call, where that
// is why it failed.
func pageWanted(err error) *state {
	e := saidBy(err)
	if e == nil || e.Code != mcp.CodeURLElicitationRequired {
		return nil
	}
	var data struct {
		Elicitations []*mcp.ElicitParams `json:"elicitations"`
	}
	s := &state{Before: true, requests: mcp.InputRequestMap{}}
	if json.Unmarshal(e.Data, &data) != nil {
		return s
	}
	for i, p := range data.Elicitations {
		if p != nil {
			p.Mode = "url"
			s.requests[fmt.Sprint(i)] = p
		}
	}
	return s
}

// unaskable is the error of what cannot be asked.
func unaskable(why string) error {
	return &tools.Error{
		Code: tools.CodeToolFailed, Reason: "elicitation",
		Message: "The server of this tool asked the user something that cannot be asked here (" + why + "). Go on without this tool.",
	}
}

// ask makes the question of what a server asks for.
func (t *Tool) ask(call tools.Call, s *state, round int) (tools.Outcome, error) {
	if round > maxRounds {
		return tools.Outcome{}, unaskable(fmt.Sprintf("it has asked %d times in one call", maxRounds))
	}
	s.Round = round
	form := form{asking: t.asking, language: call.Language, server: t.asking.Name(call.Language), hide: t.server.speech.redactor.Replace}
	for _, key := range slices.Sorted(maps.Keys(s.requests)) {
		asked, ok := s.requests[key].(*mcp.ElicitParams)
		if !ok || asked == nil {
			return tools.Outcome{}, unaskable("not a person, but this program")
		}
		if err := form.add(key, asked); err != nil {
			return tools.Outcome{}, err
		}
	}
	q, err := form.question()
	if err != nil {
		return tools.Outcome{}, err
	}
	s.Asked = form.requests
	if q.State, err = json.Marshal(s); err != nil {
		return tools.Outcome{}, err
	}
	if len(q.State) > maxState {
		return tools.Outcome{}, unaskable("too much is to be kept for it")
	}
	return tools.Outcome{Question: q}, nil
}

// responses are the answers for the server. They were checked before.
func (s *state) responses(q tools.Question, c tools.Closing) (mcp.InputResponseMap, error) {
	responses := mcp.InputResponseMap{}
	if c.Answer == nil {
		return nil, errors.New("mcp: closed without an answer")
	}
	answers := perPart(*c.Answer, len(q.Parts))
	for _, r := range s.Asked {
		n := r.parts()
		if len(answers) < n {
			return nil, errors.New("mcp: a stored answer has too few parts")
		}
		responses[r.Key] = r.response(answers[:n])
		answers = answers[n:]
	}
	return responses, nil
}

// perPart is an answer as one of a form, whatever its form.
func perPart(a tools.Answer, parts int) []tools.Answer {
	switch {
	case len(a.Answers) > 0:
		return a.Answers
	case a.Declined || a.Skipped:
		return slices.Repeat([]tools.Answer{a}, parts)
	default:
		return []tools.Answer{a}
	}
}

// response is the answer to one request: of a form that is declined in part, the whole is.
func (r request) response(answers []tools.Answer) *mcp.ElicitResult {
	if slices.ContainsFunc(answers, func(a tools.Answer) bool { return a.Declined }) {
		return &mcp.ElicitResult{Action: "decline"}
	}
	if len(r.Fields) == 0 { // a yes or a no
		if answers[0].Allows() {
			return &mcp.ElicitResult{Action: "accept"}
		}
		return &mcp.ElicitResult{Action: "decline"}
	}
	content := map[string]any{}
	for i, f := range r.Fields {
		if value, ok := f.value(answers[i]); ok {
			content[f.Name] = value
		}
	}
	return &mcp.ElicitResult{Action: "accept", Content: content}
}

// value is an answer in the type that was asked for; none where it was skipped.
func (f field) value(a tools.Answer) (any, bool) {
	if a.Skipped {
		return []string{}, f.Type == "array" && f.Want
	}
	switch f.Type {
	case "array":
		return append([]string{}, a.Values...), true
	case "boolean":
		return a.Allows(), true
	case "number", "integer":
		return number(a.Value), true
	}
	var text string
	if json.Unmarshal(a.Value, &text) != nil {
		return nil, false
	}
	return text, true
}

// number is a JSON number as the SDK's own check of answers knows it.
func number(raw json.RawMessage) any {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return json.Number(raw) // ask_user's check lets none through
	}
	return n
}

// accepted says that the user agreed to all of it.
func accepted(responses mcp.InputResponseMap) bool {
	for _, r := range responses {
		if e, ok := r.(*mcp.ElicitResult); !ok || e.Action != "accept" {
			return false
		}
	}
	return true
}
