package notify_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Who is told of a question learns who else was asked when it happened, and not what came later.
func TestAnEscalationIsToldWithTheRoles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, r := open(t), new(receiver)
		start(t, db, db, r, standard(""))
		ask(t, db, "c", "clr_1", func(c *chat.Clarification) {
			c.For, c.AskedAt = "oncall", time.Now()
			c.Question.Escalate = []tools.Escalation{{After: time.Hour, Role: "lead"}}
			c.Escalated = []chat.Escalated{{At: time.Now().Add(time.Hour)}} // before the delivery is tried
		})
		ask(t, db, "d", "clr_2", func(c *chat.Clarification) {
			c.For, c.AskedAt = "oncall", time.Now().Add(-time.Hour)
			c.Question.Escalate = []tools.Escalation{{After: time.Hour, Role: "lead"}}
			c.Escalated = []chat.Escalated{{At: time.Now()}}
		})
		time.Sleep(time.Second)
		for _, got := range r.received() {
			if has, want := strings.Contains(got.body, `"alsoAsks":[{"role":"lead","at":"`), strings.Contains(got.body, "clr_2"); has != want {
				t.Errorf("%s", got.body)
			}
		}
		if len(r.received()) != 2 {
			t.Errorf("%+v", r.received())
		}
	})
}
