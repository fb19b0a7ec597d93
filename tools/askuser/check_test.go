package askuser_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// questions are asked through Run, so that Check sees them as stored: marshaled and
// unmarshaled.
func ask(t testing.TB, arguments string) tools.Question {
	t.Helper()
	outcome, err := newTool().Run(t.Context(), tools.Call{Arguments: arguments, Language: "de"})
	if err != nil {
		t.Fatalf("Run(%s): %v", arguments, err)
	}
	data, err := json.Marshal(outcome.Question)
	if err != nil {
		t.Fatal(err)
	}
	var q tools.Question
	if err := json.Unmarshal(data, &q); err != nil {
		t.Fatal(err)
	}
	return q
}

func answer(t testing.TB, wire string) tools.Answer {
	t.Helper()
	var a tools.Answer
	if err := json.Unmarshal([]byte(wire), &a); err != nil {
		t.Fatalf("%v in %s", err, wire)
	}
	return a
}

const (
	text        = `{"question":"Q","input_type":"text"}`
	skippable   = `{"question":"Q","input_type":"text","allow_skip":true}`
	code        = `{"question":"Q","input_type":"text","validation":{"pattern":"[A-Z]{2}\\d+","min":3,"max":5,"message":"Like AB1"}}`
	selected    = `{"question":"Q","input_type":"select","options":[{"label":"French","value":"fr"},{"label":"German","value":"de"},{"label":"2","value":"two"}]}`
	openSelect  = `{"question":"Q","input_type":"select","allow_other":true,"options":[{"label":"French","value":"fr"},{"label":"German","value":"de"}]}`
	several     = `{"question":"Q","input_type":"multiselect","options":[{"label":"A","value":"a"},{"label":"B","value":"b"},{"label":"C, D","value":"c"}],"validation":{"min":1,"max":2}}`
	openSeveral = `{"question":"Q","input_type":"multiselect","allow_other":true,"options":[{"label":"A","value":"a"},{"label":"B","value":"b"}],"validation":{"min":2}}`
	confirmed   = `{"question":"Q","input_type":"confirm"}`
	numbered    = `{"question":"Q","input_type":"number","validation":{"min":-1.5,"max":100}}`
	whole       = `{"question":"Q","input_type":"integer","validation":{"message":"Whole, please"}}`
	dated       = `{"question":"Q","input_type":"date","validation":{"min":"2026-01-01","max":"2026-12-31"}}`
	form        = `{"questions":[{"question":"Which project?","input_type":"text"},{"question":"Who?","input_type":"text","allow_skip":true},{"question":"When?","input_type":"date"}]}`
	skipForm    = `{"questions":[{"question":"A?","input_type":"text","allow_skip":true},{"question":"B?","input_type":"confirm","allow_skip":true}]}`
)

