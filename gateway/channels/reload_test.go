package channels_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/prove/testdb"
	"github.com/askgate/askgate/tools"
)

// Once the configuration no longer names a person for a role, or an app for a channel, nothing of a question
// is told: neither what is tried again nor a reminder. What was sent is updated without texts.
func TestWhomAReloadLeavesOutIsNotTold(t *testing.T) {
	forFinance := func(c *chat.Clarification) { c.For = "finance" }
	for what, change := range map[string]func(*config.Gateway){
		"a role":   func(g *config.Gateway) { g.People[1].Roles = nil },
		"a person": func(g *config.Gateway) { g.People = g.People[:1] },
		"an app":   func(g *config.Gateway) { g.Channels[0].Apps = []string{"other"} },
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db, p := testdb.Open(t), new(phone)
				channel := mail(`, "texts": true, "remindAfter": ["30m"]`)
				n := start(t, db, p, channel)
				ask(t, db, "c", "clr_1", forFinance, "carol")
				rest(time.Minute)
				p.fails(func(int) error { return errors.New("away") })
				ask(t, db, "d", "clr_2", forFinance, "carol")
				rest(time.Second)
				p.fails(nil)
				n.mu.Lock()
				n.snap = snapshot(t, channel)
				change(&n.snap.Gateway)
				n.mu.Unlock()
				rest(2 * time.Hour)
				if len(p.sent) != 2 || notTold(t, db, "clr_1") != "" || notTold(t, db, "clr_2") != "mail" {
					t.Errorf("%d messages; not told %q, %q", len(p.sent), notTold(t, db, "clr_1"), notTold(t, db, "clr_2"))
				}
				answer(t, db, "c")
				rest(time.Minute)
				if got := strings.Join(p.ended, ", "); got != "ref-1 answered without texts" {
					t.Errorf("ended: %s", got)
				}
			})
		})
	}
}

// A role that was added by an escalation is one that is asked.
func TestWhoIsAskedByAnEscalationIsReminded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, p := testdb.Open(t), new(phone)
		start(t, db, p, mail(`, "remindAfter": ["30m"]`))
		ask(t, db, "c", "clr_1", func(c *chat.Clarification) {
			c.For = "lead"
			c.Question.Escalate = append(c.Question.Escalate, tools.Escalation{After: time.Minute, Role: "finance"})
			c.Escalated = []chat.Escalated{{At: db.Now()}}
		}, "carol")
		rest(time.Hour)
		if len(p.sent) != 2 || p.sent[1].Role != "finance" {
			t.Errorf("%+v", p.sent)
		}
	})
}
