package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// scene is one chat of the conversation that runs while processes crash. Choices that it leaves
// open are made by the seeded random source, so that the same seed runs the same conversation.
type scene struct {
	name  string
	app   string
	drive func(t *talk, luck *rand.Rand) error
}

var scenes = []scene{
	{"text", appTalk, func(t *talk, _ *rand.Rand) error {
		if err := t.begins("story", "idle", 0); err != nil {
			return err
		}
		return t.says("story again", "idle", 0)
	}},
	{"calls with a question", appTalk, func(t *talk, luck *rand.Rand) error {
		if err := t.begins("compute", "awaiting_input", 1); err != nil {
			return err
		}
		return t.answers(t.call(1, 0, 1), object{"value": fmt.Sprintf("Ada %d", luck.IntN(100)), "note": "née Byron"}, "idle", 0)
	}},
	{"one question", appTalk, func(t *talk, luck *rand.Rand) error {
		if err := t.begins("choose", "awaiting_input", 1); err != nil {
			return err
		}
		if _, err := t.refused(object{"answer": object{"toolCallId": t.call(1, 0, 0), "value": "gif"}}, "invalid_answer"); err != nil {
			return err
		}
		answer := []object{{"value": "pdf"}, {"value": "docx"}, {"skipped": true}, {"declined": true}}[luck.IntN(4)]
		return t.answers(t.call(1, 0, 0), answer, "idle", 0)
	}},
	{"form", appTalk, func(t *talk, luck *rand.Rand) error {
		if err := t.begins("form", "awaiting_input", 1); err != nil {
			return err
		}
		second := object{"skipped": true}
		if luck.IntN(2) == 0 {
			second = object{"value": luck.IntN(1000)}
		}
		return t.answers(t.call(1, 0, 0), object{"answers": []object{{"value": "Alpha"}, second, {"value": "2026-12-01"}}}, "idle", 0)
	}},
	{"two questions", appTalk, func(t *talk, luck *rand.Rand) error {
		if err := t.begins("pair", "awaiting_input", 2); err != nil {
			return err
		}
		answers := []object{{"value": "docx"}, {"value": true}}
		first := luck.IntN(2)
		if err := t.answers(t.call(1, 0, first), answers[first], "awaiting_input", 1); err != nil {
			return err
		}
		return t.answers(t.call(1, 0, 1-first), answers[1-first], "idle", 0)
	}},
	{"two questions answered together", appTalk, func(t *talk, luck *rand.Rand) error {
		if err := t.begins("pair", "awaiting_input", 2); err != nil {
			return err
		}
		first, second := object{"toolCallId": t.call(1, 0, 0), "value": "docx"}, object{"toolCallId": t.call(1, 0, 1), "value": luck.IntN(2) == 0}
		if _, err := t.refused(object{"answers": []object{first, {"toolCallId": t.call(1, 0, 1), "value": "perhaps"}}}, "invalid_answer"); err != nil {
			return err
		}
		if luck.IntN(2) == 0 {
			first, second = second, first
		}
		if err := t.send(object{"answers": []object{first, second}}); err != nil {
			return err
		}
		if err := t.settle("idle", 0); err != nil {
			return err
		}
		return t.again()
	}},
	{"the same question twice", appTalk, func(t *talk, luck *rand.Rand) error {
		if err := t.begins("twice", "awaiting_input", 2); err != nil {
			return err
		}
		answers := []object{{"value": "docx"}, {"value": true}}
		first := luck.IntN(2)
		if err := t.answers(t.call(1, 0, first), answers[first], "awaiting_input", 1); err != nil {
			return err
		}
		return t.answers(t.call(1, 0, 1-first), answers[1-first], "idle", 0)
	}},
	{"approvals", appGuard, func(t *talk, luck *rand.Rand) error {
		if err := t.begins("guard", "awaiting_input", 4); err != nil {
			return err
		}
		answers := []object{{"value": true}, {"value": "yes"}, {"value": false, "note": "not that one"}, {"value": true, "note": "as agreed"}}
		for n, i := range luck.Perm(len(answers)) {
			status, left := "awaiting_input", len(answers)-1-n
			if left == 0 {
				status = "idle"
			}
			if err := t.answers(t.call(1, 0, i), answers[i], status, left); err != nil {
				return err
			}
		}
		return nil
	}},
	{"approvals of calls that are counted", appGuard, counted},
	{"approvals that are remembered", appGuard, remembered},
	{sceneQuorum, appGuard, quorum},
	{"chain of calls", appTalk, func(t *talk, _ *rand.Rand) error { return t.begins("chain", "idle", 0) }},
	{"message as answer", appTalk, func(t *talk, luck *rand.Rand) error {
		if err := t.begins("choose", "awaiting_input", 1); err != nil {
			return err
		}
		return t.says([]string{"PDF", "docx", "2", "word document"}[luck.IntN(4)], "idle", 0)
	}},
	{"superseding message", appTalk, func(t *talk, _ *rand.Rand) error {
		if err := t.begins("pair", "awaiting_input", 2); err != nil {
			return err
		}
		return t.says("story rather", "idle", 0)
	}},
	{"expiry", appHasty, func(t *talk, _ *rand.Rand) error {
		if err := t.say("choose " + t.chat); err != nil {
			return err
		}
		if err := t.settle("idle", 0); err != nil {
			return err
		}
		late, err := t.refused(object{"answer": object{"toolCallId": t.call(1, 0, 0), "value": "pdf"}}, "clarification_closed")
		if err == nil && (late.Status != http.StatusGone || late.State != "expired") {
			err = fmt.Errorf("a late answer was refused with %d, state %q", late.Status, late.State)
		}
		return err
	}},
	{"stop", appTalk, func(t *talk, _ *rand.Rand) error { return t.stopped() }},
	{"resumed after a stop", appTalk, resumedAfterAStop},
	{"resumed after errors", appGuard, resumedAfterErrors},
	{"fork", appTalk, forked},
	{"fork that stops the turn", appTalk, changed},
	{"queued message", appQueue, queued},
	{"message behind a question", appQueue, behind},
	{"messages taken back and sent now", appTalk, sentNow},
	{"deleted answer", appTalk, func(t *talk, _ *rand.Rand) error {
		if err := t.begins("choose", "awaiting_input", 1); err != nil {
			return err
		}
		if err := t.answers(t.call(1, 0, 0), object{"value": "pdf"}, "idle", 0); err != nil {
			return err
		}
		if err := t.deleteAnswer(t.call(1, 0, 0)); err != nil {
			return err
		}
		return t.says("story", "idle", 0)
	}},
}

