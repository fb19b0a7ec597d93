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

// maxState is the most bytes that are stored with a question: the server's state, and the
// requested schemas.
const maxState = 64 << 10

// maxRounds is how many times one call may ask.
const maxRounds = 8

// state is what a call needs to continue. It is stored with the call's question.
type state struct {
	Round        int       `json:"round"`
	RequestState string    `json:"requestState,omitempty"`
	Asked        []request `json:"asked"`
	// Before is set if the call has not begun: it is then made as if for the first time.
	Before bool `json:"before,omitempty"`
	// Park is the id of the parked flight that waits for the answer.
	Park string `json:"park,omitempty"`

	requests mcp.InputRequestMap // not yet read
}

// request is one request of a server for input. The question has one part for each of its
// fields, or one part if it has no fields.
type request struct {
	Key    string          `json:"key"`
	Fields []field         `json:"fields,omitempty"`
	Schema json.RawMessage `json:"schema,omitempty"`
}

// field is one requested property.
type field struct {
	Name string `json:"name"`
	Type string `json:"type"` // of JSON Schema
	Want bool   `json:"required,omitempty"`
}

func (r request) parts() int { return max(1, len(r.Fields)) }

func readState(raw json.RawMessage) (*state, error) {
	s := &state{}
	err := json.Unmarshal(raw, s)
	return s, err
}

// pageWanted returns the pages that a server of an older protocol wants visited before a call,
// or nil if the call failed for any other reason.
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

// unaskable returns the error for the model if a server's question cannot be shown to the user.
func unaskable(why string) error {
	return &tools.Error{
		Code: tools.CodeToolFailed, Reason: "elicitation",
		Message: "The server of this tool asked the user something that cannot be asked here (" + why + "). Go on without this tool.",
	}
}

// ask makes a question from a server's requests.
func (t *Tool) ask(call tools.Call, s *state, round int) (tools.Outcome, error) {
	if round > maxRounds {
		return tools.Outcome{}, unaskable(fmt.Sprintf("it has asked %d times in one call", maxRounds))
	}
	s.Round = round
	form := form{asking: t.asking, language: call.Language, server: t.asking.Name(call.Language), hide: t.server.speech.redactor.Replace}
	for _, key := range slices.Sorted(maps.Keys(s.requests)) {
		asked, ok := s.requests[key].(*mcp.ElicitParams)
		if !ok || asked == nil {
			return tools.Outcome{}, unaskable("meant for this program")
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
		return tools.Outcome{}, unaskable("its state is too large")
	}
	return tools.Outcome{Question: q}, nil
}

// responses returns the answers for the server. The answers have been checked before.
func (s *state) responses(q tools.Question, c tools.Closing) (mcp.InputResponseMap, error) {
	responses := mcp.InputResponseMap{}
	if c.Answer == nil {
		return nil, errors.New("mcp: closed without an answer")
	}
	answers := perPart(*c.Answer, len(q.Parts))
	for _, r := range s.Asked {
		if c.Answer.Deleted { // since it was given: the server gets none
			responses[r.Key] = &mcp.ElicitResult{Action: cancelled}
			continue
		}
		n := r.parts()
		if len(answers) < n {
			return nil, errors.New("mcp: a stored answer has too few parts")
		}
		responses[r.Key] = r.response(answers[:n])
		answers = answers[n:]
	}
	return responses, nil
}

// perPart returns one answer per part of the question.
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

// response returns the answer to one request. A form with a declined part is declined as a whole.
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

// value converts an answer to the requested type. ok is false if the part was skipped, unless the
// server requires a list: then the list is empty.
func (f field) value(a tools.Answer) (value any, ok bool) {
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

// number converts a JSON number to a type that the SDK's own check of answers accepts.
func number(raw json.RawMessage) any {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return json.Number(raw) // cannot happen: ask_user has checked the answer
	}
	return n
}

// accepted reports whether the user accepted all requests.
func accepted(responses mcp.InputResponseMap) bool {
	for _, r := range responses {
		if e, ok := r.(*mcp.ElicitResult); !ok || e.Action != "accept" {
			return false
		}
	}
	return true
}
