package seal_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/seal"
)

const secret = "0123456789abcdef0123456789abcdef"

func newBox(t testing.TB, secret, purpose string) *seal.Box {
	t.Helper()
	b, err := seal.New(secret, purpose)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOnlyTheSameSecretAndPurposeOpen(t *testing.T) {
	text := newBox(t, secret, "p").Seal([]byte("alice"))
	if got, ok := newBox(t, secret, "p").Open(text); !ok || string(got) != "alice" {
		t.Errorf("%q %t", got, ok)
	}
	for name, box := range map[string]*seal.Box{
		"another secret": newBox(t, secret+"x", "p"), "another purpose": newBox(t, secret, "q"), "a random one": newBox(t, "", "p"),
	} {
		if got, ok := box.Open(text); ok {
			t.Errorf("%s: %q", name, got)
		}
	}
	if newBox(t, "", "p").Seal(nil) == "" {
		t.Error("nothing is sealed to nothing")
	}
}

func TestNoChangedTextOpens(t *testing.T) {
	b := newBox(t, secret, "p")
	text := b.Seal([]byte("alice"))
	for i := range text {
		c := "A"
		if text[i] == 'A' {
			c = "B"
		}
		if got, ok := b.Open(text[:i] + c + text[i+1:]); ok {
			t.Errorf("changed at %d: %q", i, got)
		}
	}
	for _, other := range []string{"", "A", text[1:], text[:len(text)-1], text + "A", text + "=", text + "\n", " " + text, strings.Repeat("A", 1<<16)} {
		if got, ok := b.Open(other); ok {
			t.Errorf("%.40q: %q", other, got)
		}
	}
	if b.Seal([]byte("alice")) == text {
		t.Error("the same text is sealed to the same value: it could be recognised")
	}
}

// Any cookie opens to exactly what was sealed, or to nothing.
func FuzzOpen(f *testing.F) {
	b := newBox(f, secret, "p")
	good := b.Seal([]byte("alice"))
	for _, s := range []string{"", good, good[:20], good + good, "AAAA", "====", "\x00", "ü"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := b.Open(text)
		if ok && string(got) != "alice" || text == good && !ok { // other workers have sealed the same
			t.Errorf("%q opens to %q, %t", text, got, ok)
		}
	})
}
