package sse_test

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/askgate/askgate/gateway/sse"
)

// read returns the content of a stream, one line per event.
func read(r io.Reader) (string, error) {
	var b strings.Builder
	for ev, err := range sse.Read(r) {
		if err != nil {
			return b.String(), err
		}
		fmt.Fprintf(&b, "%s|%s|%q|%s\n", ev.ID, ev.Name, ev.Data, ev.Retry)
	}
	return b.String(), nil
}

func TestRead(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"one event":                  {"id: 1\nevent: chunk\ndata: {}\n\n", "1|chunk|\"{}\"|0s\n"},
		"CRLF":                       {"id: 1\r\nevent: chunk\r\ndata: {}\r\n\r\n", "1|chunk|\"{}\"|0s\n"},
		"CR":                         {"id: 1\revent: chunk\rdata: {}\r\r", "1|chunk|\"{}\"|0s\n"},
		"mixed ends":                 {"id: 1\revent: chunk\r\ndata: a\ndata: b\r\n\n", "1|chunk|\"a\\nb\"|0s\n"},
		"byte order mark":            {"\ufeffdata: a\n\n", "|message|\"a\"|0s\n"},
		"mark only at the start":     {"data: a\n\n\ufeffdata: b\n\n", "|message|\"a\"|0s\n"},
		"comments":                   {": hello\n\n:\n: x\ndata: a\n: y\n\n", "|message|\"a\"|0s\n"},
		"several lines":              {"data: a\ndata:\ndata: c\n\n", "|message|\"a\\n\\nc\"|0s\n"},
		"no space":                   {"data:a\n\n", "|message|\"a\"|0s\n"},
		"one space is dropped":       {"data:  a \n\n", "|message|\" a \"|0s\n"},
		"a field without a colon":    {"data\n\n", "|message|\"\"|0s\n"},
		"unknown fields":             {"datum: x\nDATA: y\ndata: a\n\n", "|message|\"a\"|0s\n"},
		"a colon in the value":       {"data: a: b\n\n", "|message|\"a: b\"|0s\n"},
		"no data, no event":          {"event: x\nid: 5\n\ndata: a\n\n", "5|message|\"a\"|0s\n"},
		"the id stays":               {"id: 5\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", "5|message|\"a\"|0s\n5|message|\"b\"|0s\n|message|\"c\"|0s\n"},
		"an id with NUL is ignored":  {"id: 1\nid: 2\x00\ndata: a\n\n", "1|message|\"a\"|0s\n"},
		"retry":                      {"retry: 1500\n\n", "||\"\"|1.5s\n"},
		"retry with data":            {"retry: 10\ndata: a\n\n", "|message|\"a\"|10ms\n"},
		"retry that is not a number": {"retry: 1s\n\nretry: -1\n\nretry: 99999999999999999999\n\nretry: 9223372036854775807\n\n", ""},
		"the last event is cut":      {"data: a\n\ndata: b\n", "|message|\"a\"|0s\n"},
		"nothing":                    {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"at once":      strings.NewReader(tt.in),
				"byte by byte": iotest.OneByteReader(strings.NewReader(tt.in)),
			} {
				if got, err := read(r); got != tt.want || err != nil {
					t.Errorf("%s: got %q, %v, want %q", how, got, err, tt.want)
				}
			}
		})
	}
}

func TestReadYieldsAnEventAsSoonAsItIsWhole(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		r, w := io.Pipe()
		go func() { _, _ = io.WriteString(w, "data: a"+end) }() // and nothing more
		for ev, err := range sse.Read(r) {
			if string(ev.Data) != "a" || err != nil {
				t.Errorf("%q: got %+v, %v", end, ev, err)
			}
			break
		}
		_ = r.Close()
	}
}

func TestReadYieldsTheReadersError(t *testing.T) {
	broken := errors.New("broken")
	got, err := read(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || got != "|message|\"a\"|0s\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestReadIsBounded(t *testing.T) {
	for name, r := range map[string]io.Reader{
		"one endless line": &repeat{s: strings.Repeat("x", 1<<16)},
		"endless data":     &repeat{s: "data: " + strings.Repeat("x", 1<<16) + "\n"},
	} {
		if _, err := read(r); !errors.Is(err, sse.ErrTooLong) {
			t.Errorf("%s: %v, want ErrTooLong", name, err)
		}
	}
	// The largest allowed line is read in full.
	line := "data:" + strings.Repeat("x", sse.MaxEvent-5)
	for ev, err := range sse.Read(strings.NewReader(line + "\n\n")) {
		if err != nil || len(ev.Data) != sse.MaxEvent-5 {
			t.Errorf("the largest event: %d bytes, %v", len(ev.Data), err)
		}
	}
}

// repeat is a reader that repeats s endlessly.
type repeat struct {
	s   string
	pos int
}

func (r *repeat) Read(p []byte) (int, error) {
	n := copy(p, r.s[r.pos:])
	r.pos = (r.pos + n) % len(r.s)
	return n, nil
}

// FuzzRead compares Read with a second implementation of the standard that has the whole text in
// advance and needs no buffers.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"id: 1\nevent: a\ndata: b\n\n", "data: a\r\rdata: b\r\n\r\n", "\ufeff\ufeffdata:\n\n", ": x\n\nretry: 5\n\n",
		"id: 1\x00\ndata\n\n", "\r\n\r\n\n\r", "data: a\n\n\n\ndata: b", "retry: 7\nevent: x\n\ndata: y\n\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want := reference(s)
		for _, r := range []io.Reader{strings.NewReader(s), iotest.OneByteReader(strings.NewReader(s))} {
			if got, err := read(r); got != want || err != nil {
				t.Fatalf("%q: got %q, %v, want %q", s, got, err, want)
			}
		}
	})
}

func reference(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(s, "\ufeff"))
	lines := strings.Split(s, "\n")
	var out strings.Builder
	var id, name string
	var data []string
	var retry time.Duration
	for _, line := range lines[:len(lines)-1] { // an event without a line end does not count
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && data != nil:
			if name == "" {
				name = "message"
			}
			fmt.Fprintf(&out, "%s|%s|%q|%s\n", id, name, strings.Join(data, "\n"), retry)
			name, data, retry = "", nil, 0
		case line == "" && retry > 0:
			fmt.Fprintf(&out, "%s||%q|%s\n", id, "", retry)
			name, retry = "", 0
		case line == "":
			name = ""
		case field == "id" && !strings.Contains(value, "\x00"):
			id = value
		case field == "event":
			name = value
		case field == "data":
			data = append(data, value)
		case field == "retry" && !strings.ContainsAny(value, "+-_"):
			if ms, err := strconv.ParseInt(value, 10, 64); err == nil && ms <= (1<<63-1)/1_000_000 {
				retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
	return out.String()
}
