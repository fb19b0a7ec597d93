package providers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model/modeltest/strict"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Models do not write canonical JSON: white space, order of members, forms of numbers.
const (
	question = `{ "question" : "Which\u0020colour?",  "input_type":"text" }`
	choice   = `{"input_type":"select", "question": "Tea or coffee?", "options": [{"label":"Tea"},{"label":"Coffee"}]}`
	form     = `{"questions": [ {"question":"Colour?","input_type":"text"}, {"question": "Number?", "input_type": "number"} ]}`
	sum      = `{ "expression":"1 +\t1" }`
	sum2     = `{"expression": "2 * <b>\u00e9"}`
)

func call(name, arguments string) strict.Call { return strict.Call{Name: name, Arguments: arguments} }

func TestText(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		s := strict.New(t, k, strict.Think("They greet me.\nI greet back.", "Hello,\n\n  \"friend\" é 🙂."), strict.Think("Again?", "Hello again."), strict.Say("Bye."))
		h := open(t, s)
		h.want(h.says("Hi"), "Hello,\n\n  \"friend\" é 🙂.")
		h.want(h.says("Hi again"), "Hello again.")
		h.want(h.says("Bye"), "Bye.")
		h.clean()
		h.appendOnly()
	})
}

func TestAQuestionAnsweredAfterARestart(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		s := strict.New(t, k, strict.Calls("I must know.", "One question first.", call("ask_user", question)), strict.Think("Blue it is.", "Blue, then."), strict.Say("Still blue."))
		h := open(t, s)
		h.asks(h.says("Paint it"))
		h.restart()
		h.want(h.answers(0, value("blue")), "Blue, then.")
		h.restart()
		h.want(h.says("And now?"), "Still blue.")
		h.clean()
		h.appendOnly()
	})
}

func TestAForm(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		s := strict.New(t, k, strict.Calls("Two things.", "", call("ask_user", form)), strict.Say("Seven blue ones."), strict.Say("Fine."))
		h := open(t, s)
		h.asks(h.says("Order"))
		h.restart()
		h.want(h.answers(0, tools.Answer{Answers: []tools.Answer{value("blue"), value(7)}}), "Seven blue ones.")
		h.want(h.says("Thanks"), "Fine.")
		h.clean()
		h.appendOnly()
	})
}

func TestTwoCallsBesideAQuestion(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		s := strict.New(t, k,
			strict.Calls("I count and ask.", "Counting.", call("calculator", sum), call("ask_user", question), call("calculator", sum2)),
			strict.Calls("Once more.", "", call("calculator", sum)),
			strict.Think("All there.", "Counted."), strict.Say("Fine."))
		h := open(t, s)
		h.asks(h.says("Count"))
		h.restart()
		h.want(h.answers(0, value("blue")), "Counted.")
		h.want(h.says("Thanks"), "Fine.")
		h.clean()
		h.appendOnly()
	})
}

