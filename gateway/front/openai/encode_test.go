package openai

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// ids is a message catalog that returns the ids themselves, in no language.
type ids struct{}

func (ids) Text(id string, _ map[string]any) string { return "<" + id + ">" }

// frames returns what a stream shows of events, without the parts that all its frames share.
func frames(t *testing.T, e ending, usage bool, record func(r *stream.Recorder)) string {
	t.Helper()
	var all strings.Builder
	c := newStreamed("work", e, usage)
	r := stream.NewRecorder(noLog{}, front.NewSink(written(func(p []byte) error { all.Write(p); return nil }), c, func(string) front.Class { return front.Server }), "c", 1)
	record(r)
	r.Flush()
	for _, frame := range strings.SplitAfter(all.String(), "\n\n") {
		if data, ok := strings.CutPrefix(frame, "data: {"); ok && !json.Valid([]byte("{"+data)) {
			t.Errorf("no JSON: %s", frame)
		}
	}
	return strings.NewReplacer(string(c.head)+`,"choices":[{"index":0,"delta":`, "", `,"finish_reason":null}]}`, "", "\n\n", ";").Replace(all.String())
}

func question(kind tools.Kind, tool string, parts ...tools.Part) chat.Event {
	return event(chat.EventClarification, chat.Asked{ClarificationID: "clr_1", ToolCallID: "call_1", Kind: kind, ToolName: tool, Arguments: json.RawMessage(`{"x":1}`), ArgumentsText: `{"x":1}`, Questions: parts})
}

