package grounding_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/askgate/askgate/tools/grounding"
)

// Each of these takes forever if anything is not linear.
func TestNoTextIsTooMuch(t *testing.T) {
	const much = 1 << 18
	var values []string
	for i := range 200 {
		values = append(values, fmt.Sprintf(`"v%d":"%s%d"`, i, strings.Repeat("a", 200), i))
	}
	many := "{" + strings.Join(values, ",") + "}"
	var names []string
	for i := range 200 {
		names = append(names, fmt.Sprintf(`"v%d"`, i))
	}
	schema := json.RawMessage(`{"required":[` + strings.Join(names, ",") + `]}`)
	for _, unit := range []string{"1", "a", "aa ", "1 ", "1.", "12:30 ", "1.2.", "2026-01-01 ", "the 3rd ", "monday de de ", "in ", "one and ", "one hundred ", "tausendundein", "\u0301", "\ufdfa", "中", "a1", "@.", "\\u", "1/2/3 "} {
		text := strings.Repeat(unit, much/len(unit))
		said := grounding.Read([]grounding.Text{{Content: text, At: at("2026-03-10")}})
		if got := said.Find(many, schema, at("2026-03-10")); len(got) > 200 {
			t.Errorf("%q: %d found", unit, len(got))
		}
		said.Find(`{"v1":"`+strings.ReplaceAll(text[:len(text)/8], `\`, "")+`"}`, json.RawMessage(`{"required":["v1"]}`), at("2026-03-10"))
	}
}

func TestTheFirstTextAndTheLastCount(t *testing.T) {
	old := grounding.Text{Content: "to Hamburg " + strings.Repeat("x", 1<<20)}
	said := grounding.Read([]grounding.Text{{Content: "The prompt is of Oslo."}, {Content: "We were in Graz."}, old, {Content: "or Lyon"}})
	got := said.Find(`{"a":"Hamburg","b":"Lyon","c":"Oslo","d":"Graz"}`, json.RawMessage(`{"required":["a","b","c","d"]}`), at("2026-03-10"))
	if !slices.Equal(got, []string{"/a", "/d"}) {
		t.Errorf("found %q", got)
	}
}

func TestDepthIsBounded(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 5000) + `"unsaid"` + strings.Repeat("}", 5000)
	rules := strings.Repeat(`{"required":["a"],"properties":{"a":`, 5000) + `{}` + strings.Repeat("}}", 5000)
	circle := `{"$ref":"#/$defs/x","$defs":{"x":{"required":["a"],"properties":{"a":{"$ref":"#/$defs/x"}},"allOf":[{"$ref":"#/$defs/x"}]}}}`
	for _, schema := range []string{rules, circle, `{"$ref":"#"}`, `{"$ref":"#/a/b"}`, `{"$ref":"https://example.com/x"}`} {
		if got := grounding.Read(nil).Find(deep, json.RawMessage(schema), at("2026-03-10")); got != nil {
			t.Errorf("%.40s: found %.80q", schema, got)
		}
	}
}

func TestWhatCannotBeReadHasNoSuchValues(t *testing.T) {
	said := grounding.Read(nil)
	for _, c := range [][2]string{{"", `{"required":["a"]}`}, {"[1]", `{"required":["a"]}`}, {`{"a":`, `{"required":["a"]}`}, {`{"a":"x"}`, ""}, {`{"a":"x"}`, "true"}, {`{"a":"x"}`, `{"required":"a"}`}, {`{"a":"x"}`, `{"required":[1,null]}`}} {
		if got := said.Find(c[0], json.RawMessage(c[1]), at("2026-03-10")); got != nil {
			t.Errorf("%s with %s: found %q", c[0], c[1], got)
		}
	}
}

func TestFindIsSafeForConcurrentUse(t *testing.T) {
	texts, arguments, schema := said40()
	said := grounding.Read(texts)
	want := said.Find(arguments, schema, at("2026-03-10"))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := said.Find(arguments, schema, at("2026-03-10")); !slices.Equal(got, want) {
				t.Errorf("found %q, not %q", got, want)
			}
		})
	}
	all.Wait()
}

func FuzzFind(f *testing.F) {
	f.Add("half past three on the 3rd of April, 1.234,56 € for two", `{"a":"15:30","b":1234.56,"c":"2026-04-03","d":[2]}`, `{"required":["a","b","c","d"]}`)
	f.Add("morgen um halb vier, zweitausendundeins, 0170/1234567", `{"a":"+491701234567","b":2001}`, `{"required":["a","b"],"properties":{"a":{"oneOf":[{"const":"x","title":"X"}]}}}`)
	f.Add("il y a deux semaines, à midi moins le", `{"a":{"b":"PT1H30M"}}`, `{"required":["a"],"properties":{"a":{"$ref":"#/$defs/q"}},"$defs":{"q":{"required":["b"]}}}`)
	f.Add("el viernes que viene a las tres menos", `{"a":"20260403","n":1e400}`, `{"required":["a","n"]}`)
	f.Fuzz(func(t *testing.T, text, arguments, schema string) {
		said := grounding.Read([]grounding.Text{{Content: text, At: at("2026-03-10")}, {Content: `{"x":"` + text + `"}`}})
		found := said.Find(arguments, json.RawMessage(schema), at("2026-03-10"))
		if !slices.IsSorted(found) {
			t.Errorf("not sorted: %q", found)
		}
		for _, pointer := range found {
			if !strings.HasPrefix(pointer, "/") {
				t.Errorf("%q is not a pointer to a value", pointer)
			}
		}
		// A value that was said unchanged is never found.
		whole, err := json.Marshal(map[string]string{"said": text})
		if err == nil && len(text) < 1000 {
			if found := said.Find(string(whole), json.RawMessage(`{"required":["said"]}`), at("2026-03-10")); found != nil {
				t.Errorf("%q was said, and is found", text)
			}
		}
	})
}
