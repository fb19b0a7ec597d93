package arguments_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

func TestArgumentsHaveOneForm(t *testing.T) {
	for given, want := range map[string]string{
		``:    `{}`,
		" \n": `{}`,
		" { \"a\" : [ 1.50 , 9007199254740993 ] } ":                 `{"a":[1.50,9007199254740993]}`,
		`{"a":"\u202e\u0000","b":12345678901234567890123}`:          `{"a":"\u202e\u0000","b":12345678901234567890123}`,
		strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64): strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64),
	} {
		if got, err := arguments.Canonical(given); err != nil || got != want {
			t.Errorf("%.60q: %.60q, %v", given, got, err)
		}
	}
	for given, want := range map[string]string{
		`{"a":1,"b":2,"a":3}`:      `the name "a" more than once`,
		`{"a":{"b":1,"\u0062":2}}`: `the name "b" more than once, at /a/b`,
		`{"n":1e999}`:              "beyond the range of a double",
		`{"a":"\ud83d"}`:           "half of a surrogate pair",
		"{\"a\":\"\xff\"}":         "UTF-8",
		`[{}]`:                     "one JSON object",
		tools.UnclearArguments:     "one call at a time",
		`{"a":1} {}`:               "not valid JSON",
		`{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + "}": "more than 64 levels",
		strings.Repeat("[", 10_000):                                       "more than 64 levels",
	} {
		if got, err := arguments.Canonical(given); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %.60q, %v", given, got, err)
		}
	}
}

func TestWhatCouldPassForAnotherCharacterIsShown(t *testing.T) {
	canonical, err := arguments.Canonical(`{"iban":"DE02\u202e1234","file":"report` + "\u202e" + `fdp.exe","amount":9007199254740993,"x":12345678901234567890123,` +
		`"s":"a b` + "\u200b" + `c\u00a0d\u3000e\u00adf\n\"\/\\","k":[],"o":{},"l":[true,null],"é":"\u0041\ud83d\ude00\udb40\udc41` + "\u2800" + `\u0000"}`)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "iban": "DE02\u202e1234",
  "file": "report\u202efdp.exe",
  "amount": 9007199254740993,
  "x": 12345678901234567890123,
  "s": "a b\u200bc\u00a0d\u3000e\u00adf\n\"/\\",
  "k": [],
  "o": {},
  "l": [
    true,
    null
  ],
  "é": "A😀\udb40\udc41\u2800\u0000"
}`
	if got := arguments.Text(canonical); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFieldsStandUnderTheTitlesOfTheSchema(t *testing.T) {
	titles := arguments.Titles([]byte(`{"properties":{"to":{"title":"To\u202e whom"},"n":{"title":""},"x":{"title":3}}}`))
	got := arguments.Fields(`{"n":1e2,"to":"a\u200bb","\u202e":{"z":1}}`, titles, []string{"\u202e"})
	want := []arguments.Field{
		{Name: "n", Title: "n", Text: "1e2"},
		{Name: "to", Title: `To\u202e whom`, Text: `"a\u200bb"`},
		{Name: `\u202e`, Title: `\u202e`, Text: "{\n  \"z\": 1\n}", Unknown: true},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
	if got := arguments.Fields(`{"n":1}`, nil, nil); len(got) != 1 || got[0] != (arguments.Field{Name: "n", Title: "n", Text: "1"}) {
		t.Errorf("without titles: %+v", got)
	}
}

func TestOnlyWhatMayReadAsSomethingElseIsWrittenOut(t *testing.T) {
	for given, written := range map[string]bool{
		`{"a":[1,-2.5,123456789012345,0.1],"b":"é😀 x","c":null,"d":true}`: false,
		`{"a":9007199254740993}`:    true,
		`{"a":1e2}`:                 true,
		`{"a":-0}`:                  true,
		`{"a":0.12345678901234567}`: true,
		`{"a":"\u202e"}`:            true,
		"{\"a\u200b\":1}":           true,
		`{"a":"\ud83d"}`:            true,
	} {
		if text := arguments.Deceptive(given); (text != "") != written || written && text != arguments.Text(given) {
			t.Errorf("%s: %q", given, text)
		}
	}
}

func TestHalfACharacterIsShownAsItIs(t *testing.T) {
	const stored = `{"a":"\ud83d","b":"\ude00\ud83dx"}`
	if got := arguments.Text(stored); !strings.Contains(got, `"\ud83d"`) || !strings.Contains(got, `"\ude00\ud83dx"`) {
		t.Error(got)
	}
}

// FuzzText: the text of arguments is the same value, and has no invisible characters.
func FuzzText(f *testing.F) {
	f.Add(`{"a":["\u202e\ud83d\ude00",1e2,{"b":null}],"c":"x\\\"\/"}`)
	f.Add("{\"\u200d\":\"\u00a0\t\"}")
	f.Add(strings.Repeat(`{"a":[`, 32) + "1,2" + strings.Repeat("]}", 32))
	f.Fuzz(func(t *testing.T, given string) {
		canonical, err := arguments.Canonical(given)
		if err != nil {
			return
		}
		text := arguments.Text(canonical)
		if len(text) > 8*len(canonical) {
			t.Fatalf("%d bytes for %d", len(text), len(canonical))
		}
		if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
			t.Fatalf("%q has %q", text, text[i:])
		}
		if a, b := value(t, canonical), value(t, text); !bytes.Equal(a, b) {
			t.Fatalf("%s reads as %s", a, b)
		}
	})
}

// value returns JSON with escapes and white space in one form.
func value(t *testing.T, s string) []byte {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
