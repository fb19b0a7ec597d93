package aisdk

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

type noLog struct{}

func (noLog) Append(stream.Batch) {}
func (noLog) Close()              {}

type sink func([]byte) error

func (s sink) Write(p []byte) error { return s(p) }

func classes(tool string) front.Class {
	return map[string]front.Class{"ask_user": front.Asks, "locate": front.Client}[tool]
}

func (t *encoder) ready() *encoder {
	t.class, t.calls, t.refused = classes, map[string]bool{}, map[string]bool{}
	return t
}

// The events of runs.
func ev(kind chat.EventType, data any) chat.Event { return chat.Event{Type: kind, Data: data} }
func start(resumed bool) chat.Event {
	return ev(chat.EventTurnStart, chat.TurnStart{TurnID: "turn_1", Resumed: resumed})
}

func words(s string) chat.Event { return ev(chat.EventChunk, chat.Chunk{Content: s}) }

func call(id, tool string) chat.Event {
	return ev(chat.EventToolCallStart, chat.ToolCallStart{ToolCallID: id, ToolName: tool, Arguments: json.RawMessage(`{"x":1}`)})
}

func result(id, tool, text string) chat.Event {
	return ev(chat.EventToolCallEnd, chat.ToolCallEnd{ToolCallID: id, ToolName: tool, Result: &text})
}

func approve(id, tool string) chat.Event {
	return ev(chat.EventClarification, chat.Asked{ClarificationID: "clr_1", ToolCallID: id, Kind: tools.KindApproval, ToolName: tool, Arguments: json.RawMessage(`{"x":1}`)})
}

func resolved(by chat.Channel, approval string) chat.Event {
	r := chat.Resolved{ClarificationID: "clr_1", ToolCallID: "call_1", By: &chat.By{Channel: by}}
	if approval != "" {
		r.Approval = &chat.Approval{Outcome: approval}
	}
	return ev(chat.EventClarificationResolved, r)
}

func done(why chat.FinishReason) chat.Event {
	return ev(chat.EventDone, chat.Done{FinishReason: why, Usage: chat.Usage{InputTokens: 7, OutputTokens: 5}})
}

var (
	spoke   = ev(chat.EventUserMessage, chat.UserMessage{TurnID: "turn_1"})
	restart = ev(chat.EventStepRestart, chat.StepRestart{})
	failure = ev(chat.EventError, &chat.Failure{Message: "It failed."})
	broken  = ev(chat.EventToolCallEnd, chat.ToolCallEnd{ToolCallID: "call_1", ToolName: "clock", Error: &tools.Error{Code: "X", Message: "no"}})

	// view contains an approval that was allowed, and a question of the same turn that was answered
	// by typing.
	view = &store.View{Turn: &chat.Turn{ID: "turn_1"}, Clarifications: []chat.Clarification{
		{ID: "clr_0", TurnID: "turn_1", ToolCallID: "call_0", DoneFence: 8, AnsweredBy: &chat.By{Channel: chat.ChannelMessage}},
		{ID: "clr_1", TurnID: "turn_1", ToolCallID: "call_1", ToolName: "clock", Arguments: `{"x":1}`, DoneFence: 9, AnsweredBy: &chat.By{Channel: chat.ChannelAPI}},
	}}
	held = &reply{id: "theirs", calls: map[string]bool{"call_1": true}}
)

const usage = `{"type":"data-usage","data":{"inputTokens":7,"outputTokens":5,"cachedInputTokens":0,"reasoningTokens":0},"transient":true}`

// A call's progress is transient data for onData, and the call's part stays unchanged, both during
// the call and where the call belongs to an earlier run. It has no event id.
func TestProgressIsTransientData(t *testing.T) {
	progress := stream.One("", chat.Event{Type: chat.EventToolCallProgress, Data: chat.ToolCallProgress{
		ChatID: "c", ToolCallID: "call_1", ToolName: "clock", Progress: tools.Progress{Progress: 1, Total: new(4.0), Message: "a"},
	}})
	const want = `data: {"type":"data-progress","data":{"toolCallId":"call_1","toolName":"clock","progress":1,"total":4,"message":"a"},"transient":true}` + "\n\n"
	for name, test := range map[string]struct {
		encoder *encoder
		before  []chat.Event
		want    string
	}{
		"in a step":                     {&encoder{}, []chat.Event{start(false), spoke, words("a"), call("call_1", "clock")}, want},
		"of a call of an earlier run":   {&encoder{view: view, reply: held, id: "theirs"}, []chat.Event{start(true), resolved(chat.ChannelAPI, "")}, `data: {"type":"start","messageId":"theirs"}` + "\n\n" + want},
		"while a text is being written": {&encoder{}, []chat.Event{start(false), spoke, words("a")}, want},
	} {
		var to strings.Builder
		s := front.NewSink(sink(func(p []byte) error { to.Write(p); return nil }), test.encoder.ready(), classes)
		r := stream.NewRecorder(noLog{}, s, "c", 1)
		for _, e := range test.before {
			if c, ok := e.Data.(chat.Chunk); ok {
				r.Chunk(e.Type, []byte(c.Content))
			} else {
				r.Event(e)
			}
		}
		r.Flush()
		to.Reset()
		if err := s.Write(progress); err != nil {
			t.Fatal(err)
		}
		if to.String() != test.want {
			t.Errorf("%s: told as\n%s\nwant\n%s", name, to.String(), test.want)
		}
	}
}