// counted decides about five calls of one step, in any order: each is allowed, allowed with other
// arguments where it may be, or refused.
func counted(t *talk, luck *rand.Rand) error {
	if err := t.begins("guarded", "awaiting_input", 5); err != nil {
		return err
	}
	for n, i := range luck.Perm(5) {
		id := t.call(1, 0, i)
		decisions := []object{{"value": true}, {"value": false, "note": "not that one"}, {"value": "yes", "note": "as agreed"}, edited(id)}
		if i == 1 || i == 3 {
			decisions = decisions[:3]
		}
		status := "awaiting_input"
		if n == 4 {
			status = "idle"
		}
		if err := t.answers(id, decisions[luck.IntN(len(decisions))], status, 4-n); err != nil {
			return err
		}
	}
	return nil
}

// edited allows a call that is counted, under another name.
func edited(id string) object {
	return object{"value": true, "arguments": object{"key": id + editedKey}}
}

// remembered allows a tool for the rest of the chat, and revokes that.
func remembered(t *talk, luck *rand.Rand) error {
	if err := t.begins("keep", "awaiting_input", 1); err != nil {
		return err
	}
	if err := t.answers(t.call(1, 0, 0), object{"value": true}, "idle", 0); err != nil {
		return err
	}
	if err := t.says("keep on", "idle", 0); err != nil {
		return err
	}
	if err := t.revoke(toolKeep); err != nil {
		return err
	}
	if err := t.says("keep asking", "awaiting_input", 1); err != nil {
		return err
	}
	decision := []object{{"value": false, "note": "no more"}, edited(t.call(3, 0, 0))}[luck.IntN(2)]
	if err := t.answers(t.call(3, 0, 0), decision, "awaiting_input", 2); err != nil {
		return err
	}
	first := luck.IntN(2)
	if err := t.answers(t.call(3, 1, first), object{"value": true}, "awaiting_input", 1); err != nil {
		return err
	}
	if err := t.answers(t.call(3, 1, 1-first), object{"value": true, "note": "go on"}, "idle", 0); err != nil {
		return err
	}
	return t.says("keep at it", "idle", 0)
}

