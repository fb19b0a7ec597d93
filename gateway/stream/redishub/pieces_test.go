package redishub_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/prove/redistest"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/stream/hubtest"
	"github.com/askgate/askgate/gateway/stream/redishub"
)

// holding opens a hub that holds text until something else makes it ship.
func holding(t *testing.T, server, prefix string) *redishub.Hub {
	t.Helper()
	h, err := redishub.Open(t.Context(), redishub.Options{
		URL: server, Prefix: prefix, Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
	}.Holding(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// recording returns a hub that holds text, another one, and what records a run at the first, whose
// beginning has reached Redis.
func recording(t *testing.T, server string) (a, b *redishub.Hub, rec *stream.Recorder) {
	t.Helper()
	prefix := redistest.Prefix(t, server)
	a, b = holding(t, server, prefix), open(t, server, prefix)
	rec = hubtest.Begin(a, "topic", hubtest.ID(0, 0), 1)
	t.Cleanup(rec.Close)
	rec.Event(begun())
	rec.Flush()
	a.Flush(t.Context())
	return a, b, rec
}

// scripts counts the scripts that a hub runs.
type scripts struct {
	redis.Hook
	n atomic.Int64
}

func countScripts(h *redishub.Hub) *scripts {
	s := &scripts{}
	h.Client().AddHook(s)
	return s
}

func (s *scripts) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (s *scripts) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (s *scripts) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		for _, c := range commands {
			if strings.HasPrefix(c.Name(), "eval") {
				s.n.Add(1)
			}
		}
		return next(ctx, commands)
	}
}

func begun() chat.Event {
	return chat.Event{Type: chat.EventTurnStart, Data: chat.TurnStart{ChatID: "c1"}}
}

// A turn that no other node follows takes a script at its beginning, one at its end, and one for each
// piece of its text, however many chunks that has.
func TestScriptsOfATurnThatOnlyItsNodeFollows(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		prefix := redistest.Prefix(t, server)
		a, b := holding(t, server, prefix), open(t, server, prefix)
		count := countScripts(a)
		f := hubtest.Follow(t, a, "topic")
		f.Seek(hubtest.ID(0, 0))
		rec := hubtest.Begin(a, "topic", hubtest.ID(0, 0), 1)
		rec.Event(begun())
		rec.Flush()
		hubtest.Expect(t, f, hubtest.ID(0, 0), rec.Last())
		a.Flush(t.Context()) // its answer says that no other node follows
		for range 20 {
			at := rec.Last()
			rec.Chunk(chat.EventChunk, []byte("x"))
			rec.Flush()
			hubtest.Expect(t, f, at, rec.Last()) // the node's own viewers do not wait
		}
		last := hubtest.End(rec)
		a.Flush(t.Context())
		if n := count.n.Load(); n != 2 {
			t.Errorf("%d scripts for a turn of 20 chunks, want one for its beginning and one for the rest", n)
		}
		late := hubtest.Follow(t, b, "topic")
		late.Seek(hubtest.ID(0, 0))
		hubtest.Expect(t, late, hubtest.ID(0, 0), last)
	})
}

// From when a node follows, it gets what was held, and then each chunk at once.
func TestAFollowerOnAnotherNodeGetsWhatWasHeldAndThenEachChunk(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		a, b, rec := recording(t, server)
		hubtest.Chunks(rec, 5)
		f := hubtest.Follow(t, b, "topic")
		f.Seek(hubtest.ID(0, 0))
		hubtest.Expect(t, f, hubtest.ID(0, 0), hubtest.ID(1, 1))
		nothingMore(t, f)
		a.Flush(t.Context()) // instead of waiting for the piece
		for at := hubtest.ID(1, 1); at.Seq < 20; {
			hubtest.Expect(t, f, at, rec.Last())
			at = rec.Last()
			rec.Chunk(chat.EventChunk, []byte("x"))
			rec.Flush()
		}
		hubtest.Expect(t, f, hubtest.ID(1, 20), rec.Last())
		f.Close()
	})
}

// Only text is held, and only a piece of it.
func TestWhatIsNotTextIsNotHeld(t *testing.T) {
	for name, record := range map[string]func(*stream.Recorder){
		"a question": func(rec *stream.Recorder) { rec.Event(asked("Which?")) },
		"the end":    func(rec *stream.Recorder) { hubtest.End(rec) },
		"4 KiB":      func(rec *stream.Recorder) { rec.Chunk(chat.EventChunk, []byte(strings.Repeat("x", 4<<10))) },
		"4 KiB in many chunks": func(rec *stream.Recorder) {
			for range 100 {
				rec.Chunk(chat.EventChunk, []byte("x"))
				rec.Flush()
			}
		},
		"a closed log": func(rec *stream.Recorder) { rec.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			redistest.Run(t, func(t *testing.T, server string) {
				_, b, rec := recording(t, server)
				rec.Chunk(chat.EventChunk, []byte("held"))
				rec.Flush()
				held := rec.Last()
				record(rec)
				rec.Flush()
				f := hubtest.Follow(t, b, "topic")
				f.Seek(hubtest.ID(0, 0))
				for at := hubtest.ID(0, 0); at.Less(held); {
					batch, err := hubtest.Next(t, f)
					if err != nil {
						t.Fatal(err)
					}
					at = batch.Last
				}
			})
		})
	}
}

