package arguments_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/arguments"
)

func TestEqualArgumentsHoldTheSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[true,null,"x"]}`, `{"b":[true,null,"x"],"a":1}`, true},
		{`{"a":{"c":1,"d":2}}`, `{"a":{"d":2,"c":1}}`, true},
		{`{"a":"\u00e9\/\n"}`, `{"a":"é/\u000a"}`, true},
		{`{"\u0061":1}`, `{"a":1}`, true},
		{`{"a":1}`, `{"a":1.0}`, true},
		{`{"a":100}`, `{"a":1e2}`, true},
		{`{"a":0.00120}`, `{"a":12E-4}`, true},
		{`{"a":-0.0}`, `{"a":0e99999999999999999999}`, true},
		{`{"a":10e-99}`, `{"a":1e-098}`, true},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, false}, // the same double
		{`{"a":0.1}`, `{"a":0.1000000000000000055511151231257827}`, false},
		{`{"a":1}`, `{"a":-1}`, false},
		{`{"a":1}`, `{"a":"1"}`, false},
		{`{"a":1e-400}`, `{"a":0}`, false},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"a":[1,2]}`, `{"a":[1,2,null]}`, false},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`{"a":"x"}`, `{"A":"x"}`, false},
		{`{"a":"\"]},"}`, `{"a":"\"]},x"}`, false},
		{`{}`, `{}`, true},
		{`{}`, `{"a":{}}`, false},
	} {
		if got := arguments.Equal(c.a, c.b); got != c.same || arguments.Equal(c.b, c.a) != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
	deep := strings.Repeat(`{"b":1,"a":`, 64) + "{}" + strings.Repeat("}", 64)
	if key := arguments.Key(deep); !strings.HasPrefix(key, `{"a":{"a":`) || len(key) != len(deep)+2*64 {
		t.Errorf("%d bytes: %.40s", len(key), key)
	}
}

// FuzzKey: a key is JSON of the same value, equal arguments have the same key, and different
// values have different keys.
func FuzzKey(f *testing.F) {
	f.Add(`{"b":[1.50,"\u0041\ud83d\ude00",{"d":null,"c":-0}],"a":true}`, `{"a":true,"b":[1.5e0,"A😀",{"c":0,"d":null}]}`)
	f.Add(`{"a":9007199254740993}`, `{"a":9007199254740992}`)
	f.Add(`{"a":1e-9999999999999999999}`, `{"a":10e-9999999999999999999}`)
	f.Fuzz(func(t *testing.T, x, y string) {
		a, errA := arguments.Canonical(x)
		b, errB := arguments.Canonical(y)
		if errA != nil || errB != nil {
			return
		}
		for _, s := range []string{a, b} {
			if key := arguments.Key(s); !json.Valid([]byte(key)) || arguments.Key(key) != key {
				t.Fatalf("%s has the key %s", s, key)
			}
		}
		va, okA := exact(t, a)
		vb, okB := exact(t, b)
		if okA && okB && bytes.Equal(va, vb) != arguments.Equal(a, b) {
			t.Fatalf("%s and %s: %v", a, b, arguments.Equal(a, b))
		}
	})
}

// exact returns JSON with sorted members and numbers as fractions. It is not ok for exponents
// that would make those large.
func exact(t *testing.T, s string) (_ []byte, ok bool) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	ok = true
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case json.Number:
			if i := strings.IndexAny(v.String(), "eE"); i >= 0 && len(v) > i+5 {
				ok = false
				return nil
			}
			r, good := new(big.Rat).SetString(v.String())
			ok = ok && good
			if !good {
				return nil
			}
			return map[string]any{"number": r.RatString()}
		case map[string]any:
			for name := range v {
				v[name] = walk(v[name])
			}
			return []any{v}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		}
		return v
	}
	b, err := json.Marshal(walk(v))
	if err != nil {
		t.Fatal(err)
	}
	return b, ok
}
