package openai

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
)

// ending collects how a run ended, which a response can only say at its end.
type ending struct {
	tools tooling
	texts front.Texts
	// look loads the chat, if a run asked nothing itself, or would go out as a call; nil: there is
	// nothing to load.
	look func() *store.View
	now  func() time.Time
	// code returns the code that a question goes out with, "" for none; nil: no question has one.
	code  func(of *chat.Asked, how telling) string
	part  int // of the question, if it goes out as text
	asked []front.Question
	how   telling
}

func (e *ending) Question(dst []byte, q front.Question) []byte {
	e.asked = append(e.asked, q)
	return dst
}

// contents returns what the client is asked: calls, or else one question as a text ("" for none).
func (e *ending) contents(d chat.Done) (calls []front.Question, text string) {
	if d.FinishReason != chat.FinishClarification {
		return nil, ""
	}
	if e.look != nil && (len(e.asked) == 0 || e.tools.mayCall(e.asked)) {
		view := e.look()
		e.tools.in(view)
		if len(e.asked) == 0 && view != nil {
			e.how = again
			for i, c := range waiting(view, e.now()) {
				if i == 0 {
					e.part = len(front.Kept(&c))
				}
				e.asked = append(e.asked, front.NewQuestion(chat.NewAsked(&c)))
			}
		}
	}
	for _, q := range e.asked {
		if e.tools.call(q) {
			calls = append(calls, q)
		}
	}
	if len(calls) == 0 && len(e.asked) > 0 {
		q, code := &e.asked[0].Asked, ""
		if e.code != nil {
			code = e.code(q, e.how)
		}
		if code != "" {
			code = bracketed(code) // on a line between what is asked and how to answer
		}
		text = front.Words(e.texts, q, e.part, code)
	}
	return calls, text
}

// finishes maps the native reasons to OpenAI's. A missing one has none.
var finishes = map[chat.FinishReason]string{
	chat.FinishStop:          "stop",
	chat.FinishClarification: "stop",
	chat.FinishLength:        "length",
	chat.FinishMaxSteps:      "length",
	chat.FinishContentFilter: "content_filter",
}

// usage counts the tokens of the turn so far.
type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

func newUsage(u chat.Usage) usage {
	return usage{u.InputTokens, u.OutputTokens, u.InputTokens + u.OutputTokens}
}

