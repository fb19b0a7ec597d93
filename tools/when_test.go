package tools_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/askgate/askgate/tools"
)

func TestWhenIsMetByTheValuesOfAnAnswer(t *testing.T) {
	w := &tools.When{Question: "q1", Is: []string{"a", "yes", "3"}}
	for _, c := range []struct {
		answer string
		met    bool
	}{
		{`{"value":"a"}`, true}, {`{"value":"A"}`, false}, {`{"value":"b"}`, false},
		{`{"values":["b","a"]}`, true}, {`{"values":["b"]}`, false},
		{`{"value":true}`, true}, {`{"value":false}`, false}, {`{"value":"yes"}`, true}, {`{"value":3}`, true}, {`{"value":4}`, false},
		{`{"other":"a"}`, false}, {`{"values":["a"],"other":"c"}`, true}, {`{}`, false}, {`{"value":null}`, false},
		{`{"skipped":true}`, false}, {`{"declined":true}`, false}, {`{"note":"a"}`, false},
	} {
		var a tools.Answer
		if err := json.Unmarshal([]byte(c.answer), &a); err != nil {
			t.Fatal(err)
		}
		if w.Met(a) != c.met {
			t.Errorf("%s: met %v", c.answer, !c.met)
		}
	}
	if (&tools.When{Is: []string{""}}).Met(tools.Answer{}) {
		t.Error("a missing answer meets a condition")
	}
}

// A part whose condition refers to a part that is not asked is not asked either, regardless of the answers.
func TestAppliesFollowsAChain(t *testing.T) {
	q := tools.Question{Parts: []tools.Part{
		{ID: "a"}, {ID: "b", When: &tools.When{Question: "a", Is: []string{"x"}}},
		{ID: "c", When: &tools.When{Question: "b", Is: []string{"y"}}}, {ID: "d"},
	}}
	value := func(s string) tools.Answer { return tools.Answer{Value: json.RawMessage(s)} }
	for _, c := range []struct {
		answers []tools.Answer
		want    []bool
	}{
		{nil, []bool{true, false, false, true}},
		{[]tools.Answer{value(`"x"`)}, []bool{true, true, false, true}},
		{[]tools.Answer{value(`"x"`), value(`"y"`)}, []bool{true, true, true, true}},
		{[]tools.Answer{value(`"z"`), value(`"y"`), value(`"v"`), value(`"w"`)}, []bool{true, false, false, true}},
	} {
		if got := q.Applies(c.answers); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v", c.answers, got)
		}
	}
}
