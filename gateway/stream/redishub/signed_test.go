package redishub_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/prove/redistest"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/stream/hubtest"
	"github.com/askgate/askgate/gateway/stream/redishub"
)

const (
	secret  = "0123456789abcdef0123456789abcdef"
	another = "another-secret-of-at-least-32-bytes"
)

func signs(s seal.Secrets, refused func(string, bool)) *seal.HMAC {
	return seal.NewHMAC("events", func() seal.Secrets { return s }, refused)
}

func openSigned(t *testing.T, server, prefix string, s *seal.HMAC) *redishub.Hub {
	t.Helper()
	h, err := redishub.Open(t.Context(), redishub.Options{
		URL: server, Prefix: prefix, Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Signer: s,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

func asked(text string) chat.Event {
	return chat.Event{Type: chat.EventClarification, Data: map[string]string{"question": text}}
}

func TestNodesThatSign(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		hubtest.RunNodes(t, func(t *testing.T, nodes int) []stream.Hub {
			prefix := redistest.Prefix(t, server)
			hubs := make([]stream.Hub, nodes)
			for i := range hubs {
				hubs[i] = openSigned(t, server, prefix, signs(seal.Secrets{Own: secret}, nil))
			}
			return hubs
		})
	})
}

// A party that can write to Redis cannot show viewers anything, live or from what Redis keeps:
// viewers learn that something is missing, and then see the following events as before.
func TestWhatNoNodeSignedIsNotShown(t *testing.T) {
	for name, ev := range map[string]chat.Event{
		"text":     {Type: chat.EventChunk, Data: chat.Chunk{ChatID: "c1", Content: "forged"}},
		"question": asked("forged"),
		"snapshot": {Type: chat.EventSnapshot, Data: map[string]string{"x": "forged"}},
		"end":      {Type: chat.EventDone, Data: chat.Done{ChatID: "forged"}},
	} {
		t.Run(name, func(t *testing.T) {
			redistest.Run(t, func(t *testing.T, server string) { forged(t, server, ev) })
		})
	}
}

func forged(t *testing.T, server string, ev chat.Event) {
	prefix := redistest.Prefix(t, server)
	var refused atomic.Int64
	a := openSigned(t, server, prefix, signs(seal.Secrets{Own: secret}, nil))
	b := openSigned(t, server, prefix, signs(seal.Secrets{Own: secret}, func(string, bool) { refused.Add(1) }))
	rec := hubtest.Begin(a, "topic", hubtest.ID(0, 0), 1)
	f := hubtest.Follow(t, b, "topic")
	f.Seek(hubtest.ID(0, 0))
	hubtest.Chunks(rec, 3)
	hubtest.Expect(t, f, hubtest.ID(0, 0), hubtest.ID(1, 3))
	a.Flush(t.Context())

	id := hubtest.ID(1, 4)
	payload := redishub.Encode(stream.Batch{First: id, Last: id, Events: stream.One(id.String(), ev)})
	if err := a.Client().Publish(t.Context(), a.Channel("topic"), payload).Err(); err != nil {
		t.Fatal(err)
	}
	if batch, err := hubtest.Next(t, f); !errors.Is(err, stream.ErrGap) {
		t.Errorf("after a forged entry: %q, %v, want ErrGap", batch.Frames, err)
	}
	if n := refused.Load(); n != 1 {
		t.Errorf("%d refusals were reported, want 1", n)
	}
	if !f.Seek(hubtest.ID(1, 3)) {
		t.Error("the follower cannot continue where it was")
	}
	last := hubtest.End(rec)
	hubtest.Expect(t, f, hubtest.ID(1, 3), last)

	// The data that Redis keeps is checked as well.
	a.Flush(t.Context())
	kept := redis.XAddArgs{Stream: a.StreamKey("topic"), ID: "2-1", Values: []any{"p", strings.Replace(payload, "1 1 4 4", "2 2 1 1", 1)}}
	if err := a.Client().XAdd(t.Context(), &kept).Err(); err != nil {
		t.Fatal(err)
	}
	late := hubtest.Follow(t, openSigned(t, server, prefix, signs(seal.Secrets{Own: secret}, nil)), "topic")
	late.Seek(hubtest.ID(0, 0))
	hubtest.Expect(t, late, hubtest.ID(0, 0), last)
	nothingMore(t, late)
}

// nothingMore fails if a follower that has everything the hub has receives more, or its end.
func nothingMore(t *testing.T, f stream.Follower) {
	t.Helper()
	atHand, cancel := context.WithCancel(t.Context())
	cancel()
	if batch, err := f.Next(atHand); !errors.Is(err, context.Canceled) {
		t.Errorf("more arrives: %q, %v", batch.Frames, err)
	}
}

// Unsigned messages stop no run and erase no chat.
func TestWhatNoNodeSignedIsNotDone(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		prefix := redistest.Prefix(t, server)
		signer := signs(seal.Secrets{Own: secret}, nil)
		a, b := openSigned(t, server, prefix, signer), openSigned(t, server, prefix, signer)
		stopped := make(chan string, 10)
		for _, topic := range []string{"forged", "own"} {
			rec := stream.NewRecorder(a.Record(topic, hubtest.ID(0, 0), func() { stopped <- topic }), nil, "c1", 1)
			hubtest.Chunks(rec, 1)
			t.Cleanup(rec.Close)
		}
		f := hubtest.Follow(t, a, "forged")
		f.Seek(hubtest.ID(0, 0))
		hubtest.Expect(t, f, hubtest.ID(0, 0), hubtest.ID(1, 1))
		for _, message := range []string{"node stop forged", "node erase forged", "node erase forged " + signer.Sign("forged", "node", "stop"), "node gap forged", "node gap ", "", "  "} {
			if err := a.Client().Publish(t.Context(), a.Control(), message).Err(); err != nil {
				t.Fatal(err)
			}
		}
		b.Stop("own") // comes after them
		if got := <-stopped; got != "own" {
			t.Errorf("stopped %s", got)
		}
		a.Flush(t.Context())
		erased := redis.XAddArgs{Stream: a.StreamKey("forged"), ID: redishub.LastID, Values: []any{"p", ""}}
		if err := a.Client().XAdd(t.Context(), &erased).Err(); err != nil {
			t.Fatal(err)
		}
		late := hubtest.Follow(t, b, "forged")
		late.Seek(hubtest.ID(0, 0))
		hubtest.Expect(t, late, hubtest.ID(0, 0), hubtest.ID(1, 1))
		nothingMore(t, late)
		b.Erase("forged")
		if _, err := hubtest.Next(t, f); !errors.Is(err, stream.ErrErased) {
			t.Errorf("after the end that a node signed: %v", err)
		}
	})
}

