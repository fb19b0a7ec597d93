package sqldb_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/askgate/askgate/gateway/store/sqldb"
)

// usesIndexes fails unless the statements that determine the speed of a large store use the indexes
// made for them.
func usesIndexes(t *testing.T, plans map[string][]string, more map[string]string) {
	t.Helper()
	want := map[string]string{
		"conversations": "conversations_updated", "conversationsAfter": "conversations_updated",
		"placedOfSubject": "clarifications_place", "pendingOfRole": "clarifications_role", "unpublished": "conversations_due", "dropUnsent": "conversations_due", "dropKeys": "keys_old",
		"clarifications": "clarifications_done", "clarificationsOfTurns": "clarifications_call", "expired": "clarifications_due", "gone": "clarifications_due", "escalating": "clarifications_due", "pendingOfAlso": "also_asked_role",
		"branches": "conversations_branches", "members": "conversations_branches", "listedMembers": "conversations_branches",
		"folded": "conversations_branches", "foldedAfter": "conversations_branches", "askedIn": "clarifications_done", "messageOf": "messages_client", "answerOf": "clarifications_kept",
		"abandoned": "conversations_turns", "owned": "conversations_turns", "waiting": "conversations_due",
		"stale": "conversations_turns", "endedEphemeral": "conversations_ephemeral", "pendingPerApp": "clarifications_app",
		"dropMeters": "meters_end", "newsOfSubject": "news_subject", "allEnds": "runs_told", "lastEnd": "runs_told", "newsOfRole": "news_role", "newsOfAsker": "news_asker",
		"file": "files_chat", "filesHeld": "files_chat", "giveUpFiles": "files_unused", "goneFiles": "files_chat",
		"deleteNews": "news_subject", "eraseNews": "news_subject", "eraseMeters": "meters_holder",
		"ofTurn": "clarifications_call", "questions": "clarifications_call", "openOfTurns": "clarifications_done", "openOfPrograms": "clarifications_done", "openSizes": "clarifications_done",
		"openBytes": "clarifications_done", "unpublishedAsked": "clarifications_done", "draftBytes": "clarifications_done", "openFrom": "clarifications_place", "ofCall": "clarifications_call",
		"callQuestionSizes": "clarifications_call", "clarificationsOfCalls": "clarifications_call", "askedBy": "clarifications_done", "askedOpen": "clarifications_done", "askedDone": "clarifications_done",
		"askedSizes": "clarifications_done", "doneSizes": "clarifications_done", "decidedSizes": "clarifications_done", "firstOpen": "clarifications_done", "closedSizes": "clarifications_call",
		"openTextSizes": "clarifications_done", "askedTextSizes": "clarifications_done", "updateClarification": "clarifications_place", "newsOfDeleted": "clarifications_done",
		"turnsBytes": "clarifications_call", "countAsked": "clarifications_call",
		"remembered": "clarifications_kept", "callsFrom": "tool_calls_message", "callSizes": "tool_calls_message", "callExtent": "tool_calls_message",
		"pendingOfApp": "clarifications_app", "allPending": "clarifications_app", "nextApp": "clarifications_app", "undelivered": "clarifications_app",
		"talliedStates": "clarifications_app", "talliedWaits": "clarifications_app",
		"memories":   "memory_kept",
		"memoryPage": "memory_listed", "memoryPageAfter": "memory_listed", "dropMemories": "memory_expiry",
		"talliedQuestions": "clarifications_report",
		"audit":            "audit_at", "auditOfApp": "audit_at",
		"branch": "conversations_branches", "sinceOfSubject": "clarifications_place", "unannounced": "clarifications_kept", "deletedSizes": "clarifications_kept",
		"begun": "conversations", "positions": "conversations", "dueNotices": "notices_untold", "nextChain": "audit_chain", "auditLinks": "audit_chain", "unchained": "audit_unchained",
	}
	maps.Copy(want, more)
	for name, index := range want {
		if got := strings.Join(plans[name], "; "); !strings.Contains(got, index) {
			t.Errorf("%s does not use %s: %s", name, index, got)
		}
	}
}

// mostIndexes is how many indexes the table of questions may have besides its key: most of what a question
// takes is its entries there.
const mostIndexes = 8

