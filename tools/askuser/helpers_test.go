package askuser_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// german returns German words for "de", and English ones for every other language.
func german(language string) askuser.Words {
	if language == "de" {
		return askuser.Words{Yes: "Ja", No: "Nein", YesWords: []string{"jawohl", "klar"}, NoWords: []string{"nö"}, SkipWords: []string{"überspringen"}, OtherWords: others}
	}
	return askuser.Words{SkipWords: []string{"skip", " skip this"}, OtherWords: others}
}

var others = []string{"other", " other please specify", "autre", "quelque chose d’autre", "sonstiges", ""}

func newTool() *askuser.Tool { return askuser.New(askuser.Limits{}, german) }

func run(t *testing.T, arguments string) tools.Outcome {
	t.Helper()
	outcome, err := newTool().Run(t.Context(), tools.Call{ID: "call_1", Name: "ask_user", Arguments: arguments, Language: "de"})
	if err != nil {
		t.Fatalf("Run(%s): %v", shorten(arguments), err)
	}
	if outcome.Question == nil || outcome.Result != "" || outcome.Error != nil {
		t.Fatalf("Run(%s): no question: %+v", shorten(arguments), outcome)
	}
	return outcome
}

func refusal(t *testing.T, tool *askuser.Tool, arguments string) *tools.Error {
	t.Helper()
	outcome, err := tool.Run(t.Context(), tools.Call{Arguments: arguments})
	var refused *tools.Error
	if !errors.As(err, &refused) {
		t.Fatalf("Run(%s) = %+v, %v: want a refusal", shorten(arguments), outcome.Question, err)
	}
	if refused.Code != tools.CodeInvalidClarification || refused.Reason == "" {
		t.Fatalf("Run(%s): code %q, reason %q", shorten(arguments), refused.Code, refused.Reason)
	}
	return refused
}

func shorten(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// toJSON returns v as JSON in one form for comparisons.
func toJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return normal(t, string(data))
}

// normal returns JSON in one spelling.
func normal(t *testing.T, s string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%v in %s", err, s)
	}
	data, _ := json.Marshal(v)
	return string(data)
}

func quoteJSON(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}
