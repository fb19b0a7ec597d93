package sqldb_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// Every statement finds its rows by an index, in the order it wants them. Only the
// metrics and the operator's list read a whole index: that of the pending questions,
// nothing else; and only what is tallied is sorted, out of an index that has it all.
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
			case name == "pending" && step == "SCAN clarifications USING INDEX clarifications_pending":
			case strings.HasPrefix(name, "tallied") && !strings.HasPrefix(step, "SCAN clarifications"):
			case strings.HasPrefix(step, "SCAN"), strings.Contains(step, "TEMP B-TREE"):
				t.Errorf("%s: %s", name, step)
			}
		}
	}
	if len(plans) < 24 {
		t.Errorf("only %d statements have a plan", len(plans))
	}
	for name, index := range map[string]string{
		"head": "PRIMARY KEY (tenant=? AND subject=? AND app=? AND chat_id=?)", "conversations": "conversations_updated",
		"conversationsAfter": "conversations_updated", "pendingOfSubject": "clarifications_subject",
		"pendingOfSubjectAfter": "clarifications_subject", "expired": "clarifications_expiry", "abandoned": "turns_running",
		"pendingAfter": "clarifications_pending", "clarification": "PRIMARY KEY (id=?)",
		"talliedStates": "COVERING INDEX clarifications_asked (asked_at>?)", "talliedWaits": "COVERING INDEX clarifications_asked (asked_at>?)",
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
