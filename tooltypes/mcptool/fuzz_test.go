package mcptool_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// Whatever schema a server asks for: it is a question that ask_user would ask, or it is refused;
// and every answer is refused, or becomes one that the server can receive.
func FuzzElicitation(f *testing.F) {
	for _, s := range [][2]string{
		{`{"type":"object","properties":{"a":{"type":"string","format":"email"}},"required":["a"]}`, `{"value":"x@example.org"}`},
		{`{"properties":{"a":{"type":"integer","minimum":1},"b":{"type":"boolean"}}}`, `{"answers":[{"value":3},{"skipped":true}]}`},
		{`{"properties":{"a":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]},"maxItems":1}}}`, `{"values":["x"]}`},
		{`{"properties":{"a":{"type":"string","enum":["x","X"],"enumNames":["n"]}}}`, `{"value":"X"}`},
		{`{"properties":{"a":{"type":"string","pattern":"^(a|a)*$","maxLength":9}}}`, `{"value":"aaa"}`},
		{`{"properties":{"":{"type":"number","default":1e400}}}`, `{"declined":true}`},
		{`{"properties":{}}`, `{"value":true}`},
		{`{"properties":{"a":{"type":"string","minLength":-1,"maxLength":-2}}}`, `{"value":""}`},
		{`[]`, `{}`}, {`null`, `{"value":"yes","note":"n"}`},
	} {
		f.Add("Message", s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, message, schema, answer string) {
		if !json.Valid([]byte(schema)) {
			return // the SDK refuses it before
		}
		q, err := mcptool.Question(asking(), message, []byte(schema))
		if err != nil {
			return
		}
		if len(q.Parts) == 0 || len(q.Parts) > mcptool.MaxFields || len(q.State) > 64<<10 || q.AskedBy == nil {
			t.Fatalf("%+v", q)
		}
		ids := map[string]bool{}
		for _, p := range q.Parts {
			if !tools.IsPartID(p.ID) || ids[p.ID] {
				t.Fatalf("id %q, together with %v", p.ID, ids)
			}
			ids[p.ID] = true
			if p.Question == "" || !utf8.ValidString(p.Question) || utf8.RuneCountInString(p.Question) > 500 || len(p.Options) > mcptool.MaxOptions {
				t.Fatalf("%+v", p)
			}
		}
		var a tools.Answer
		if json.Unmarshal([]byte(answer), &a) != nil {
			return
		}
		told, err := mcptool.Told(asking(), *q, a)
		if err == nil && !json.Valid(told) {
			t.Fatalf("told %s", told)
		}
	})
}