// forked answers a question, and answers it again, alike, in a fork: both chats reach the same
// result.
func forked(t *talk, _ *rand.Rand) error {
	if err := t.begins("choose", "awaiting_input", 1); err != nil {
		return err
	}
	if err := t.answers(t.call(1, 0, 0), object{"value": "pdf"}, "idle", 0); err != nil {
		return err
	}
	old, err := t.looked()
	if err != nil {
		return err
	}
	copied := t.copied()
	if err := t.sendTo("/fork", object{"answer": object{"value": "pdf"}, "newChatId": copied.chat, "clarificationId": old.asked()}); err != nil {
		return err
	}
	if err := t.again(); err != nil {
		return err
	}
	shot, err := copied.looked()
	if err != nil {
		return err
	}
	if d := differs(shot.picture(), old.picture(), false); d != "" {
		return fmt.Errorf("the fork differs from the chat: %s", d)
	}
	return nil
}

// changed answers a question again while the model is asked: the turn of the old chat is stopped,
// once, and the new answer is used in the new chat only.
func changed(t *talk, _ *rand.Rand) error {
	if err := t.begins("linger", "awaiting_input", 1); err != nil {
		return err
	}
	said, later, copied := make(chan error, 1), t.alongside(), t.copied()
	go func() { said <- t.answer(t.call(1, 0, 0), object{"value": "pdf"}) }()
	var old *snapshot
	err := wait(t.ctx, "the turn runs", func(ctx context.Context) (ok bool, err error) {
		old, err = t.look(ctx)
		return err == nil && old.Status == "running", err
	})
	if err == nil {
		err = later.sendTo("/fork", object{"answer": object{"value": "docx"}, "newChatId": copied.chat, "clarificationId": old.asked(), "stop": true})
	}
	if err := errors.Join(err, <-said); err != nil {
		return err
	}
	if t.prior.finish != "cancelled" {
		return fmt.Errorf("the turn that was stopped for the fork ended with %s", t.prior.finish)
	}
	if err := t.settle("idle", 0); err != nil {
		return err
	}
	shot, err := copied.looked()
	if err != nil {
		return err
	}
	if last := shot.Messages[len(shot.Messages)-1]; shot.Status != "idle" || !strings.Contains(last.Content, "(docx)") || strings.Contains(last.Content, "(pdf)") {
		return fmt.Errorf("the new chat is %s and ends with %q", shot.Status, last.Content)
	}
	return errors.Join(t.again(), later.again())
}

// copied is the chat in which a fork of this one continues.
func (t *talk) copied() *talk {
	return &talk{ctx: t.ctx, world: t.world, app: t.app, chat: t.chat + "-fork", name: t.name + "-fork"}
}

// asked returns the id of the chat's newest question.
func (s *snapshot) asked() (id string) {
	for _, m := range s.Messages {
		for _, c := range m.ToolCalls {
			if c.Clarification != nil {
				id = c.Clarification.ClarificationID
			}
		}
	}
	return id
}

// looked calls look as soon as a node is up.
func (t *talk) looked() (s *snapshot, err error) {
	err = wait(t.ctx, "a look", func(ctx context.Context) (bool, error) {
		s, err = t.look(ctx)
		return err == nil, err
	})
	return s, err
}

