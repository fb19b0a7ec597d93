package askuser_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

const (
	meeting  = `{"question":"When?","input_type":"datetime","validation":{"min":"2026-12-31T12:00:00+01:00","max":"2027-01-31T00:00:00Z"}}`
	anytime  = `{"question":"When?","input_type":"datetime"}`
	rating   = `{"question":"How was it?","input_type":"scale","scale":{"low":"bad","high":"good"}}`
	ordering = `{"question":"Which first?","input_type":"rank","options":[{"label":"Apples","value":"a"},{"label":"Pears","value":"b"},{"label":"Figs","value":"c"}]}`
)

func TestTimesScalesAndRanksAreRead(t *testing.T) {
	for name, c := range map[string]struct{ arguments, want string }{
		"time":                  {meeting, `{"id":"q1","question":"When?","input_type":"datetime","allow_other":false,"allow_skip":false,"validation":{"min":"2026-12-31T12:00:00+01:00","max":"2027-01-31T00:00:00Z"}}`},
		"text as a time":        {`{"question":"Q","input_type":"text","format":"date-time"}`, `{"id":"q1","question":"Q","input_type":"datetime","allow_other":false,"allow_skip":false}`},
		"another word":          {`{"question":"Q","type":"datetime-local"}`, `{"id":"q1","question":"Q","input_type":"datetime","allow_other":false,"allow_skip":false}`},
		"scale":                 {rating, `{"id":"q1","question":"How was it?","input_type":"scale","allow_other":false,"allow_skip":false,"validation":{"max":5},"scale":{"low":"bad","high":"good"}}`},
		"scale with a length":   {`{"question":"Q","type":"rating","max":"10","min":1,"default":"7"}`, `{"id":"q1","question":"Q","input_type":"scale","allow_other":false,"allow_skip":false,"validation":{"max":10},"default":7}`},
		"ends of another type":  {`{"question":"Q","input_type":"number","scale":{"low":"bad"}}`, `{"id":"q1","question":"Q","input_type":"number","allow_other":false,"allow_skip":false}`},
		"rank":                  {ordering, `{"id":"q1","question":"Which first?","input_type":"rank","options":[{"label":"Apples","value":"a"},{"label":"Pears","value":"b"},{"label":"Figs","value":"c"}],"allow_other":false,"allow_skip":false}`},
		"rank with a default":   {`{"question":"Q","type":"ranking","options":["A","B"],"default":["b","A"]}`, `{"id":"q1","question":"Q","input_type":"rank","options":[{"label":"A","value":"A"},{"label":"B","value":"B"}],"allow_other":false,"allow_skip":false,"default":["B","A"]}`},
		"a default for a half":  {`{"question":"Q","type":"rank","options":["A","B"],"default":["B"]}`, `{"id":"q1","question":"Q","input_type":"rank","options":[{"label":"A","value":"A"},{"label":"B","value":"B"}],"allow_other":false,"allow_skip":false}`},
		"a default off a scale": {`{"question":"Q","type":"scale","default":6}`, `{"id":"q1","question":"Q","input_type":"scale","allow_other":false,"allow_skip":false,"validation":{"max":5}}`},
	} {
		if got := toJSON(t, run(t, c.arguments).Question.Parts[0]); got != normal(t, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, got, normal(t, c.want))
		}
	}
}

func TestImpossibleTimesScalesAndRanksAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ arguments, reason, says string }{
		"min without an offset": {`{"question":"Q","input_type":"datetime","validation":{"min":"2026-12-31T12:00:00"}}`, askuser.ReasonBadRange, "`validation.min` must be an RFC 3339 time with an offset"},
		"min that is a date":    {`{"question":"Q","input_type":"datetime","validation":{"max":"2026-12-31"}}`, askuser.ReasonBadRange, "`validation.max`"},
		"min after max":         {`{"question":"Q","input_type":"datetime","validation":{"min":"2026-12-31T12:00:00Z","max":"2026-12-31T12:59:00+01:00"}}`, askuser.ReasonBadRange, "min must not be after max"},
		"scale of one":          {`{"question":"Q","input_type":"scale","validation":{"max":1}}`, askuser.ReasonBadRange, "from 2 to 10"},
		"scale of eleven":       {`{"question":"Q","input_type":"scale","validation":{"max":11}}`, askuser.ReasonBadRange, "from 2 to 10"},
		"scale of a fraction":   {`{"question":"Q","input_type":"scale","validation":{"max":4.5}}`, askuser.ReasonBadRange, "whole number"},
		"scale from zero":       {`{"question":"Q","input_type":"scale","validation":{"min":0,"max":10}}`, askuser.ReasonBadRange, "a scale starts at 1"},
		"ends as a text":        {`{"question":"Q","input_type":"scale","scale":"bad to good"}`, askuser.ReasonWrongKind, "`scale` must be an object"},
		"rank of nothing":       {`{"question":"Q","input_type":"rank"}`, askuser.ReasonNoOptions, "`options` is missing"},
		"rank of one":           {`{"question":"Q","input_type":"rank","options":["A"]}`, askuser.ReasonNoOptions, "a rank needs 2 to 20"},
		"after a rank":          {`{"questions":[` + ordering + `,{"question":"Q","input_type":"confirm","when":{"question":"q1","is":["a"]}}]}`, askuser.ReasonBadCondition, "conditions cannot use this type"},
		"after a time":          {`{"questions":[` + anytime + `,{"question":"Q","input_type":"confirm","when":{"question":"q1","is":["2026-12-31T12:00:00Z"]}}]}`, askuser.ReasonBadCondition, "conditions cannot use this type"},
		"off the scale":         {`{"questions":[` + rating + `,{"question":"Q","input_type":"confirm","when":{"question":"q1","is":[6]}}]}`, askuser.ReasonBadCondition, "a whole number from 1 to 5"},
	} {
		if refused := refusal(t, newTool(), c.arguments); refused.Reason != c.reason || !strings.Contains(refused.Message, c.says) {
			t.Errorf("%s: %s %s", name, refused.Reason, refused.Message)
		}
	}
	if err := askuser.CheckTemplate([]byte(`{"question":"Q","input_type":"rank"}`), true); err == nil || !strings.Contains(err.Error(), "use select or multiselect") {
		t.Errorf("a tool lists the options of a rank: %v", err)
	}
}

// judged returns the checked answer, or the codes of the faults.
func judged(t *testing.T, arguments, answer string) string {
	t.Helper()
	tool := newTool()
	q := *run(t, arguments).Question
	var a tools.Answer
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatal(err)
	}
	checked, err := tool.Check(q, a)
	var refused *tools.AnswerError
	if errors.As(err, &refused) {
		codes := []string{}
		for _, f := range refused.Fields {
			codes = append(codes, f.Field+" "+f.Code)
		}
		return strings.Join(codes, ", ")
	}
	again, err := tool.Check(q, checked)
	if err != nil || toJSON(t, again) != toJSON(t, checked) {
		t.Errorf("%s is %s when it is checked again: %v", toJSON(t, checked), toJSON(t, again), err)
	}
	return toJSON(t, checked)
}

func TestTimesAreThoseOfRFC3339AndComparedAsInstants(t *testing.T) {
	for value, want := range map[string]string{
		"2026-12-31T12:00:00+01:00":       "",
		"2026-12-31T11:00:00Z":            "",
		"2026-12-31T06:00:00.5-05:00":     "",
		"2026-12-31T11:00:00.123456789Z":  "",
		"2026-12-31T11:00:00-00:00":       "",
		"2026-12-31T11:59:59+01:00":       "datetime_min",
		"2026-12-31T10:59:59.999999999Z":  "datetime_min",
		"2027-01-31T00:30:00+01:00":       "",
		"2027-01-31T00:00:00.000000001Z":  "datetime_max",
		"2027-01-30T23:00:00-02:00":       "datetime_max",
		"0000-01-01T00:00:00Z":            "datetime_min", // the year 0 is one
		"2026-12-31T23:59:60Z":            "type_datetime",
		"2026-12-31T24:00:00Z":            "type_datetime",
		"2026-12-31T12:00:00":             "type_datetime",
		"2026-12-31T12:00Z":               "type_datetime",
		"2026-12-31 12:00:00Z":            "type_datetime",
		"2026-12-31T12:00:00,5Z":          "type_datetime",
		"2026-12-31T12:00:00.Z":           "type_datetime",
		"2026-12-31T12:00:00.1234567890Z": "type_datetime",
		"2026-12-31T2:00:00Z":             "type_datetime",
		"2026-12-31T12:00:00+24:00":       "type_datetime",
		"2026-12-31T12:00:00+01":          "type_datetime",
		"2026-12-31T12:00:00+0100":        "type_datetime",
		"2027-02-29T12:00:00Z":            "type_datetime",
		"2026-12-31":                      "type_datetime",
		" 2026-12-31T12:00:00Z":           "type_datetime",
	} {
		got := judged(t, meeting, `{"value":`+quoteJSON(value)+`}`)
		if want == "" && got != `{"value":`+quoteJSON(value)+`}` || want != "" && got != "value "+want {
			t.Errorf("%s: %s, want %q", value, got, want)
		}
	}
	if got := judged(t, anytime, `{"value":"2026-12-31t12:00:00z"}`); got != `{"value":"2026-12-31T12:00:00Z"}` {
		t.Errorf("small letters: %s", got)
	}
	if got := judged(t, anytime, `{"value":1798714800}`); got != "value type_datetime" {
		t.Errorf("a number: %s", got)
	}
}

