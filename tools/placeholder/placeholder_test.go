package placeholder_test

import (
	"errors"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/placeholder"
)

var alice = tools.Caller{Tenant: "acme", Subject: "alice", App: "shop", Chat: "c1", Claims: map[string]string{"address.country": "DE", "n": "{caller.tenant}"}}

func TestFill(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"plain {term} {}", "plain {term} {}"},
		{"{caller.subject}@{caller.tenant}/{app.id}/{chat.id}", "alice@acme/shop/c1"},
		{"{caller.claims.address.country}", "DE"},
		{"{caller.claims.n}", "{caller.tenant}"}, // values are not filled again
	} {
		text, err := placeholder.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := text.Fill(alice, nil); got != c.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", c.text, got, err, c.want)
		}
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	text, err := placeholder.Parse("x {caller.claims.email}")
	if err != nil {
		t.Fatal(err)
	}
	_, err = text.Fill(alice, nil)
	if missing, ok := errors.AsType[*placeholder.MissingError](err); !ok || missing.Name != "caller.claims.email" {
		t.Errorf("got %v", err)
	}
}

func TestUnknownPlaceholders(t *testing.T) {
	for _, text := range []string{"{caller.name}", "{caller.}", "{chat.title}", "{app.}", "{caller.claims.}", "{caller.claims.a..b}", "{caller.claims..a}"} {
		if _, err := placeholder.Parse(text); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

func TestHeadersTakePrintableASCIIOnly(t *testing.T) {
	for _, value := range []string{"", " a", "a ", "a\r\nb", "ä", "a\tb", "a\x00"} {
		if _, err := placeholder.Header(value); !errors.Is(err, placeholder.ErrHeader) {
			t.Errorf("%q: %v", value, err)
		}
	}
	if got, err := placeholder.Header("a b"); got != "a b" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
