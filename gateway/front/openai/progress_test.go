package openai

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/stream"
)

// A run is encoded the same with and without the progress of its calls: neither format has a place
// for it.
func TestProgressHasNoPlace(t *testing.T) {
	const (
		began    = "id: 00000000000000000000001\nevent: turn.start\ndata: {}\n\n"
		before   = "id: 00000000000000000000002\nevent: chunk\ndata: {\"chatId\":\"c\",\"content\":\"a\"}\n\n"
		call     = "id: 00000000000000000000003\nevent: tool.call.start\ndata: {\"chatId\":\"c\",\"toolCallId\":\"call_1\",\"toolName\":\"clock\",\"arguments\":{}}\n\n"
		progress = "event: tool.call.progress\ndata: {\"chatId\":\"c\",\"toolCallId\":\"call_1\",\"toolName\":\"clock\",\"progress\":1,\"message\":\"half way\"}\n\n"
		end      = "id: 00000000000000000000004\nevent: tool.call.end\ndata: {\"chatId\":\"c\",\"toolCallId\":\"call_1\",\"toolName\":\"clock\",\"result\":\"12\"}\n\n"
		after    = "id: 00000000000000000000005\nevent: chunk\ndata: {\"chatId\":\"c\",\"content\":\"b\"}\n\n"
		done     = "id: 00000000000000000000006\nevent: done\ndata: {\"finishReason\":\"stop\"}\n\n"
	)
	read := func(frames string) stream.Events { // as another node does
		events, err := stream.Read([]byte(frames))
		if err != nil {
			t.Fatal(err)
		}
		return events
	}
	server := func(string) front.Class { return front.Server }
	completion := newStreamed("work", ending{}, false) // its frames share an id and a time
	for name, encoder := range map[string]func() front.Encoder{
		"chat completions": func() front.Encoder {
			again := *completion
			return &again
		},
		"responses": func() front.Encoder { return newEncoder(tooling{}) },
	} {
		tell := func(writes ...string) string {
			var all strings.Builder
			told := front.NewSink(written(func(p []byte) error { all.Write(p); return nil }), encoder(), server)
			for _, frames := range writes {
				if err := told.Write(read(frames)); err != nil {
					t.Fatal(err)
				}
			}
			return all.String()
		}
		without := tell(began, before, call, end, after, done)
		with := tell(began, before+call, progress, progress, progress+end, after, done)
		if with != without {
			t.Errorf("%s: told as\n%s\nwant\n%s", name, with, without)
		}
	}
	w := &whole{}
	told := front.NewSink(nil, w, server)
	for _, frames := range []string{began, before, call, progress, end, after, done} {
		if err := told.Write(read(frames)); err != nil {
			t.Fatal(err)
		}
	}
	if string(w.content) != "ab" || w.done.FinishReason != chat.FinishStop {
		t.Errorf("the whole response is %q, %+v", w.content, w.done)
	}
}
