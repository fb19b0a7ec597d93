package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/tools/strictjson"
)

var (
	strict  = strictjson.Rules{MaxDepth: 3}
	lenient = strictjson.Rules{MaxDepth: 3, AllowDuplicates: true, AllowHuge: true}
)

var errSyntax = errors.New("a fault of syntax")

// kind returns the documented error that err wraps.
func kind(t *testing.T, err error) error {
	t.Helper()
	for _, known := range []error{
		nil, strictjson.ErrUTF8, strictjson.ErrNUL, strictjson.ErrSurrogate, strictjson.ErrDepth, strictjson.ErrNumber, jsontext.ErrDuplicateName,
	} {
		if errors.Is(err, known) {
			return known
		}
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); !ok || syntax.Err == nil {
		t.Fatalf("undocumented error: %#v", err)
	}
	return errSyntax
}

func TestOpenHasOneErrorForEachFault(t *testing.T) {
	for text, want := range map[string]struct{ strict, lenient error }{
		`{"a":[{"b":"\ud83d\ude00 \\u0000 \\ud83d"}]}`: {},
		" \r\n\t7 \n":                  {},
		`1.7976931348623157e308`:       {},
		`1e-999`:                       {},
		`12345678901234567890123`:      {},
		`1e999`:                        {strict: strictjson.ErrNumber},
		`{"a":[-1e400]}`:               {strict: strictjson.ErrNumber},
		`{"a":1,"b":{"a":1},"a":1}`:    {strict: jsontext.ErrDuplicateName},
		`{"a":1,"\u0061":1}`:           {strict: jsontext.ErrDuplicateName},
		`[[[[]]]]`:                     {strictjson.ErrDepth, strictjson.ErrDepth},
		`[[[]],[[[{`:                   {strictjson.ErrDepth, strictjson.ErrDepth},
		strings.Repeat("[", 1<<20):     {strictjson.ErrDepth, strictjson.ErrDepth},
		"\"\xff\"":                     {strictjson.ErrUTF8, strictjson.ErrUTF8},
		"\xef\xbb":                     {strictjson.ErrUTF8, strictjson.ErrUTF8},
		`"\u0000"`:                     {strictjson.ErrNUL, strictjson.ErrNUL},
		`{"\\\u0000":1}`:               {strictjson.ErrNUL, strictjson.ErrNUL},
		`"\ud83d"`:                     {strictjson.ErrSurrogate, strictjson.ErrSurrogate},
		`"\ud83d\ud83d"`:               {strictjson.ErrSurrogate, strictjson.ErrSurrogate},
		`"\ud83d\n"`:                   {strictjson.ErrSurrogate, strictjson.ErrSurrogate},
		`[{"\ude00":1}]`:               {strictjson.ErrSurrogate, strictjson.ErrSurrogate},
		`["\ude00",}`:                  {strictjson.ErrSurrogate, strictjson.ErrSurrogate},
		`{"a":1,"a":"\ude00"}`:         {jsontext.ErrDuplicateName, strictjson.ErrSurrogate},
		``:                             {errSyntax, errSyntax},
		` `:                            {errSyntax, errSyntax},
		`{"a":`:                        {errSyntax, errSyntax},
		`{"a":1,}`:                     {errSyntax, errSyntax},
		`[1 2]`:                        {errSyntax, errSyntax},
		`{} x`:                         {errSyntax, errSyntax},
		`{}{}`:                         {errSyntax, errSyntax},
		`01`:                           {errSyntax, errSyntax},
		`NaN`:                          {errSyntax, errSyntax},
		`// text`:                      {errSyntax, errSyntax},
		"\"a\x00\"":                    {errSyntax, errSyntax},
		"\"a\nb\"":                     {errSyntax, errSyntax},
		"\ufeff{}":                     {errSyntax, errSyntax},
		`"\ud83d`:                      {strictjson.ErrSurrogate, strictjson.ErrSurrogate},
		`"\x"`:                         {errSyntax, errSyntax},
		`["` + strings.Repeat("x", 99): {errSyntax, errSyntax},
	} {
		for _, c := range []struct {
			rules strictjson.Rules
			want  error
		}{{strict, want.strict}, {lenient, want.lenient}} {
			d, err := strictjson.Open([]byte(text), c.rules)
			if got := kind(t, err); !errors.Is(got, c.want) {
				t.Errorf("%+v of %.40q: %v, want %v", c.rules, text, err, c.want)
			}
			if (d == nil) != (err != nil) {
				t.Errorf("%.40q: decoder %v with error %v", text, d, err)
			}
		}
	}
}

