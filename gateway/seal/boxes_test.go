package seal_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/seal"
)

// What was sealed before a secret is changed opens as long as that is one of the others.
func TestBoxesOpenWhatOtherSecretsSealed(t *testing.T) {
	now := seal.Secrets{Own: secret}
	boxes := seal.NewBoxes("p", func() seal.Secrets { return now })
	text, err := boxes.Seal([]byte("claims"))
	if err != nil {
		t.Fatal(err)
	}
	opens := func(b *seal.Boxes) bool {
		data, ok := b.Open(text)
		return ok && string(data) == "claims"
	}
	if !opens(boxes) {
		t.Error("what was sealed does not open")
	}
	if now = (seal.Secrets{Own: another, Others: []string{secret}}); !opens(boxes) {
		t.Error("it does not open with one of the other secrets")
	}
	if now = (seal.Secrets{Own: another}); opens(boxes) {
		t.Error("it opens without its secret")
	}
	if opens(seal.NewBoxes("q", func() seal.Secrets { return seal.Secrets{Own: secret} })) {
		t.Error("it opens for another purpose")
	}
}

func TestWithoutASecretOnlyTheSameBoxesOpen(t *testing.T) {
	boxes := seal.NewBoxes("p", func() seal.Secrets { return seal.Secrets{} })
	text, err := boxes.Seal([]byte("claims"))
	if err != nil {
		t.Fatal(err)
	}
	if data, ok := boxes.Open(text); !ok || string(data) != "claims" {
		t.Errorf("%q, %t", data, ok)
	}
	if _, ok := seal.NewBoxes("p", func() seal.Secrets { return seal.Secrets{} }).Open(text); ok {
		t.Error("another process opens it")
	}
}