// The chunks of each run.
func TestRunsAreTold(t *testing.T) {
	for name, test := range map[string]struct {
		encoder *encoder
		run     []chat.Event
		want    []string
	}{
		"text, reasoning and a tool": {&encoder{}, []chat.Event{start(false), spoke, ev(chat.EventThinking, chat.Chunk{Content: "hm"}), words("a\n"), words("b"), call("call_1", "clock"), result("call_1", "clock", ""), words("c"), done(chat.FinishStop)}, []string{
			`{"type":"start","messageId":"turn_1"}`, `{"type":"start-step"}`,
			`{"type":"reasoning-start","id":"1"}`, `{"type":"reasoning-delta","id":"1","delta":"hm"}`, `{"type":"reasoning-end","id":"1"}`,
			`{"type":"text-start","id":"2"}`, `{"type":"text-delta","id":"2","delta":"a\n"}`, `{"type":"text-delta","id":"2","delta":"b"}`, `{"type":"text-end","id":"2"}`,
			`{"type":"tool-input-start","toolCallId":"call_1","toolName":"clock","providerExecuted":true}`,
			`{"type":"tool-input-available","toolCallId":"call_1","toolName":"clock","input":{"x":1},"providerExecuted":true}`,
			`{"type":"tool-output-available","toolCallId":"call_1","output":""}`, `{"type":"finish-step"}`,
			`{"type":"start-step"}`, `{"type":"text-start","id":"3"}`, `{"type":"text-delta","id":"3","delta":"c"}`, `{"type":"text-end","id":"3"}`, `{"type":"finish-step"}`,
			usage, `{"type":"finish","finishReason":"stop"}`, `[DONE]`,
		}},
		"an approval, as a question": {&encoder{}, []chat.Event{start(false), spoke, call("call_1", "clock"), approve("call_1", "clock"), done(chat.FinishClarification)}, []string{
			`{"type":"start","messageId":"turn_1"}`, `{"type":"start-step"}`,
			`{"type":"tool-input-start","toolCallId":"call_1","toolName":"clock","providerExecuted":true}`,
			`{"type":"tool-input-available","toolCallId":"call_1","toolName":"clock","input":{"x":1},"providerExecuted":true}`,
			`{"type":"tool-input-start","toolCallId":"clr_1","toolName":"ask_user"}`,
			`{"type":"tool-input-available","toolCallId":"clr_1","toolName":"ask_user","input":{"questions":null}}`,
			`{"type":"finish-step"}`, usage, `{"type":"finish","finishReason":"tool-calls"}`, `[DONE]`,
		}},
		"an approval": {&encoder{approvals: true}, []chat.Event{start(false), spoke, call("call_1", "clock"), approve("call_1", "clock"), done(chat.FinishClarification)}, []string{
			`{"type":"start","messageId":"turn_1"}`, `{"type":"start-step"}`,
			`{"type":"tool-input-start","toolCallId":"call_1","toolName":"clock","providerExecuted":true}`,
			`{"type":"tool-input-available","toolCallId":"call_1","toolName":"clock","input":{"x":1},"providerExecuted":true}`,
			`{"type":"tool-input-available","toolCallId":"call_1","toolName":"clock","input":{"x":1},"providerExecuted":false}`,
			`{"type":"tool-approval-request","toolCallId":"call_1","approvalId":"clr_1"}`,
			`{"type":"finish-step"}`, usage, `{"type":"finish","finishReason":"tool-calls"}`, `[DONE]`,
		}},
		// The call of a client's own tool would run before it is allowed.
		"an approval of a client's tool": {&encoder{approvals: true}, []chat.Event{start(false), spoke, call("call_1", "locate"), approve("call_1", "locate"), done(chat.FinishClarification)}, []string{
			`{"type":"start","messageId":"turn_1"}`, `{"type":"start-step"}`,
			`{"type":"tool-input-start","toolCallId":"clr_1","toolName":"ask_user"}`,
			`{"type":"tool-input-available","toolCallId":"clr_1","toolName":"ask_user","input":{"questions":null}}`,
			`{"type":"finish-step"}`, usage, `{"type":"finish","finishReason":"tool-calls"}`, `[DONE]`,
		}},
		"what was allowed": {&encoder{view: view, reply: held, id: "theirs", approvals: true}, []chat.Event{start(true), resolved(chat.ChannelAPI, "allowed"), result("call_1", "clock", "12:00"), words("c"), done(chat.FinishStop)}, []string{
			`{"type":"start","messageId":"theirs"}`, `{"type":"tool-output-available","toolCallId":"call_1","output":"12:00"}`,
			`{"type":"start-step"}`, `{"type":"text-start","id":"1"}`, `{"type":"text-delta","id":"1","delta":"c"}`, `{"type":"text-end","id":"1"}`, `{"type":"finish-step"}`,
			usage, `{"type":"finish","finishReason":"stop"}`, `[DONE]`,
		}},
		"what was refused": {&encoder{view: view, reply: held, id: "theirs", approvals: true}, []chat.Event{start(true), resolved(chat.ChannelAPI, "refused"), result("call_1", "clock", "no"), done(chat.FinishStop)}, []string{
			`{"type":"start","messageId":"theirs"}`, `{"type":"tool-output-denied","toolCallId":"call_1"}`,
			`{"type":"start-step"}`, `{"type":"finish-step"}`, usage, `{"type":"finish","finishReason":"stop"}`, `[DONE]`,
		}},
		"a refused approval, as a question": {&encoder{view: view, reply: held, id: "theirs"}, []chat.Event{start(true), resolved(chat.ChannelAPI, "refused"), result("call_1", "clock", "no"), done(chat.FinishCancelled)}, []string{
			`{"type":"start","messageId":"theirs"}`, `{"type":"tool-output-available","toolCallId":"call_1","output":"no"}`,
			`{"type":"start-step"}`, `{"type":"finish-step"}`, usage, `{"type":"abort"}`, `[DONE]`,
		}},
		// A client that comes back may have the call, or not; and gets the message in which the
		// answer was typed.
		"looked on": {&encoder{view: view, turn: "turn_1"}, []chat.Event{start(true), resolved(chat.ChannelAPI, "allowed"), broken, done(chat.FinishMaxSteps)}, []string{
			`{"type":"start","messageId":"turn_1.clr_0"}`,
			`{"type":"tool-input-start","toolCallId":"call_1","toolName":"clock","providerExecuted":true}`,
			`{"type":"tool-input-available","toolCallId":"call_1","toolName":"clock","input":{"x":1},"providerExecuted":true}`,
			`{"type":"tool-output-error","toolCallId":"call_1","errorText":"no"}`,
			`{"type":"start-step"}`, `{"type":"finish-step"}`, usage, `{"type":"finish","finishReason":"other"}`, `[DONE]`,
		}},
		// A typed answer has its own message below, which contains no calls of the one above.
		"typed": {&encoder{}, []chat.Event{start(true), resolved(chat.ChannelMessage, "allowed"), result("call_1", "clock", "12:00"), words("c"), done(chat.FinishContentFilter)}, []string{
			`{"type":"start","messageId":"turn_1.clr_1"}`,
			`{"type":"start-step"}`, `{"type":"text-start","id":"1"}`, `{"type":"text-delta","id":"1","delta":"c"}`, `{"type":"text-end","id":"1"}`, `{"type":"finish-step"}`,
			usage, `{"type":"finish","finishReason":"content-filter"}`, `[DONE]`,
		}},
		"typed, and looked on": {&encoder{view: view, turn: "turn_1"}, []chat.Event{start(true), resolved(chat.ChannelMessage, "allowed"), result("call_1", "clock", "12:00"), done(chat.FinishStop)}, []string{
			`{"type":"start","messageId":"turn_1.clr_1"}`, `{"type":"start-step"}`, `{"type":"finish-step"}`, usage, `{"type":"finish","finishReason":"stop"}`, `[DONE]`,
		}},
		"another question waits": {&encoder{view: view, reply: held, id: "theirs"}, []chat.Event{start(true), resolved(chat.ChannelAPI, ""), done(chat.FinishClarification)}, []string{
			`{"type":"start","messageId":"theirs"}`, usage, `{"type":"finish","finishReason":"tool-calls"}`, `[DONE]`,
		}},
		"an error": {&encoder{}, []chat.Event{start(false), spoke, words("a"), failure, done(chat.FinishError)}, []string{
			`{"type":"start","messageId":"turn_1"}`, `{"type":"start-step"}`, `{"type":"text-start","id":"1"}`, `{"type":"text-delta","id":"1","delta":"a"}`, `{"type":"text-end","id":"1"}`, `{"type":"finish-step"}`,
			`{"type":"error","errorText":"It failed."}`, `[DONE]`,
		}},
		"text that is void": {&encoder{}, []chat.Event{start(false), spoke, words("a"), restart, words("b"), done(chat.FinishLength)}, []string{
			`{"type":"start","messageId":"turn_1"}`, `{"type":"start-step"}`, `{"type":"text-start","id":"1"}`, `{"type":"text-delta","id":"1","delta":"a"}`, `{"type":"text-end","id":"1"}`, `{"type":"finish-step"}`,
			`{"type":"data-restart","data":{}}`, `{"type":"start-step"}`, `{"type":"text-start","id":"2"}`, `{"type":"text-delta","id":"2","delta":"b"}`, `{"type":"text-end","id":"2"}`, `{"type":"finish-step"}`,
			usage, `{"type":"finish","finishReason":"length"}`, `[DONE]`,
		}},
		"taken over": {&encoder{view: view, turn: "turn_1"}, []chat.Event{restart, done(chat.FinishStop)}, []string{
			`{"type":"start","messageId":"turn_1.clr_0"}`, `{"type":"data-restart","data":{}}`, `{"type":"start-step"}`, `{"type":"finish-step"}`, usage, `{"type":"finish","finishReason":"stop"}`, `[DONE]`,
		}},
	} {
		var to strings.Builder
		s := front.NewSink(sink(func(p []byte) error { to.Write(p); return nil }), test.encoder.ready(), classes)
		r := stream.NewRecorder(noLog{}, s, "c", 1)
		for _, e := range test.run {
			if c, ok := e.Data.(chat.Chunk); ok {
				r.Chunk(e.Type, []byte(c.Content))
			} else {
				r.Event(e)
			}
		}
		r.Flush()
		if want := "data: " + strings.Join(test.want, "\n\ndata: ") + "\n\n"; to.String() != want {
			t.Errorf("%s is sent as\n%s\nwant\n%s", name, to.String(), want)
		}
	}
}

