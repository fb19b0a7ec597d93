package tools_test

import (
	"testing"

	"github.com/askgate/askgate/tools"
)

// A question repeats another one only if a person reads the same texts.
func TestRepeats(t *testing.T) {
	base := func(change func(*tools.Question)) tools.Question {
		q := tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{
			{ID: "q1", Question: "Which one?", InputType: tools.Select, Context: "Two places", Options: []tools.Option{{Label: "Luigi's", Value: "1", Description: "near"}, {Label: "Mario's", Value: "2"}}},
			{ID: "q2", Question: "When?", InputType: tools.Date},
		}}
		if change != nil {
			change(&q)
		}
		return q
	}
	asked := base(nil)
	for name, change := range map[string]func(*tools.Question){
		"nothing":  nil,
		"spelling": func(q *tools.Question) { q.Parts[0].Question, q.Parts[1].Question = "WHICH one", " when ?!" },
		"curly apostrophe": func(q *tools.Question) {
			q.Parts[0].Options[0].Label, q.Parts[0].Options[1].Label = "Luigi’s", "Marioʼs"
		},
		"order of options": func(q *tools.Question) { o := q.Parts[0].Options; o[0], o[1] = o[1], o[0] },
		"recommended":      func(q *tools.Question) { q.Parts[0].Options[1].Recommended = true },
		"spelling around":  func(q *tools.Question) { q.Parts[0].Context, q.Parts[0].Options[0].Label = "two places.", "LUIGI'S" },
		"header, skip, id": func(q *tools.Question) { q.Parts[1].Header, q.Parts[1].AllowSkip, q.Parts[1].ID = "Day", true, "day" },
		"rules and a key": func(q *tools.Question) {
			q.Parts[1].Key, q.Parts[1].Validation = "day", &tools.Validation{Integer: true}
		},
		"an earlier answer":  func(q *tools.Question) { q.Parts[1].Earlier = &tools.Earlier{Label: "x"} },
		"what waits for it":  func(q *tools.Question) { q.Waiting = []string{"call_2"} },
		"that it asks again": func(q *tools.Question) { q.Again = true },
	} {
		if q := base(change); !q.Repeats(asked) || !asked.Repeats(q) {
			t.Errorf("%s: it does not repeat", name)
		}
	}
	for name, change := range map[string]func(*tools.Question){
		"text":            func(q *tools.Question) { q.Parts[1].Question = "Whence?" },
		"type":            func(q *tools.Question) { q.Parts[1].InputType = tools.Text },
		"option":          func(q *tools.Question) { q.Parts[0].Options = q.Parts[0].Options[:1] },
		"value":           func(q *tools.Question) { q.Parts[0].Options[0].Value = "3" },
		"label":           func(q *tools.Question) { q.Parts[0].Options[0].Label = "Hotel Luigi" },
		"swapped labels":  func(q *tools.Question) { o := q.Parts[0].Options; o[0].Label, o[1].Label = o[1].Label, o[0].Label },
		"description":     func(q *tools.Question) { q.Parts[0].Options[0].Description = "far" },
		"preview":         func(q *tools.Question) { q.Parts[0].Options[0].Preview = "a map" },
		"context":         func(q *tools.Question) { q.Parts[0].Context = "Two others" },
		"link":            func(q *tools.Question) { q.Parts[0].Link = "https://example.org" },
		"condition":       func(q *tools.Question) { q.Parts[1].When = &tools.When{Question: "q1", Is: []string{"1"}} },
		"one more":        func(q *tools.Question) { q.Parts = append(q.Parts, q.Parts[1]) },
		"other order":     func(q *tools.Question) { q.Parts[0], q.Parts[1] = q.Parts[1], q.Parts[0] },
		"kind":            func(q *tools.Question) { q.Kind = tools.KindApproval },
		"another's words": func(q *tools.Question) { q.Parts[0].Question, q.Parts[1].Question = "When?", "Which one?" },
	} {
		if q := base(change); q.Repeats(asked) || asked.Repeats(q) {
			t.Errorf("%s: it repeats", name)
		}
	}
}

// TestTypographyIsNotAnotherQuestion: another form of an apostrophe, a quotation mark or a dash, or ß and its capital
// letter, do not make another question; an additional sign does.
func TestTypographyIsNotAnotherQuestion(t *testing.T) {
	for a, same := range map[string][]string{
		`what's "new" - and next?`: {"what’s “new” – and next?", "what‘s „new“ — and next?", "whatʼs «new» − and next?", "WHAT´S \"NEW\" ‐ AND NEXT?"},
		"große straße":             {"GROẞE STRAẞE", "Große Straẞe"},
	} {
		for _, b := range same {
			if tools.Fold(a) != tools.Fold(b) {
				t.Errorf("%q is another question than %q", b, a)
			}
		}
	}
	for a, b := range map[string]string{"-5": "5", "Maße": "Masse", `"new"`: "new", "10-20": "1020", "its": "it's"} {
		if tools.Fold(a) == tools.Fold(b) {
			t.Errorf("%q is %q", a, b)
		}
	}
}
