package inbox_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/record"
	"github.com/askgate/askgate/tools"
)

// Once a question is escalated, the holders of the new role are asked, those who were asked before hear that
// others are, and each hears everything about it once, whatever roles they have: that its answer is deleted, too.
func TestAnEscalationIsToldOnceToEach(t *testing.T) {
	n := newLocal(t)
	alice, bob, lea := n.listen("", "alice", "lead"), n.listen("", "bob", "finance"), n.listen("", "lea", "lead")
	both, eve := n.listen("", "both", "lead", "finance"), n.listen("", "eve", "oncall")
	for _, l := range []*listener{alice, bob, lea, both, eve} {
		l.expect("snapshot[]")
	}
	n.ask(refOf("alice"), "clr_pay", func(c *chat.Clarification) {
		c.For, c.Question.Kind, c.AskedAt = "finance", tools.KindApproval, time.Now().Add(-time.Hour)
		c.Question.Escalate = []tools.Escalation{{After: time.Minute, Role: "lead"}}
	})
	rec := record.Recorder{Node: "n", Config: func() *config.Gateway { return &config.Gateway{} }}
	change := func(fn func(tx store.Tx, c *chat.Clarification) error) {
		n.update(refOf("alice"), func(tx store.Tx) error {
			c, err := tx.Clarifications().Find("clr_pay")
			if err != nil {
				return err
			}
			return fn(tx, &c)
		})
	}
	change(func(tx store.Tx, c *chat.Clarification) error {
		c.Escalate(time.Now(), 2)
		return errors.Join(tx.Clarifications().SaveEscalated(*c), rec.Escalated(tx, &config.Gateway{}, c, 1))
	})
	n.listen("", "late", "lead").expect("snapshot[clr_pay]")
	change(func(tx store.Tx, c *chat.Clarification) error {
		c.State, c.Answer, c.AnsweredAt = tools.StateAnswered, &tools.Answer{Value: json.RawMessage(`"yes"`)}, time.Now()
		return errors.Join(tx.Clarifications().Save(*c), rec.Resolved(tx, &config.Gateway{}, c, chat.Actor{}))
	})
	change(func(tx store.Tx, c *chat.Clarification) error { return rec.Deleted(tx, c, time.Now()) })
	for _, l := range []*listener{alice, bob, both} {
		l.expect("clarification:clr_pay", "clarification.escalated:clr_pay", "clarification.resolved:clr_pay", "clarification.resolved:clr_pay")
	}
	lea.expect("clarification:clr_pay", "clarification.resolved:clr_pay", "clarification.resolved:clr_pay")
	n.done(refOf("eve"), "turn_eve")
	eve.expect("done:turn_eve")
}

// Those whom it was escalated to hear of the end of a question whose chat is deleted.
func TestTheEndOfADeletedEscalatedQuestionIsTold(t *testing.T) {
	n := newLocal(t)
	n.ask(refOf("alice"), "clr_pay", func(c *chat.Clarification) {
		c.For, c.Question.Kind, c.Question.Escalate = "finance", tools.KindApproval, []tools.Escalation{{After: time.Second, Role: "lead"}}
		c.Escalated = []chat.Escalated{{At: time.Now(), Fence: 1}}
	})
	listeners := map[string]*listener{"alice": n.listen("", "alice"), "bob": n.listen("", "bob", "finance"), "lea": n.listen("", "lea", "lead")}
	for _, l := range listeners {
		l.expect("snapshot[clr_pay]")
	}
	if err := n.store.Delete(t.Context(), refOf("alice"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	n.hub.Nudge()
	for name, l := range listeners {
		n.done(refOf(name), "turn_"+name)
		l.expect("clarification.resolved:clr_pay", "done:turn_"+name)
	}
}
