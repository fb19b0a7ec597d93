package seal_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/seal"
)

const another = "another-secret-of-at-least-32-bytes"

func signet(s seal.Secrets) *seal.Signet {
	return seal.NewSignet("p", func() seal.Secrets { return s }, nil)
}

func TestASealFitsNothingElse(t *testing.T) {
	own := signet(seal.Secrets{Own: secret})
	text := own.Seal("id", "ab", "c")
	if len(text) != 43 || !own.Fits(text, "id", "ab", "c") || !signet(seal.Secrets{Own: secret}).Fits(text, "id", "ab", "c") {
		t.Fatalf("%q does not fit what it is of", text)
	}
	for name, fits := range map[string]bool{
		"another id":      own.Fits(text, "di", "ab", "c"),
		"another text":    own.Fits(text, "id", "ab", "d"),
		"parts cut else":  own.Fits(text, "id", "a", "bc"),
		"a part of id":    own.Fits(text, "ida", "b", "c"),
		"one more part":   own.Fits(text, "id", "ab", "c", ""),
		"one part less":   own.Fits(text, "id", "abc"),
		"no seal":         own.Fits("", "id", "ab", "c"),
		"a longer seal":   own.Fits(text+"A", "id", "ab", "c"),
		"no base64":       own.Fits(strings.Repeat("=", 43), "id", "ab", "c"),
		"another secret":  signet(seal.Secrets{Own: another}).Fits(text, "id", "ab", "c"),
		"another purpose": seal.NewSignet("q", func() seal.Secrets { return seal.Secrets{Own: secret} }, nil).Fits(text, "id", "ab", "c"),
	} {
		if fits {
			t.Errorf("%s: the seal fits", name)
		}
	}
	for i := range text {
		raw, _ := base64.RawURLEncoding.DecodeString(text)
		raw[i%len(raw)] ^= 1
		if own.Fits(base64.RawURLEncoding.EncodeToString(raw), "id", "ab", "c") {
			t.Errorf("changed at %d, it fits", i)
		}
	}
}

// A secret is changed without a moment in which what waits does not fit.
func TestSecretsCanBeChanged(t *testing.T) {
	before := signet(seal.Secrets{Own: secret, Others: []string{another}})
	after := signet(seal.Secrets{Own: another, Others: []string{secret}})
	if !after.Fits(before.Seal("id", "a"), "id", "a") || !before.Fits(after.Seal("id", "a"), "id", "a") {
		t.Error("a seal of the other secret does not fit")
	}
	if after.Fits(before.Seal("id", "a"), "id", "b") {
		t.Error("of the other secret, everything fits")
	}
	if after.Fits("", "id", "a") {
		t.Error("what has no seal fits")
	}
}

func TestWithoutASecretNothingIsSealed(t *testing.T) {
	none := signet(seal.Secrets{})
	if got := none.Seal("id", "a"); got != "" {
		t.Errorf("a seal of nothing: %q", got)
	}
	if !none.Fits("", "id", "a") || !none.Fits(signet(seal.Secrets{Own: secret}).Seal("id", "b"), "id", "a") {
		t.Error("something is refused")
	}
}

func TestWhatIsRefusedIsTold(t *testing.T) {
	var told []string
	s := seal.NewSignet("p", func() seal.Secrets { return seal.Secrets{Own: secret} }, func(id string, unsealed bool) {
		if unsealed {
			id += " without"
		}
		told = append(told, id)
	})
	s.Fits(s.Seal("fits", "a"), "fits", "a")
	s.Fits("", "bare")
	s.Fits(s.Seal("wrong", "a"), "wrong", "b")
	if got := strings.Join(told, ", "); got != "bare without, wrong" {
		t.Errorf("told of %q", got)
	}
}
