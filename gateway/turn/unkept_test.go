package turn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
)

// TestSecretsAreNeverRemembered: an answer to a question for a secret, and words that contain one,
// are not stored, even where the app allows such questions; other answers of the same app are.
func TestSecretsAreNeverRemembered(t *testing.T) {
	for _, policy := range []string{"warn", "allow"} {
		for question, kept := range map[string]int{"Which format do you like?": 1, "What is your password?": 0, "What is your badge number?": 0} {
			h := buildApp(t, fmt.Sprintf(`"memory": true, "clarifications": {"secrets": %q, "secretWords": ["badge number"], "keys": {"format": {"remember": "user"}}}`, policy), nil,
				step("call_1", fmt.Sprintf(`{"question":%q,"key":"format"}`, question)), says("Done."))
			h.drive(h.message("hi"))
			h.drive(h.closes("call_1", `{"value":"hunter2"}`))
			if list := h.kept(); len(list) != kept {
				t.Errorf("%s: %s: kept %+v", policy, question, list)
			}
		}
	}
}

// TestWhatNobodyAnsweredIsNotRemembered: a skipped or declined question leaves nothing.
func TestWhatNobodyAnsweredIsNotRemembered(t *testing.T) {
	for answer, kept := range map[string]int{`{"value":"csv"}`: 1, `{"skipped":true}`: 0, `{"declined":true}`: 0} {
		h := buildApp(t, keeps, nil, step("call_1", strings.Replace(askKey, "{", `{"allow_skip":true,`, 1)), says("Done."))
		h.drive(h.message("hi"))
		h.drive(h.closes("call_1", answer))
		if list := h.kept(); len(list) != kept {
			t.Errorf("%s: kept %+v", answer, list)
		}
	}
}

// TestWhatAProgramOrAFileWasToldIsNotRemembered: a program may give its question a key of the
// app's, and a question for a file may have one.
func TestWhatAProgramOrAFileWasToldIsNotRemembered(t *testing.T) {
	h := buildApp(t, keeps, nil)
	a := h.asking("")
	tool, out := h.engine.Executor.Ask(t.Context(), h.engine.Setup().Catalog, h.app, tools.Call{ID: "call", Arguments: askKey, Language: "en"})
	if out.Question == nil || out.Question.Parts[0].Key != "format" {
		t.Fatalf("%+v", out)
	}
	a.Tool, a.Question = tool, *out.Question
	h.drive(h.named(h.ask(a).ID, "csv"))
	if list := h.kept(); len(list) != 0 {
		t.Errorf("of a program's question: kept %+v", list)
	}

	h, _ = filing(t, asksFor("call_1", `{"question":"Notes?","input_type":"file","key":"format"}`), says("One."))
	h.configure(keeps, `{}`)
	h.engine.Setup().Catalog = h.catalog()
	h.app, _ = h.engine.Setup().Config.App("helper")
	h.drive(h.message("Go"))
	h.drive(h.answer("call_1", h.upload("notes.txt", "Hello.").ID))
	if list := h.kept(); len(list) != 0 || len(h.model.sent) != 2 {
		t.Errorf("of a file: kept %+v", list)
	}
}

// TestWordsAreNotKeptInAChatThatIsNotStored: the model has nowhere to keep them.
func TestWordsAreNotKeptInAChatThatIsNotStored(t *testing.T) {
	for _, ephemeral := range []bool{false, true} {
		h := buildApp(t, keeps, nil, step("remember_1", `{"key":"tone","text":"formal"}`), says("Done."))
		cmd := h.message("hi")
		cmd.Ephemeral = ephemeral
		h.drive(cmd)
		if list := h.kept(); len(list) > 0 == ephemeral {
			t.Errorf("ephemeral %v: kept %+v", ephemeral, list)
		}
	}
}

// TestWordsThatHoldASecretAreNotKept: the app's own names of secrets count as well.
func TestWordsThatHoldASecretAreNotKept(t *testing.T) {
	for text, kept := range map[string]int{"Write formally.": 1, "my badge number is 4711": 0, "my password is hunter2": 0} {
		h := buildApp(t, `"memory": true, "clarifications": {"secrets": "allow", "secretWords": ["badge number"]}`, nil,
			step("remember_1", fmt.Sprintf(`{"key":"tone","text":%q}`, text)), says("Done."))
		h.drive(h.message("hi"))
		if list := h.kept(); len(list) != kept {
			t.Errorf("%s: kept %+v", text, list)
		}
	}
}
