package upstream_test

import (
	"encoding/json"
	"testing"

	"github.com/askgate/askgate/gateway/model/upstream"
)

func TestWhatAnAdminWroteIsMergedIntoTheRequest(t *testing.T) {
	for name, c := range map[string]struct{ ours, body, want string }{
		"nothing":           {"{\"a\":1}\n", `{}`, "{\"a\":1}\n"},
		"replaces in place": {`{"a":1,"b":2}`, `{"a":[3]}`, `{"a":[3],"b":2}`},
		"null takes out":    {`{"a":1,"b":2}`, `{"a":null,"c":null}`, `{"b":2}`},
		"all goes":          {`{"a":1}`, `{"a":null}`, `{}`},
		"new ones, sorted":  {`{"z":1}`, `{"b":1,"a":2}`, `{"z":1,"a":2,"b":1}`},
		"deep":              {`{"r":{"effort":"low","x":{"y":1}},"t":1}`, `{"r":{"x":{"z":2},"effort":null}}`, `{"r":{"x":{"y":1,"z":2}},"t":1}`},
		"object over text":  {`{"r":"x"}`, `{"r":{"a":null,"b":1}}`, `{"r":{"b":1}}`},
		"text over object":  {`{"r":{"a":1}}`, `{"r":"x"}`, `{"r":"x"}`},
		"lists replace":     {`{"l":[1,{"a":1}]}`, `{"l":[{"a":null}]}`, `{"l":[{"a":null}]}`},
		"no duplicates":     {`{"a":1,"a":2}`, `{"b":{"c":1,"c":2}}`, `{"a":2,"b":{"c":2}}`},
		"bytes of values":   {`{"a":"<\u00e9>  ","n":1.50}`, `{"b":"&"}`, `{"a":"<\u00e9>  ","n":1.50,"b":"&"}`},
		"numbers":           {`{"a":1}`, `{"a":123456789012345678901234567890}`, `{"a":123456789012345678901234567890}`},
	} {
		var body map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.body), &body); err != nil {
			t.Fatal(err)
		}
		for range 3 { // a map has no order
			got, err := upstream.Merge([]byte(c.ours), body)
			if err != nil || string(got) != c.want {
				t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
			}
		}
	}
	for _, ours := range []string{"", "[]", `{"a":`, `{"a":1`} {
		if got, err := upstream.Merge([]byte(ours), map[string]json.RawMessage{"b": json.RawMessage("1")}); err == nil {
			t.Errorf("%q: %s", ours, got)
		}
	}
}
