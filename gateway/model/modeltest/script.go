package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/model"
)

// Response is the server's response to one request: a list of steps.
type Response []Step

// Step is one action of the server; exactly one of its fields is set (Status may have Headers and
// Body). In JSON the names are those of the tags.
type Step struct {
	Text      string            `json:"text,omitempty"`      // a chunk with this content
	Reasoning string            `json:"reasoning,omitempty"` // a chunk with this reasoning_content
	Call      *Fragment         `json:"call,omitempty"`      // a chunk with one fragment of a tool call
	Finish    string            `json:"finish,omitempty"`    // a chunk with this finish_reason
	Usage     *Usage            `json:"usage,omitempty"`     // a chunk with token counts and no choices
	Done      bool              `json:"done,omitempty"`      // data: [DONE]
	Raw       string            `json:"raw,omitempty"`       // these bytes unchanged
	Delay     Duration          `json:"delay,omitempty"`     // wait
	Stall     bool              `json:"stall,omitempty"`     // wait until the client leaves
	Cut       bool              `json:"cut,omitempty"`       // break the connection
	Status    int               `json:"status,omitempty"`    // respond with this status, Headers and Body; must be first
	Headers   map[string]string `json:"headers,omitempty"`
	Body      string            `json:"body,omitempty"`
}

// Fragment is a piece of a tool call as a chunk contains it. Members that are nil or empty are left
// out.
type Fragment struct {
	Index     *int   `json:"index,omitempty"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
}

// Usage holds the token counts of a Usage step.
type Usage struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
	// Of Input, those read from a cache; of Output, those of the reasoning. The Messages API and
	// the Responses API report them.
	Cached    int64 `json:"cached,omitempty"`
	Reasoning int64 `json:"reasoning,omitempty"`
}

// Duration is a time.Duration that is a string ("150ms") in JSON.
type Duration time.Duration

// UnmarshalJSON implements json.Unmarshaler.
func (d *Duration) UnmarshalJSON(raw []byte) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("a delay is a string such as %q: %w", "150ms", err)
	}
	v, err := time.ParseDuration(s)
	*d = Duration(v)
	return err
}

// Text returns a chunk with content.
func Text(s string) Step { return Step{Text: s} }

// Reasoning returns a chunk with reasoning_content.
func Reasoning(s string) Step { return Step{Reasoning: s} }

// Call returns a chunk with a fragment of tool call number index. Below 0, it has no index.
func Call(index int, id, name, arguments string) Step {
	f := &Fragment{ID: id, Name: name, Arguments: arguments}
	if index >= 0 {
		f.Index = &index
	}
	return Step{Call: f}
}

// Finish returns a chunk with a finish_reason.
func Finish(reason string) Step { return Step{Finish: reason} }

// Tokens returns a chunk with usage.
func Tokens(input, output int64) Step { return Step{Usage: &Usage{Input: input, Output: output}} }

// Done returns the end marker.
func Done() Step { return Step{Done: true} }

// Raw sends bytes unchanged, for what no correct server sends.
func Raw(s string) Step { return Step{Raw: s} }

// Delay waits.
func Delay(d time.Duration) Step { return Step{Delay: Duration(d)} }

// Stall waits until the client leaves.
func Stall() Step { return Step{Stall: true} }

// Cut breaks the connection.
func Cut() Step { return Step{Cut: true} }

// Status responds with a status and a JSON body. Headers are pairs of name and value.
func Status(code int, body string, headers ...string) Response {
	s := Step{Status: code, Body: body, Headers: map[string]string{}}
	for i := 0; i+1 < len(headers); i += 2 {
		s.Headers[headers[i]] = headers[i+1]
	}
	return Response{s}
}

// Answer is a complete, valid answer: the text in words, finish, usage, [DONE].
func Answer(text string) Response {
	var r Response
	for _, word := range strings.SplitAfter(text, " ") {
		if word != "" {
			r = append(r, Text(word))
		}
	}
	return append(r, Finish("stop"), Tokens(10, int64(len(r))), Done())
}

// Calls is a complete, valid answer of tool calls, each in three fragments.
func Calls(calls ...model.ToolCall) Response {
	var r Response
	for i, c := range calls {
		half := len(c.Arguments) / 2
		r = append(r, Call(i, c.ID, c.Name, ""), Call(i, "", "", c.Arguments[:half]), Call(i, "", "", c.Arguments[half:]))
	}
	return append(r, Finish("tool_calls"), Tokens(10, int64(len(r))), Done())
}

// Ask is like Calls with one call of ask_user.
func Ask(id, arguments string) Response {
	return Calls(model.ToolCall{ID: id, Name: "ask_user", Arguments: arguments})
}

// ParseScript reads a script from JSON: a list of responses, each a list of steps, or an object
// with "answer": text, or "calls": [{id, name, arguments}], where arguments are any JSON (a string
// is used unchanged).
func ParseScript(raw []byte) ([]Response, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("a script is a JSON array of responses: %w", err)
	}
	script := make([]Response, 0, len(list))
	for i, item := range list {
		r, err := parseResponse(item)
		if err != nil {
			return nil, fmt.Errorf("response %d: %w", i, err)
		}
		script = append(script, r)
	}
	return script, nil
}

func parseResponse(raw json.RawMessage) (Response, error) {
	var steps Response
	if len(raw) > 0 && raw[0] == '[' {
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.DisallowUnknownFields()
		err := d.Decode(&steps)
		return steps, err
	}
	var short struct {
		Answer string `json:"answer"`
		Calls  []struct {
			ID        string          `json:"id"`
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"calls"`
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(&short); err != nil {
		return nil, err
	}
	if len(short.Calls) == 0 {
		return Answer(short.Answer), nil
	}
	calls := make([]model.ToolCall, 0, len(short.Calls))
	for _, c := range short.Calls {
		arguments := string(c.Arguments)
		var s string
		if json.Unmarshal(c.Arguments, &s) == nil {
			arguments = s
		}
		calls = append(calls, model.ToolCall{ID: c.ID, Name: c.Name, Arguments: arguments})
	}
	return Calls(calls...), nil
}