// A secret is changed node by node, while events are sent in both directions. A node that knows
// only the last one shows what the store has.
func TestASecretIsChangedNodeByNode(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		prefix := redistest.Prefix(t, server)
		next := openSigned(t, server, prefix, signs(seal.Secrets{Own: another, Others: []string{secret}}, nil))
		last := openSigned(t, server, prefix, signs(seal.Secrets{Own: secret, Others: []string{another}}, nil))
		left := openSigned(t, server, prefix, signs(seal.Secrets{Own: secret}, nil))
		late := hubtest.Follow(t, left, "of next")
		late.Seek(hubtest.ID(0, 0))
		for topic, way := range map[string][2]*redishub.Hub{"of next": {next, last}, "of last": {last, next}} {
			f := hubtest.Follow(t, way[1], topic)
			f.Seek(hubtest.ID(0, 0))
			rec := hubtest.Begin(way[0], topic, hubtest.ID(0, 0), 1)
			hubtest.Chunks(rec, 3)
			hubtest.Expect(t, f, hubtest.ID(0, 0), hubtest.End(rec))
		}
		if _, err := hubtest.Next(t, late); !errors.Is(err, stream.ErrGap) {
			t.Errorf("of a secret that a node does not know: %v, want ErrGap", err)
		}
	})
}