// TestNoStatementReadsAWholeTableOfPostgres: where reading whole tables is forbidden as far as
// there is another way, only the nodes are still read whole, and nothing is sorted.
func TestNoStatementReadsAWholeTableOfPostgres(t *testing.T) {
	onPostgres(t, "plans", func(t *testing.T, url string) {
		open(t, url)
		conn := separate(t, url)
		if _, err := conn.Exec(t.Context(), "SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan"); err != nil {
			t.Fatal(err)
		}
		plans := make(map[string][]string)
		for name, text := range sqldb.PostgresTexts() {
			prepared, err := conn.Prepare(t.Context(), "s_"+name, text)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			nulls := strings.TrimSuffix(strings.Repeat("NULL, ", len(prepared.ParamOIDs)), ", ")
			if nulls != "" {
				nulls = "(" + nulls + ")"
			}
			rows, err := conn.Query(t.Context(), fmt.Sprintf(`EXPLAIN EXECUTE "s_%s"%s`, name, nulls), pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				t.Fatal(err)
			}
			plans[name], err = pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for name, plan := range plans {
			for _, step := range plan {
				if strings.Contains(step, "Seq Scan on") && !strings.Contains(step, "Seq Scan on nodes") ||
					strings.Contains(step, "Sort") && !strings.HasPrefix(name, "tallied") && name != "updateClarification" && name != "endsOfSubject" { // some of a person's last answers
					t.Errorf("%s: %s", name, step)
				}
			}
		}
		if len(plans) < 38 {
			t.Errorf("only %d statements have a plan", len(plans))
		}
		var indexes int
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_index WHERE indrelid = 'clarifications'::regclass AND NOT indisprimary").Scan(&indexes); err != nil || indexes > mostIndexes {
			t.Errorf("questions have %d indexes, %v", indexes, err)
		}
		usesIndexes(t, plans, map[string]string{"head": "conversations_pkey", "lockHead": "conversations_pkey", "updateHead": "conversations_pkey",
			"messages": "messages_pkey", "updateClarification": "clarifications_pkey", "clarification": "clarifications_pkey",
			"fits": "fits_pkey"})
		if t.Failed() {
			for name, plan := range plans {
				t.Log(name, strings.Join(plan, "\n"))
			}
		}
	})
}

// Every statement finds its rows by an index, in the order it needs. Only indexes are read whole,
// and only of what is asked for (the turns that run now; the chats whose messages may go on), as well as the nodes, which are few; and only what is tallied is
// sorted, from an index that contains all of it.
func TestNoStatementReadsAWholeTable(t *testing.T) {
	d := open(t, "sqlite:"+filepath.Join(t.TempDir(), "chats.db"))
	plans, err := d.Plans(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, plan := range plans {
		for _, step := range plan {
			switch {
			case (name == "pendingPerApp" || name == "undelivered") && step == "SCAN n": // the apps with questions that wait
			case name == "abandoned" && step == "SCAN conversations USING COVERING INDEX conversations_ownerless":
			case name == "waiting" && step == "SCAN conversations USING INDEX conversations_due":
			case name == "endedEphemeral" && step == "SCAN conversations USING INDEX conversations_ephemeral":
			case name == "unpublished" && step == "SCAN conversations USING INDEX conversations_due":
			case name == "staleCallers" && step == "SCAN callers USING COVERING INDEX callers_person": // only turns, messages and questions that wait with claims have a row
			case name == "positions" && strings.HasPrefix(step, "SCAN json_each"): // the ids that are looked for
			case step == "SCAN nodes", step == "SCAN others", name == "clock" && step == "SCAN CONSTANT ROW":
			case strings.HasSuffix(strings.ToLower(name), "newsofdeleted") && strings.HasPrefix(step, "SCAN ("): // the rows that it numbers
			case (name == "dropNews" || name == "dropCopied") && step == "SCAN news": // by id, up to the limit
			case name == "newestAudit" && step == "SCAN audit": // by id, from the end, one row
			case name == "unchained" && step == "SCAN audit USING INDEX audit_unchained": // none, except for what others wrote
			case name == "talliedQuestions" && step == "SCAN clarifications USING COVERING INDEX clarifications_report": // all of it, in order
			case strings.HasPrefix(name, "tallied") && !strings.HasPrefix(step, "SCAN clarifications"):
			case name == "endsOfSubject" && step == "USE TEMP B-TREE FOR ORDER BY": // of a person's last day
			case name == "updateClarification" && (step == "SCAN e" || step == "USE TEMP B-TREE FOR ORDER BY"): // some of a person's last answers
			case strings.HasPrefix(step, "SCAN"), strings.Contains(step, "TEMP B-TREE"):
				t.Errorf("%s: %s", name, step)
			}
		}
	}
	if len(plans) < 32 {
		t.Errorf("only %d statements have a plan", len(plans))
	}
	var indexes int
	if err := d.Rows(t.Context(), "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'clarifications' AND sql <> ''", &indexes); err != nil || indexes > mostIndexes {
		t.Errorf("questions have %d indexes, %v", indexes, err)
	}
	usesIndexes(t, plans, map[string]string{"endsOfSubject": "c USING PRIMARY KEY (tenant=? AND subject=?)", "claimed": "k USING PRIMARY KEY (scope=? AND key>? AND key<?)", "head": "PRIMARY KEY (tenant=? AND subject=? AND app=? AND chat_id=?)",
		"placedOfSubject": "clarifications_place (tenant=? AND subject=? AND <expr>=? AND <expr>>?)", "expired": "clarifications_due (<expr><?)",
		"clarification": "PRIMARY KEY (id=?)", "abandoned": "SCAN conversations USING COVERING INDEX conversations_ownerless", "pendingPerApp": "COVERING INDEX clarifications_app (<expr>=? AND app>? AND app<?)", "undelivered": "COVERING INDEX clarifications_app (<expr>=? AND app=? AND asked_at>?)",
		"talliedStates": "COVERING INDEX clarifications_app (<expr>=? AND app=? AND asked_at>?)", "talliedWaits": "COVERING INDEX clarifications_app (<expr>=? AND app=? AND asked_at>?)",
		"tooks": "COVERING INDEX clarifications_report (app=? AND template=? AND shape=?)", "exampleOf": "clarifications_report (app=? AND template=? AND shape=?)"})
	if t.Failed() {
		for name, plan := range plans {
			t.Log(name, plan)
		}
	}
}