func TestARepeatedNameIsNamed(t *testing.T) {
	_, err := strictjson.Open([]byte(`{"a":[{"b":1},{"b":1,"c":2,"b":3}]}`), strict)
	if fault, ok := errors.AsType[*jsontext.SyntacticError](err); !ok || fault.JSONPointer != "/a/1/b" {
		t.Errorf("%v", err)
	}
}

func TestTheDecoderReadsTheValueAsWritten(t *testing.T) {
	d, err := strictjson.Open([]byte(" {\"a\": [1.50, 1e400]} \n"), lenient)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := d.ReadValue(); err != nil || string(v) != `{"a": [1.50, 1e400]}` {
		t.Errorf("%s, %v", v, err)
	}
}

// FuzzOpen compares Open with encoding/json, which does not have these rules: JSON that Open
// accepts is valid there and follows the rules, and JSON that it refuses breaks the rule of the
// error.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{
		`{"a":[{"b":"\ud83d\ude00 \\u0000 \\ud83d"}]}`, `[[[[]]]]`, "\"\xff\"", `"\\\u0000"`, `{"\ud83d":1}`, `{"a":1,"a":1}`, `-1e400`, `{} x`, `[1,]`, ``, `"\ufffd�"`,
	} {
		f.Add([]byte(seed), true, true)
		f.Add([]byte(seed), false, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, duplicates, huge bool) {
		rules := strictjson.Rules{MaxDepth: 3, AllowDuplicates: duplicates, AllowHuge: huge}
		d, err := strictjson.Open(data, rules)
		valid := utf8.Valid(data) && json.Valid(data)
		readable := json.Unmarshal(data, new(any)) == nil // by encoding/json, into doubles
		depth, nul, halves := measure(data)
		var fits bool
		switch kind(t, err) {
		case nil:
			fits = d.SkipValue() == nil && valid && (readable || huge) && depth <= rules.MaxDepth && !nul && !halves
		case strictjson.ErrUTF8: //nolint:errorlint // kind has unwrapped it
			fits = !utf8.Valid(data)
		case strictjson.ErrNUL:
			fits = nul || !valid
		case strictjson.ErrSurrogate:
			fits = bytes.Contains(bytes.ToLower(data), []byte(`\ud`))
		case strictjson.ErrDepth:
			fits = depth > rules.MaxDepth
		case strictjson.ErrNumber:
			fits = !huge && !readable
		case jsontext.ErrDuplicateName:
			fits = !duplicates
		case errSyntax:
			fits = !valid
		}
		if !fits {
			t.Fatalf("%v; valid %v, readable %v, depth %d, U+0000 %v, halves %v", err, valid, readable, depth, nul, halves)
		}
	})
}

// measure reads data with encoding/json as far as possible. encoding/json replaces half a
// surrogate pair by U+FFFD: halves reports whether there are more of these than in data.
func measure(data []byte) (depth int, nul, halves bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	replaced, open := 0, 0
	for {
		token, err := d.Token()
		if err != nil {
			return depth, nul, replaced > bytes.Count(data, []byte("\ufffd"))+bytes.Count(bytes.ToLower(data), []byte(`\ufffd`))
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '[' || token == '{' {
				open++
			} else {
				open--
			}
			depth = max(depth, open)
		case string:
			replaced += strings.Count(token, "\ufffd")
			nul = nul || strings.Contains(token, "\x00")
		}
	}
}
