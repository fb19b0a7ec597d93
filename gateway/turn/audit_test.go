package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// audited turns the audit on.
func (h *house) audited(texts bool) *house {
	conf := &h.engine.Setup().Config.Gateway.Audit
	conf.Enabled, conf.Texts = true, texts
	return h
}

func (h *house) audit() []chat.AuditRecord {
	h.t.Helper()
	list, _, err := h.store.Audit().AuditRecords(h.t.Context(), store.AuditSpan{}, store.Page{Limit: 1000})
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}

// told is the audit in short form.
func (h *house) told() string {
	h.t.Helper()
	var list []string
	for _, r := range h.audit() {
		words := []string{string(r.What), r.ToolCallID, string(r.Outcome), "by", string(r.By.Kind), r.By.Model, r.By.Subject}
		if r.Approved != nil {
			words = append(words, fmt.Sprint(*r.Approved))
		}
		list = append(list, strings.Join(strings.Fields(strings.Join(words, " ")), " "))
	}
	return strings.Join(list, "\n")
}

func (h *house) wantTold(want ...string) {
	h.t.Helper()
	if got := h.told(); got != strings.Join(want, "\n") {
		h.t.Errorf("the audit tells\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

var alice = chat.Actor{Kind: chat.ActorCaller, Tenant: "t", Subject: "alice", Key: "web", From: "192.0.2.1"}

func TestTheAuditTellsWhoAskedAndWhoAnswered(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"), asks("guard_1", "guard_2"), says("Thanks.")).audited(false)
	h.drive(h.message("hi"))
	answer := h.answer("call_1", "a secret answer")
	answer.By = alice
	h.drive(answer)
	yes, no := h.allows("guard_1"), h.replies("guard_2", tools.Answer{Value: json.RawMessage("false"), Note: "a secret note"})
	yes.By, no.By = alice, alice
	h.drive(yes)
	h.drive(no)
	h.wantTold(
		"asked call_1 by model default", "resolved call_1 answered by caller alice",
		"asked guard_1 by model default", "asked guard_2 by model default",
		"resolved guard_1 answered by caller alice true", "resolved guard_2 answered by caller alice false",
	)
	list := h.audit()
	c, err := h.store.Clarification(t.Context(), list[0].ClarificationID)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range list {
		if r.Tenant != "t" || r.Subject != "s" || r.App != "helper" || r.ChatID != "c1" || r.Node != "node" || r.TurnID != c.TurnID {
			t.Errorf("record %d: %+v", i, r)
		}
		if r.Questions != nil || r.Answer != nil || r.Arguments != nil {
			t.Errorf("record %d has texts: %+v", i, r)
		}
	}
	if a := list[0]; a.Kind != "question" || a.ToolName != "ask_user" || a.InputType != "text" || !time.Time(a.At).Equal(c.AskedAt) {
		t.Errorf("asked: %+v", a)
	}
	if a := list[1]; a.By != alice || !time.Time(a.At).Equal(c.AnsweredAt) || a.ID <= list[0].ID {
		t.Errorf("resolved: %+v", a)
	}
	if a := list[2]; a.Kind != "approval" || a.ToolName != "clock" || a.InputType != "confirm" {
		t.Errorf("an approval: %+v", a)
	}
}

func TestTheAuditHasTextsOnlyWhereItIsTold(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"), asks("guard_1")).audited(true)
	h.drive(h.message("hi"))
	h.drive(h.answer("call_1", "fr"))
	list := h.audit()
	if len(list) != 3 || len(list[0].Questions) != 1 || list[0].Questions[0].Question != "What?" || list[0].Arguments != nil {
		t.Fatalf("asked: %+v", list)
	}
	if a := list[1].Answer; a == nil || string(a.Value) != `"fr"` {
		t.Errorf("resolved: %+v", list[1])
	}
	if string(list[2].Arguments) != `{"timezone":"UTC"}` {
		t.Errorf("an approval: %+v", list[2])
	}
	plain := list[1].WithoutTexts()
	if plain.Answer != nil || plain.Questions != nil || plain.Arguments != nil || plain.ClarificationID != list[1].ClarificationID {
		t.Errorf("%+v", plain)
	}
}

func TestTheAuditTellsHowQuestionsEndWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{"expiresIn": "1h", "onMessageWhilePending": "supersede"}`, nil,
			asks("call_1"), asks("call_2"), asks("call_3"), says("Well.")).audited(false)
		h.drive(h.message("hi"))
		ctx, cancel := context.WithCancel(t.Context())
		go h.engine.Sweep(ctx)
		time.Sleep(time.Hour + 5*time.Second)
		message := h.message("another")
		message.By = alice
		h.drive(message)
		if err := h.engine.CancelClarification(t.Context(), h.pendingID(0), chat.Actor{Kind: chat.ActorAdmin, Subject: "root"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		cancel()
		h.wantTold(
			"asked call_1 by model default", "resolved call_1 expired by gateway",
			"asked call_2 by model default", "resolved call_2 superseded by caller alice",
			"asked call_3 by model default", "resolved call_3 cancelled by admin root",
		)
	})
}

func TestAnAnswerThatComesTooLateIsNotWhoClosedTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{"expiresIn": "1h"}`, nil, asks("call_1"), says("Well.")).audited(false)
		h.drive(h.message("hi"))
		time.Sleep(2 * time.Hour) // no sweep has run
		message := h.message("another")
		message.By = alice
		h.drive(message)
		h.wantTold("asked call_1 by model default", "resolved call_1 expired by gateway")
	})
}

