package sse_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/sse"
)

func TestAppendEvent(t *testing.T) {
	for _, tt := range []struct{ id, event, data, want string }{
		{"7", "chunk", `{"content":"a"}`, "id: 7\nevent: chunk\ndata: {\"content\":\"a\"}\n\n"},
		{"", "chunk", `{}`, "event: chunk\ndata: {}\n\n"},
		{"1", "x", "", "id: 1\nevent: x\ndata: \n\n"},
		// A line break must not end the event early.
		{"1", "x", "{\n}", "id: 1\nevent: x\ndata: {\ndata: }\n\n"},
		{"1", "x", "a\r\nb\rc\n\nd", "id: 1\nevent: x\ndata: a\ndata: b\ndata: c\ndata: \ndata: d\n\n"},
		// Nor must a character that other clients take for a line break.
		{"1", "x", "\"a\u0085\u2028b\u2029\u0086\u2027\u202a\xc2\"", "id: 1\nevent: x\ndata: \"a\\u0085\\u2028b\\u2029\u0086\u2027\u202a\xc2\"\n\n"},
	} {
		if got := string(sse.AppendEvent(nil, tt.id, tt.event, []byte(tt.data))); got != tt.want {
			t.Errorf("AppendEvent(%q, %q, %q) = %q, want %q", tt.id, tt.event, tt.data, got, tt.want)
		}
	}
}

func TestAppendEventKeepsWhatIsThere(t *testing.T) {
	one := sse.AppendEvent(nil, "1", "a", []byte("x"))
	two := sse.AppendEvent(one, "2", "b", []byte("y"))
	if want := string(one) + "id: 2\nevent: b\ndata: y\n\n"; string(two) != want {
		t.Errorf("%q, want %q", two, want)
	}
}

// Whatever the data, one event goes in and the same one comes out.
func FuzzAppendEvent(f *testing.F) {
	for _, s := range []string{"", "{}", "a\nb", "a\rb", "\r\n", "\n\n", "data: x\n\nevent: y", "\ufeff", " x", "\x00\xff", "\u0085\u2028 \u2029"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		frame := sse.AppendEvent(nil, "7", "chunk", data)
		var got []sse.Event
		for ev, err := range sse.Read(bytes.NewReader(frame)) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, ev)
		}
		// The only line break in the format is LF, and characters that others take for one are
		// escaped.
		want := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", `\u0085`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(string(data))
		if len(got) != 1 || got[0].ID != "7" || got[0].Name != "chunk" || string(got[0].Data) != want {
			t.Fatalf("%q came back as %+v", data, got)
		}
	})
}
