package approval_test

import (
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/approval"
)

// asker accepts every answer.
type asker struct{ tools.Resumer }

func (asker) Check(_ tools.Question, a tools.Answer) (tools.Answer, error) { return a, nil }

// The words of the question count: an approval asked in German is allowed with "Ja", even if the
// language of the message is English.
func TestAYesIsReadInTheLanguageOfTheQuestionAndOfTheMessage(t *testing.T) {
	words := func(language string) (yes, no string) {
		if language == "de" {
			return "Ja", "Nein"
		}
		return "Yes", "No"
	}
	tool := approval.New(asker{}, nil, nil, words)
	for _, c := range []struct{ asked, sent, text, want string }{
		{"de", "de", " ja! ", `"yes"`},
		{"de", "en", "Ja", `"yes"`},
		{"de", "en", "nein", `"no"`},
		{"de", "en", "yes", `"yes"`},
		{"en", "de", "No.", `"no"`},
		{"de", "de", "yes", ""},
		{"en", "en", "Ja", ""},
		{"en", "en", "1", ""},
		{"en", "en", "ok", ""},
		{"en", "en", "", ""},
	} {
		yes, no := words(c.asked)
		q := tools.Question{Parts: []tools.Part{{Options: []tools.Option{{Label: yes, Value: "yes"}, {Label: no, Value: "no"}}}}}
		a, ok := tool.Read(q, c.text, c.sent)
		if ok != (c.want != "") || string(a.Value) != c.want {
			t.Errorf("%+v: %s %v", c, a.Value, ok)
		}
	}
}

// Once is only kept in a yes that would be remembered.
func TestOnceIsOfAYesThatWouldBeRemembered(t *testing.T) {
	tool := approval.New(asker{}, nil, nil, nil)
	for _, c := range []struct {
		remember, value string
		once, want      bool
	}{{"chat", `"yes"`, true, true}, {"chat", `"yes"`, false, false}, {"chat", `"no"`, true, false}, {"", `"yes"`, true, false}} {
		got, err := tool.Check(tools.Question{Remember: c.remember}, tools.Answer{Value: []byte(c.value), Once: c.once})
		if err != nil || got.Once != c.want {
			t.Errorf("%+v: %v %v", c, got.Once, err)
		}
	}
}

// A yes in a message applies once, since the question does not mention later calls.
func TestAYesInWordsIsForOnce(t *testing.T) {
	tool := approval.New(asker{}, nil, nil, func(string) (yes, no string) { return "Yes", "No" })
	for text, want := range map[string]bool{"yes": true, "no": false} {
		a, ok := tool.Read(tools.Question{Remember: "chat", Parts: []tools.Part{{}}}, text, "en")
		if !ok || a.Once != want {
			t.Errorf("%s: %v %v", text, a.Once, ok)
		}
	}
}
