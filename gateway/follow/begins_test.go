package follow_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/prove/testdb"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// seenFrames is a sink in memory.
type seenFrames struct {
	mu sync.Mutex
	b  []byte
}

func (f *seenFrames) Write(events stream.Events) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.b = append(f.b, events.Frames...)
	return nil
}

// events lists what has arrived so far, each as its name and id.
func (f *seenFrames) events(t *testing.T) (list []string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for ev, err := range sse.Read(strings.NewReader(string(f.b))) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, strings.TrimSpace(ev.Name+" "+ev.ID))
	}
	return list
}

// A viewer of a chat that does not exist yet gets an empty snapshot without an id, and then the
// chat from its first event on; or a snapshot, if this node does not hear from the node on which
// the chat begins.
func TestAViewerAwaitsTheChat(t *testing.T) {
	for name, test := range map[string]struct {
		hears bool
		want  string
	}{
		"of this node":            {true, "snapshot, turn.start 00000000000010000000001, user.message 00000000000010000000002, chunk 00000000000010000000003"},
		"of a node that is apart": {false, "snapshot, snapshot 00000000000010000000002"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				there := stream.NewLocal()
				here := there
				if !test.hears {
					here = stream.NewLocal()
				}
				db := testdb.Open(t)
				r := follow.Reader{Store: db, Hub: apart{here, test.hears}, Shared: !test.hears}
				out := &seenFrames{}
				if _, err := r.Follow(t.Context(), ref, 7, "00000000000010000000002"); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("with an id: %v", err)
				}
				f, err := r.Follow(t.Context(), ref, 7, "")
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if err := f.Begin(out); err != nil {
					t.Fatal(err)
				}
				if got := string(out.b); strings.Contains(got, "id:") || !strings.Contains(got, `"chatId":"c","status":"idle","messages":[]`) || !strings.Contains(got, `"max":7`) {
					t.Errorf("begins with %s", got)
				}
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error)
				go func() { ended <- f.Stream(ctx, out) }()
				time.Sleep(time.Minute)
				if _, _, err := db.Conversation(t.Context(), ref); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("viewing the chat stored something: %v", err)
				}

				s := newStageOn(t, db)
				rec := stream.NewRecorder(there.Record(s.head.ID, chat.EventID{}, nil), nil, "c", 1)
				rec.Event(chat.Event{Type: chat.EventTurnStart, Data: chat.TurnStart{ChatID: "c"}})
				rec.Event(chat.Event{Type: chat.EventUserMessage, Data: chat.UserMessage{ChatID: "c"}})
				rec.Flush()
				stream.AnnounceBegun(there, ref, 1)
				synctest.Wait()
				rec.Chunk(chat.EventChunk, []byte("x"))
				rec.Flush()
				time.Sleep(time.Minute)
				if got := strings.Join(out.events(t), ", "); got != test.want {
					t.Errorf("sees %s, want %s", got, test.want)
				}
				rec.Close()
				cancel()
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
		})
	}
}

// apart is a hub that can claim to reach all nodes or not.
type apart struct {
	stream.Hub
	complete bool
}

func (a apart) Complete() bool { return a.complete }

// A viewer who leaves before the chat begins leaves nothing behind.
func TestAViewerLeavesBeforeTheChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := follow.Reader{Store: testdb.Open(t), Hub: stream.NewLocal()}
		f, err := r.Follow(t.Context(), ref, 7, "")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := f.Stream(ctx, &seenFrames{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
