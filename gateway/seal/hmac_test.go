package seal_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/seal"
)

const another = "another-secret-of-at-least-32-bytes"

func signs(s seal.Secrets) *seal.HMAC {
	return seal.NewHMAC("p", func() seal.Secrets { return s }, nil)
}

func TestASignatureVerifiesNothingElse(t *testing.T) {
	own := signs(seal.Secrets{Own: secret})
	text := own.Sign("id", "ab", "c")
	if len(text) != 43 || !own.Verify(text, "id", "ab", "c") || !signs(seal.Secrets{Own: secret}).Verify(text, "id", "ab", "c") {
		t.Fatalf("%q does not match its own data", text)
	}
	for name, fits := range map[string]bool{
		"another id":      own.Verify(text, "di", "ab", "c"),
		"another text":    own.Verify(text, "id", "ab", "d"),
		"parts cut else":  own.Verify(text, "id", "a", "bc"),
		"a part of id":    own.Verify(text, "ida", "b", "c"),
		"one more part":   own.Verify(text, "id", "ab", "c", ""),
		"one part less":   own.Verify(text, "id", "abc"),
		"no seal":         own.Verify("", "id", "ab", "c"),
		"a longer seal":   own.Verify(text+"A", "id", "ab", "c"),
		"no base64":       own.Verify(strings.Repeat("=", 43), "id", "ab", "c"),
		"another secret":  signs(seal.Secrets{Own: another}).Verify(text, "id", "ab", "c"),
		"another purpose": seal.NewHMAC("q", func() seal.Secrets { return seal.Secrets{Own: secret} }, nil).Verify(text, "id", "ab", "c"),
	} {
		if fits {
			t.Errorf("%s: the seal matches", name)
		}
	}
	for i := range text {
		raw, _ := base64.RawURLEncoding.DecodeString(text)
		raw[i%len(raw)] ^= 1
		if own.Verify(base64.RawURLEncoding.EncodeToString(raw), "id", "ab", "c") {
			t.Errorf("changed at %d, it matches", i)
		}
	}
}

// The secret can be changed without a moment in which waiting questions are invalid.
func TestSecretsCanBeChanged(t *testing.T) {
	before := signs(seal.Secrets{Own: secret, Others: []string{another}})
	after := signs(seal.Secrets{Own: another, Others: []string{secret}})
	if !after.Verify(before.Sign("id", "a"), "id", "a") || !before.Verify(after.Sign("id", "a"), "id", "a") {
		t.Error("a seal of the other secret does not match")
	}
	if after.Verify(before.Sign("id", "a"), "id", "b") {
		t.Error("with the other secret, everything matches")
	}
	if after.Verify("", "id", "a") {
		t.Error("data without a seal matches")
	}
}

func TestWithoutASecretNothingIsSigned(t *testing.T) {
	var missing *seal.HMAC
	if missing.Sign("id") != "" || !missing.Verify("", "id") {
		t.Error("nil differs from one without a secret")
	}
	none := signs(seal.Secrets{})
	if got := none.Sign("id", "a"); got != "" {
		t.Errorf("a seal of nothing: %q", got)
	}
	if !none.Verify("", "id", "a") || !none.Verify(signs(seal.Secrets{Own: secret}).Sign("id", "b"), "id", "a") {
		t.Error("something is refused")
	}
}

func TestWhatIsRefusedIsTold(t *testing.T) {
	var told []string
	s := seal.NewHMAC("p", func() seal.Secrets { return seal.Secrets{Own: secret} }, func(id string, unsealed bool) {
		if unsealed {
			id += " without"
		}
		told = append(told, id)
	})
	s.Verify(s.Sign("fits", "a"), "fits", "a")
	s.Verify("", "bare")
	s.Verify(s.Sign("wrong", "a"), "wrong", "b")
	if got := strings.Join(told, ", "); got != "bare without, wrong" {
		t.Errorf("told of %q", got)
	}
}