func TestAStreamThatEndsBeforeItsRunSaysSo(t *testing.T) {
	var to strings.Builder
	s := front.NewSink(sink(func(p []byte) error { to.Write(p); return nil }), (&encoder{}).ready(), classes)
	r := stream.NewRecorder(noLog{}, s, "c", 1)
	r.Event(start(false))
	r.Flush()
	_ = s.Left("It goes on.")
	if want := "data: {\"type\":\"start\",\"messageId\":\"turn_1\"}\n\ndata: {\"type\":\"error\",\"errorText\":\"It goes on.\"}\n\ndata: [DONE]\n\n"; to.String() != want {
		t.Errorf("told as %s", to.String())
	}
}

// A piece of text allocates no memory.
func TestAPieceOfTextAllocatesNothing(t *testing.T) {
	write := texts(sink(func([]byte) error { return nil }), true)
	if n := testing.AllocsPerRun(200, write); n > 0 {
		t.Errorf("a piece of text allocates %v times", n)
	}
}

// texts returns a function that writes one more piece of text, as the front encodes it or
// unchanged.
func texts(out stream.Writer, told bool) func() {
	var to stream.Sink = stream.Native{To: out}
	if told {
		to = front.NewSink(out, (&encoder{}).ready(), classes)
	}
	r := stream.NewRecorder(noLog{}, to, "c", 1)
	r.Event(start(false))
	piece := []byte("some words of an answer ")
	write := func() { r.Chunk(chat.EventChunk, piece); r.Flush() }
	write()
	return write
}

// BenchmarkText writes pieces of text, each in its own write, to a client over HTTP: unchanged, and
// as the front encodes them.
func BenchmarkText(b *testing.B) {
	for _, told := range []bool{false, true} {
		b.Run(map[bool]string{false: "native", true: "ai-sdk"}[told], func(b *testing.B) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				out := sse.NewWriter(w, sse.Options{})
				defer out.Close()
				write := texts(out, told)
				b.ReportAllocs()
				for b.Loop() {
					write()
				}
			}))
			defer server.Close()
			resp, err := http.Get(server.URL)
			if err != nil {
				b.Fatal(err)
			}
			defer resp.Body.Close()
			_, _ = io.Copy(io.Discard, resp.Body)
		})
	}
}