func TestApprovals(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]tools.Answer{
		"allowed": value(true),
		"refused": {Value: json.RawMessage("false"), Note: "Not now."},
		"edited":  {Value: json.RawMessage("true"), Arguments: json.RawMessage(`{"expression": "3"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, k *strict.Kind) {
				s := strict.New(t, k, strict.Calls("It needs a yes.", "", call("clock", sum)), strict.Think("Decided.", "So be it."), strict.Say("Fine."))
				h := open(t, s)
				h.asks(h.says("Do it"))
				h.restart()
				h.want(h.answers(0, a), "So be it.")
				h.want(h.says("Thanks"), "Fine.")
				h.clean()
				h.appendOnly()
			})
		})
	}
}

func TestAToolError(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		s := strict.New(t, k,
			strict.Calls("I count.", "", call("calculator", sum)),
			strict.Calls("That failed.", "", call("calculator", `{"expression": 7}`)), // invalid for the schema
			strict.Calls("And there is no such tool.", "", call("abacus", `{}`)),
			strict.Think("I give up.", "No luck."), strict.Say("Fine."))
		h := open(t, s)
		h.fails = true
		h.want(h.says("Count"), "No luck.")
		h.want(h.says("Thanks"), "Fine.")
		h.clean()
		h.appendOnly()
	})
}

// Arguments that the server spoiled run repaired, or not at all. They are sent back unchanged where
// the server accepts them, otherwise as an object.
func TestSpoiledArguments(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		if k.Provider == "gemini" {
			return // its arguments are JSON themselves
		}
		s := strict.New(t, k,
			strict.Calls("I count.", "", call("calculator", `{}{"expression": "1 + 1"}<|im_end|>`), call("calculator", "{\"expression\":\"1 +\n1\"}")),
			strict.Calls("And ask.", "", call("ask_user", `"{\"question\": \"Which?\"}"`)),
			strict.Calls("That is unclear.", "", call("calculator", `{"expression":"C:\temp\data"}`)),
			strict.Say("Done."), strict.Say("Fine."))
		h := open(t, s)
		h.asks(h.says("Count"))
		h.restart()
		h.want(h.answers(0, value("blue")), "Done.")
		h.restart()
		h.want(h.says("Thanks"), "Fine.")
		if n := h.ran.Load(); n != 2 {
			t.Errorf("%d calls ran", n)
		}
		h.clean()
		h.appendOnly()
	})
}

func TestAMessageInPlaceOfAnAnswer(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		s := strict.New(t, k, strict.Calls("A choice.", "", call("ask_user", choice), call("calculator", sum)), strict.Think("They changed the subject.", "A joke."), strict.Say("Another."))
		h := open(t, s)
		h.asks(h.says("A drink"))
		h.want(h.says("Never mind the drink, tell me a joke instead"), "A joke.")
		h.want(h.says("More"), "Another.")
		h.clean()
	})
}

func TestStopInTheMiddle(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		held := strict.Answer{Parts: []strict.Part{{Reasoning: "A long story."}, {Text: "Once upon a time "}, {Text: "there was"}, {Text: "!"}}}
		held.Hold = true
		s := strict.New(t, k, strict.Calls("Count first.", "", call("calculator", sum)), held, strict.Think("They stopped me.", "As you wish."), strict.Say("Fine."))
		h := open(t, s)
		c, ended := &collector{until: "!", reached: make(chan struct{})}, make(chan struct{})
		message := "Tell me a story"
		accepted, err := h.engine.Submit(t.Context(), turn.Command{Ref: h.ref, Message: &message, Interactive: true})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer close(ended)
			accepted.(turn.Begun).Drive(c)
		}()
		select {
		case <-c.reached:
		case <-ended:
			t.Fatalf("the run ended: %+v\n%s%s", c.told(t), h.refusals(), h.log)
		}
		if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
			t.Fatal(err)
		}
		<-ended
		h.want(h.says("Stop. Do something else"), "As you wish.")
		h.want(h.says("Thanks"), "Fine.")
		h.clean()
	})
}

func TestResumeAfterAnError(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		cut := strict.Think("Half.", "Half an ")
		cut.Cut = true
		s := strict.New(t, k, strict.Calls("Count first.", "", call("calculator", sum)), strict.Answer{Status: 400, Body: `{"error":"out of luck"}`})
		h := open(t, s)
		if got := h.says("Count"); got.failure == "" {
			t.Fatalf("events %s", got.events)
		}
		s.Script(cut, strict.Think("Whole.", "A whole answer."), strict.Say("Fine."))
		h.restart()
		got := h.resumes()
		if got.failure != "" { // a cut may be retried within the run, or end it
			got = h.resumes()
		}
		h.want(got, "A whole answer.")
		h.want(h.says("Thanks"), "Fine.")
		h.clean()
	})
}

func TestFortySteps(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		var script []strict.Answer
		for i := range 40 {
			script = append(script, strict.Calls(fmt.Sprintf("Step %d.", i), "", call("calculator", fmt.Sprintf(`{"expression": "%d"}`, i))))
		}
		s := strict.New(t, k, append(script, strict.Think("Enough.", "Counted forty times."), strict.Say("Fine."))...)
		h := open(t, s)
		h.want(h.says("Count"), "Counted forty times.")
		h.want(h.says("Thanks"), "Fine.")
		h.clean()
		h.appendOnly()
	})
}

// lost reports whether a flaw is only state that was not sent back.
func lost(flaw string) bool {
	for _, part := range []string{"is null, and was", `is "", and was`, ": missing ", "blocks, and had", "is written differently", "content ", "item ", "block ", "was \"<think>"} {
		if strings.Contains(flaw, part) {
			return true
		}
	}
	return false
}

// A history that was trimmed continues without the state of what is left of it: no server refuses.
func TestTrimmedHistory(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		s := strict.New(t, k)
		h := open(t, s)
		h.entries[0].set = func(m *config.Model) {
			m.ContextTokens = 6000
			if m.MaxTokens > 0 {
				m.MaxTokens = 1100
			}
		}
		h.restart()
		for i := range 8 {
			s.Script(strict.Calls("I count.", "", call("calculator", fmt.Sprintf(`{"expression": "%d"}`, i))), strict.Think("Well.", fmt.Sprintf("Answer %d.", i)))
			h.want(h.says(fmt.Sprintf("Question %d. %s", i, strings.Repeat("word ", 300))), fmt.Sprintf("Answer %d.", i))
		}
		requests := s.Requests()
		if strings.Contains(string(requests[len(requests)-1].Raw), "Question 0.") {
			t.Error("nothing was trimmed: this test tests nothing")
		}
		h.cleanBut(lost)
	})
}

// Another system prompt invalidates earlier signatures: they are left out, and later ones are kept.
func TestAChangedSystemPrompt(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		s := strict.New(t, k,
			strict.Calls("First.", "", call("calculator", sum)), strict.Think("Done.", "One."),
			strict.Calls("Second.", "", call("calculator", sum2)), strict.Think("Done again.", "Two."), strict.Say("Three."))
		h := open(t, s)
		h.want(h.says("Count"), "One.")
		h.prompt = "Be long."
		h.restart()
		h.want(h.says("Count again"), "Two.")
		before := len(s.Flaws())
		h.want(h.says("Thanks"), "Three.")
		h.cleanBut(lost)
		// Of the last request, only the part before the change is without state.
		for _, f := range s.Flaws()[before:] {
			if strings.Contains(f, "Second.") || strings.Contains(f, "Done again.") {
				t.Errorf("state from after the change is lost: %s", f)
			}
		}
	})
}

const (
	png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
	pdf = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"
)

func TestImagesAndPDFs(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		ask := `{"question":"A photo?","input_type":"file"}`
		s := strict.New(t, k, strict.Think("I look.", "A dot and a page."), strict.Calls("One more.", "", call("ask_user", ask), call("calculator", sum)), strict.Say("The same dot."), strict.Say("Fine."))
		h := open(t, s)
		photo, page := h.upload("photo.png", png), h.upload("page.pdf", pdf)
		message := "Look"
		h.want(h.drive(turn.Command{Message: &message, Files: []string{photo, page}}), "A dot and a page.")
		h.asks(h.says("And now?"))
		answer := h.upload("again.png", png)
		h.restart()
		h.want(h.answers(0, value(answer)), "The same dot.")
		h.want(h.says("Thanks"), "Fine.")
		requests := s.Requests()
		raw := string(requests[len(requests)-1].Raw)
		if got := strings.Contains(raw, "iVBORw0KGgo"); got != k.Images {
			t.Errorf("images are sent: %v, and the model sees them: %v", got, k.Images)
		}
		if got := strings.Contains(raw, "JVBERi0x"); got != k.PDF {
			t.Errorf("PDFs are sent: %v, and the model reads them: %v", got, k.PDF)
		}
		if !strings.Contains(raw, "photo.png") || !strings.Contains(raw, "page.pdf") {
			t.Error("the model is not informed of the files")
		}
		h.clean()
		h.appendOnly()
	})
}

// With every setting on, what a server refuses is left out, and the chat continues.
func TestEverySetting(t *testing.T) {
	t.Parallel()
	for _, effort := range []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"} {
		t.Run(effort, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, k *strict.Kind) {
				s := strict.New(t, k, strict.Calls("I must know.", "", call("ask_user", question)), strict.Think("Blue it is.", "Blue, then."), strict.Say("Fine."))
				h := open(t, s)
				temperature := 0.5
				h.entries[0].set = func(m *config.Model) {
					m.Temperature, m.Reasoning.Effort, m.MaxTokens = &temperature, effort, 5000
				}
				h.restart()
				h.asks(h.says("Paint it"))
				if n := len(s.Requests()); n > 6 {
					t.Errorf("%d requests for a step, at most 6", n)
				}
				before := len(s.Refusals())
				h.want(h.answers(0, value("blue")), "Blue, then.")
				h.want(h.says("Thanks"), "Fine.")
				for _, r := range s.Refusals()[before:] {
					if r.Rule != "state is missing" {
						t.Errorf("refused again: %s: %s", r.Rule, r.Body)
					}
				}
				for _, f := range s.Flaws() {
					t.Error(f)
				}
			})
		})
	}
}

// A request that the server's model accepts in no form is reported, in the server's words.
func TestAModelThatNoRequestFits(t *testing.T) {
	t.Parallel()
	s := strict.New(t, strict.OpenAI6)
	h := open(t, s)
	got := h.says("Hi")
	if got.failure == "" || got.done.FinishReason != chat.FinishError {
		t.Errorf("events %s", got.events)
	}
	if !strings.Contains(h.log.String(), "/v1/responses") {
		t.Errorf("the log does not give the reason: %s", h.log)
	}
}
