package native

import (
	"strings"
	"testing"
)

func frame(id, event, data string) string {
	s := "event: " + event + "\ndata: " + data + "\n\n"
	if id != "" {
		s = "id: " + id + "\n" + s
	}
	return s
}

func TestWithoutErrors(t *testing.T) {
	chunk, failed, old, done := frame("1", "chunk", `"event: error"`), frame("2", "turn.error", "{}"), frame("3", "error", "{}"), frame("4", "done", `{"a":"event: error\n"}`)
	for in, want := range map[string]string{
		"":                              "",
		chunk + done:                    chunk + done,
		chunk + failed + old + done:     chunk + failed + done,
		old:                             "",
		frame("", "error", "{}") + done: done,
		": heartbeat\n\n" + old:         ": heartbeat\n\n",
		failed + old:                    failed,
	} {
		if got := string(withoutErrors([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// collected is a sink that counts its writes.
type collected struct {
	strings.Builder
	writes int
}

func (c *collected) Write(b []byte) error {
	c.writes++
	c.Builder.Write(b)
	return nil
}

// A write of nothing, which shows that the client is there, goes through; one of which nothing
// is left does not.
func TestOnceWritesWhatIsLeft(t *testing.T) {
	c := &collected{}
	s := once{c}
	for _, frames := range []string{"", frame("3", "error", "{}"), frame("4", "done", "{}")} {
		if err := s.Write([]byte(frames)); err != nil {
			t.Fatal(err)
		}
	}
	if c.writes != 2 || c.String() != frame("4", "done", "{}") {
		t.Errorf("%d writes: %q", c.writes, c.String())
	}
}
