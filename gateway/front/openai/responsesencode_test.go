package openai

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

type noLog struct{}

func (noLog) Append(stream.Batch) {}
func (noLog) Close()              {}

type written func([]byte) error

func (w written) Write(p []byte) error { return w(p) }

func event(kind chat.EventType, data any) chat.Event { return chat.Event{Type: kind, Data: data} }

// hints is a catalog of texts that are identified by their id.
type hints struct{}

func (hints) Text(id string, _ map[string]any) string { return "TEXT " + id }

// offering is the tooling of a client with these functions.
func offering(names ...string) tooling {
	t := tooling{names: map[string]bool{}}
	for _, name := range names {
		t.names[name] = true
	}
	return t
}

func newEncoder(offered tooling) *responseEncoder {
	return &responseEncoder{
		ending: ending{tools: offered, texts: hints{}}, app: "work", chat: "c", nonce: "n", calls: map[string]madeCall{},
	}
}

// tell lists the events of a run in short form, and the response at its end.
func tell(t *testing.T, encoder *responseEncoder, record func(r *stream.Recorder)) (events, response string) {
	t.Helper()
	var all strings.Builder
	told := front.NewSink(written(func(p []byte) error { all.Write(p); return nil }), encoder, func(string) front.Class { return front.Server })
	r := stream.NewRecorder(noLog{}, told, "c", 1)
	record(r)
	r.Flush()
	_ = told.Left("later")
	var names []string
	for i, frame := range strings.Split(strings.TrimSuffix(all.String(), "\n\n"), "\n\n") {
		name, data, _ := strings.Cut(strings.TrimPrefix(frame, "event: "), "\ndata: ")
		var e struct {
			Type     string
			Sequence int `json:"sequence_number"`
			Response json.RawMessage
			Delta    string
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Type != name || e.Sequence != i {
			t.Fatalf("frame %d is %q: %v", i, frame, err)
		}
		if e.Response != nil {
			response = string(e.Response)
		}
		if name = strings.TrimPrefix(name, "response."); e.Delta != "" {
			name += "=" + e.Delta
		}
		names = append(names, name)
	}
	return strings.Join(names, " "), response
}

func has(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s has no %s:\n%s", what, p, text)
		}
	}
}

// A text that is void is not part of the response, although it was streamed.
func TestATextThatBeginsAgain(t *testing.T) {
	events, response := tell(t, newEncoder(tooling{}), func(r *stream.Recorder) {
		r.Event(event(chat.EventTurnStart, chat.TurnStart{}))
		r.Chunk(chat.EventThinking, []byte("hm"))
		r.Chunk(chat.EventChunk, []byte("wro"))
		r.Event(event(chat.EventStepRestart, chat.StepRestart{}))
		r.Chunk(chat.EventChunk, []byte("rig"))
		r.Chunk(chat.EventChunk, []byte("ht\n\"é\""))
		r.Event(event(chat.EventDone, chat.Done{FinishReason: chat.FinishStop, Usage: chat.Usage{InputTokens: 3, OutputTokens: 4}}))
	})
	if want := "created in_progress output_item.added reasoning_summary_part.added reasoning_summary_text.delta=hm reasoning_summary_text.done reasoning_summary_part.done output_item.done " +
		"output_item.added content_part.added output_text.delta=wro output_text.done content_part.done output_item.done " +
		"output_item.added content_part.added output_text.delta=rig output_text.delta=ht\n\"é\" output_text.done content_part.done output_item.done completed"; events != want {
		t.Errorf("told\n%s\nwant\n%s", events, want)
	}
	has(t, "the response", response, `"output":[{"type":"message","role":"assistant","id":"msg_c_1_n_2","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"right\n\"é\""}],"status":"completed"}]`,
		`"input_tokens":3`, `"total_tokens":7`, `"status":"completed","error":null,"incomplete_details":null`)
}

