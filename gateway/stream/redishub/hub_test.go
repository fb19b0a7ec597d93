package redishub_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/prove/redistest"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/stream/hubtest"
	"github.com/askgate/askgate/gateway/stream/redishub"
)

func TestHub(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		hubtest.Run(t, func(t *testing.T) stream.Hub { return open(t, server, redistest.Prefix(t, server)) })
	})
}

func TestNodes(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		hubtest.RunNodes(t, func(t *testing.T, nodes int) []stream.Hub {
			prefix := redistest.Prefix(t, server)
			hubs := make([]stream.Hub, nodes)
			for i := range hubs {
				hubs[i] = open(t, server, prefix)
			}
			return hubs
		})
	})
}

// Without Redis, a node still works for its own runs and followers.
func TestHubWithoutRedis(t *testing.T) {
	hubtest.Run(t, func(t *testing.T) stream.Hub {
		h := open(t, "redis://127.0.0.1:1", "")
		if h.Complete() {
			t.Error("complete, although no other node is there")
		}
		if _, err := h.Status(); err == nil {
			t.Error("the outage is not logged")
		}
		return h
	})
}

func TestOutage(t *testing.T) {
	for name, breaks := range map[string]func(*redistest.Proxy){"cut": (*redistest.Proxy).Cut, "silent": (*redistest.Proxy).Mute} {
		t.Run(name, func(t *testing.T) {
			redistest.Run(t, func(t *testing.T, server string) { outage(t, server, breaks) })
		})
	}
}

func outage(t *testing.T, server string, breaks func(*redistest.Proxy)) {
	prefix := redistest.Prefix(t, server)
	way, through := redistest.NewProxy(t, server)
	a, b := open(t, through, prefix), open(t, through, prefix)
	rec := hubtest.Begin(a, "open", hubtest.ID(0, 0), 1)
	ending := hubtest.Begin(a, "ending", hubtest.ID(0, 0), 1)
	hubtest.Chunks(rec, 5)
	hubtest.Chunks(ending, 5)
	own, remote, other := hubtest.Follow(t, a, "open"), hubtest.Follow(t, b, "open"), hubtest.Follow(t, b, "ending")
	for _, f := range []stream.Follower{own, remote, other} {
		f.Seek(hubtest.ID(0, 0))
		hubtest.Expect(t, f, hubtest.ID(0, 0), hubtest.ID(1, 5))
	}

	breaks(way)
	for _, f := range []stream.Follower{remote, other} {
		if _, err := hubtest.Next(t, f); !errors.Is(err, stream.ErrGap) {
			t.Errorf("a follower of another node's run: %v, want ErrGap", err)
		}
	}
	b.Await(t, false)
	a.Await(t, false)
	if _, err := a.Status(); err == nil {
		t.Error("the outage is not logged")
	}
	hubtest.Chunks(rec, 5)
	hubtest.Expect(t, own, hubtest.ID(1, 5), hubtest.ID(1, 10))
	end := hubtest.Follow(t, a, "ending")
	end.Seek(hubtest.ID(1, 3))
	hubtest.Expect(t, end, hubtest.ID(1, 3), hubtest.End(ending))
	if _, err := hubtest.Next(t, end); !errors.Is(err, stream.ErrGap) {
		t.Errorf("a follower of a run that is over: %v, want ErrGap, as the next may be another node's", err)
	}
	late := hubtest.Follow(t, b, "open") // opened during the outage
	late.Seek(hubtest.ID(1, 5))

	way.Heal()
	a.Await(t, true)
	b.Await(t, true)
	hubtest.Chunks(rec, 5)
	last := hubtest.End(rec)
	remote.Seek(hubtest.ID(1, 5)) // it comes back
	hubtest.Expect(t, remote, hubtest.ID(1, 5), last)
	hubtest.Expect(t, own, hubtest.ID(1, 10), last)
	// Lost events of a run that ended meanwhile are not reported as available.
	next := hubtest.Begin(a, "ending", hubtest.ID(1, 6), 2)
	hubtest.Chunks(next, 2)
	if other.Seek(hubtest.ID(1, 5)) { // otherwise the next run is here already, and this one has reported it
		if _, err := hubtest.Next(t, other); !errors.Is(err, stream.ErrGap) {
			t.Errorf("a follower of a run that ended during the outage: %v, want ErrGap", err)
		}
	}
	other.Seek(hubtest.ID(1, 6))
	hubtest.Expect(t, other, hubtest.ID(1, 6), hubtest.End(next))
}

func TestEraseDuringAnOutageIsMadeUpFor(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		prefix := redistest.Prefix(t, server)
		way, through := redistest.NewProxy(t, server)
		a, b := open(t, through, prefix), open(t, server, prefix)
		rec := hubtest.Begin(b, "topic", hubtest.ID(0, 0), 1)
		hubtest.Chunks(rec, 5)
		f := hubtest.Follow(t, b, "topic")
		way.Cut()
		a.Await(t, false)
		a.Erase("topic")
		way.Heal()
		a.Await(t, true)
		if _, err := hubtest.Next(t, f); !errors.Is(err, stream.ErrErased) {
			t.Errorf("got %v, want ErrErased", err)
		}
	})
}

