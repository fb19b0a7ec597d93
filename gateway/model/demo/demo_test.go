package demo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/demo"
)

// texts replaces the message files: it returns the id, the language and the data.
func texts(language, id string, data map[string]any) string {
	if data == nil {
		return fmt.Sprintf("%s [%s]", id, language)
	}
	return fmt.Sprintf("%s [%s] %v", id, language, data)
}

var tools = []model.Definition{{Name: "ask_user"}, {Name: "calculator"}}

// chat continues a prompt, as the gateway would.
type chat struct {
	t    *testing.T
	req  model.Request
	text string
	call *model.ToolCall
}

func begin(t *testing.T, message string) *chat {
	t.Helper()
	return beginWith(t, tools, message)
}

func beginWith(t *testing.T, offered []model.Definition, message string) *chat {
	t.Helper()
	c := &chat{t: t, req: model.Request{Language: "de", Tools: offered}}
	return c.user(message)
}

func (c *chat) user(message string) *chat {
	c.t.Helper()
	c.req.Messages = append(c.req.Messages, model.Message{Role: model.RoleUser, Content: message})
	return c.step()
}

func (c *chat) result(content string) *chat {
	c.t.Helper()
	if c.call == nil {
		c.t.Fatalf("no call to answer; the demo said %q", c.text)
	}
	c.req.Messages = append(c.req.Messages, model.Message{Role: model.RoleTool, ToolCallID: c.call.ID, Content: content})
	return c.step()
}

func (c *chat) step() *chat {
	c.t.Helper()
	var text strings.Builder
	var last model.Delta
	pieces := 0
	for d, err := range demo.New(texts).Stream(c.t.Context(), c.req) {
		if err != nil {
			c.t.Fatal(err)
		}
		text.Write(d.Text)
		last = d
		pieces++
	}
	if last.Usage == nil || last.Usage.OutputTokens == 0 || last.More {
		c.t.Errorf("last piece: %+v", last)
	}
	if pieces < 3 {
		c.t.Errorf("streamed in %d pieces", pieces)
	}
	c.text, c.call = text.String(), nil
	m := model.Message{Role: model.RoleAssistant, Content: c.text, ToolCalls: last.ToolCalls}
	switch {
	case last.Finish == model.FinishToolCalls && len(last.ToolCalls) == 1:
		c.call = &last.ToolCalls[0]
		if !json.Valid([]byte(c.call.Arguments)) || c.call.ID == "" {
			c.t.Errorf("unsound call %+v", c.call)
		}
	case last.Finish == model.FinishStop && len(last.ToolCalls) == 0:
	default:
		c.t.Errorf("finish %q with %d calls", last.Finish, len(last.ToolCalls))
	}
	c.req.Messages = append(c.req.Messages, m)
	return c
}

func (c *chat) says(parts ...string) *chat {
	c.t.Helper()
	for _, p := range parts {
		if !strings.Contains(c.text, p) {
			c.t.Errorf("said %q, want %q in it", c.text, p)
		}
	}
	return c
}

func (c *chat) asks(parts ...string) *chat {
	c.t.Helper()
	if c.call == nil {
		c.t.Fatalf("no call; said %q", c.text)
	}
	for _, p := range parts {
		if !strings.Contains(c.call.Arguments, p) {
			c.t.Errorf("arguments %s, want %s in them", c.call.Arguments, p)
		}
	}
	return c
}

func (c *chat) ends() {
	c.t.Helper()
	if c.call != nil {
		c.t.Errorf("calls again: %+v", c.call)
	}
}

func TestEveryInputTypeIsAskedAndTheAnswerRepeated(t *testing.T) {
	for word, parts := range map[string][]string{
		"text":        {`"input_type":"text"`, `"pattern":"[A-Z]{2}-[0-9]{3}"`, `"placeholder":"AB-123"`},
		"select":      {`"input_type":"select"`, `"recommended":true`, `"allow_other":true`},
		"multiselect": {`"input_type":"multiselect"`, `"max":3`},
		"confirm":     {`"input_type":"confirm"`},
		"number":      {`"input_type":"number"`, `"integer":true`, `"max":10`},
		"date":        {`"input_type":"date"`, `"allow_skip":true`, `"min":"2000-01-01"`},
		"form":        {`"questions":[{`, `"input_type":"text"`, `"input_type":"select"`, `"input_type":"date"`},
	} {
		t.Run(word, func(t *testing.T) {
			begin(t, "Show me: "+strings.ToUpper(word)+"!").says("demo."+word+".intro [de]").
				asks(parts...).result("the {{.Answer}} <b>").says("demo.answered", "the {{.Answer}} <b>", "demo.more").ends()
		})
	}
}

