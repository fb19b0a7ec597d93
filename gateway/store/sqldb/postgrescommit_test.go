package sqldb_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// TestALostReplyToACommitIsLookedUp: whatever is written, a commit that was made counts as made,
// and nothing is written twice.
func TestALostReplyToACommitIsLookedUp(t *testing.T) {
	onPostgres(t, "reply", func(t *testing.T, direct string) {
		p, through := startProxy(t, direct)
		d := open(t, through)
		if err := d.Update(t.Context(), ref("c"), beginTurn); err != nil {
			t.Fatal(err)
		}
		held := func() store.Held {
			head, turn, err := d.Conversation(t.Context(), ref("c"))
			if err != nil {
				t.Fatal(err)
			}
			return store.Held{Ref: head.Ref, ConversationID: head.ID, Fence: head.Fence, Known: head.LastEvent, LastEvent: head.LastEvent, UpdatedAt: head.UpdatedAt, Turn: *turn}
		}
		for i, write := range []func() error{
			func() error { return d.Update(t.Context(), ref("c"), beginTurn) },
			func() error { return d.UpdateLazily(t.Context(), ref("c"), beginTurn) },
			func() error {
				return d.UpdateAs(t.Context(), held(), false, func(tx store.RunTx) error {
					return tx.AppendMessage(chat.Message{ID: "more", TurnID: "turn", Role: chat.RoleAssistant})
				})
			},
			func() error { return d.Update(t.Context(), ref("new"), beginTurn) },
			func() error { return d.Delete(t.Context(), ref("new"), time.Time{}) },
		} {
			p.loseReplies(1, false)
			if err := write(); err != nil {
				t.Fatalf("write %d: %v", i, err)
			}
			if p.losing() != 0 {
				t.Errorf("write %d: no reply was lost", i)
			}
		}
		v, err := d.View(t.Context(), ref("c"))
		if err != nil || len(v.Messages) != 4 {
			t.Errorf("%d messages, want 4: %v", len(v.Messages), err)
		}
		if _, err := d.View(t.Context(), ref("new")); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the deleted chat: %v", err)
		}
	})
}

// TestAStoreThatStaysAwayLeavesACommitUnknown: it is not taken for one that changed nothing.
func TestAStoreThatStaysAwayLeavesACommitUnknown(t *testing.T) {
	onPostgres(t, "unknown", func(t *testing.T, direct string) {
		witness := open(t, direct)
		p, through := startProxy(t, direct)
		d := open(t, through)
		d.SetOutcomeWait(50 * time.Millisecond)
		p.loseReplies(1, true)
		err := d.Update(t.Context(), ref("c"), beginTurn)
		if !errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("got %v, want store.ErrUnknown", err)
		}
		if v, err := witness.View(t.Context(), ref("c")); err != nil || len(v.Messages) != 1 {
			t.Errorf("the commit: %v", err)
		}
		if err := d.Ping(t.Context()); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("ping: %v", err)
		}
		p.heal()
		if err := d.Update(t.Context(), ref("c"), beginTurn); err != nil {
			t.Errorf("it did not recover: %v", err)
		}
	})
}

// TestACommitThatWasLookedUpCannotComeLater: a lookup of a commit that is still on its way waits
// for its end, or prevents it.
func TestACommitThatWasLookedUpCannotComeLater(t *testing.T) {
	onPostgres(t, "late", func(t *testing.T, direct string) {
		open(t, direct)
		made := func(conn *pgx.Conn, mark int) (made bool) {
			if err := conn.QueryRow(t.Context(), sqldb.TakeMark, mark).Scan(&made); err != nil {
				t.Error(err)
			}
			return made
		}
		commit, look := separate(t, direct), separate(t, direct)
		for mark, end := range []string{"ROLLBACK", "COMMIT"} {
			t.Run(end, func(t *testing.T) {
				for _, statement := range []string{"BEGIN", fmt.Sprintf("INSERT INTO commits (mark, made) VALUES (%d, true)", mark)} {
					if _, err := commit.Exec(t.Context(), statement); err != nil {
						t.Fatal(err)
					}
				}
				found := make(chan bool)
				go func() { found <- made(look, mark) }()
				waits := separate(t, direct)
				for waiting := 0; waiting == 0; {
					if err := waits.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'", look.PgConn().PID()).Scan(&waiting); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := commit.Exec(t.Context(), end); err != nil {
					t.Fatal(err)
				}
				if got, want := <-found, end == "COMMIT"; got != want {
					t.Errorf("made: %v", got)
				}
				if got, want := made(look, mark), end == "COMMIT"; got != want {
					t.Errorf("made, looked up again: %v", got)
				}
			})
		}
		if made(look, 7) {
			t.Error("a mark that was never written counts as made")
		}
		if _, err := commit.Exec(t.Context(), sqldb.WriteMark, 7); err == nil {
			t.Error("a commit came after it was looked up")
		}
	})
}
