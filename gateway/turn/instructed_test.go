package turn_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
)

// instructing configures how the house's app treats the instructions of clients.
func (h *house) instructing(how string) {
	app, _ := h.engine.Setup().Config.App(h.ref.App)
	app.ClientInstructions = how
}

// instructed is a message with instructions of the client's program.
func (h *house) instructed(text, instructions string) turn.Command {
	cmd := h.message(text)
	cmd.Instructions = instructions
	return cmd
}

// hears returns the requests to the model that contain a text in a message of the user's.
func (h *house) hears(text string) (n []int) {
	for i, req := range h.model.sent {
		if slices.ContainsFunc(req.Messages, func(m model.Message) bool { return m.Role == model.RoleUser && strings.Contains(m.Content, text) }) {
			n = append(n, i)
		}
	}
	return n
}

func (h *house) wantHeard(what, text string, want ...int) {
	h.t.Helper()
	if got := h.hears(text); !slices.Equal(got, want) {
		h.t.Errorf("%s: requests %v have %q, want %v", what, got, text, want)
	}
}

// Instructions of a client's program were not said by the person: they do not support an argument,
// and a memory of them does not either.
func TestInstructionsGroundNoArgument(t *testing.T) {
	h := paying(t, step("guard_1", `{"amount":1250}`), says("done"),
		step("remember_1", `{"key":"rent","text":"The rent is 4300 euros."}`), says("noted"), step("guard_2", `{"amount":4300}`), says("done"))
	h.instructing(config.InstructionsAppend)
	const words = "The invoice is 1250 euros, the rent 4300 euros."
	h.drive(h.instructed("Pay the invoice.", words))
	h.wantHeard("the turn", "1250", 0, 1)
	h.wantCalls("INVALID_ARGUMENTS")
	h.drive(h.instructed("Remember the rent.", words))
	other := h.chat("c2")
	other.drive(other.message("Pay the rent."))
	other.wantCalls("INVALID_ARGUMENTS")
}

// The model that titles a chat does not get the instructions.
func TestInstructionsAreInNoTitle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := titling(t, says("Ahoy."), says("A trip"))
		h.instructing(config.InstructionsAppend)
		h.drive(h.instructed("Plan my trip", "Speak like a pirate."))
		h.titled("the first answer", "A trip")
		h.wantHeard("the turn alone", "pirate", 0)
	})
}

// stored is the amount that the house's person has stored.
func (h *house) stored() (bytes int64) {
	h.t.Helper()
	if err := h.store.Update(h.t.Context(), h.ref, func(tx store.Tx) (err error) { bytes, err = tx.Stored(h.ref.Subject); return err }); err != nil {
		h.t.Fatal(err)
	}
	return bytes
}

// Instructions count towards their person's storage, and are gone with the next message, even if
// the app no longer accepts them.
func TestInstructionsAreKeptForATurn(t *testing.T) {
	for _, next := range []string{config.InstructionsAppend, config.InstructionsIgnore, config.InstructionsRefuse} {
		h := build(t, `{}`, nil, says("One."), says("Two."))
		h.instructing(config.InstructionsAppend)
		h.drive(h.instructed("hi", strings.Repeat("x", 10_000)))
		if n := h.stored(); n < 10_000 {
			t.Errorf("%s: %d bytes are stored", next, n)
		}
		h.instructing(next)
		h.drive(h.message("again"))
		if n := h.stored(); n > 5_000 {
			t.Errorf("%s: then %d bytes are stored", next, n)
		}
	}
}

// A fork of a turn has its instructions, both with another answer and with another message; a
// client's branch has those that it is sent with.
func TestAForkHasTheInstructionsOfItsTurn(t *testing.T) {
	const words = "Speak like a pirate."
	for name, c := range map[string]struct {
		answer  any
		message *string
		branch  bool
		own     string
		want    []int
	}{
		"another answer":    {answer: "c", want: []int{0, 1, 2}},
		"the same message":  {want: []int{0, 1, 2}},
		"another message":   {message: new("other"), want: []int{0, 1, 2}},
		"a client's branch": {message: new("other"), branch: true, own: "Be brief.", want: []int{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, `{}`, nil, asks("call_1"), says("One."), says("Two."), says("Three."))
			h.instructing(config.InstructionsAppend)
			h.drive(h.instructed("hi", words))
			h.drive(h.answer("call_1", "b"))
			var at chat.Fork
			view, err := h.store.View(t.Context(), h.ref)
			if err != nil {
				t.Fatal(err)
			}
			if c.answer != nil {
				at.ClarificationID = view.Clarifications[0].ID
			} else {
				at.MessageID = view.Messages[0].ID
			}
			cmd := h.fork(at, c.message, c.answer)
			cmd.Fork.Branch, cmd.Instructions = c.branch, c.own
			h.chat("c2").drive(cmd)
			h.wantHeard("with the fork", words, c.want...)
			if c.own != "" {
				h.wantHeard("the branch's own", c.own, 2)
			}
			other := h.chat("c2")
			other.drive(other.message("more"))
			h.wantHeard("with its next turn", words, c.want...)
		})
	}
}
