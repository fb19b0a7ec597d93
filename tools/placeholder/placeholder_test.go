package placeholder_test

import (
	"errors"
	"strings"
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
	text, err := placeholder.Parse("user {caller.subject}")
	if err != nil {
		t.Fatal(err)
	}
	fill := func(subject string) (string, error) { return text.Header("X-User", tools.Caller{Subject: subject}) }
	for _, value := range []string{"", " a", "a ", "a\r\nb", "ä", "a\tb", "a\x00", strings.Repeat("a", 4092)} {
		if got, err := fill(value); err == nil || strings.ContainsAny(err.Error(), "ä\r\n\t\x00") || strings.Contains(err.Error(), "aaa") {
			t.Errorf("%q: %q, %v", value, got, err)
		}
	}
	for _, value := range []string{"a b", strings.Repeat("a", 4091)} {
		if got, err := fill(value); got != "user "+value || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
}
