package askuser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

func TestAQuestionSaysHowLongItWaits(t *testing.T) {
	const hour = time.Hour
	question := func(string) []byte { return []byte(`{"question":"Sure?","input_type":"confirm"}`) }
	tool := askuser.New(askuser.Limits{}, nil,
		askuser.Template{Name: "soon", Question: question},
		askuser.Template{Name: "value", Question: question, Values: []string{"expiresIn"}},
	)
	for arguments, want := range map[string]time.Duration{
		`{"question":"Q"}`:                                  0,
		`{"question":"Q","expiresIn":"30m"}`:                hour / 2,
		`{"question":"Q","expiresIn":" 1 D "}`:              24 * hour,
		`{"question":"Q","expires_in":"1d12h"}`:             36 * hour,
		`{"question":"Q","expiresIn":"1s"}`:                 time.Second,
		`{"question":"Q","expiresIn":""}`:                   0,
		`{"question":"Q","expiresIn":null}`:                 0,
		`{"question":"Q","expiresIn":"100000d"}`:            3650 * 24 * hour,
		`{"questions":[{"question":"Q"},{"question":"R"}]}`: 0,
		`{"expiresIn":"3h","questions":[{"question":"Q"}]}`: 3 * hour,
		`{"questions":[{"question":"Q","expiresIn":"4h"},{"question":"R","expiresIn":"3h"}],"expiresIn":"5h"}`: 3 * hour,
		`{"question":"Q","expiresIn":"1h","questions":[{"question":"R"}]}`:                                     hour,
		`{"template":"soon"}`:                                                      0,
		`{"template":"soon","expiresIn":"1h"}`:                                     hour,
		`{"template":"value","expiresIn":"a day"}`:                                 0,
		`{"questions":[{"template":"soon","expiresIn":"1h"},{"template":"soon"}]}`: hour,
	} {
		out, err := tool.Run(t.Context(), tools.Call{Arguments: arguments, Language: "en"})
		if err != nil || out.Question == nil || out.Question.ExpiresIn != want {
			t.Errorf("%s: %+v %v, want %s", arguments, out.Question, err, want)
		}
	}
	for arguments, field := range map[string]string{
		`{"question":"Q","expiresIn":"soon"}`:                     "`expiresIn`",
		`{"question":"Q","expiresIn":60}`:                         "`expiresIn`",
		`{"question":"Q","expiresIn":["1h"]}`:                     "`expiresIn`",
		`{"question":"Q","expiresIn":"0s"}`:                       "`expiresIn`",
		`{"question":"Q","expiresIn":"999ms"}`:                    "`expiresIn`",
		`{"question":"Q","expiresIn":"-1h"}`:                      "`expiresIn`",
		`{"questions":[{"question":"Q","expiresIn":"tomorrow"}]}`: "`questions[0].expiresIn`",
		`{"expiresIn":1,"questions":[{"question":"Q"}]}`:          "`expiresIn`",
		`{"template":"soon","expiresIn":true}`:                    "`expiresIn`",
	} {
		if e := refusal(t, tool, arguments); e.Reason != askuser.ReasonBadExpiry || !strings.Contains(e.Message, field) || !strings.Contains(e.Message, `"12h"`) {
			t.Errorf("%s: %s %s", arguments, e.Reason, e.Message)
		}
	}
}
