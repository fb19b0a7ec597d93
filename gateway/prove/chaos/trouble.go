package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// troubled is play with a model that breaks off, or is stopped, until its chat is repaired: from
// then on its output depends only on the history, as in play.
func (w *world) troubled(n int, r modeltest.Request) modeltest.Response {
	h := recall(r.Body)
	word, _, _ := strings.Cut(h.text, " ")
	_, repaired := w.repaired.Load(h.chat)
	switch {
	case word == "falter" && h.step > 0 && !repaired:
		told := h.speak(wordPause, h.told())
		return append(told[:6], modeltest.Cut())
	case word == "wait" && repaired:
		return h.speak(wordPause, textStory)
	}
	return play(n, r)
}

// resumes continues the turn, and waits for its result.
func (t *talk) resumes(finish string) error {
	if err := t.resume(); err != nil {
		return err
	}
	if t.prior.finish != finish {
		return fmt.Errorf("a resumed turn ended with %s, want %s", t.prior.finish, finish)
	}
	if err := t.settle("idle", 0); err != nil {
		return fmt.Errorf("resumed: %w", err)
	}
	return t.again()
}

// finished resumes a turn that has its answer, which must be refused.
func (t *talk) finished() error {
	_, err := refusedAs(t.resume(), "a resumption of a finished turn", "nothing_to_resume")
	return err
}

// resumedAfterErrors decides about two calls and answers a question, after which the model
// fails until the turn has been resumed once.
func resumedAfterErrors(t *talk, luck *rand.Rand) error {
	if err := t.begins("falter", "awaiting_input", 3); err != nil {
		return err
	}
	answers := []object{{"value": true}, {"value": "Ada"}, {"value": true, "note": "as agreed"}}
	for n, i := range luck.Perm(len(answers)) {
		status, left := "awaiting_input", len(answers)-1-n
		if left == 0 {
			status = "idle"
		}
		if err := t.answers(t.call(1, 0, i), answers[i], status, left); err != nil {
			return err
		}
	}
	if t.prior.finish != "error" {
		return fmt.Errorf("the turn ended with %s", t.prior.finish)
	}
	if err := t.resumes("error"); err != nil {
		return err
	}
	t.world.repaired.Store(t.chat, true)
	if err := t.resumes("stop"); err != nil {
		return err
	}
	return t.finished()
}

// resumedAfterAStop stops a text, and has it generated again.
func resumedAfterAStop(t *talk, _ *rand.Rand) error {
	if err := t.stopped(); err != nil {
		return err
	}
	t.world.repaired.Store(t.chat, true)
	if err := t.resumes("stop"); err != nil {
		return err
	}
	return t.finished()
}