func TestOfManyAnswersAtTheSameTimeTheAuditTellsTheOne(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"), says("Thanks.")).audited(false)
	h.drive(h.message("hi"))
	var wait sync.WaitGroup
	won := make(chan string, 16)
	for i := range cap(won) {
		wait.Go(func() {
			cmd := h.answer("call_1", "yes")
			cmd.By = chat.Actor{Kind: chat.ActorCaller, Subject: fmt.Sprint("s", i)}
			if run, err := h.take(context.Background(), cmd); err == nil {
				won <- cmd.By.Subject
				run.Drive(context.Background(), nil)
			}
		})
	}
	wait.Wait()
	h.wantTold("asked call_1 by model default", "resolved call_1 answered by caller "+<-won)
}

func TestWhoeverTheAuditIsNotToldOfIsWhoseChatItIs(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"), says("Thanks.")).audited(false)
	h.drive(h.message("hi"))
	h.drive(h.answer("call_1", "yes"))
	h.wantTold("asked call_1 by model default", "resolved call_1 answered by caller s")
}

func TestTheAuditOfAChatGoesWithIt(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"), asks("call_2")).audited(true)
	h.drive(h.message("hi"))
	if err := h.engine.Delete(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	h.wantTold("erased by caller")
	text, err := json.Marshal(h.audit())
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{`"c1"`, `"s"`, "call_1", "What?", "clr_", "turn_"} {
		if strings.Contains(string(text), gone) {
			t.Errorf("%s is still there: %s", gone, text)
		}
	}
}

// Retention leaves a record of the erased places of the audit, and nothing of the chat.
func TestRetentionLeavesPlacesInTheAudit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := buildApp(t, `"retention": "1h"`, nil, asks("call_1")).audited(true)
		h.drive(h.message("hi"))
		ctx, cancel := context.WithCancel(t.Context())
		go h.engine.Sweep(ctx)
		time.Sleep(time.Hour + 20*time.Second)
		cancel()
		h.wantTold("erased by gateway")
		if r := h.audit()[0]; len(r.Places) != 1 || r.ChatID != "" || r.Subject != "" {
			t.Errorf("%+v", r)
		}
	})
}

func TestWithoutAnAuditNothingIsRecorded(t *testing.T) {
	h := build(t, `{}`, nil, asks("call_1"), says("Thanks."))
	h.drive(h.message("hi"))
	h.drive(h.answer("call_1", "fr"))
	if err := h.engine.Delete(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	h.wantTold()
}
