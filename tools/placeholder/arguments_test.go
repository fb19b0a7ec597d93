package placeholder_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/placeholder"
)

func TestArgumentsAreFilledOnce(t *testing.T) {
	values := map[string]any{"q": "{caller.tenant}", "n": json.Number("1.50"), "open": "{caller.", "end": "tenant}", "caller.subject": "mallory"}
	for _, c := range []struct{ object, alone, filled string }{
		{`{"a":"{q}"}`, `{"a":"{caller.tenant}"}`, `{"a":"{caller.tenant}"}`}, // a value stays as it is
		{`{"a":"{open}{end}"}`, `{"a":"{caller.tenant}"}`, `{"a":"{caller.tenant}"}`},
		{`{"a":"{n}","b":"{n}{n}"}`, `{"a":1.50,"b":"1.501.50"}`, `{"a":1.50,"b":"1.501.50"}`},
		{`{"a":["{caller.subject}/{q}"]}`, `{"a":["{caller.subject}/{caller.tenant}"]}`, `{"a":["alice/{caller.tenant}"]}`},
		{`{"{caller.tenant}":"{none}"}`, `{"{caller.tenant}":"{none}"}`, `{"{caller.tenant}":"{none}"}`}, // no names
		{`{"a":"{caller.claims.n}"}`, `{"a":"{caller.claims.n}"}`, `{"a":"{caller.tenant}"}`},
		{`{"a":"{caller.claims.https://x.example/y}"}`, `{"a":"{caller.claims.https://x.example/y}"}`, `{"a":"<&>"}`},
	} {
		who := alice
		who.Claims = map[string]string{"n": "{caller.tenant}", "https://x.example/y": "<&>"}
		if got, err := placeholder.Arguments([]byte(c.object), values, nil); got != c.alone || err != nil {
			t.Errorf("%s: %s, %v; want %s", c.object, got, err, c.alone)
		}
		if got, err := placeholder.Arguments([]byte(c.object), values, &who); got != c.filled || err != nil {
			t.Errorf("%s: %s, %v; want %s", c.object, got, err, c.filled)
		}
	}
}

func TestArgumentsOfACallerWithoutTheClaim(t *testing.T) {
	_, err := placeholder.Arguments([]byte(`{"a":["{caller.claims.email}"]}`), nil, &alice)
	if missing, ok := errors.AsType[*placeholder.MissingError](err); !ok || missing.Name != "caller.claims.email" {
		t.Errorf("got %v", err)
	}
}

// Many servers take an empty filter for none.
func TestEmptyValuesAreMissing(t *testing.T) {
	for _, name := range []string{"caller.subject", "caller.tenant", "chat.id", "app.id", "caller.claims.email"} {
		if value, err := placeholder.Value(name, tools.Caller{Claims: map[string]string{"email": ""}}); err == nil {
			t.Errorf("%s is %q", name, value)
		}
	}
}

func TestPlaceholdersOfJSONAreThoseOfItsTexts(t *testing.T) {
	got, err := placeholder.OfJSON([]byte(`{"{caller.tenant}": ["{chat.id}", {"a": "{caller.subject}{chat.id}", "b": {"{app.id}": 1}}, "{term}"]}`))
	if want := []string{"caller.subject", "chat.id"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if got, err := placeholder.OfJSON(nil); len(got) > 0 || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := placeholder.OfJSON([]byte(`{"a": "{caller.name}"}`)); err == nil || !strings.Contains(err.Error(), "{caller.name}") {
		t.Error(err)
	}
}

// Whatever a value is, it becomes data of one text, and is not filled again.
func FuzzArguments(f *testing.F) {
	f.Add("{caller.tenant}", "alice")
	f.Add(`","tenant":"other`, "{q}")
	f.Add("\xff\u2028", "{caller.claims.c}")
	f.Fuzz(func(t *testing.T, q, claim string) {
		if claim == "" {
			return
		}
		filled, err := placeholder.Arguments([]byte(`{"a":"-{q}-{caller.claims.c}-","b":{"c":["{caller.claims.c}"]}}`), map[string]any{"q": q}, &tools.Caller{Claims: map[string]string{"c": claim}})
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			A string
			B struct{ C []string }
		}
		d := json.NewDecoder(strings.NewReader(filled))
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil {
			t.Fatalf("%s: %v", filled, err)
		}
		q, claim = valid(q), valid(claim)
		if got.A != "-"+q+"-"+claim+"-" || !slices.Equal(got.B.C, []string{claim}) {
			t.Errorf("%s", filled)
		}
	})
}

// valid returns a text as JSON carries it.
func valid(text string) string {
	raw, _ := json.Marshal(text)
	_ = json.Unmarshal(raw, &text)
	return text
}