// A valid answer is accepted and normalized. Checking the result returns the same.
func TestCheckAccepts(t *testing.T) {
	for _, c := range []struct{ name, question, answer, want string }{
		{"text byte for byte", text, `{"value":" {{x}} <b>é</b>\r\n\t${y} "}`, `{"value":" {{x}} <b>é</b>\r\n\t${y} "}`},
		{"text at the limit", text, `{"value":"` + long(4000) + `"}`, `{"value":"` + long(4000) + `"}`},
		{"pattern and lengths", code, `{"value":"AB123"}`, `{"value":"AB123"}`},
		{"note", text, `{"value":"x","note":" formal\n"}`, `{"value":"x","note":" formal\n"}`},
		{"note at the limit", text, `{"value":"x","note":"` + long(2000) + `"}`, `{"value":"x","note":"` + long(2000) + `"}`},
		{"blank note", text, `{"value":"x","note":"  "}`, `{"value":"x"}`},
		{"skipped", skippable, `{"skipped":true}`, `{"skipped":true}`},
		{"declined", text, `{"declined":true,"note":"private"}`, `{"declined":true,"note":"private"}`},
		{"select", selected, `{"value":"fr"}`, `{"value":"fr"}`},
		{"other", openSelect, `{"other":"Latin"}`, `{"other":"Latin"}`},
		{"value and other", openSelect, `{"value":"fr","other":"or Latin"}`, `{"value":"fr","other":"or Latin"}`},
		{"blank other", selected, `{"value":"fr","other":" "}`, `{"value":"fr"}`},
		{"several in order, once", several, `{"values":["b","a","b"]}`, `{"values":["a","b"]}`},
		{"other counts", openSeveral, `{"values":["b"],"other":"c"}`, `{"values":["b"],"other":"c"}`},
		{"true", confirmed, `{"value":true}`, `{"value":"yes"}`},
		{"false", confirmed, `{"value":false}`, `{"value":"no"}`},
		{"yes", confirmed, `{"value":"yes"}`, `{"value":"yes"}`},
		{"no", confirmed, `{"value":"no"}`, `{"value":"no"}`},
		{"number", numbered, `{"value":-1.5}`, `{"value":-1.5}`},
		{"number as text", numbered, `{"value":" +007.50 "}`, `{"value":7.50}`},
		{"exponent", numbered, `{"value":1e2}`, `{"value":100}`},
		{"no digits lost", whole, `{"value":12345678901234567890123}`, `{"value":12345678901234567890123}`},
		{"integral fraction", whole, `{"value":5.0}`, `{"value":5}`},
		{"minus nought", whole, `{"value":-0.0}`, `{"value":0}`},
		{"date", dated, `{"value":"2026-12-31"}`, `{"value":"2026-12-31"}`},
		{"leap day", `{"question":"Q","input_type":"date"}`, `{"value":"2024-02-29"}`, `{"value":"2024-02-29"}`},
		{"one question by answers", selected, `{"answers":[{"value":"de"}],"note":"n"}`, `{"value":"de","note":"n"}`},
		{"form", form, `{"answers":[{"value":"alpha","note":"n"},{"skipped":true},{"value":"2026-12-01"}]}`, `{"answers":[{"value":"alpha","note":"n"},{"skipped":true},{"value":"2026-12-01"}]}`},
		{"form with a note", form, `{"note":"n","answers":[{"value":"alpha"},{"value":"me"},{"declined":true}]}`, `{"note":"n","answers":[{"value":"alpha"},{"value":"me"},{"declined":true}]}`},
		{"form declined", form, `{"declined":true}`, `{"declined":true}`},
		{"form skipped", skipForm, `{"skipped":true}`, `{"skipped":true}`},
		{"null is not a value", openSelect, `{"value":null,"other":"x"}`, `{"other":"x"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := ask(t, c.question)
			got, err := newTool().Check(q, answer(t, c.answer))
			if err != nil {
				t.Fatalf("refused: %v %+v", err, faults(err))
			}
			// Compared as bytes, since a number must keep its digits.
			data, _ := json.Marshal(got)
			want, _ := json.Marshal(answer(t, c.want))
			if string(data) != string(want) {
				t.Errorf("got %s, want %s", shorten(string(data)), shorten(string(want)))
			}
			again, err := newTool().Check(q, got)
			if data2, _ := json.Marshal(again); err != nil || string(data2) != string(data) {
				t.Errorf("checked again: %s, %v", data2, err)
			}
		})
	}
}

func faults(err error) []tools.FieldError {
	var refused *tools.AnswerError
	if errors.As(err, &refused) {
		return refused.Fields
	}
	return nil
}

// An invalid answer is refused with one entry for each faulty field.
func TestCheckRefuses(t *testing.T) {
	for _, c := range []struct{ name, question, answer, want string }{
		{"nothing", text, `{}`, "0 value required"},
		{"null", text, `{"value":null}`, "0 value required"},
		{"blank text", text, `{"value":" \n\u200b"}`, "0 value blank"},
		{"a number for a text", text, `{"value":5}`, "0 value type_text"},
		{"an object for a text", text, `{"value":{"a":1}}`, "0 value type_text"},
		{"long text", text, `{"value":"` + long(4001) + `"}`, "0 value too_long"},
		{"long note and value", text, `{"value":"` + long(4001) + `","note":"` + long(2001) + `"}`, "0 note note_too_long, 0 value too_long"},
		{"NUL", text, `{"value":"a\u0000b"}`, "0 value type"},
		{"NUL in a note", text, `{"value":"a","note":"\u0000x"}`, "0 note type"},
		{"half a surrogate pair", text, `{"value":"a\ud83d"}`, "0 value type"},
		{"short", code, `{"value":"AB"}`, "0 value too_short"},
		{"long", code, `{"value":"AB1234"}`, "0 value too_long"},
		{"pattern", code, `{"value":"ab1"}`, "0 value pattern"},
		{"the whole text matches", code, `{"value":"xAB1"}`, "0 value pattern"},
		{"a pattern and a note", code, `{"value":"ab1","note":"` + long(2001) + `"}`, "0 note note_too_long, 0 value pattern"},
		{"skip", text, `{"skipped":true}`, "0 skipped skip_not_allowed"},
		{"skip and answer", skippable, `{"skipped":true,"value":"x"}`, "0 value not_expected"},
		{"decline and answer", text, `{"declined":true,"value":"x"}`, "0 value not_expected"},
		{"skip and decline", skippable, `{"declined":true,"skipped":true}`, "0 skipped not_expected"},
		{"other", selected, `{"other":"x"}`, "0 other other_not_allowed"},
		{"other too long", openSelect, `{"other":"` + long(2001) + `"}`, "0 other too_long"},
		{"a label for a value", selected, `{"value":"French"}`, "0 value option"},
		{"another case", selected, `{"value":"FR"}`, "0 value option"},
		{"a position", selected, `{"value":1}`, "0 value option"},
		{"values for one", selected, `{"values":["fr"]}`, "0 values not_expected"},
		{"value for several", several, `{"value":"a"}`, "0 value not_expected"},
		{"none of several", several, `{"values":[]}`, "0 values required"},
		{"unknown of several", several, `{"values":["a","x"]}`, "0 values option"},
		{"too many", several, `{"values":["a","b","c"]}`, "0 values too_many"},
		{"too few", openSeveral, `{"values":["a"]}`, "0 values too_few"},
		{"a word for yes", confirmed, `{"value":"ja"}`, "0 value type_confirm"},
		{"one for yes", confirmed, `{"value":1}`, "0 value type_confirm"},
		{"too small", numbered, `{"value":-2}`, "0 value min"},
		{"too big", numbered, `{"value":"100.1"}`, "0 value max"},
		{"no number", numbered, `{"value":"ten"}`, "0 value type_number"},
		{"hexadecimal", numbered, `{"value":"0x10"}`, "0 value type_number"},
		{"not a number", numbered, `{"value":"NaN"}`, "0 value type_number"},
		{"infinite", numbered, `{"value":1e999}`, "0 value type_number"},
		{"a boolean for a number", numbered, `{"value":true}`, "0 value type_number"},
		{"a fraction", whole, `{"value":1.5}`, "0 value integer"},
		{"a fraction beyond float64", whole, `{"value":9007199254740993.5}`, "0 value integer"},
		{"no day of the calendar", dated, `{"value":"2026-02-30"}`, "0 value type_date"},
		{"another way to write a day", dated, `{"value":"01.02.2026"}`, "0 value type_date"},
		{"a short day", dated, `{"value":"2026-2-3"}`, "0 value type_date"},
		{"a time", dated, `{"value":"2026-02-03T00:00:00Z"}`, "0 value type_date"},
		{"early", dated, `{"value":"2025-12-31"}`, "0 value date_min"},
		{"late", dated, `{"value":"2027-01-01"}`, "0 value date_max"},
		{"a form by one value", form, `{"value":"x"}`, "0 answers count"},
		{"too few answers", form, `{"answers":[{"value":"x"}]}`, "0 answers count"},
		{"a value with answers", form, `{"value":"x","answers":[{"value":"x"},{"skipped":true},{"value":"2026-01-01"}]}`, "0 value not_expected"},
		{"each fault of a form", form, `{"answers":[{"skipped":true},{"value":""},{"value":"tomorrow","note":"` + long(2001) + `"}]}`,
			"0 skipped skip_not_allowed, 1 value blank, 2 note note_too_long, 2 value type_date"},
		{"a form skipped", form, `{"skipped":true}`, "0 skipped skip_not_allowed, 2 skipped skip_not_allowed"},
		{"answers in answers", form, `{"answers":[{"answers":[{"value":"x"}]},{"skipped":true},{"value":"2026-01-01"}]}`, "0 answers count"},
		{"two answers to one question", text, `{"answers":[{"value":"x"},{"value":"y"}]}`, "0 answers count"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := newTool().Check(ask(t, c.question), answer(t, c.answer))
			var list []string
			for _, f := range faults(err) {
				list = append(list, fmt.Sprintf("%d %s %s", f.Question, f.Field, f.Code))
			}
			if s := strings.Join(list, ", "); s != c.want {
				t.Errorf("got %q (%+v, %v), want %q", s, got, err, c.want)
			}
		})
	}
}

// The asker's own message only goes with faults against its rules.
func TestOwnMessage(t *testing.T) {
	for _, c := range []struct{ question, answer, message string }{
		{code, `{"value":"ab1"}`, "Like AB1"},
		{code, `{"value":"AB"}`, "Like AB1"},
		{code, `{"value":"AB12345"}`, "Like AB1"},
		{code, `{"value":""}`, ""},
		{whole, `{"value":1.5}`, "Whole, please"},
		{whole, `{"value":"one"}`, ""},
	} {
		_, err := newTool().Check(ask(t, c.question), answer(t, c.answer))
		if f := faults(err); len(f) != 1 || f[0].Message != c.message {
			t.Errorf("%s: %+v, want message %q", c.answer, f, c.message)
		}
	}
}

// Params have the values that a message needs.
func TestFaultParams(t *testing.T) {
	for _, c := range []struct{ question, answer, params string }{
		{code, `{"value":"A"}`, `{"Count":3}`},
		{text, `{"value":"` + long(4001) + `"}`, `{"Count":4000}`},
		{text, `{"value":"x","note":"` + long(2001) + `"}`, `{"Count":2000}`},
		{several, `{"values":["a","b","c"]}`, `{"Count":2}`},
		{numbered, `{"value":-2}`, `{"Min":"-1.5"}`},
		{dated, `{"value":"2027-01-01"}`, `{"Max":"2026-12-31"}`},
		{form, `{"answers":[]}`, `{"Count":3}`},
	} {
		_, err := newTool().Check(ask(t, c.question), answer(t, c.answer))
		if f := faults(err); len(f) != 1 || toJSON(t, f[0].Params) != c.params {
			t.Errorf("%s: %+v, want %s", shorten(c.answer), f, c.params)
		}
	}
}

// Check is pure: neither the question nor the answer changes.
func TestCheckIsPure(t *testing.T) {
	q, a := ask(t, several), answer(t, `{"values":["b","a"]}`)
	before := toJSON(t, q) + toJSON(t, a)
	if _, err := newTool().Check(q, a); err != nil {
		t.Fatal(err)
	}
	if after := toJSON(t, q) + toJSON(t, a); after != before {
		t.Errorf("before %s, after %s", before, after)
	}
}

// A stored question without parts or of an unknown type is refused, not a panic.
func TestCheckOfStrangeQuestions(t *testing.T) {
	for _, q := range []tools.Question{{}, {Parts: []tools.Part{{InputType: "slider"}}}} {
		if got, err := newTool().Check(q, answer(t, `{"value":"x"}`)); err == nil {
			t.Errorf("%+v accepted: %+v", q, got)
		}
	}
	raw := tools.Answer{Value: json.RawMessage(`{"broken`)}
	if _, err := newTool().Check(ask(t, text), raw); len(faults(err)) != 1 || faults(err)[0].Code != askuser.FaultTypeText {
		t.Errorf("broken JSON: %v", err)
	}
}