// Followers reconnect before anything else happens: the stream must be gone before they read it.
func TestForgettingDuringAnOutageIsMadeUpFor(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		prefix := redistest.Prefix(t, server)
		way, through := redistest.NewProxy(t, server)
		a, b := open(t, through, prefix), open(t, server, prefix)
		rec := hubtest.Begin(b, "topic", hubtest.ID(0, 0), 1)
		hubtest.Chunks(rec, 5)
		f := hubtest.Follow(t, a, "topic")
		f.Seek(hubtest.ID(0, 0))
		hubtest.Expect(t, f, hubtest.ID(0, 0), hubtest.ID(1, 5))
		way.Cut()
		a.Await(t, false)
		a.Forget("topic")
		way.Heal()
		a.Await(t, true)
		if hubtest.Follow(t, a, "topic").Seek(hubtest.ID(0, 0)) {
			t.Error("forgotten events are back")
		}
		if entries, err := b.Client().XLen(t.Context(), b.StreamKey("topic")).Result(); err != nil || entries > 0 {
			t.Errorf("%d entries are in Redis, %v", entries, err)
		}
	})
}

func TestNothingOfAnErasedTopicIsLeftInRedis(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		prefix := redistest.Prefix(t, server)
		a, b := open(t, server, prefix), open(t, server, prefix)
		rec := hubtest.Begin(a, "topic", hubtest.ID(0, 0), 1)
		rec.Chunk(chat.EventChunk, []byte("secret"))
		rec.Flush()
		a.Flush(t.Context())
		b.Erase("topic")
		entries, err := a.Client().XRange(t.Context(), a.StreamKey("topic"), "-", "+").Result()
		if err != nil || len(entries) != 1 || strings.Contains(fmt.Sprint(entries), "secret") {
			t.Errorf("%v, %v: want only the marker that keeps others out", entries, err)
		}
		if ttl := a.Client().TTL(t.Context(), a.StreamKey("topic")).Val(); ttl <= 0 {
			t.Errorf("it stays for %v", ttl)
		}
	})
}

func TestStreamsAreBoundedInBytesAndAge(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		h := open(t, server, redistest.Prefix(t, server))
		rec := hubtest.Begin(h, "topic", hubtest.ID(0, 0), 1)
		text := []byte(strings.Repeat("x", 64<<10))
		for range 4 * redishub.MaxBytes / len(text) {
			rec.Chunk(chat.EventChunk, text)
			rec.Flush()
			h.Flush(t.Context())
		}
		used, err := h.Client().MemoryUsage(t.Context(), h.StreamKey("topic")).Result()
		if err != nil || used > redishub.MaxBytes*3/2 || used < redishub.MaxBytes/4 {
			t.Errorf("%d bytes, %v: want up to %d", used, err, redishub.MaxBytes)
		}
		if ttl := h.Client().TTL(t.Context(), h.StreamKey("topic")).Val(); ttl <= 0 {
			t.Errorf("it stays for %v", ttl)
		}
		other := hubtest.Follow(t, h, "topic")
		if other.Seek(hubtest.ID(1, 1)) {
			t.Error("trimmed events are reported as available")
		}
		rec.Close()
	})
}

// The memory that runs leave behind during an outage is bounded.
func TestNothingPilesUpDuringAnOutage(t *testing.T) {
	h := open(t, "redis://127.0.0.1:1", "")
	for i := range 1000 {
		rec := hubtest.Begin(h, fmt.Sprint(i), hubtest.ID(0, 0), 1)
		hubtest.Chunks(rec, 3)
		hubtest.End(rec)
	}
	if n := h.Queued(); n > 0 {
		t.Errorf("%d logs of ended runs wait for Redis", n)
	}
}

// The log reports once that Redis is unreachable, once that it is back, and nothing at the end.
func TestTheLogSaysItOnce(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		way, through := redistest.NewProxy(t, server)
		way.Cut()
		var log bytes.Buffer
		h, err := redishub.Open(t.Context(), redishub.Options{
			URL: through, Prefix: redistest.Prefix(t, server), Registry: prometheus.NewRegistry(), Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		way.Heal()
		h.Await(t, true)
		h.Close()
		if got := log.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "is unavailable") || !strings.Contains(got, "is in use") {
			t.Errorf("%s", got)
		}
	})
}

func TestAURLThatIsNoneIsRefusedWithoutItsPassword(t *testing.T) {
	for _, u := range []string{"redis://:secret@host:port", "http://:secret@host", "redis://:secret@host/secretdb", "redis://:sec%ret@host"} {
		h, err := redishub.Open(t.Context(), redishub.Options{URL: u})
		if err == nil {
			h.Close()
			t.Errorf("%s was taken", u)
		} else if strings.Contains(err.Error(), "secret@") || strings.Contains(err.Error(), ":sec") {
			t.Errorf("%v", err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	b := stream.Batch{First: hubtest.ID(2, 1), Last: hubtest.ID(2, 2), After: hubtest.ID(1, 7), End: true}
	b.Add(b.First, chat.Event{Type: chat.EventThinking, Data: chat.Chunk{ChatID: "c", Content: "x"}})
	b.Add(b.Last, chat.Event{Type: chat.EventDone, Data: chat.Done{}})
	f.Add(redishub.Encode(b))
	f.Add("1 2 3 4 5 6 7\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, payload string) {
		b, err := redishub.Decode(payload)
		if err != nil {
			return
		}
		if again, err := redishub.Decode(redishub.Encode(b)); err != nil || again.First != b.First || again.Last != b.Last || again.After != b.After || again.End != b.End || string(again.Frames) != string(b.Frames) {
			t.Errorf("%+v came back as %+v, %v", b, again, err)
		}
		// Whatever the content, a log accepts it, and so does one that has part of it.
		local := stream.NewLocal()
		m := local.Mirror("topic", func() {})
		first := hubtest.ID(b.First.Fence, 1)
		m.Append(stream.Batch{First: first, Last: first, Events: stream.One(first.String(), chat.Event{Type: chat.EventDone})})
		m.Append(b)
		m.Extend(m.Forgets(), []stream.Batch{b, b}, false)
		m.Close()
	})
}
