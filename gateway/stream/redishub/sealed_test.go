package redishub_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/prove/redistest"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/stream/hubtest"
	"github.com/askgate/askgate/gateway/stream/redishub"
)

const secret = "0123456789abcdef0123456789abcdef"

func signs(secret string, refused func(string, bool)) *seal.HMAC {
	return seal.NewHMAC("events", func() seal.Secrets { return seal.Secrets{Own: secret} }, refused)
}

func openSealed(t *testing.T, server, prefix string, s *seal.HMAC) *redishub.Hub {
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

func TestNodesThatSeal(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		hubtest.RunNodes(t, func(t *testing.T, nodes int) []stream.Hub {
			prefix := redistest.Prefix(t, server)
			hubs := make([]stream.Hub, nodes)
			for i := range hubs {
				hubs[i] = openSealed(t, server, prefix, signs(secret, nil))
			}
			return hubs
		})
	})
}

// Whoever can write to Redis cannot show a question to those who look on: they are told
// that something is missing, and then see what goes on as before.
func TestAForgedQuestionIsNotShown(t *testing.T) {
	redistest.Run(t, func(t *testing.T, server string) {
		prefix := redistest.Prefix(t, server)
		var refused atomic.Int64
		a := openSealed(t, server, prefix, signs(secret, nil))
		b := openSealed(t, server, prefix, signs(secret, func(string, bool) { refused.Add(1) }))
		rec := hubtest.Begin(a, "topic", hubtest.ID(0, 0), 1)
		f := hubtest.Follow(t, b, "topic")
		f.Seek(hubtest.ID(0, 0))
		hubtest.Chunks(rec, 3)
		hubtest.Expect(t, f, hubtest.ID(0, 0), hubtest.ID(1, 3))

		id := hubtest.ID(1, 4)
		forged := stream.Batch{First: id, Last: id, Frames: stream.AppendEvent(nil, id, asked("Your password?"))}
		a.Flush(t.Context())
		if err := a.Client().Publish(t.Context(), a.Channel("topic"), redishub.Encode(forged)).Err(); err != nil {
			t.Fatal(err)
		}
		if _, err := hubtest.Next(t, f); !errors.Is(err, stream.ErrGap) {
			t.Errorf("after a forged question: %v, want ErrGap", err)
		}
		if n := refused.Load(); n != 1 {
			t.Errorf("%d refusals were told, want 1", n)
		}
		if !f.Seek(hubtest.ID(1, 3)) {
			t.Error("the follower cannot go on where it was")
		}
		rec.Event(asked("Which one?"))
		last := hubtest.End(rec)
		hubtest.Expect(t, f, hubtest.ID(1, 3), last)

		// What Redis keeps is looked at, too.
		a.Flush(t.Context())
		others := openSealed(t, server, prefix, signs("of others", nil))
		late := hubtest.Follow(t, others, "topic")
		late.Seek(hubtest.ID(0, 0))
		hubtest.Expect(t, late, hubtest.ID(0, 0), hubtest.ID(1, 3))
		if !others.Complete() {
			t.Error("a question with another seal ends the connection")
		}
	})
}

func TestOnlyQuestionsAreSealedAndTheirSealFitsNothingElse(t *testing.T) {
	s := signs(secret, nil)
	id := hubtest.ID(2, 1)
	batch := func(ev chat.Event) stream.Batch {
		return stream.Batch{First: id, Last: id, After: hubtest.ID(1, 7), Frames: stream.AppendEvent(nil, id, ev)}
	}
	chunk := batch(chat.Event{Type: chat.EventChunk, Data: chat.Chunk{Content: "\nevent: clarification\n"}})
	if got := redishub.EncodeAs("topic", chunk, s); got != redishub.Encode(chunk) {
		t.Errorf("a text is sealed: %s", got)
	}
	sealed := redishub.EncodeAs("topic", batch(asked("Which?")), s)
	if b, err := redishub.DecodeAs("topic", sealed, s); err != nil || string(b.Frames) != string(batch(asked("Which?")).Frames) {
		t.Fatalf("%q, %v", b.Frames, err)
	}
	if _, err := redishub.DecodeAs("topic", sealed, nil); err != nil {
		t.Errorf("a node without a secret does not read it: %v", err)
	}
	for name, payload := range map[string]string{
		"no seal":       redishub.Encode(batch(asked("Which?"))),
		"other secret":  redishub.EncodeAs("topic", batch(asked("Which?")), signs("another", nil)),
		"text":          strings.Replace(sealed, "Which?", "What?!", 1),
		"fence":         strings.Replace(sealed, "1 2 1 1 ", "1 3 1 1 ", 1),
		"after":         strings.Replace(sealed, " 1 7 ", " 1 8 ", 1),
		"one more":      strings.Replace(sealed, "1 2 1 1 ", "1 2 1 2 ", 1) + "id: 2\n\n",
		"a snapshot":    redishub.EncodeAs("topic", stream.Batch{First: id, Last: id, Frames: []byte("event: snapshot\ndata: {}\n\n")}, nil),
		"no space":      "1 2 1 1 1 7 0\nevent:clarification\ndata: {}\n\n",
		"CR":            "1 2 1 1 1 7 0\nid: 1\revent: clarification\rdata: {}\r\n\n\n",
		"in data":       "1 2 1 1 1 7 0\ndata: {}\revent: clarification\n\n",
		"more blanks":   "1 2 1 1 1 7 0\nevent:  clarification \ndata: {}\n\n",
		"a second line": "1 2 1 1 1 7 0\nevent: chunk\nevent: clarification\ndata: {}\n\n",
		"byte order":    "1 2 1 1 1 7 0\n\ufeffevent: clarification\ndata: {}\n\n",
	} {
		if _, err := redishub.DecodeAs("topic", payload, s); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if _, err := redishub.DecodeAs("other", sealed, s); err == nil {
		t.Error("in another chat: taken")
	}
}

// What somebody finds a question in is sealed, or refused: whatever the bytes are.
func FuzzAsks(f *testing.F) {
	for _, frames := range []string{"event: clarification\n\n", "id: 1\nevent: chunk\ndata: {\"content\":\"event: clarification\"}\n\n", "event:snapshot\r\r\n\n", "", "\xff\n\n"} {
		f.Add(frames)
	}
	s := signs(secret, nil)
	f.Fuzz(func(t *testing.T, frames string) {
		b, err := redishub.DecodeAs("topic", "1 2 1 1 1 7 0\n"+frames, s)
		if err != nil {
			return
		}
		for ev, err := range sse.Read(bytes.NewReader(b.Frames)) {
			if err == nil && (ev.Name == "clarification" || ev.Name == "snapshot") {
				t.Errorf("shown: %q", frames)
			}
		}
	})
}
