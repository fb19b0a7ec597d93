package agui

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/tools"
)

// half reports the progress of the call call_1.
func half() front.Progress {
	total := 2.0
	return front.Progress{ToolCallID: "call_1", ToolName: "clock", Progress: tools.Progress{Progress: 1, Total: &total, Message: "half way"}}
}

// A call's progress is sent as a custom event of the application's own, which does not become part
// of the client's messages: a snapshot that takes text back does not contain it.
func TestProgressIsACustomEvent(t *testing.T) {
	const want = `data: {"type":"CUSTOM","name":"tool.call.progress","value":{"toolCallId":"call_1","toolName":"clock","progress":1,"total":2,"message":"half way"}}` + "\n\n"
	in, err := read([]byte(`{"threadId":"c","runId":"r","messages":[{"id":"u","role":"user","content":"hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	encoder := newEncoder(in, false)
	encoder.load = nil
	encoder.Call(encoder.Step(encoder.Start(nil, chat.TurnStart{})), chat.ToolCallStart{ToolCallID: "call_1", ToolName: "clock"})
	kept := string(encoder.history.calls) + string(encoder.history.finished)
	if got := string(encoder.Progress(nil, half())); got != want {
		t.Errorf("sent as %s, want %s", got, want)
	}
	if now := string(encoder.history.calls) + string(encoder.history.finished); now != kept {
		t.Errorf("the client's messages are %s, were %s", now, kept)
	}
	bare := string(encoder.Progress(nil, front.Progress{ToolCallID: "call_1", ToolName: "clock", Progress: tools.Progress{Progress: 0.25}}))
	if strings.Contains(bare, "null") || strings.Contains(bare, "total") || strings.Contains(bare, "message") {
		t.Errorf("a field that the server did not send is in the event: %s", bare)
	}
}

// Clients crash on anything before RUN_STARTED.
func TestProgressBeginsAStream(t *testing.T) {
	got := string(newEncoder(&input{thread: "c", run: "r"}, false).Progress(nil, half()))
	if !strings.HasPrefix(got, `data: {"type":"RUN_STARTED"`) || strings.Count(got, "data: ") != 2 {
		t.Errorf("told as %s", got)
	}
}

// While the first of several answers is accepted, nothing is sent: the stream begins with the last.
func TestProgressOfAnEarlierAnswerIsNotTold(t *testing.T) {
	encoder := newEncoder(&input{thread: "c", run: "r"}, false)
	if got := (&collector{encoder}).Progress(nil, half()); len(got) > 0 || encoder.began {
		t.Errorf("told as %s", got)
	}
}
