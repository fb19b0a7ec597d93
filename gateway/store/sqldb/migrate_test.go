package sqldb_test

import (
	"database/sql"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/tools"
)

// version1 is a store as version 1 of the tables kept it: a chat with two turns, one
// without any, and one that runs.
const version1 = `
INSERT INTO conversations (tenant, subject, app, chat_id, id, language, fence, event_fence, event_seq, turn, created_at, updated_at) VALUES
	('acme', 'alice', 'translator', 'c', 'cnv_1', 'de', 7, 7, 3, 2, 1000, 2000),
	('acme', 'alice', 'translator', 'empty', 'cnv_2', '', 0, 0, 0, 0, 1000, 1000),
	('acme', 'alice', 'translator', 'runs', 'cnv_3', 'en', 1, 1, 1, 1, 1000, 3000);
INSERT INTO turns VALUES
	('cnv_1', 1, 'turn_1', 'ended', 'en', 1, 1, 'stop', 1, 2, 'old', 5, 6, 7),
	('cnv_1', 2, 'turn_2', 'paused', 'de', 1, 3, 'clarification', 11, 12, '', 0, 1500, 0),
	('cnv_3', 1, 'turn_3', 'running', 'en', 0, 0, '', 0, 0, 'gone', 9, 2500, 0);
INSERT INTO messages VALUES ('cnv_1', 1, 'msg_1', 'turn_1', 6, 'user', 'hello', 1000), ('cnv_1', 2, 'msg_2', 'turn_2', 7, 'assistant', '', 1500);
INSERT INTO tool_calls VALUES ('cnv_1', 'call_1', 2, 0, 'ask_user', '{}', NULL, '', NULL, '', '');
INSERT INTO clarifications (id, conversation_id, tenant, subject, app, chat_id, turn_id, tool_call_id, tool_name, arguments, kind, question,
	number, max, state, answer, asked_fence, done_fence, asked_at, answered_at, expires_at) VALUES
	('clr_1', 'cnv_1', 'acme', 'alice', 'translator', 'c', 'turn_2', 'call_1', 'ask_user', '{}', 'question', '{}', 1, 10, 'pending', NULL, 7, 0, 1500, 0, 0);
INSERT INTO idempotency VALUES ('cnv_1', 'k', 'h', 7, 1000);`

// TestAStoreOfVersion1GoesOn: nothing of it is lost, and its open question can be answered.
func TestAStoreOfVersion1GoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	if err := sqldb.MigrateTo(t.Context(), "sqlite:"+path, 1); err != nil {
		t.Fatal(err)
	}
	old, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.ExecContext(t.Context(), version1); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}

	d := open(t, "sqlite:"+path)
	v, err := d.View(t.Context(), ref("c"))
	if err != nil {
		t.Fatal(err)
	}
	ms := func(n int64) time.Time { return time.UnixMilli(n).UTC() }
	want := chat.Turn{ID: "turn_2", ConversationID: "cnv_1", State: chat.TurnPaused, Language: "de", Interactive: true, Steps: 3,
		FinishReason: chat.FinishClarification, Usage: chat.Usage{InputTokens: 11, OutputTokens: 12}, StartedAt: ms(1500)}
	if v.Turn == nil || *v.Turn != want {
		t.Errorf("the newest turn is %+v, want %+v", v.Turn, want)
	}
	head := chat.Conversation{ID: "cnv_1", Ref: ref("c"), Language: "de", Fence: 7, LastEvent: chat.EventID{Fence: 7, Seq: 3},
		CreatedAt: ms(1000), UpdatedAt: ms(2000)}
	calls := []chat.ToolCall{{ID: "call_1", Name: "ask_user", Arguments: "{}"}}
	if v.Conversation != head || len(v.Messages) != 2 || !reflect.DeepEqual(v.Messages[1].ToolCalls, calls) || len(v.Pending()) != 1 {
		t.Errorf("the chat is %+v", v)
	}
	if _, turn, err := d.Conversation(t.Context(), ref("empty")); err != nil || turn != nil {
		t.Errorf("a chat without a turn has %+v, %v", turn, err)
	}
	if refs, err := d.Abandoned(t.Context(), "node", 0, 10); err != nil || len(refs) != 1 || refs[0] != ref("runs") {
		t.Errorf("Abandoned = %v, %v", refs, err)
	}
	if err := d.Update(t.Context(), ref("c"), func(tx store.Tx) error {
		if i, err := tx.Idempotency("k", time.Time{}); err != nil || i.Fence != 7 || i.MessageID != "" {
			t.Errorf("the key is %+v, %v", i, err)
		}
		c := v.Pending()[0]
		if c.AnsweredBy != nil || c.Draft != nil {
			t.Errorf("it knows who closed it: %+v", c)
		}
		c.State = tools.StateAnswered
		if err := tx.SaveClarification(c); err != nil {
			return err
		}
		return tx.SetResult("call_1", chat.ToolResult{Content: "fr"})
	}); err != nil {
		t.Error(err)
	}
	if err := d.Delete(t.Context(), ref("c"), time.Time{}); err != nil {
		t.Error(err)
	}
}

// nextVersion is what a newer build may do to the tables while this one uses them.
var nextVersion = []string{
	"ALTER TABLE conversations ADD COLUMN colour INTEGER NOT NULL DEFAULT 0",
	"ALTER TABLE messages ADD COLUMN colour INTEGER",
	"CREATE INDEX conversations_colour ON conversations (colour, updated_at)",
	"CREATE TABLE colours (id INTEGER NOT NULL PRIMARY KEY)",
	"INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, TRUE)",
}

// TestANewerBuildMayMigrateBeside: an older one goes on while the tables change, and
// starts on the changed ones.
func TestANewerBuildMayMigrateBeside(t *testing.T) {
	onEach(t, func(t *testing.T, u string) {
		d := open(t, u)
		migrate := func(statement string) error {
			if path, ok := strings.CutPrefix(u, "sqlite:"); ok {
				other, err := sql.Open("sqlite", path+"?_busy_timeout=10000")
				if err != nil {
					return err
				}
				defer other.Close()
				_, err = other.ExecContext(t.Context(), statement)
				return err
			}
			run(t, beside(t, u), statement)
			return nil
		}
		use := func() error {
			if err := d.Update(t.Context(), ref("c"), beginTurn); err != nil {
				return err
			}
			_, err := d.View(t.Context(), ref("c"))
			return err
		}
		stop, used := make(chan struct{}), make(chan error, 1)
		go func() {
			for {
				select {
				case <-stop:
					used <- nil
					return
				default:
					if err := use(); err != nil {
						used <- err
						return
					}
				}
			}
		}()
		for _, statement := range nextVersion {
			if err := migrate(statement); err != nil {
				t.Error(err)
			}
		}
		close(stop)
		if err := <-used; err != nil {
			t.Errorf("beside the migration: %v", err)
		}
		if err := use(); err != nil {
			t.Errorf("after the migration: %v", err)
		}
		older := open(t, u)
		v, err := older.View(t.Context(), ref("c"))
		if err != nil || int64(len(v.Messages)) != v.Conversation.Fence {
			t.Errorf("started on newer tables: %+v, %v", v, err)
		}
		if err := older.Delete(t.Context(), ref("c"), time.Time{}); err != nil {
			t.Error(err)
		}
	})
}