func TestAStreamTells(t *testing.T) {
	done := func(how chat.FinishReason) chat.Event {
		return event(chat.EventDone, chat.Done{FinishReason: how, Usage: chat.Usage{InputTokens: 2, OutputTokens: 3}})
	}
	sure := tools.Part{ID: "q1", Question: "Sure?", InputType: tools.Confirm}
	const begin = `{"role":"assistant","content":""};`
	for _, test := range []struct {
		name   string
		ending ending
		usage  bool
		record func(r *stream.Recorder)
		want   string
	}{
		{"text", ending{}, false, func(r *stream.Recorder) {
			r.Event(event(chat.EventTurnStart, chat.TurnStart{}))
			r.Chunk(chat.EventThinking, []byte("hm"))
			r.Chunk(chat.EventChunk, []byte("a \"b\""))
			r.Event(done(chat.FinishStop))
		}, begin + `{"reasoning_content":"hm"};{"content":"a \"b\""};{},"finish_reason":"stop"}]};data: [DONE];`},
		{"an end without a beginning", ending{}, false, func(r *stream.Recorder) { r.Event(done(chat.FinishLength)) },
			begin + `{},"finish_reason":"length"}]};data: [DONE];`},
		{"a step that begins again", ending{}, false, func(r *stream.Recorder) {
			r.Chunk(chat.EventChunk, []byte("a"))
			r.Event(event(chat.EventStepRestart, chat.StepRestart{}))
			r.Chunk(chat.EventChunk, []byte("b"))
			r.Event(done(chat.FinishStop))
		}, begin + `{"content":"a"};{"content":"\n\n"};{"content":"b"};{},"finish_reason":"stop"}]};data: [DONE];`},
		{"an error", ending{}, false, func(r *stream.Recorder) {
			r.Event(event(chat.EventTurnStart, chat.TurnStart{}))
			r.Event(event(chat.EventError, &chat.Failure{Code: "model_timeout", Message: "No answer."}))
			r.Event(done(chat.FinishError))
		}, begin + `data: {"error":{"message":"No answer.","type":"server_error","code":"model_timeout","param":null}};`},
		{"a stop", ending{}, false, func(r *stream.Recorder) {
			r.Event(event(chat.EventTurnStart, chat.TurnStart{}))
			r.Event(done(chat.FinishCancelled))
		}, begin},
		{"a call", ending{tools: offering("ask_user")}, false, func(r *stream.Recorder) {
			r.Event(question(tools.KindQuestion, "", sure))
			r.Event(done(chat.FinishClarification))
		}, begin + `{"tool_calls":[{"index":0,"id":"clr_1","type":"function","function":{"name":"ask_user","arguments":""}}]};` +
			`{"tool_calls":[{"index":0,"function":{"arguments":"{\"questions\":[{\"id\":\"q1\",\"question\":\"Sure?\",\"input_type\":\"confirm\",\"allow_other\":false,\"allow_skip\":false}]}"}}]};` +
			`{},"finish_reason":"tool_calls"}]};data: [DONE];`},
		{"a client's tool", ending{tools: offering("locate")}, false, func(r *stream.Recorder) {
			r.Event(question(tools.KindInput, "locate", sure))
			r.Event(done(chat.FinishClarification))
		}, begin + `{"tool_calls":[{"index":0,"id":"clr_1","type":"function","function":{"name":"locate","arguments":""}}]};{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\":1}"}}]};` +
			`{},"finish_reason":"tool_calls"}]};data: [DONE];`},
		{"a text", ending{tools: offering("other")}, false, func(r *stream.Recorder) {
			r.Chunk(chat.EventChunk, []byte("So."))
			r.Event(question(tools.KindApproval, "pay", sure))
			r.Event(question(tools.KindQuestion, "", sure))
			r.Event(done(chat.FinishClarification))
		}, begin + `{"content":"So."};{"content":"\n\nSure?\n\n` + "```" + `\n{\"x\":1}\n` + "```" + `\n\n\u003cask.confirm\u003e"};{},"finish_reason":"stop"}]};data: [DONE];`},
		{"what waits still", ending{now: time.Now, look: func() *store.View {
			return &store.View{Clarifications: []chat.Clarification{{ID: "clr_2", State: tools.StatePending, Question: tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{sure}}}}}
		}}, false, func(r *stream.Recorder) { r.Event(done(chat.FinishClarification)) },
			begin + `{"content":"Sure?\n\n\u003cask.confirm\u003e"};{},"finish_reason":"stop"}]};data: [DONE];`},
		{"usage", ending{}, true, func(r *stream.Recorder) { r.Event(done(chat.FinishStop)) },
			begin + `{},"finish_reason":"stop"}]};HEAD"usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5},"choices":[]};data: [DONE];`},
	} {
		test.ending.texts = ids{}
		got := frames(t, test.ending, test.usage, test.record)
		if i := strings.Index(got, `"usage"`); i >= 0 { // the frame of the usage has the head
			j := strings.LastIndex(got[:i], "data: ")
			got = got[:j] + "HEAD" + got[i:]
		}
		if got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// A whole response contains what counts: not the text of a step that began again.
func TestAWholeResponse(t *testing.T) {
	w := &whole{ending: ending{texts: ids{}, tools: offering("ask_user")}}
	r := stream.NewRecorder(noLog{}, front.NewSink(nil, w, func(string) front.Class { return front.Server }), "c", 1)
	r.Chunk(chat.EventChunk, []byte("a"))
	r.Event(event(chat.EventToolCallStart, chat.ToolCallStart{ToolName: "clock"}))
	r.Event(event(chat.EventToolCallEnd, chat.ToolCallEnd{ToolName: "clock"}))
	r.Chunk(chat.EventThinking, []byte("hm"))
	r.Chunk(chat.EventChunk, []byte("b"))
	r.Event(event(chat.EventStepRestart, chat.StepRestart{}))
	r.Chunk(chat.EventChunk, []byte("\"c\""))
	r.Event(question(tools.KindQuestion, "", tools.Part{ID: "q1", Question: "Sure?", InputType: tools.Confirm}))
	r.Event(event(chat.EventDone, chat.Done{FinishReason: chat.FinishClarification}))
	r.Flush()
	got, err := json.Marshal(w.completion("work").Choices)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"index":0,"message":{"role":"assistant","content":"a\"c\"","refusal":null,"reasoning_content":"hm","tool_calls":[{"id":"clr_1","type":"function","function":{"name":"ask_user","arguments":` +
		`"{\"questions\":[{\"id\":\"q1\",\"question\":\"Sure?\",\"input_type\":\"confirm\",\"allow_other\":false,\"allow_skip\":false}]}"}}]},"logprobs":null,"finish_reason":"tool_calls"}]`
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func nowhere() stream.Writer { return written(func([]byte) error { return nil }) }

func toldAsChunks() stream.Sink {
	return front.NewSink(nowhere(), newStreamed("work", ending{}, false), func(string) front.Class { return front.Server })
}

func TestAChunkOfACompletionCostsNoMemory(t *testing.T) {
	write := pieces(toldAsChunks())
	write()
	if n := testing.AllocsPerRun(1000, write); n > 0 {
		t.Errorf("a chunk allocates %v times", n)
	}
}

func BenchmarkCompletionText(b *testing.B) {
	for name, to := range map[string]func() stream.Sink{"native": func() stream.Sink { return stream.Native{To: nowhere()} }, "chat": toldAsChunks} {
		b.Run(name, func(b *testing.B) {
			write := pieces(to())
			b.ReportAllocs()
			for b.Loop() {
				write()
			}
		})
	}
}