// A call of an earlier run is complete where it ends, and so is a call of which nothing is known.
func TestCallsOfEarlierRuns(t *testing.T) {
	encoder := newEncoder(tooling{})
	encoder.calls["call_1"] = madeCall{arguments: `{"a":1}`, approval: "clr_1"}
	result, wrong := "done", tools.Error{Code: "TOOL_FAILED", Message: "It failed."}
	events, response := tell(t, encoder, func(r *stream.Recorder) {
		r.Event(event(chat.EventTurnStart, chat.TurnStart{Resumed: true}))
		r.Event(event(chat.EventClarificationResolved, chat.Resolved{ToolCallID: "call_1", Answer: &tools.Answer{Arguments: json.RawMessage(`{"a":2}`)}}))
		r.Event(event(chat.EventToolCallEnd, chat.ToolCallEnd{ToolCallID: "call_1", ToolName: "pay", Result: &result}))
		r.Event(event(chat.EventToolCallEnd, chat.ToolCallEnd{ToolCallID: "call_2", ToolName: "buy", Error: &wrong}))
		r.Event(event(chat.EventDone, chat.Done{FinishReason: chat.FinishStop}))
	})
	has(t, "the response", response, `"name":"pay","arguments":"{\"a\":2}","approval_request_id":"clr_1","output":"done","status":"completed"`,
		`"name":"buy","arguments":"{}","error":"It failed.","status":"failed"`)
	has(t, "the stream", events, "mcp_call.in_progress mcp_call_arguments.delta={\"a\":2} mcp_call_arguments.done mcp_call.completed output_item.done", "mcp_call.failed output_item.done")
}

// The end of a run is reported as precisely as the format allows.
func TestHowAResponseEnds(t *testing.T) {
	for reason, want := range map[chat.FinishReason][2]string{
		chat.FinishStop:          {"completed", `"status":"completed","error":null,"incomplete_details":null`},
		chat.FinishMaxSteps:      {"completed", `"status":"completed"`},
		chat.FinishClarification: {"completed", `"status":"completed"`},
		chat.FinishLength:        {"incomplete", `"status":"incomplete","error":null,"incomplete_details":{"reason":"max_output_tokens"}`},
		chat.FinishContentFilter: {"incomplete", `"incomplete_details":{"reason":"content_filter"}`},
		chat.FinishCancelled:     {"incomplete", `"status":"cancelled"`},
		chat.FinishError:         {"failed error", `"status":"failed","error":{"code":"model_error","message":"No \"model\"."}`},
	} {
		events, response := tell(t, newEncoder(tooling{}), func(r *stream.Recorder) {
			r.Event(event(chat.EventTurnStart, chat.TurnStart{}))
			r.Chunk(chat.EventChunk, []byte("a"))
			if reason == chat.FinishError {
				r.Event(event(chat.EventError, &chat.Failure{Code: "model_error", Message: `No "model".`}))
			}
			r.Event(event(chat.EventDone, chat.Done{FinishReason: reason}))
		})
		if !strings.HasSuffix(events, " output_item.done "+want[0]) {
			t.Errorf("%s ends with %s", reason, events)
		}
		has(t, string(reason), response, want[1])
	}
	events, response := tell(t, newEncoder(tooling{}), func(r *stream.Recorder) {
		r.Event(event(chat.EventTurnStart, chat.TurnStart{}))
		r.Chunk(chat.EventChunk, []byte("a"))
	})
	if !strings.HasSuffix(events, " output_item.done error") || !strings.Contains(response, `"in_progress"`) {
		t.Errorf("an abandoned stream ends with %s, %s", events, response)
	}
}