func TestWithoutASecretNothingIsSigned(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		prefix := redistest.Prefix(t, server)
		a, b := openSigned(t, server, prefix, signs(seal.Secrets{}, nil)), openSigned(t, server, prefix, nil)
		f := hubtest.Follow(t, b, "topic")
		f.Seek(hubtest.ID(0, 0))
		rec := hubtest.Begin(a, "topic", hubtest.ID(0, 0), 1)
		rec.Event(asked("Which?"))
		hubtest.Expect(t, f, hubtest.ID(0, 0), hubtest.End(rec))
		a.Flush(t.Context())
		kept, err := a.Client().XRange(t.Context(), a.StreamKey("topic"), "-", "+").Result()
		if err != nil || len(kept) == 0 {
			t.Fatalf("%d entries, %v", len(kept), err)
		}
		for _, entry := range kept {
			head, _, _ := strings.Cut(entry.Values["p"].(string), "\n")
			if strings.Count(head, " ") != 6 {
				t.Errorf("signed: %s", head)
			}
		}
	})
}

func TestASignatureFitsNoOtherEntry(t *testing.T) {
	s := signs(seal.Secrets{Own: secret}, nil)
	id := hubtest.ID(2, 1)
	batch := stream.Batch{First: id, Last: id, After: hubtest.ID(1, 7), Events: stream.One(id.String(), asked("Which?"))}
	signed := redishub.EncodeAs("topic", batch, s)
	for name, reader := range map[string]*seal.HMAC{"the same secret": s, "no secret": nil} {
		if b, err := redishub.DecodeAs("topic", signed, reader); err != nil || string(b.Frames) != string(batch.Frames) {
			t.Errorf("with %s: %q, %v", name, b.Frames, err)
		}
	}
	head, text, _ := strings.Cut(signed, "\n")
	for name, payload := range map[string]string{
		"no signature":  redishub.Encode(batch),
		"other secret":  redishub.EncodeAs("topic", batch, signs(seal.Secrets{Own: another}, nil)),
		"text":          strings.Replace(signed, "Which?", "What?!", 1),
		"fence":         strings.Replace(signed, "2 2 1 1 ", "2 3 1 1 ", 1),
		"after":         strings.Replace(signed, " 1 7 ", " 1 8 ", 1),
		"transient":     strings.Replace(signed, " 7 0 ", " 7 2 ", 1),
		"one more":      strings.Replace(signed, "2 2 1 1 ", "2 2 1 2 ", 1) + "id: 2\n\n",
		"one more line": head + "\n" + text + "\n",
		"one more part": head + " A\n" + text,
		"nothing":       "",
	} {
		if _, err := redishub.DecodeAs("topic", payload, s); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if _, err := redishub.DecodeAs("other", signed, s); err == nil {
		t.Error("in another chat: accepted")
	}
}

// Whatever the bytes are, a node with a secret accepts only what one with the secret wrote.
func FuzzSigned(f *testing.F) {
	s := signs(seal.Secrets{Own: secret}, nil)
	id := hubtest.ID(2, 1)
	signed := redishub.EncodeAs("topic", stream.Batch{First: id, Last: id, Events: stream.One(id.String(), asked("Which?"))}, s)
	for _, payload := range []string{signed, signed + "\n", "2 2 1 1 1 7 0 \nevent: clarification\n\n", "2 2 1 1 1 7 0\n", "", "\xff\n\n"} {
		f.Add(payload)
	}
	f.Fuzz(func(t *testing.T, payload string) {
		if b, err := redishub.DecodeAs("topic", payload, s); err == nil && redishub.EncodeAs("topic", b, s) != payload {
			t.Errorf("taken: %q", payload)
		}
	})
}