// chunk returns the bytes that a step sends.
func (s Step) chunk() string {
	switch {
	case s.Raw != "":
		return s.Raw
	case s.Done:
		return "data: [DONE]\n\n"
	case s.Usage != nil:
		return fmt.Sprintf(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"scripted","choices":[],`+
			`"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`+"\n\n", s.Usage.Input, s.Usage.Output, s.Usage.Input+s.Usage.Output)
	case s.Finish != "":
		return choice(`{}`, quote(s.Finish))
	case s.Call != nil:
		return choice(`{"tool_calls":[`+s.Call.json()+`]}`, "null")
	case s.Reasoning != "":
		return choice(`{"reasoning_content":`+quote(s.Reasoning)+`}`, "null")
	default:
		return choice(`{"content":`+quote(s.Text)+`}`, "null")
	}
}

// choice returns a chunk in the form that is common among servers.
func choice(delta, finish string) string {
	return `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"scripted","choices":[{"index":0,"delta":` +
		delta + `,"logprobs":null,"finish_reason":` + finish + `}]}` + "\n\n"
}

func (f Fragment) json() string {
	var b strings.Builder
	b.WriteString(`{`)
	if f.Index != nil {
		fmt.Fprintf(&b, `"index":%d,`, *f.Index)
	}
	if f.ID != "" {
		b.WriteString(`"id":` + quote(f.ID) + `,"type":"function",`)
	}
	b.WriteString(`"function":{`)
	if f.Name != "" {
		b.WriteString(`"name":` + quote(f.Name) + `,`)
	}
	b.WriteString(`"arguments":` + quote(f.Arguments) + `}}`)
	return b.String()
}

func quote(s string) string {
	raw, _ := json.Marshal(s) // cannot fail for a string
	return string(raw)
}
