package front_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// plainly is an Encoder that writes its calls in words.
type plainly struct{}

func (plainly) Start(dst []byte, s chat.TurnStart) []byte {
	return append(dst, "start "+s.TurnID+";"...)
}
func (plainly) Message(dst []byte, m chat.UserMessage) []byte {
	return append(dst, "said "+m.Content+";"...)
}
func (plainly) Resolved(dst []byte, r chat.Resolved) []byte {
	return append(dst, "closed "+string(r.Outcome)+";"...)
}
func (plainly) Step(dst []byte) []byte       { return append(dst, "step;"...) }
func (plainly) Text(dst, text []byte) []byte { return append(append(dst, text...), ';') }
func (plainly) Thinking(dst, text []byte) []byte {
	return append(append(append(dst, '~'), text...), ';')
}
func (plainly) Call(dst []byte, c chat.ToolCallStart) []byte {
	return append(dst, "call "+c.ToolName+";"...)
}
func (plainly) Result(dst []byte, r chat.ToolCallEnd) []byte {
	return append(dst, "result "+r.ToolName+";"...)
}
func (plainly) Progress(dst []byte, p front.Progress) []byte {
	data, _ := json.Marshal(p) // numbers and texts always encode
	return append(append(append(dst, "progress "...), data...), ';')
}
func (plainly) Question(dst []byte, q front.Question) []byte {
	return append(dst, "ask "+q.ID+" "+q.Tool+" "+string(q.Input)+";"...)
}
func (plainly) Restart(dst []byte) []byte { return append(dst, "restart;"...) }
func (plainly) Failed(dst []byte, f chat.Failure) []byte {
	return append(dst, "failed "+f.Message+";"...)
}
func (plainly) Done(dst []byte, d chat.Done) []byte {
	return append(dst, "done "+string(d.FinishReason)+";"...)
}
func (plainly) Left(dst []byte, message string) []byte { return append(dst, "left "+message+";"...) }

// kept is a sink that keeps what it receives.
type kept struct{ strings.Builder }

func (k *kept) Write(p []byte) error { _, err := k.Builder.Write(p); return err }

func classes(tool string) front.Class {
	return map[string]front.Class{"ask_user": front.Asks, "country": front.Asks, "locate": front.Client}[tool]
}

type noLog struct{}

func (noLog) Append(stream.Batch) {}
func (noLog) Close()              {}

// told returns what an Encoder receives from events as the engine records them.
func told(record func(r *stream.Recorder)) string {
	var to kept
	s := front.NewSink(&to, plainly{}, classes)
	r := stream.NewRecorder(noLog{}, s, "c", 1)
	record(r)
	r.Flush()
	return to.String()
}

// write writes frames as another node encoded them.
func write(t *testing.T, s *front.Sink, frames string) {
	t.Helper()
	events, err := stream.Read([]byte(frames))
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Write(events)
}

func event(kind chat.EventType, data any) chat.Event { return chat.Event{Type: kind, Data: data} }

func asked(kind tools.Kind, tool string, parts ...tools.Part) chat.Event {
	return event(chat.EventClarification, chat.Asked{
		ClarificationID: "clr_1", ToolCallID: "call_1", Kind: kind, ToolName: tool, Arguments: json.RawMessage(`{"x":1}`), ArgumentsText: `{"x":1}`, Questions: parts,
	})
}

// A step begins where a request to the model does, and calls that ask are encoded as questions
// only.
func TestARunIsToldInItsSteps(t *testing.T) {
	call := func(r *stream.Recorder, tool string) {
		r.Event(event(chat.EventToolCallStart, chat.ToolCallStart{ChatID: "c", ToolName: tool, Arguments: json.RawMessage(`{}`)}))
	}
	end := func(r *stream.Recorder, tool string) {
		r.Event(event(chat.EventToolCallEnd, chat.ToolCallEnd{ChatID: "c", ToolName: tool}))
	}
	got := told(func(r *stream.Recorder) {
		r.Event(event(chat.EventTurnStart, chat.TurnStart{TurnID: "t"}))
		r.Event(event(chat.EventUserMessage, chat.UserMessage{Content: "hi"}))
		r.Chunk(chat.EventThinking, []byte("hm"))
		r.Chunk(chat.EventChunk, []byte("a"))
		call(r, "calculator")
		call(r, "clock")
		end(r, "calculator")
		end(r, "clock")
		call(r, "ask_user") // which is refused
		end(r, "ask_user")
		r.Chunk(chat.EventChunk, []byte("b"))
		call(r, "country")
		r.Event(asked(tools.KindQuestion, "", tools.Part{ID: "q1", Question: "Where?", InputType: tools.Text}))
		r.Event(event(chat.EventDone, chat.Done{FinishReason: chat.FinishClarification}))
	})
	want := `start t;said hi;step;~"hm";"a";call calculator;call clock;result calculator;result clock;step;step;"b";` +
		`ask call_1 ask_user {"questions":[{"id":"q1","question":"Where?","input_type":"text","allow_other":false,"allow_skip":false}]};done clarification;`
	if got != want {
		t.Errorf("told:\n%s\nwant:\n%s", got, want)
	}
}

