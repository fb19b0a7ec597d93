//go:build browser

package browsertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// verdict is the verdict of the gateway or of the card on an answer.
type verdict struct {
	Answer string   // as JSON, if there is no error
	Faults []string // question.field: code
}

func (v verdict) String() string { return v.Answer + strings.Join(v.Faults, ", ") }

// plain writes an answer so that 3 and "3" are the same: a number that a float cannot represent is
// sent as a text.
func plain(t *testing.T, answer any) string {
	t.Helper()
	raw, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	var texts func(v any) any
	texts = func(v any) any {
		switch v := v.(type) {
		case json.Number:
			if n, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), "eE") {
				return fmt.Sprint(n)
			}
			return v.String()
		case []any:
			for i := range v {
				v[i] = texts(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = texts(v[k])
			}
		}
		return v
	}
	if raw, err = json.Marshal(texts(v)); err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func gatewaySays(t *testing.T, parts []tools.Part, answer string) verdict {
	t.Helper()
	var a tools.Answer
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	checked, err := askuser.New(askuser.Limits{}, nil).Check(tools.Question{Kind: tools.KindQuestion, Parts: parts}, a)
	var refused *tools.AnswerError
	if errors.As(err, &refused) {
		var v verdict
		for _, f := range refused.Fields {
			v.Faults = append(v.Faults, fmt.Sprintf("%d.%s: %s %s", f.Question, f.Field, f.Code, f.Message))
		}
		slices.Sort(v.Faults)
		return v
	}
	return verdict{Answer: plain(t, checked)}
}

