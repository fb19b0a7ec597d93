package native

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
)

// collected is a client that counts what is written to it.
type collected struct {
	strings.Builder
	writes int
}

func (c *collected) Write(b []byte) error {
	c.writes++
	c.Builder.Write(b)
	return nil
}

// A client that wants turn.error alone gets no event named error. An empty write, which checks that
// the client is there, goes through; a write of which nothing is left does not.
func TestOnceWritesWhatIsLeft(t *testing.T) {
	event := func(typ chat.EventType) stream.Events { return stream.One("1", chat.Event{Type: typ}) }
	all := func(list ...stream.Events) (e stream.Events) {
		for _, of := range list {
			_ = e.Write(of)
		}
		return e
	}
	failed, old, done := event(chat.EventTurnError), event(chat.EventError), event(chat.EventDone)
	text := stream.One("2", chat.Event{Type: chat.EventChunk, Data: chat.Chunk{Content: "\nevent: error\n"}})
	for name, test := range map[string]struct {
		events stream.Events
		want   stream.Events
		writes int
	}{
		"nothing":        {stream.Events{}, stream.Events{}, 1},
		"other events":   {all(text, done), all(text, done), 1},
		"between others": {all(text, failed, old, done), all(text, failed, done), 1},
		"the first":      {all(old, done), done, 1},
		"the last":       {all(failed, old), failed, 1},
		"alone":          {all(old, old), stream.Events{}, 0},
	} {
		c := &collected{}
		if err := (once{stream.Native{To: c}}).Write(test.events); err != nil {
			t.Fatal(err)
		}
		if c.String() != string(test.want.Frames) || c.writes != test.writes {
			t.Errorf("%s: %d writes: %q", name, c.writes, c.String())
		}
	}
}