func TestAnythingElseGreetsAndOffersAMenuWhoseChoiceIsPlayed(t *testing.T) {
	begin(t, "Guten Morgen").says("demo.greeting").asks("demo.menu.question", `"value":"calculate"`).
		result("A number (number)\nNote: please").says("demo.number.intro").asks(`"input_type":"number"`).
		result("7\n\n[gateway] You may ask 2 more questions in this conversation, 2 in this turn").says("demo.answered", "7").ends() // not shown to the person
	begin(t, "Guten Morgen").result("confirm").asks(`"confirm"`)
	begin(t, "").result("Other: something else").says("demo.answered", "something else").ends()
	begin(t, "hi").result(`{"userAnswer":null,"declined":true,"message":"m"}`).says("demo.declined").ends()
}

func TestTheMenuNamesEveryScene(t *testing.T) {
	c := begin(t, "?")
	var q struct{ Options []struct{ Value string } }
	if err := json.Unmarshal([]byte(c.call.Arguments), &q); err != nil {
		t.Fatal(err)
	}
	if len(q.Options) != 14 {
		t.Errorf("%d options", len(q.Options))
	}
	for _, o := range q.Options {
		played := begin(t, "?").result("Label (" + o.Value + ")")
		if played.call == nil || strings.Contains(played.call.Arguments, "demo.menu.question") {
			t.Errorf("option %q leads to nothing: %q", o.Value, played.text)
		}
	}
}

func TestNoAnswerIsTakenPolitely(t *testing.T) {
	for content, id := range map[string]string{
		`{"userAnswer":null,"skipped":true,"message":"m"}`:     "demo.skipped",
		`{"userAnswer":null,"declined":true,"message":"m"}`:    "demo.declined",
		`{"userAnswer":null,"superseded":true,"message":"m"}`:  "demo.declined",
		`{"userAnswer":null,"timedOut":true,"message":"m"}`:    "demo.timedout",
		`{"error":{"code":"NO_USER_AVAILABLE","message":"m"}}`: "demo.error",
		`{"a":1}`:       "demo.answered",
		`{"userAnswer"`: "demo.answered",
		``:              "demo.answered",
	} {
		for _, word := range []string{"text", "form", "repair"} {
			begin(t, word).result(content).says(id).ends()
		}
	}
	begin(t, "cap").result(`{"userAnswer":null,"declined":true}`).says("demo.declined").ends()
}

func TestTheRepairedCallIsSloppyJSONInAString(t *testing.T) {
	c := begin(t, "Reparatur")
	var inner string
	if err := json.Unmarshal([]byte(c.call.Arguments), &inner); err != nil {
		t.Fatalf("arguments %s: %v", c.call.Arguments, err)
	}
	var q map[string]any
	if err := json.Unmarshal([]byte(inner), &q); err != nil {
		t.Fatal(err)
	}
	if _, bare := q["options"].([]any)[0].(string); !bare || q["type"] != "single_choice" || q["allowOther"] != "true" || q["input_type"] != nil {
		t.Errorf("too neat: %v", q)
	}
	c.result("At noon").says("demo.answered", "At noon").ends()
}

func TestTheRefusedCallIsFixed(t *testing.T) {
	c := begin(t, "refused").asks(`"pattern":"([a-z0-9]+)+"`).
		result(`{"error":{"code":"INVALID_CLARIFICATION_PARAMS","message":"drop the inner quantifier"}}`).
		says("demo.refused.again", "INVALID_CLARIFICATION_PARAMS", "drop the inner quantifier").
		asks(`"pattern":"[a-z0-9]{2,20}"`)
	c.result("alice").says("demo.answered", "alice").ends()
	begin(t, "refused").result("was accepted").says("demo.answered").ends()
	begin(t, "refused").result(`{"error":{"code":"X","message":"1"}}`).result(`{"error":{"code":"X","message":"2"}}`).says("demo.error").ends()
}

func TestItAsksUntilTheCap(t *testing.T) {
	c := begin(t, "cap").says("demo.cap.intro")
	for n := 1; n <= 8; n++ {
		c.asks(`"confirm"`, fmt.Sprintf("map[Number:%d]", n)).result("yes")
	}
	c.result(`{"error":{"code":"CLARIFICATION_LIMIT_REACHED","message":"Maximum reached."}}`).says("demo.cap.reached", "Maximum reached.").ends()
}

