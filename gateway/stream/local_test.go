package stream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/stream/hubtest"
)

func TestLocal(t *testing.T) {
	hubtest.Run(t, func(*testing.T) stream.Hub { return stream.NewLocal() })
}

func ids(t *testing.T, frames []byte) []string {
	t.Helper()
	var list []string
	for ev, err := range sse.Read(strings.NewReader(string(frames))) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ev.ID)
	}
	return list
}

func TestOnlyTheHubOfAllNodesIsComplete(t *testing.T) {
	if !stream.NewLocal().Complete() || stream.NewPartial().Complete() {
		t.Error("the hub of a single node is complete, the hub of one of several is not")
	}
}

func TestNextEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := stream.NewLocal()
		f := hub.Follow("topic")
		defer f.Close()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := f.Next(ctx)
			done <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestIdleLogsAreBounded(t *testing.T) {
	hub := stream.NewLocal()
	text := []byte(strings.Repeat("x", 1<<20))
	for i := range 40 {
		rec := stream.NewRecorder(hub.Record(fmt.Sprint(i), chat.EventID{}, nil), nil, "c1", 1)
		rec.Chunk(chat.EventChunk, text)
		rec.Flush()
		rec.Close()
	}
	kept := 0
	for i := range 40 {
		f := hub.Follow(fmt.Sprint(i))
		if f.Seek(chat.EventID{}) {
			kept++
			if i < 20 {
				t.Errorf("log %d outlived younger ones", i)
			}
		}
		f.Close()
	}
	if kept < 10 || kept > 16 {
		t.Errorf("%d logs of 1 MiB kept, want as many as fit in 16 MiB", kept)
	}
}

// sink keeps what it is given, and fails after limit writes.
type sink struct {
	writes []string
	limit  int
}

func (s *sink) Write(events stream.Events) error {
	if s.limit > 0 && len(s.writes) == s.limit {
		return errors.New("gone")
	}
	s.writes = append(s.writes, string(events.Frames))
	return nil
}

func TestOneFlushIsOneWrite(t *testing.T) {
	hub := stream.NewLocal()
	out := &sink{}
	rec := stream.NewRecorder(hub.Record("topic", chat.EventID{}, nil), out, "c1", 1)
	defer rec.Close()
	for range 5 {
		rec.Chunk(chat.EventChunk, []byte("x"))
	}
	rec.Flush()
	rec.Flush()
	if len(out.writes) != 1 || len(ids(t, []byte(out.writes[0]))) != 5 {
		t.Errorf("%d writes: %q", len(out.writes), out.writes)
	}
}

func TestClientThatLeavesDoesNotStopTheRecording(t *testing.T) {
	hub := stream.NewLocal()
	out := &sink{limit: 1}
	rec := stream.NewRecorder(hub.Record("topic", chat.EventID{}, nil), out, "c1", 1)
	defer rec.Close()
	for range 3 {
		rec.Chunk(chat.EventChunk, []byte("x"))
		rec.Flush()
	}
	f := hub.Follow("topic")
	defer f.Close()
	f.Seek(chat.EventID{})
	if b, err := f.Next(t.Context()); err != nil || len(ids(t, b.Frames)) != 3 {
		t.Errorf("%v %v", ids(t, b.Frames), err)
	}
}

func TestRewindForgetsUnpublishedEvents(t *testing.T) {
	out := &sink{}
	rec := stream.NewRecorder(stream.NewLocal().Record("topic", chat.EventID{}, nil), out, "c1", 1)
	defer rec.Close()
	rec.Chunk(chat.EventChunk, []byte("kept"))
	mark := rec.Mark()
	rec.Event(chat.Event{Type: chat.EventDone, Data: chat.Done{ChatID: "c1"}})
	rec.Rewind(mark)
	rec.Chunk(chat.EventChunk, []byte("next"))
	rec.Flush()
	if got := ids(t, []byte(strings.Join(out.writes, ""))); len(got) != 2 || got[1] != (chat.EventID{Fence: 1, Seq: 8}).String() {
		t.Errorf("ids %v", got)
	}
}

func FuzzChunkIsTheTextInJSON(f *testing.F) {
	for _, s := range []string{"", "plain", "a\"b\\c\n\r\t\x00\x1f", "ü\u2028😀", "\u0085\u2029", "\u2027\u202a\u0084\u0086", "\xe2\x80", "\xff\xfe", "a\xc3", "\n\ndata: x\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out := &sink{}
		rec := stream.NewRecorder(stream.NewLocal().Record("topic", chat.EventID{}, nil), out, "c\"1", 1)
		rec.Chunk(chat.EventChunk, []byte(text))
		rec.Flush()
		rec.Close()
		if strings.ContainsAny(strings.Join(out.writes, ""), "\u0085\u2028\u2029") {
			t.Errorf("not escaped: %q", out.writes)
		}
		n := 0
		for ev, err := range sse.Read(strings.NewReader(strings.Join(out.writes, ""))) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			var c chat.Chunk
			if err := json.Unmarshal(ev.Data, &c); err != nil {
				t.Fatalf("%q: %v", ev.Data, err)
			}
			want := text
			if !utf8.ValidString(text) {
				want = string([]rune(text)) // each bad byte becomes U+FFFD
			}
			if c.Content != want || c.ChatID != "c\"1" || ev.Name != "chunk" {
				t.Fatalf("%q came out as %q", want, c.Content)
			}
		}
		if n != 1 {
			t.Fatalf("%d events", n)
		}
	})
}

func BenchmarkChunk(b *testing.B) {
	hub := stream.NewLocal()
	rec := stream.NewRecorder(hub.Record("topic", chat.EventID{}, nil), discard{}, "chat-1", 1)
	defer rec.Close()
	text := []byte(" token")
	b.ReportAllocs()
	for b.Loop() {
		rec.Chunk(chat.EventChunk, text)
		rec.Flush()
	}
}

type discard struct{}

func (discard) Write(stream.Events) error { return nil }