func TestScalesTakeWholeNumbersAndRanksEachOptionOnce(t *testing.T) {
	for _, c := range []struct{ question, answer, want string }{
		{rating, `{"value":1}`, `{"value":1}`},
		{rating, `{"value":5}`, `{"value":5}`},
		{rating, `{"value":3.0}`, `{"value":3}`},
		{rating, `{"value":3e0}`, `{"value":3}`},
		{rating, `{"value":0}`, "value scale"},
		{rating, `{"value":6}`, "value scale"},
		{rating, `{"value":3.5}`, "value scale"},
		{rating, `{"value":3.00000000000000000000000001}`, "value scale"},
		{rating, `{"value":"3"}`, "value scale"},
		{rating, `{"value":true}`, "value scale"},
		{rating, `{"values":["3"]}`, "values not_expected"},
		{ordering, `{"values":["c","a","b"]}`, `{"values":["c","a","b"]}`},
		{ordering, `{"values":["c","a"]}`, "values rank"},
		{ordering, `{"values":["c","a","a"]}`, "values rank"},
		{ordering, `{"values":["c","a","b","a"]}`, "values rank"},
		{ordering, `{"values":["c","a","z"]}`, "values option"},
		{ordering, `{"values":[]}`, "values required"},
		{ordering, `{"value":"c"}`, "value not_expected"},
		{ordering, `{"other":"figs"}`, "other other_not_allowed"},
		{strings.Replace(ordering, `"options"`, `"allow_other":true,"options"`, 1), `{"other":"all the same"}`, `{"other":"all the same"}`},
	} {
		got := judged(t, c.question, c.answer)
		if codes := strings.Split(got, ", "); !strings.HasPrefix(got, "{") {
			slices.Sort(codes)
			got = strings.Join(codes, ", ")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.answer, got, c.want)
		}
	}
}

func TestMessagesAnswerTimesScalesAndRanks(t *testing.T) {
	for _, c := range []struct{ question, message, language, want string }{
		{anytime, "2026-12-31T12:00:00+01:00", "en", `{"value":"2026-12-31T12:00:00+01:00"}`},
		{anytime, "2026-12-31 9:30 +0100.", "en", `{"value":"2026-12-31T09:30:00+01:00"}`},
		{anytime, "31.12.2026 14:00 UTC", "de", `{"value":"2026-12-31T14:00:00Z"}`},
		{anytime, "31.12.2026 14:00", "de", ""}, // where?
		{anytime, "tomorrow", "en", ""},
		{rating, "4", "en", `{"value":4}`},
		{rating, "7", "en", ""},
		{rating, "very good", "en", ""},
		{ordering, "3, 1, 2", "en", `{"values":["c","a","b"]}`},
		{ordering, "3 1 2", "en", `{"values":["c","a","b"]}`},
		{ordering, "Figs > Apples > Pears", "en", `{"values":["c","a","b"]}`},
		{ordering, "Figs, apples and b", "en", `{"values":["c","a","b"]}`},
		{ordering, "Figs, apples", "en", ""},
		{ordering, "Figs, Figs, Apples", "en", ""},
	} {
		a, ok := newTool().Read(*run(t, c.question).Question, c.message, c.language)
		if got := toJSON(t, a); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%q is %v, %s, want %q", c.message, ok, got, c.want)
		}
	}
}

func TestTheResultOfARankIsNumbered(t *testing.T) {
	outcome, err := newTool().Resume(t.Context(), tools.Call{}, *run(t, ordering).Question, tools.Closing{State: tools.StateAnswered, Answer: &tools.Answer{Values: []string{"c", "a", "b"}}})
	if err != nil || outcome.Result != "1. Figs (c)\n2. Apples (a)\n3. Pears (b)" {
		t.Errorf("%q, %v", outcome.Result, err)
	}
}
