package sqldb_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// Every statement finds its rows by an index, in the order it wants them. Read whole
// are only indexes of what is asked for (the pending questions, by the metrics; the
// turns that run now; the chats whose messages may go on), and the nodes, which are few.
func TestNoStatementReadsAWholeTable(t *testing.T) {
	d := open(t, "sqlite:"+filepath.Join(t.TempDir(), "chats.db"))
	plans, err := d.Plans(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, plan := range plans {
		for _, step := range plan {
			switch {
			case name == "pendingPerApp" && step == "SCAN clarifications USING COVERING INDEX clarifications_app":
			case name == "abandoned" && step == "SCAN conversations USING COVERING INDEX conversations_running":
			case name == "waiting" && step == "SCAN conversations USING INDEX conversations_waiting":
			case step == "SCAN nodes":
			case strings.HasPrefix(step, "SCAN"), strings.Contains(step, "TEMP B-TREE"):
				t.Errorf("%s: %s", name, step)
			}
		}
	}
	if len(plans) < 32 {
		t.Errorf("only %d statements have a plan", len(plans))
	}
	for name, index := range map[string]string{
		"head": "PRIMARY KEY (tenant=? AND subject=? AND app=? AND chat_id=?)", "conversations": "conversations_updated",
		"conversationsAfter": "conversations_updated", "pendingOfSubject": "clarifications_subject",
		"pendingOfSubjectAfter": "clarifications_subject", "expired": "clarifications_expiry", "abandoned": "conversations_running", "owned": "conversations_running",
		"waiting": "conversations_waiting", "stale": "conversations_stale",
		"clarifications": "clarifications_chat", "asked": "clarifications_chat",
	} {
		if got := strings.Join(plans[name], "; "); !strings.Contains(got, index) {
			t.Errorf("%s does not use %s: %s", name, index, got)
		}
	}
	if t.Failed() {
		for name, plan := range plans {
			t.Log(name, plan)
		}
	}
}