// begins is says for a chat's first message, which identifies the chat for the audit.
func (t *talk) begins(word, status string, pending int) error {
	return t.says(word+" "+t.chat, status, pending)
}

// says sends a message, and waits for its result.
func (t *talk) says(text, status string, pending int) error {
	if err := t.say(text); err != nil {
		return err
	}
	if err := t.settle(status, pending); err != nil {
		return fmt.Errorf("after %q: %w", text, err)
	}
	return t.again()
}

// answers is says for an answer.
func (t *talk) answers(call string, answer object, status string, pending int) error {
	if err := t.answer(call, answer); err != nil {
		return err
	}
	if err := t.settle(status, pending); err != nil {
		return fmt.Errorf("after %v: %w", answer, err)
	}
	return t.again()
}

// stopped presses stop once everything that the model says has been seen, until the turn has ended.
// What only the viewers of a killed process have seen may be lost with it: stop is pressed only while
// the process that has shown the text lives, so with one node, after a crash, once the text has come
// again. With several, it is also pressed while the text of a dead front waits for its takeover.
func (t *talk) stopped() error {
	said := make(chan error, 1)
	go func() { said <- t.say("wait " + t.chat) }()
	err := wait(t.ctx, "the turn is stopped", func(ctx context.Context) (bool, error) {
		at := t.world.front()
		complete := t.viewer.sees(func(p *picture) bool {
			last := p.last()
			return p.Status == "running" && last != nil && strings.TrimSpace(last.Content) == textWait && t.viewer.from == t.world.viewed()
		})
		if complete {
			if err := t.stop(ctx, at); err != nil {
				return false, err
			}
		}
		s, err := t.look(ctx)
		var refused *refusal
		if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
			return false, nil // not said yet
		}
		return err == nil && s.Status == "idle", err
	})
	if err := errors.Join(err, <-said); err != nil {
		return err
	}
	if t.prior.finish != "cancelled" {
		return fmt.Errorf("a stopped turn ended with %s", t.prior.finish)
	}
	return t.settle("idle", 0)
}

// queued sends a message while the previous turn runs: it waits until that has ended, and its
// question is answered.
func queued(t *talk, _ *rand.Rand) error {
	said, queued := make(chan error, 1), make(chan error, 1)
	go func() { said <- t.say("hold " + t.chat) }()
	later := t.alongside()
	go func() {
		err := wait(t.ctx, "the turn runs", func(ctx context.Context) (bool, error) {
			return t.viewer.sees(func(p *picture) bool {
				return p.Status == "running" && strings.Contains(p.said(), "This takes")
			}), nil
		})
		if err == nil {
			err = later.say("story later")
		}
		queued <- err
	}()
	if err := <-said; err != nil {
		return err
	}
	if err := t.settle("awaiting_input", 1); err != nil {
		return err
	}
	if err := t.answer(t.call(1, 0, 0), object{"value": "pdf"}); err != nil {
		return err
	}
	if err := <-queued; err != nil {
		return err
	}
	if err := t.settle("idle", 0); err != nil {
		return err
	}
	return errors.Join(t.again(), later.again())
}

// behind sends a message while a question waits: the message also waits until the turn that asks is
// over.
func behind(t *talk, _ *rand.Rand) error {
	if err := t.begins("choose", "awaiting_input", 1); err != nil {
		return err
	}
	later, said := t.alongside(), make(chan error, 1)
	go func() { said <- later.say("story later") }()
	err := wait(t.ctx, "the message waits", func(ctx context.Context) (bool, error) {
		now, err := t.look(ctx)
		return err == nil && len(now.Queued) == 1, err
	})
	if err != nil {
		return err
	}
	if err := t.answer(t.call(1, 0, 0), object{"value": "pdf"}); err != nil {
		return err
	}
	if err := <-said; err != nil {
		return err
	}
	if err := t.settle("idle", 0); err != nil {
		return err
	}
	return errors.Join(t.again(), later.again())
}
