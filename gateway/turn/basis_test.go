package turn_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// beginning is a request without its messages, and the texts of the messages.
func (h *house) beginning(n int) (head string, texts []string) {
	h.t.Helper()
	if n >= len(h.model.sent) {
		h.t.Fatalf("only %d requests were sent", len(h.model.sent))
	}
	req := &h.model.sent[n]
	head = req.Language + "\n" + req.System
	for _, d := range req.Tools {
		head += "\n" + d.Name + d.Description + string(d.Parameters)
	}
	for _, m := range req.Messages {
		texts = append(texts, string(m.Role)+m.ToolCallID+": "+m.Content)
	}
	return head, texts
}

// wantContinued requires that request n begins with all of the previous request.
func (h *house) wantContinued(what string, n int) {
	h.t.Helper()
	head, texts := h.beginning(n)
	was, before := h.beginning(n - 1)
	if head != was {
		h.t.Errorf("%s: the request begins with\n%s\nand the previous one with\n%s", what, head, was)
	}
	for i := range before {
		if i >= len(texts) || texts[i] != before[i] {
			h.t.Fatalf("%s: message %d was %q, now the messages are %q", what, i, before[i], texts)
		}
	}
}

func (h *house) remembers(key, text string) {
	h.t.Helper()
	err := h.store.Memory().SaveMemory(h.t.Context(), chat.Memory{
		ID: chat.NewID("mem"), Tenant: h.ref.Tenant, Subject: h.ref.Subject, App: h.ref.App, Key: key, Text: text, UpdatedAt: time.Now(),
	}, chat.MaxMemories)
	if err != nil {
		h.t.Fatal(err)
	}
}

const remembering = `"memory": true, "system": {"en": "Help.", "de": "Hilf."}`

// TestATurnGoesOnAsItBegan: a memory stored during a question, another language and the loss of the
// person who could answer take effect with the next turn, on another node as well.
func TestATurnGoesOnAsItBegan(t *testing.T) {
	h := buildApp(t, remembering, nil, asks("ask_1"), asks("ask_2"), says("Done."), says("Hallo."))
	h.remembers("tone", "formal")
	h.drive(h.message("hi"))

	h.remembers("team", "blue")
	h.remembers("tone", "casual")
	h = h.node(stream.NewLocal())
	german := h.answer("ask_1", "a")
	german.Language = "de"
	h.drive(german)
	h.wantContinued("behind the first answer", 1)

	narrowed := h.message("b")
	narrowed.Interactive, narrowed.ClarificationID = false, h.pendingID(0)
	h.node(stream.NewLocal()).drive(narrowed)
	h.wantContinued("behind the second answer", 2)

	h.drive(h.message("next"))
	head, _ := h.beginning(3)
	if !strings.HasPrefix(head, "de\nHilf.") || !strings.Contains(head, "blue") || !strings.Contains(head, "casual") || strings.Contains(head, "formal") {
		t.Errorf("the next turn begins with %s", head)
	}
}

// TestWhatAPersonDeletesIsNotToldAgain: deleting words counts at once.
func TestWhatAPersonDeletesIsNotToldAgain(t *testing.T) {
	h := buildApp(t, remembering, nil, asks("ask_1"), asks("ask_2"), says("Done."))
	h.remembers("tone", "formal")
	h.drive(h.message("hi"))
	if _, err := h.store.Memory().DeleteMemories(t.Context(), h.ref.Tenant, h.ref.Subject, ""); err != nil {
		t.Fatal(err)
	}
	h = h.node(stream.NewLocal())
	h.drive(h.answer("ask_1", "a"))
	if head, _ := h.beginning(1); strings.Contains(head, "formal") {
		t.Errorf("the model gets %s", head)
	}
	h.node(stream.NewLocal()).drive(h.answer("ask_2", "b"))
	h.wantContinued("once it is deleted", 2)
}

// TestAnEarlierTurnKeepsItsWords: an answer to a form changes the wording of the messages of its
// turn and of later ones, and of no earlier ones.
func TestAnEarlierTurnKeepsItsWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := filled(t, `{"perPrincipalPerDay": 1}`, says("Hallo"), says("Servus"))
		h.drive(h.message("this form is the one that the person may be asked today"))
		over := h.in("c2")
		over.drive(over.message("one"))
		time.Sleep(25 * time.Hour)
		over.drive(over.message("two"))
		over.drive(over.fills("German"))
		_, texts := over.beginning(1)
		if want := []string{"user: Into  (friendly): one one", "assistant: Hallo", "user: Into German (friendly): two two"}; !slices.Equal(texts, want) {
			t.Errorf("the model was sent %q, want %q", texts, want)
		}
	})
}

// TestNothingIsKeptOfATurnThatIsOver: the beginning of a turn's prompts is stored only while the
// turn is in progress.
func TestNothingIsKeptOfATurnThatIsOver(t *testing.T) {
	h := buildApp(t, remembering, nil, asks("ask_1"), says("Done."))
	h.drive(h.message("hi"))
	if b := h.basis(); b == nil || b.Language != "en" || !b.Interactive {
		t.Fatalf("a turn that waits has %+v", b)
	}
	h.drive(h.answer("ask_1", "a"))
	if b := h.basis(); b != nil {
		t.Errorf("a turn that is over has %+v", b)
	}
}

// basis returns the stored beginning of the newest turn's prompts.
func (h *house) basis() *chat.Basis {
	h.t.Helper()
	recent, err := h.store.Recent(h.t.Context(), h.ref, func([]chat.Fit) store.Span { return store.Span{} })
	if err != nil {
		h.t.Fatal(err)
	}
	return recent.Basis
}

// The parts of the system prompt that a person said are marked, so that operators do not see them.
func TestWhatIsPersonalInTheSystemPromptIsNamed(t *testing.T) {
	h := buildApp(t, remembering, nil, says("Done."))
	h.remembers("tone", "formal")
	h.drive(h.message("hi"))
	if sent := h.model.sent[0]; len(sent.Personal) != 1 || !strings.Contains(sent.Personal[0], "formal") || !strings.Contains(sent.System, sent.Personal[0]) {
		t.Errorf("personal: %q, the prompt: %q", sent.Personal, sent.System)
	}
}
