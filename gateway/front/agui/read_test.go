package agui

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// Of a history, only its end is read, and only what can be new there.
func TestWhatIsNewInAHistory(t *testing.T) {
	tool := func(call, content string) string {
		return `{"id":"t` + call + `","role":"tool","toolCallId":"` + call + `","content":` + content + `}`
	}
	const asked, said = `{"id":"a","role":"assistant","toolCalls":[]}`, `{"id":"u","role":"user","content":"hello"}`
	for messages, want := range map[string]string{
		said: "hello", said + `,` + asked: "", asked + `,` + tool("x", `"5"`): "x=5",
		asked + `,` + tool("x", `"5"`) + `,` + tool("x", `"6"`):                                             "x=6",
		asked + `,` + tool("x", `"5"`) + `,` + tool("y", `{"z":[1]}`):                                       `y={"z":[1]} x=5`,
		asked + `,` + tool("x", `"5"`) + `,` + said:                                                         "hello x=5",
		asked + `,` + said + `,` + tool("x", `"5"`):                                                         "x=5",
		tool("x", `"5"`) + `,` + asked + `,` + said:                                                         "hello",
		asked + `,` + tool("x", `[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]`): "x=a\nb",
		said + `,{"role":"wizard"},{"role":7},7,"x",null,[]`:                                                "hello",
		said + `,` + asked + `,{"id":"result_1","role":"tool","toolCallId":"x","content":"5"}`:              "",
		asked + `,{"role":"tool","toolCallId":"x","error":"broken"}`:                                        "x!broken",
		`{"role":"user","content":{"a":1}}`:                                                                 `{"a":1}`,
	} {
		in, err := read([]byte(`{"threadId":"c","runId":"r","messages":[` + messages + `]}`))
		if err != nil {
			t.Errorf("%s: %v", messages, err)
			continue
		}
		var got []string
		if in.said != nil {
			got = append(got, in.said.text)
		}
		for _, o := range in.outputs {
			if o.failed != "" {
				o.text = "!" + o.failed
			} else {
				o.text = "=" + o.text
			}
			got = append(got, o.call+o.text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is read as %q, want %q", messages, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"threadId":"c","runId":"r","protocolVersion":"1.0","messages":[{"id":"m","role":"user","content":"hi"}],"tools":[{"name":"ask_user"}],"context":[],"state":{},"forwardedProps":{"interrupts":true,"command":{"resume":{"approved":true}}}}`,
		`{"threadId":"c","runId":"r","messages":[{"id":"a","role":"assistant","content":null},{"id":"t","role":"tool","toolCallId":"x","content":[{"type":"text","text":"5"}],"error":"no"}],"resume":[{"interruptId":"i","status":"resolved","payload":{"answers":{"q1":[1,null]}}},{"interruptId":"j","status":"cancelled"}]}`,
		`{"threadId":"c","runId":"r","messages":[7,{"role":{}},{"id":"m","role":"user","content":"a` + "\u2028" + `\n\n<b>"}],"tools":null,"resume":null}`,
		`{}`, `[]`, `null`, `{"threadId":`, `{"threadId":"c","runId":"r","messages":{},"tools":7}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := read(data)
		if err != nil {
			if _, ok := err.(*chat.Error); !ok { //nolint:errorlint // it is returned as it is
				t.Fatalf("%v is not a refusal", err)
			}
			return
		}
		if in.thread == "" || in.run == "" || len(in.outputs) > maxAnswers || len(in.resume) > maxAnswers {
			t.Fatalf("read %+v", in)
		}
		// A snapshot that takes text back from a client's messages is JSON on one line, whatever
		// the messages contain.
		in.history.say([]byte(`"x"`))
		in.history.call("c", "f", json.RawMessage(`{"a":"\n"}`))
		in.history.step("m")
		in.history.result(toolCallResult{MessageID: "r", ToolCallID: "c", Content: "\n\n"})
		in.history.say([]byte(`"y"`))
		for _, frame := range [][]byte{in.history.takeBack(nil, func() bool { return true }), (&history{known: true, sent: in.history.sent, another: true, newest: "x"}).before(nil, "x")} {
			if !in.history.known || len(frame) == 0 {
				continue
			}
			event := strings.TrimSuffix(strings.TrimPrefix(string(frame), "data: "), "\n\n")
			if strings.Contains(event, "\n") || utf8.Valid(data) && !json.Valid([]byte(event)) {
				t.Fatalf("an invalid snapshot: %q", frame)
			}
		}
		for _, e := range in.resume {
			if !json.Valid(e.payload) {
				t.Fatalf("payload %q", e.payload)
			}
		}
	})
}

// A piece costs no memory, and no more time than in the native format.
func TestAPieceCostsNoMemory(t *testing.T) {
	encoder := newEncoder(&input{thread: "c", run: "r"}, false)
	dst := encoder.Step(encoder.Start(nil, chat.TurnStart{}))
	piece := []byte(`"hello"`)
	dst = encoder.Text(dst, piece)
	if n := testing.AllocsPerRun(1000, func() { dst = encoder.Text(dst[:0], piece) }); n != 0 {
		t.Errorf("%v allocations per piece", n)
	}
	if want := `data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"` + encoder.message + `","delta":"hello"}` + "\n\n"; string(dst) != want {
		t.Errorf("a piece is %q, want %q", dst, want)
	}
	encoder.history = history{known: true}
	if n := testing.AllocsPerRun(1000, func() { dst = encoder.Text(dst[:0], piece) }); n > 0.1 {
		t.Errorf("%v allocations per piece that is kept", n)
	}
	dst = encoder.Thinking(dst[:0], piece)
	if n := testing.AllocsPerRun(1000, func() { dst = encoder.Thinking(dst[:0], piece) }); n != 0 {
		t.Errorf("%v allocations per piece of reasoning", n)
	}
	if empty := encoder.Text(nil, []byte(`""`)); len(empty) > 0 {
		t.Errorf("an empty piece is sent: %s", empty)
	}
}

// noLog keeps no events.
type noLog struct{}

func (noLog) Append(stream.Batch) {}
func (noLog) Close()              {}

// discard is a client that accepts everything.
type discard struct{}

func (discard) Write([]byte) error { return nil }

// BenchmarkPiece: a piece from the engine to the client's writer, unchanged and encoded.
func BenchmarkPiece(b *testing.B) {
	piece := []byte("hello ")
	for _, test := range []struct {
		name string
		sink func() stream.Sink
	}{
		{"native", func() stream.Sink { return stream.Native{To: discard{}} }},
		{"ag-ui", func() stream.Sink {
			return front.NewSink(discard{}, newEncoder(&input{thread: "c", run: "r"}, false), func(string) front.Class { return front.Server })
		}},
	} {
		b.Run(test.name, func(b *testing.B) {
			r := stream.NewRecorder(noLog{}, test.sink(), "c", 1)
			r.Event(chat.Event{Type: chat.EventTurnStart, Data: chat.TurnStart{}})
			b.ReportAllocs()
			for b.Loop() {
				r.Chunk(chat.EventChunk, piece)
				r.Flush()
			}
		})
	}
}

// Whatever happens, a stream has one end, and nothing is open there.
func TestEveryStreamHasOneEnd(t *testing.T) {
	for name, tell := range map[string]func(t *encoder, dst []byte) []byte{
		"left in a text":    func(t *encoder, dst []byte) []byte { return t.Left(t.Text(dst, []byte(`"a"`)), "later") },
		"failed in reasons": func(t *encoder, dst []byte) []byte { return failed(t, t.Thinking(dst, []byte(`"a"`))) },
		"done twice":        func(t *encoder, dst []byte) []byte { return t.Left(t.Done(t.Done(dst, chat.Done{}), chat.Done{}), "x") },
		"failed, then left": func(t *encoder, dst []byte) []byte { return t.Left(failed(t, dst), "later") },
		"nothing at all":    func(t *encoder, _ []byte) []byte { return t.Left(nil, "later") },
	} {
		encoder := newEncoder(&input{thread: "c", run: "r"}, true)
		frames := string(tell(encoder, encoder.Step(encoder.Start(nil, chat.TurnStart{}))))
		ends := strings.Count(frames, "RUN_FINISHED") + strings.Count(frames, "RUN_ERROR")
		last := frames[strings.LastIndex(strings.TrimSuffix(frames, "\n\n"), "\n\n")+2:]
		if ends != 1 || !strings.Contains(last, "RUN_") || strings.Count(frames, "_START\"") != strings.Count(frames, "_END\"") || strings.Contains(frames, "null") {
			t.Errorf("%s: %s", name, frames)
		}
	}
}

func failed(t *encoder, dst []byte) []byte {
	return t.Done(t.Failed(dst, chat.Failure{Message: "it broke", Code: "model_error"}), chat.Done{FinishReason: chat.FinishError})
}

var _ front.Encoder = collector{}

// A text is taken back where the client's messages are known to be all it shows.
func TestWhatATextIsTakenBackFrom(t *testing.T) {
	const said = `{"id":"u","role":"user","content":"hi"}`
	for name, test := range map[string]struct {
		messages string
		older    bool
		want     string
	}{
		"the first of a chat":            {said, false, `"messages":[` + said + `]`},
		"a client that sends the newest": {said, true, ""},
		"a client that sends all":        {`{"id":"a","role":"assistant"},` + said, true, `"messages":[{"id":"a","role":"assistant"},` + said + `]`},
		"one that has too many":          {`{"id":"a","role":"assistant","content":"` + strings.Repeat("x", maxHistory) + `"},` + said, true, ""},
	} {
		in, err := read([]byte(`{"threadId":"c","runId":"r","messages":[` + test.messages + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		encoder := newEncoder(in, false)
		encoder.load = func() (*store.View, error) { return &store.View{More: test.older}, nil }
		dst := encoder.Text(encoder.Step(encoder.Start(nil, chat.TurnStart{})), []byte(`"broken"`))
		frames := string(encoder.Restart(dst[:0]))
		if got := strings.Contains(frames, "MESSAGES_SNAPSHOT"); got != (test.want != "") || !strings.Contains(frames, test.want) {
			t.Errorf("%s: %s", name, frames)
		}
		if again := string(encoder.Text(nil, []byte(`"whole"`))); !strings.Contains(again, "TEXT_MESSAGE_START") {
			t.Errorf("%s: the text goes on with %s", name, again)
		}
	}
}