// A transient event takes the text before it along.
func TestTransientEventsAreNotHeld(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		_, b, rec := recording(t, server)
		f := hubtest.Follow(t, b, "topic")
		f.Seek(hubtest.ID(1, 1))
		rec.Chunk(chat.EventChunk, []byte("x"))
		hubtest.Pass(rec, "passing")
		rec.Flush()
		hubtest.Expect(t, f, hubtest.ID(1, 1), hubtest.ID(1, 2))
		if batch, err := hubtest.Next(t, f); err != nil || !batch.Transient {
			t.Errorf("%+v, %v", batch, err)
		}
	})
}

func TestTextIsHeldForAtMost50ms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := redishub.Unconnected()
		log := h.Record("topic", hubtest.ID(0, 0), nil)
		h.Alone(log)
		rec := stream.NewRecorder(log, nil, "c1", 1)
		for range 3 {
			rec.Chunk(chat.EventChunk, []byte("x"))
			rec.Flush()
			time.Sleep(49 * time.Millisecond)
			rec.Chunk(chat.EventChunk, []byte("x"))
			rec.Flush()
			if n := h.Queued(); n != 0 {
				t.Fatal("it is shipped before")
			}
			time.Sleep(time.Millisecond)
			synctest.Wait()
			if n := h.Queued(); n != 1 {
				t.Fatal("it is not shipped after 50 ms")
			}
			h.Take()
		}
	})
}

// What a node ships while another one forgets the topic may come to Redis after that. It stays
// neither there nor at any node.
func TestWhatIsShippedWhileItIsForgottenDoesNotStay(t *testing.T) {
	for name, end := range map[string]bool{"of a run that goes on": false, "of a run that is over": true} {
		t.Run(name, func(t *testing.T) {
			redistest.Run(t, func(t *testing.T, server string) {
				for !shippedWhileForgotten(t, server, end) {
				}
			})
		})
	}
}

// shippedWhileForgotten returns false if the machine was so slow that the node gave up on Redis.
func shippedWhileForgotten(t *testing.T, server string, end bool) bool {
	prefix := redistest.Prefix(t, server)
	way, through := redistest.NewProxy(t, server)
	a, b := open(t, through, prefix), open(t, server, prefix)
	rec := hubtest.Begin(a, "topic", hubtest.ID(0, 0), 1)
	defer rec.Close()
	rec.Event(begun())
	rec.Flush()
	a.Flush(t.Context())
	f := hubtest.Follow(t, b, "topic")
	f.Seek(hubtest.ID(0, 0))
	hubtest.Expect(t, f, hubtest.ID(0, 0), hubtest.ID(1, 1))

	session, _ := a.Status()
	disturbed := func() bool {
		since, _ := a.Status()
		return since != session
	}
	way.Hold() // what a sends is under way
	rec.Event(asked("forgotten?"))
	rec.Flush()
	way.Held(t, "forgotten?")
	if end {
		rec.Close()
	}
	b.Forget("topic")
	way.Release()
	redistest.Await(t, "a hears of it", func(context.Context) bool {
		mine := a.Local().Follow("topic")
		defer mine.Close()
		return !mine.Seek(hubtest.ID(1, 1)) || disturbed()
	})
	if disturbed() {
		return false
	}
	redistest.Await(t, "Redis forgets it", func(context.Context) bool {
		a.Flush(t.Context())
		n, err := b.Client().XLen(t.Context(), b.StreamKey("topic")).Result()
		return err == nil && n == 0
	})
	redistest.Await(t, "b forgets it", func(context.Context) bool {
		its := b.Local().Follow("topic")
		defer its.Close()
		return !its.Seek(hubtest.ID(1, 1))
	})
	if end {
		return true
	}
	after := rec.Last()
	rec.Event(asked("kept?"))
	rec.Flush()
	late := hubtest.Follow(t, b, "topic")
	late.Seek(after)
	hubtest.Expect(t, late, after, rec.Last())
	if late.Seek(hubtest.ID(1, 1)) {
		t.Error("forgotten events are back")
	}
	if _, err := hubtest.Next(t, late); !errors.Is(err, stream.ErrGap) {
		t.Errorf("where it was forgotten: %v, want ErrGap", err)
	}
	return true
}