// Earlier content comes first, and a step that begins again counts as one.
func TestARunThatGoesOnIsTold(t *testing.T) {
	got := told(func(r *stream.Recorder) {
		r.Event(event(chat.EventTurnStart, chat.TurnStart{TurnID: "t", Resumed: true}))
		r.Event(event(chat.EventClarificationResolved, chat.Resolved{Outcome: tools.StateAnswered}))
		r.Event(event(chat.EventToolCallEnd, chat.ToolCallEnd{ToolName: "clock"}))
		r.Chunk(chat.EventChunk, []byte("a"))
		r.Event(event(chat.EventStepRestart, chat.StepRestart{}))
		r.Chunk(chat.EventChunk, []byte("b"))
		r.Event(event(chat.EventError, &chat.Failure{Message: "no model"}))
		r.Event(event(chat.EventDone, chat.Done{FinishReason: chat.FinishError}))
	})
	if want := `start t;closed answered;result clock;step;"a";restart;step;"b";failed no model;done error;`; got != want {
		t.Errorf("told:\n%s\nwant:\n%s", got, want)
	}
}

// An approval shows the call that would run, under an id that is not the call's; a client's tool is
// called by its own name and id.
func TestQuestionsGoOut(t *testing.T) {
	got := told(func(r *stream.Recorder) {
		r.Event(asked(tools.KindApproval, "pay", tools.Part{ID: "q1", Question: "Pay?", InputType: tools.Confirm, Context: "By tomorrow."}))
		r.Event(asked(tools.KindInput, "locate", tools.Part{ID: "q1"}))
		r.Event(asked(tools.KindQuestion, "maps__draw", tools.Part{ID: "q1", InputType: tools.Text}))
	})
	for _, want := range []string{`ask clr_1 ask_user`, `"context":"By tomorrow.\n\n{\"x\":1}"`, `ask call_1 locate {"x":1};`, `ask clr_1 ask_user {"questions":[{"id":"q1","question":"","input_type":"text"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
}

// A stream has exactly one end: the end of its run, or the fact that it was left.
func TestAStreamEndsOnce(t *testing.T) {
	var to kept
	s := front.NewSink(&to, plainly{}, classes)
	r := stream.NewRecorder(noLog{}, s, "c", 1)
	r.Event(event(chat.EventDone, chat.Done{FinishReason: chat.FinishStop}))
	r.Flush()
	_ = s.Left("later")
	if to.String() != "done stop;" {
		t.Errorf("a stream whose run is over: %s", to.String())
	}
	to.Reset()
	s = front.NewSink(&to, plainly{}, classes)
	_ = s.Left("later")
	_ = s.Left("later")
	r = stream.NewRecorder(noLog{}, s, "c", 1)
	r.Event(event(chat.EventDone, chat.Done{FinishReason: chat.FinishStop}))
	r.Flush()
	if to.String() != "left later;" {
		t.Errorf("a stream that was left: %s", to.String())
	}
}

// A chunk's text is passed on unchanged, whatever it contains, and costs no memory.
func TestTextGoesOnAsItIs(t *testing.T) {
	for _, text := range []string{"", `"content":"x"}`, "a\nb\u2028", "😀 \x01 \\", `}` + "\n\n"} {
		got := told(func(r *stream.Recorder) { r.Chunk(chat.EventChunk, []byte(text)) })
		var back string
		if err := json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimPrefix(got, "step;"), ";")), &back); err != nil || back != text {
			t.Errorf("%q is sent as %s", text, got)
		}
	}
	s := front.NewSink(sink(func([]byte) error { return nil }), plainly{}, classes)
	r := stream.NewRecorder(noLog{}, s, "c", 1)
	write := func() {
		r.Chunk(chat.EventChunk, []byte("some words of an answer "))
		r.Flush()
	}
	write()
	if n := testing.AllocsPerRun(200, write); n > 0 {
		t.Errorf("a chunk allocates %v times", n)
	}
}

// A run is encoded the same way whether its events come from the run itself, were kept by a hub, or
// came from another node.
func TestEventsAreToldAlikeWhereverTheyComeFrom(t *testing.T) {
	one := tools.Part{ID: "q1", Question: "Sure?", InputType: tools.Confirm, Context: "<b> & \u2028"}
	run := []chat.Event{
		event(chat.EventTurnStart, chat.TurnStart{TurnID: "t", Resumed: true}),
		event(chat.EventUserMessage, chat.UserMessage{Content: "a<b"}),
		event(chat.EventThinking, chat.Chunk{ChatID: "c\"", Content: "hm\u2028"}),
		event(chat.EventChunk, chat.Chunk{ChatID: "c\"", Content: "a<b\n"}),
		chat.NewToolCallStart("c", &chat.ToolCall{ID: "call_1", Name: "clock", Arguments: `{"x":"<&>"}`}),
		event(chat.EventToolCallProgress, chat.ToolCallProgress{ToolCallID: "call_1", ToolName: "clock", Progress: tools.Progress{Progress: 1}}),
		chat.NewToolCallEnd("c", &chat.ToolCall{ID: "call_1", Name: "clock"}, &chat.ToolResult{Content: "noon"}),
		chat.NewToolCallEnd("c", &chat.ToolCall{ID: "call_1", Name: "clock"}, &chat.ToolResult{Error: &tools.Error{Code: "X", Message: "no"}}),
		event(chat.EventStepRestart, chat.StepRestart{}),
		asked(tools.KindApproval, "pay", one), asked(tools.KindQuestion, "", one, one), asked(tools.KindInput, "locate"),
		event(chat.EventClarificationResolved, chat.Resolved{Outcome: tools.StateAnswered, Answer: &tools.Answer{Value: json.RawMessage(`1`)}}),
	}
	run = append(append(run, chat.FailureEvents(&chat.Failure{Message: "no model"})...), event(chat.EventDone, chat.Done{FinishReason: chat.FinishError}))
	var made stream.Events
	for i, ev := range run {
		made.Add(chat.EventID{Fence: 1, Seq: int64(i + 1)}, ev)
	}
	read, err := stream.Read(made.Frames)
	if err != nil {
		t.Fatal(err)
	}
	var told, again kept
	_ = front.NewSink(&told, plainly{}, classes).Write(made)
	_ = front.NewSink(&again, plainly{}, classes).Write(read)
	if told.String() != again.String() || strings.Count(told.String(), ";") < len(run) {
		t.Errorf("told:\n%s\nand:\n%s", told.String(), again.String())
	}
}

// Progress of a call is sent where it happens: it has no id, and neither begins nor ends a step.
// None is sent for calls that clients run or answer themselves.
func TestProgressIsTold(t *testing.T) {
	const (
		start    = "id: 00000000000000000000001\nevent: turn.start\ndata: {\"turnId\":\"t\"}\n\n"
		begin    = "id: 00000000000000000000002\nevent: tool.call.start\ndata: {\"chatId\":\"c\",\"toolCallId\":\"call_1\",\"toolName\":\"clock\",\"arguments\":{}}\n\n"
		half     = "event: tool.call.progress\ndata: {\"chatId\":\"c\",\"toolCallId\":\"call_1\",\"toolName\":\"clock\",\"progress\":0.5,\"total\":2,\"message\":\"half \\\"way\\\"\"}\n\n"
		further  = "event: tool.call.progress\ndata: {\"chatId\":\"c\",\"toolCallId\":\"call_1\",\"toolName\":\"clock\",\"progress\":1}\n\n"
		theirs   = "event: tool.call.progress\ndata: {\"chatId\":\"c\",\"toolCallId\":\"call_2\",\"toolName\":\"locate\",\"progress\":1}\n\n"
		end      = "id: 00000000000000000000003\nevent: tool.call.end\ndata: {\"chatId\":\"c\",\"toolCallId\":\"call_1\",\"toolName\":\"clock\",\"result\":\"12\"}\n\n"
		chunk    = "id: 00000000000000000000004\nevent: chunk\ndata: {\"chatId\":\"c\",\"content\":\"a\"}\n\n"
		nothing  = "event: tool.call.progress\ndata: [\n\n"
		toldHalf = `progress {"toolCallId":"call_1","toolName":"clock","progress":0.5,"total":2,"message":"half \"way\""};`
		toldMore = `progress {"toolCallId":"call_1","toolName":"clock","progress":1};`
	)
	for name, test := range map[string]struct {
		frames []string
		want   string
	}{
		"of a call of the step":          {[]string{start, begin, half, further + end, chunk}, "start t;step;call clock;" + toldHalf + toldMore + `result clock;step;"a";`},
		"of a call of an earlier run":    {[]string{start, half + end, chunk}, "start t;" + toldHalf + `result clock;step;"a";`},
		"while another call has ended":   {[]string{start, begin + end + further + end + chunk}, "start t;step;call clock;result clock;" + toldMore + `result clock;step;"a";`},
		"in one write with pieces":       {[]string{start, chunk + further + chunk}, `start t;step;"a";` + toldMore + `"a";`},
		"of a tool that the client runs": {[]string{start, theirs, chunk}, `start t;step;"a";`},
		"that cannot be read":            {[]string{start, nothing, chunk}, `start t;step;"a";`},
	} {
		var to kept
		s := front.NewSink(&to, plainly{}, classes)
		for _, frames := range test.frames {
			write(t, s, frames)
		}
		if got := to.String(); got != test.want {
			t.Errorf("%s: told\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

type sink func([]byte) error

func (s sink) Write(p []byte) error { return s(p) }

func TestChatIDs(t *testing.T) {
	for id, want := range map[string]string{"abc-_9": "abc-_9", "": "", strings.Repeat("x", 201): "", "\xff": ""} {
		if got := front.ChatID(id); got != want {
			t.Errorf("%q becomes %q, want %q", id, got, want)
		}
	}
	seen := map[string]bool{}
	for _, id := range []string{"a b", "a/b", strings.Repeat("x", 65), strings.Repeat("x", 200), "ü"} {
		got := front.ChatID(id)
		if front.ChatID(got) != got || got != front.ChatID(id) || seen[got] {
			t.Errorf("%q becomes %q", id, got)
		}
		seen[got] = true
	}
}

func FuzzTold(f *testing.F) {
	f.Add([]byte("id: 00000000000000000000001\nevent: chunk\ndata: {\"chatId\":\"c\",\"content\":\"x\"}\n\n"))
	f.Add([]byte(": heartbeat\n\nretry: 5\n\n"))
	f.Add([]byte("event: tool.call.progress\ndata: {\"toolCallId\":\"call_1\",\"progress\":1e308,\"total\":null}\n\n"))
	f.Add([]byte("event: clarification\ndata: {\"questions\":[{}]}\n\nevent: done\ndata: {}\n\n"))
	f.Add([]byte("event: chunk\ndata: \"content\":"))
	f.Fuzz(func(_ *testing.T, frames []byte) {
		if events, err := stream.Read(frames); err == nil {
			_ = front.NewSink(new(kept), plainly{}, classes).Write(events)
		}
	})
}

// failing is a sink that fails from its second write on.
type failing struct{ writes int }

func (f *failing) Write([]byte) error {
	if f.writes++; f.writes > 1 {
		return errors.New("gone")
	}
	return nil
}

// A run reached its client in full if it was sent up to its done, and no write failed.
func TestWhole(t *testing.T) {
	begun, over := "id: 00000000000070000000001\nevent: turn.start\ndata: {}\n\n", "id: 00000000000070000000002\nevent: done\ndata: {}\n\n"
	for name, test := range map[string]struct {
		to   stream.Writer
		end  string
		left bool
		want int64
	}{
		"whole": {&kept{}, over, false, 7}, "without a stream": {nil, over, false, 7},
		"not over": {&kept{}, "", false, 0}, "left": {&kept{}, "", true, 0}, "a write failed": {&failing{}, over, false, 0},
		"told without an id": {&kept{}, "event: done\ndata: {}\n\n", false, 0},
	} {
		told := front.NewSink(test.to, plainly{}, classes)
		write(t, told, begun)
		write(t, told, test.end)
		if test.left {
			_ = told.Left("bye")
		}
		if got := told.Whole(); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}