// call is a call as it appears in a message, or in a delta, where it has an index.
type call struct {
	Index    *int     `json:"index,omitempty"`
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// newID returns an id for a response.
func newID(prefix string) string { return prefix + "-" + strings.ToLower(rand.Text()) }

// streamed is the Encoder of a stream.
type streamed struct {
	ending
	usage bool
	// These are the frames of text and reasoning: what precedes the text, and what follows it.
	text, thinking, end []byte
	head                []byte // of any other frame: what precedes its choices
	begun               bool
	said                bool // a text of the run was sent
	inStep              bool // a text of the step was sent
}

func newStreamed(model string, e ending, withUsage bool) *streamed {
	name, _ := json.Marshal(model) // a string always encodes
	head := `data: {"id":"` + newID("chatcmpl") + `","object":"chat.completion.chunk","created":` +
		strconv.FormatInt(time.Now().Unix(), 10) + `,"model":` + string(name)
	end := `},"finish_reason":null}]}` + "\n\n"
	if withUsage {
		head += `,"usage":null`
	}
	delta := head + `,"choices":[{"index":0,"delta":{`
	return &streamed{
		ending: e, usage: withUsage, head: []byte(head), end: []byte(end),
		text: []byte(delta + `"content":`), thinking: []byte(delta + `"reasoning_content":`),
	}
}

// Start implements front.Encoder.
func (c *streamed) Start(dst []byte, _ chat.TurnStart) []byte { return c.begin(dst) }

func (c *streamed) begin(dst []byte) []byte {
	if c.begun {
		return dst
	}
	c.begun = true
	return c.delta(dst, []byte(`{"role":"assistant","content":""}`), "")
}

// delta writes a frame of anything except text; finish ends the run.
func (c *streamed) delta(dst, delta []byte, finish string) []byte {
	dst = append(append(dst, c.head...), `,"choices":[{"index":0,"delta":`...)
	dst = append(append(dst, delta...), `,"finish_reason":`...)
	if finish == "" {
		return append(dst, "null}]}\n\n"...)
	}
	return append(append(append(dst, '"'), finish...), "\"}]}\n\n"...)
}

// Text implements front.Encoder.
func (c *streamed) Text(dst, text []byte) []byte {
	dst = c.begin(dst)
	c.said, c.inStep = true, true
	return append(append(append(dst, c.text...), text...), c.end...)
}

// Thinking implements front.Encoder.
func (c *streamed) Thinking(dst, text []byte) []byte {
	dst = c.begin(dst)
	return append(append(append(dst, c.thinking...), text...), c.end...)
}

// Step implements front.Encoder.
func (c *streamed) Step(dst []byte) []byte {
	c.inStep = false
	return dst
}

// Restart implements front.Encoder. It writes nothing: what was sent cannot be taken back.
func (c *streamed) Restart(dst []byte) []byte {
	if !c.inStep {
		return dst
	}
	dst = c.Text(dst, []byte(`"\n\n"`))
	c.inStep = false
	return dst
}

// Message, Resolved, Call, Result and Progress implement front.Encoder. They write nothing: the
// client knows, or is not meant to know.
func (c *streamed) Message(dst []byte, _ chat.UserMessage) []byte { return dst }
func (c *streamed) Resolved(dst []byte, _ chat.Resolved) []byte   { return dst }
func (c *streamed) Call(dst []byte, _ chat.ToolCallStart) []byte  { return dst }
func (c *streamed) Result(dst []byte, _ chat.ToolCallEnd) []byte  { return dst }
func (c *streamed) Progress(dst []byte, _ front.Progress) []byte  { return dst }
func (c *streamed) Failed(dst []byte, f chat.Failure) []byte      { return c.fail(dst, f.Code, f.Message) }
func (c *streamed) Left(dst []byte, message string) []byte        { return c.fail(dst, "goes_on", message) }
func (c *streamed) fail(dst []byte, code, message string) []byte {
	return append(append(append(dst, "data: "...), failed(code, message)...), "\n\n"...)
}

// Done implements front.Encoder. The failure of a run was already reported, and a run that was
// stopped has no complete answer: its stream ends without a reason.
func (c *streamed) Done(dst []byte, d chat.Done) []byte {
	finish := finishes[d.FinishReason]
	if finish == "" {
		return dst
	}
	dst = c.begin(dst)
	calls, text := c.contents(d)
	if text != "" {
		if c.said {
			text = "\n\n" + text
		}
		data, _ := json.Marshal(text) // a string always encodes
		dst = c.Text(dst, data)
	}
	for i, q := range calls {
		finish = "tool_calls"
		for _, part := range []call{
			{Index: &i, ID: callID(q), Type: "function", Function: function{Name: q.Tool}},
			{Index: &i, Function: function{Arguments: string(q.Input)}},
		} {
			delta, _ := json.Marshal(map[string]any{"tool_calls": []call{part}}) // strings always encode
			dst = c.delta(dst, delta, "")
		}
	}
	dst = c.delta(dst, []byte("{}"), finish)
	if c.usage {
		data, _ := json.Marshal(newUsage(d.Usage)) // numbers always encode
		dst = append(append(append(dst, bytes.TrimSuffix(c.head, []byte("null"))...), data...), `,"choices":[]}`+"\n\n"...)
	}
	return append(dst, "data: [DONE]\n\n"...)
}

// whole is the Encoder of a response that is not a stream.
type whole struct {
	ending
	content, thinking []byte // JSON strings without their quotes
	step              int    // beginning of the step's content
	done              chat.Done
}

// Start, Message, Resolved, Call, Result, Progress, Failed and Left implement front.Encoder. They
// write nothing: the response contains none of this.
func (w *whole) Start(dst []byte, _ chat.TurnStart) []byte     { return dst }
func (w *whole) Message(dst []byte, _ chat.UserMessage) []byte { return dst }
func (w *whole) Resolved(dst []byte, _ chat.Resolved) []byte   { return dst }
func (w *whole) Call(dst []byte, _ chat.ToolCallStart) []byte  { return dst }
func (w *whole) Result(dst []byte, _ chat.ToolCallEnd) []byte  { return dst }
func (w *whole) Progress(dst []byte, _ front.Progress) []byte  { return dst }
func (w *whole) Failed(dst []byte, _ chat.Failure) []byte      { return dst }
func (w *whole) Left(dst []byte, _ string) []byte              { return dst }

// Step implements front.Encoder.
func (w *whole) Step(dst []byte) []byte {
	w.step = len(w.content)
	return dst
}

// Text implements front.Encoder.
func (w *whole) Text(dst, text []byte) []byte {
	w.content = append(w.content, text[1:len(text)-1]...)
	return dst
}

// Thinking implements front.Encoder.
func (w *whole) Thinking(dst, text []byte) []byte {
	w.thinking = append(w.thinking, text[1:len(text)-1]...)
	return dst
}

// Restart implements front.Encoder.
func (w *whole) Restart(dst []byte) []byte {
	w.content = w.content[:w.step]
	return dst
}

// Done implements front.Encoder.
func (w *whole) Done(dst []byte, d chat.Done) []byte {
	w.done = d
	return dst
}

// completion is a whole response.
type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   usage    `json:"usage"`
}

type choice struct {
	Index        int             `json:"index"`
	Message      message         `json:"message"`
	Logprobs     json.RawMessage `json:"logprobs"` // null
	FinishReason string          `json:"finish_reason"`
}

type message struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Refusal   json.RawMessage `json:"refusal"` // null
	Thinking  json.RawMessage `json:"reasoning_content,omitempty"`
	ToolCalls []call          `json:"tool_calls,omitempty"`
}

// completion returns the response, when the run is over.
func (w *whole) completion(model string) completion {
	calls, text := w.contents(w.done)
	if text != "" {
		if len(w.content) > 0 {
			text = "\n\n" + text
		}
		data, _ := json.Marshal(text) // a string always encodes
		w.content = append(w.content, data[1:len(data)-1]...)
	}
	m := message{Role: "assistant"}
	if len(w.content) > 0 || len(calls) == 0 {
		m.Content = quoted(w.content)
	}
	if len(w.thinking) > 0 {
		m.Thinking = quoted(w.thinking)
	}
	finish := finishes[w.done.FinishReason]
	if finish == "" {
		finish = "stop" // what there is
	}
	for _, q := range calls {
		m.ToolCalls, finish = append(m.ToolCalls, call{ID: callID(q), Type: "function", Function: function{Name: q.Tool, Arguments: string(q.Input)}}), "tool_calls"
	}
	return completion{
		ID: newID("chatcmpl"), Object: "chat.completion", Created: time.Now().Unix(), Model: model,
		Choices: []choice{{Message: m, FinishReason: finish}}, Usage: newUsage(w.done.Usage),
	}
}

func quoted(inner []byte) json.RawMessage {
	return append(append([]byte{'"'}, inner...), '"')
}