func TestItCalculates(t *testing.T) {
	for message, want := range map[string]string{
		"calculate 2+3":                  `{"expression":"2+3"}`,
		"Bitte rechne (1 + 2) * 4.5 aus": `{"expression":"(1 + 2) * 4.5"}`,
		"-7 / 2":                         `{"expression":"-7 / 2"}`,
		"calcule":                        `{"expression":"2+3"}`,
	} {
		c := begin(t, message).asks(want)
		if c.call.Name != "calculator" {
			t.Errorf("%q calls %s", message, c.call.Name)
		}
		c.result("5").says("demo.calculate.result", "Result:5").ends()
	}
	begin(t, "hi").result("calculate").asks(`2+3`).result(`{"error":{"code":"TOOL_FAILED","message":"m"}}`).says("demo.error").ends()
}

func TestKeywordsOfAllLanguages(t *testing.T) {
	for id, messages := range map[string][]string{
		"demo.text.intro":        {"text", "Text", "TEXTE", "texto"},
		"demo.select.intro":      {"select", "Auswahl", "choix", "selección"},
		"demo.multiselect.intro": {"multi-select", "Mehrfachauswahl", "plusieurs", "choix multiple", "varias"},
		"demo.confirm.intro":     {"confirm", "Bestätigung", "confirmation", "confirmación"},
		"demo.number.intro":      {"number", "Zahl", "nombre", "número"},
		"demo.date.intro":        {"date", "Datum", "fecha"},
		"demo.form.intro":        {"form", "Formular", "formulaire", "formulario", "a form with a text"},
		"demo.repair.intro":      {"repair", "Reparatur", "réparation", "reparación"},
		"demo.refused.intro":     {"refused", "abgelehnt", "refusé", "rechazada"},
		"demo.cap.intro":         {"cap", "Grenze", "limite", "límite"},
		"demo.calculate.intro":   {"calculate 2+3", "rechne 2+3", "calcule 2+3", "calcula 2+3", "7*6", "(1+2) / 3"},
		"demo.greeting":          {"hello", "context", "", "12", "x+y"},
	} {
		for _, m := range messages {
			begin(t, m).says(id)
		}
	}
}

func TestTheStepDependsOnThisTurnOnly(t *testing.T) {
	c := begin(t, "text").result("AB-123").user("date")
	c.says("demo.date.intro").asks(`"input_type":"date"`)
	if c.call.ID != "call_2" {
		t.Errorf("the second call of the chat has id %q", c.call.ID)
	}
	c.result("2026-12-01").says("2026-12-01").ends()
}

func TestToolsNotOfferedAreNotCalled(t *testing.T) {
	for message, id := range map[string]string{"hello": "demo.cannotask", "cap": "demo.cannotask", "repair": "demo.cannotask", "2+3": "demo.nocalculator"} {
		c := &chat{t: t}
		c.user(message).says(id).ends()
	}
}

func TestACancelledContextEndsIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got error
	pieces := 0
	for _, err := range demo.New(texts).Stream(ctx, model.Request{Tools: tools}) {
		pieces++
		cancel()
		got = err
	}
	if !errors.Is(got, context.Canceled) || pieces != 2 {
		t.Errorf("after %d pieces: %v", pieces, got)
	}
	for range demo.New(texts).Stream(t.Context(), model.Request{Tools: tools}) {
		break // leaving early is allowed
	}
}

func FuzzStream(f *testing.F) {
	f.Add("cap", "yes")
	f.Add("calculate ((((1", `{"error":{"code":"","message":""}}`)
	f.Add("hi", "x (y)(")
	f.Add("\xff(", "{\"userAnswer\":null}")
	f.Fuzz(func(t *testing.T, message, result string) {
		begin := model.Request{Tools: tools, Messages: []model.Message{{Role: model.RoleUser, Content: message}}}
		for range 3 {
			for d, err := range demo.New(texts).Stream(t.Context(), begin) {
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range d.ToolCalls {
					if !json.Valid([]byte(c.Arguments)) {
						t.Fatalf("arguments %q", c.Arguments)
					}
				}
			}
			begin.Messages = append(begin.Messages, model.Message{Role: model.RoleTool, Content: result})
		}
	})
}