// A question is a call for a client that has the function, otherwise a text; an approval is a
// request, with a text where it would not be seen.
func TestQuestionsOfResponses(t *testing.T) {
	ask := func(kind tools.Kind, tool string) func(r *stream.Recorder) {
		return func(r *stream.Recorder) {
			r.Event(event(chat.EventTurnStart, chat.TurnStart{}))
			r.Chunk(chat.EventChunk, []byte("So."))
			r.Event(event(chat.EventClarification, chat.Asked{
				ClarificationID: "clr_1", ToolCallID: "call_1", Kind: kind, ToolName: tool, Arguments: json.RawMessage(`{"x":1}`), Questions: []tools.Part{{ID: "q1", Question: "Sure?", InputType: tools.Confirm}},
			}))
			r.Event(event(chat.EventDone, chat.Done{FinishReason: chat.FinishClarification}))
		}
	}
	const text = `So.\n\nSure?\n\nTEXT ask.confirm`
	for _, test := range []struct {
		kind    tools.Kind
		tool    string
		offered tooling
		want    []string
		no      string
	}{
		{tools.KindQuestion, "", offering("ask_user"), []string{`"call_id":"clr_1","name":"ask_user","arguments":"{\"questions\":[{\"id\":\"q1\"`}, "TEXT"},
		{tools.KindQuestion, "", offering("other"), []string{text}, "function_call"},
		{tools.KindInput, "locate", offering("locate"), []string{`"call_id":"clr_1","name":"locate","arguments":"{\"x\":1}"`}, "TEXT"},
		{tools.KindInput, "locate", offering("ask_user"), []string{`So.\n\nSure?`}, "function_call"},
		{tools.KindApproval, "pay", offering("ask_user"), []string{`{"type":"mcp_approval_request","id":"clr_1","server_label":"work","name":"pay","arguments":"{\"x\":1}"}`}, "TEXT"},
		{tools.KindApproval, "pay", offering(approves), []string{`"mcp_approval_request"`}, "TEXT"},
		{tools.KindApproval, "pay", offering(), []string{text, `"mcp_approval_request"`}, "function_call"},
	} {
		_, response := tell(t, newEncoder(test.offered), ask(test.kind, test.tool))
		has(t, string(test.kind), response, test.want...)
		if strings.Contains(response, test.no) {
			t.Errorf("%s for %v has %s: %s", test.kind, test.offered, test.no, response)
		}
	}
}

// pieces is the path of a piece of text from the model to the client's frame: as the native
// protocol writes it, or encoded as a response.
func pieces(to stream.Sink) func() {
	r := stream.NewRecorder(noLog{}, to, "c", 1)
	r.Event(event(chat.EventTurnStart, chat.TurnStart{}))
	r.Flush()
	return func() {
		r.Chunk(chat.EventChunk, []byte("some words of an answer "))
		r.Flush()
	}
}

// A text that is stored once is complete in every frame that ends it, even after other items.
func TestATextIsToldWholeFourTimes(t *testing.T) {
	var all strings.Builder
	r := stream.NewRecorder(noLog{}, front.NewSink(written(func(p []byte) error { all.Write(p); return nil }), newEncoder(tooling{}), func(string) front.Class { return front.Server }), "c", 1)
	r.Event(event(chat.EventTurnStart, chat.TurnStart{}))
	r.Chunk(chat.EventThinking, []byte("hm"))
	long := strings.Repeat("long ", 1000)
	for range 1000 {
		r.Chunk(chat.EventChunk, []byte("long "))
		r.Flush()
	}
	r.Event(event(chat.EventDone, chat.Done{FinishReason: chat.FinishLength}))
	r.Flush()
	item := `{"type":"message","role":"assistant","id":"msg_c_1_n_1","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"` + long + `"}],"status":"incomplete"}`
	has(t, "the stream", all.String(), `,"text":"`+long+"\"}\n\n", `"part":{"type":"output_text","annotations":[],"logprobs":[],"text":"`+long+"\"}}\n\n",
		`"item":`+item+"}\n\n", `"summary":[{"type":"summary_text","text":"hm"}],"status":"completed"},`+item+`],"usage":`)
	if n := strings.Count(all.String(), long); n != 4 {
		t.Errorf("the text appears %d times, want 4", n)
	}
}

func TestAChunkOfAResponseCostsNoMemory(t *testing.T) {
	encoder := newEncoder(tooling{})
	write := pieces(front.NewSink(written(func([]byte) error { return nil }), encoder, func(string) front.Class { return front.Server }))
	write()
	encoder.output = slices.Grow(encoder.output, 1<<20) // keeping the text until its end costs its length
	if n := testing.AllocsPerRun(1000, write); n > 0 {
		t.Errorf("a chunk allocates %v times", n)
	}
}

func BenchmarkResponseText(b *testing.B) {
	b.Run("native", func(b *testing.B) {
		write := pieces(stream.Native{To: nowhere()})
		b.ReportAllocs()
		for b.Loop() {
			write()
		}
	})
	b.Run("responses", func(b *testing.B) {
		write := pieces(front.NewSink(written(func([]byte) error { return nil }), newEncoder(tooling{}), func(string) front.Class { return front.Server }))
		b.ReportAllocs()
		for b.Loop() {
			write()
		}
	})
}