// The card applies the same rules as the gateway, for each answer to each question.
func TestCardAndGatewayJudgeAlike(t *testing.T) {
	t.Parallel()
	var questions [][]object
	one := func(inputType string, more object) {
		questions = append(questions, []object{question(inputType, "Q?", more)})
	}
	for _, v := range []object{
		nil, {"min": 2}, {"max": 3}, {"min": 2, "max": 2, "message": "two"},
		{"pattern": "[a-z]{2}", "flags": "u"}, {"pattern": "^a|bc$", "flags": "u"}, {"pattern": ".", "flags": "u"}, {"pattern": ".", "flags": ""},
		{"pattern": "\\p{L}+", "flags": "u", "message": "letters"}, {"pattern": "[\\s\\S]*", "flags": "u"}, {"pattern": "(", "flags": "u"},
	} {
		one("text", object{"validation": v})
		one("text", object{"validation": v, "allow_skip": true, "allow_other": true})
	}
	for _, v := range []object{nil, {"min": 1}, {"max": 10}, {"min": -1.5, "max": 1.5}, {"integer": true}, {"min": 1, "max": 10, "integer": true, "message": "1 to 10"}} {
		one("number", object{"validation": v})
	}
	for _, v := range []object{nil, {"min": "2000-02-29"}, {"max": "2026-12-31"}, {"min": "2026-01-01", "max": "2026-12-31", "message": "this year"}} {
		one("date", object{"validation": v})
	}
	for _, v := range []object{nil, {"min": "2026-12-31T23:00:00Z"}, {"max": "2026-12-31T12:00:00.000000001+01:00", "message": "before noon"}} {
		one("datetime", object{"validation": v})
	}
	for _, v := range []object{nil, {"max": 2}, {"max": 10}} {
		one("scale", object{"validation": v})
	}
	for _, more := range []object{nil, {"min": 1, "max": 10, "integer": true}} {
		one("number", object{"validation": more, "allow_other": true})
	}
	one("date", object{"validation": object{"max": "2026-12-31"}, "allow_other": true})
	one("datetime", object{"allow_other": true})
	one("scale", object{"allow_other": true})
	for _, other := range []bool{false, true} {
		one("rank", object{"options": options("A", "a", "B", "b", "C", "c"), "allow_other": other})
		one("confirm", object{"allow_other": other})
		one("select", object{"options": options("A", "a", "1", "1", "True", "true"), "allow_other": other})
		for _, v := range []object{nil, {"min": 2}, {"max": 1}, {"min": 2, "max": 3, "message": "two or three"}, {"min": 0}} {
			one("multiselect", object{"options": options("A", "a", "B", "b", "C", "c"), "allow_other": other, "validation": v})
		}
	}
	questions = append(questions,
		[]object{question("text", "Q?", nil), question("select", "Q?", object{"options": options("A", "a"), "allow_skip": true})},
		[]object{question("text", "Q?", object{"allow_skip": true}), question("confirm", "Q?", object{"allow_skip": true})})

	hang := func(on string, is ...string) object { return object{"when": object{"question": on, "is": is}} }
	named := func(id string, q object) object {
		q["id"] = id
		return q
	}
	questions = append(questions,
		[]object{named("q1", question("select", "Q?", object{"options": options("A", "a", "B", "b"), "allow_other": true})), named("q2", question("text", "Q?", hang("q1", "a")))},
		[]object{named("q1", question("multiselect", "Q?", object{"options": options("A", "a", "B", "b")})), named("q2", question("confirm", "Q?", with(hang("q1", "a", "x"), "allow_skip", true)))},
		[]object{named("q1", question("confirm", "Q?", object{"allow_skip": true})), named("q2", question("text", "Q?", hang("q1", "yes")))},
		[]object{named("q1", question("number", "Q?", nil)), named("q2", question("confirm", "Q?", hang("q1", "3", "1.5")))},
		[]object{named("q1", question("number", "Q?", object{"allow_other": true})), named("q2", question("confirm", "Q?", hang("q1", "3", "1.5", "a")))},
		[]object{named("q1", question("confirm", "Q?", object{"allow_other": true})), named("q2", question("text", "Q?", hang("q1", "yes", "a")))},
		[]object{named("q1", question("text", "Q?", object{"format": "email"})), named("q2", question("confirm", "Q?", hang("q1", "a@b.example")))},
		[]object{named("q1", question("confirm", "Q?", nil)), named("q2", question("confirm", "Q?", hang("q1", "yes"))), named("q3", question("date", "Q?", hang("q2", "no")))},
		[]object{named("q1", question("confirm", "Q?", hang("q2", "yes"))), named("q2", question("confirm", "Q?", hang("q9", "yes")))})
	for _, format := range []string{"email", "uri", "phone", "duration", "hasOwnProperty"} {
		one("text", object{"format": format})
		one("text", object{"format": format, "validation": object{"min": 4, "pattern": "[^x]*", "flags": "u", "message": "That."}})
	}

	answers := []string{`{}`, `{"value":null}`, `{"skipped":true}`, `{"declined":true}`, `{"skipped":true,"declined":true}`, `{"declined":true,"note":"n"}`,
		`{"skipped":true,"value":"a"}`, `{"other":"o"}`, `{"other":" \u200b"}`, `{"value":"a","other":"o"}`, `{"values":["a"],"other":"o"}`, `{"value":3,"other":"o"}`, `{"value":"2026-12-01","other":"12"}`, `{"value":true,"other":"o"}`, `{"other":"12","skipped":true}`,
		`{"values":[]}`, `{"values":["c","a","a"]}`, `{"values":["a","b","c"]}`, `{"values":["z"]}`, `{"values":["c","a","b"]}`, `{"values":["c","a","b","a"]}`, `{"values":["c","a","b"],"other":"o"}`, `{"values":["a"],"value":"a"}`,
		`{"value":"a","note":"\u0000"}`, `{"value":"a","answers":[{}]}`, `{"answers":[{"value":"ab"}]}`, `{"answers":[{"value":"a"}],"note":"n"}`,
		`{"answers":[{"value":"a","note":"m"}],"note":"n"}`, `{"answers":[{"value":"a"},{"value":"a"}]}`, `{"answers":[{"value":"a"},{"value":true}]}`,
		`{"answers":[{"skipped":true},{"declined":true,"note":"n"}],"note":"all"}`, `{"answers":[{},{"skipped":true}]}`, `{"answers":[{"value":"a"}],"value":"a"}`,
		`{"value":"` + strings.Repeat("é", 4000) + `"}`, `{"value":"` + strings.Repeat("é", 4001) + `"}`,
		`{"value":"a","note":"` + strings.Repeat("😀", 2000) + `"}`, `{"value":"a","note":"` + strings.Repeat("😀", 2001) + `"}`, `{"other":"` + strings.Repeat("x", 2001) + `"}`,
	}
	for _, value := range []string{`""`, `" "`, `"\u00ad\u2800\ufe0f"`, `"a"`, `"ab"`, `"abc"`, `"bc"`, `"a\n"`, `"\ud83d\ude00"`, `"\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00"`, `"é"`, `"x\u0000"`,
		`1`, `0`, `-0`, `-1.5`, `1.5`, `10`, `10.0`, `11`, `1e2`, `1e-7`, `true`, `false`, `"yes"`, `"no"`, `"Yes"`, `"true"`, `"1"`, `"+1"`, `" 7 "`, `"1."`, `".5"`, `"0x10"`, `"1e400"`, `"NaN"`, `"1,5"`, `"12345678901234567890"`, `"007.10"`, `"-0.0"`,
		`"2026-12-01"`, `"2026-02-29"`, `"2000-02-29"`, `"2026-1-1"`, `"12026-01-01"`, `"0000-01-01"`, `"0099-12-31"`, `"2026-12-31T00:00"`, `"2026-13-01"`, `"2026-04-31"`,
		`"2026-12-31T12:00:00+01:00"`, `"2026-12-31T11:00:00.000000001Z"`, `"2026-12-31T11:00:00.000000002Z"`, `"2026-12-31t11:00:00z"`, `"2026-12-31 11:00:00Z"`, `"2026-12-31T23:30:00+01:00"`, `"2026-12-31T23:59:60Z"`,
		`"2026-12-31T24:00:00Z"`, `"2026-12-31T12:00:00"`, `"2026-12-31T12:00Z"`, `"2026-12-31T12:00:00,5Z"`, `"2026-12-31T12:00:00.1234567890Z"`, `"2026-12-31T12:00:00-00:00"`, `"2026-12-31T12:00:00+24:00"`,
		`"2026-12-31T12:00:00+01"`, `"0000-01-01T00:00:00Z"`, `"0000-01-01T00:00:00+23:59"`, `"9999-12-31T23:59:59-23:59"`, `"2026-02-29T12:00:00Z"`, `"2026-12-31T2:00:00Z"`, `"2026-12-31T11:00:00ſ"`, `2`, `2.0`, `10.5`} {
		answers = append(answers, `{"value":`+value+`}`)
	}

	pieces := []string{`{}`, `null`, `{"skipped":true}`, `{"declined":true}`, `{"value":"a"}`, `{"value":"b"}`, `{"value":"z"}`, `{"values":["b","a"]}`, `{"values":["b"]}`, `{"other":"a"}`, `{"value":true}`, `{"value":"no"}`,
		`{"value":3}`, `{"value":"+1.50"}`, `{"value":"1.5"}`, `{"value":" a@b.example\n"}`, `{"value":"2026-12-01"}`, `{"note":"n"}`, `{"skipped":true,"note":"n"}`, `{"values":[],"other":" "}`}
	more := map[int][]string{} // by the number of questions
	for _, first := range pieces {
		for _, second := range pieces {
			more[2] = append(more[2], `{"answers":[`+first+`,`+second+`]}`)
			for _, third := range []string{`null`, `{"value":"2026-12-01"}`, `{"value":"x"}`} {
				more[3] = append(more[3], `{"answers":[`+first+`,`+second+`,`+third+`]}`)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	texts := []string{"a", "b.c", "@", "example.org", "ü", "https://", "mailto:", "[::1]", ":80", "/", "?", "#", "%20", "%2", " ", "\u00a0", "+49", "0", "(0)", "30", "-", "12345", "ext. ", "P", "T", "1", "1.5", "H", "h", "30m", " 30 min", "D", "w", "S",
		"\u202e", "\u2028", "\t", "\n", "x", "x7", "!", "'", "{", "\u0301", "\U0001F600", "\ufeff", "00"}
	for range 3000 {
		text := ""
		for range 1 + r.IntN(5) {
			text += texts[r.IntN(len(texts))]
		}
		raw, err := json.Marshal(object{"value": text})
		if err != nil {
			t.Fatal(err)
		}
		more[1] = append(more[1], string(raw))
	}

	p := open(t, cardSite(t), 800)
	p.until("globalThis.ready")
	p.js(`globalThis.check = (await import("/assets/askgate.js")).check`)
	judged := 0
	for _, q := range questions {
		raw, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		var parts []tools.Part
		if err := json.Unmarshal(raw, &parts); err != nil {
			t.Fatal(err)
		}
		type said struct {
			Answer any
			Errors []struct {
				Question             int
				Field, Code, Message string
			}
		}
		fit := slices.Concat(answers, more[len(q)])
		cardSays := eval[[]said](p, "%s.map((answer) => check(%s, JSON.parse(answer)))", fit, q)
		for i, answer := range fit {
			want := gatewaySays(t, parts, answer)
			var got verdict
			for _, e := range cardSays[i].Errors {
				got.Faults = append(got.Faults, fmt.Sprintf("%d.%s: %s %s", e.Question, e.Field, e.Code, e.Message))
			}
			slices.Sort(got.Faults)
			if len(got.Faults) == 0 {
				got.Answer = plain(t, cardSays[i].Answer)
			}
			if got.String() != want.String() {
				t.Errorf("%s\n%.200s\ngateway: %.300s\ncard:    %.300s", raw, answer, want, got)
			}
			judged++
		}
	}
	t.Logf("%d answers to %d questions", judged, len(questions))
}
