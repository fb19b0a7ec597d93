package sqldb_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// record adds a record about a chat.
func record(t *testing.T, d *sqldb.DB, chatID, node string) {
	t.Helper()
	if err := d.Update(t.Context(), ref(chatID), func(tx store.Tx) error {
		return tx.Audit(chat.AuditRecord{At: chat.Time(time.UnixMilli(1e12)), App: "a", Node: node})
	}); err != nil {
		t.Fatal(err)
	}
}

// directly runs statements on the database, past the gateway.
func directly(t testing.TB, u string) func(statement string) {
	t.Helper()
	path, ok := strings.CutPrefix(u, "sqlite:")
	if !ok {
		conn := beside(t, u)
		return func(statement string) { run(t, conn, statement) }
	}
	other, err := sql.Open("sqlite", path+"?_busy_timeout=10000")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	return func(statement string) {
		t.Helper()
		if _, err := other.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTamperingIsNamed: whoever changes the database past the gateway is noticed, and the
// first record that it concerns is named.
func TestTamperingIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		do   string
		id   int64
		what string
	}{
		"a text":                   {"UPDATE audit SET record = replace(record, 'n4', 'n5') WHERE id = 4", 4, "does not fit"},
		"two texts":                {"UPDATE audit SET record = replace(record, 'n', 'x') WHERE id IN (5, 3)", 3, "does not fit"},
		"a time":                   {"UPDATE audit SET at = at + 1 WHERE id = 4", 4, "does not fit"},
		"an app":                   {"UPDATE audit SET app = 'b' WHERE id = 6", 6, "does not fit"},
		"a hash":                   {"UPDATE audit SET hash = 'sha256:00' WHERE id = 3", 3, "does not fit"},
		"a hash of the one before": {"UPDATE audit SET prev = 'sha256:00' WHERE id = 3", 3, "does not come after"},
		"of its chain":             {"UPDATE audit SET chain = NULL WHERE id = 3", 3, "in no chain"},
		"a record goes":            {"DELETE FROM audit WHERE id = 4", 5, "before it in its chain is gone"},
		"the first goes":           {"DELETE FROM audit WHERE id = 1", 2, "before it in its chain is gone"},
		"the last goes":            {"DELETE FROM audit WHERE id = 6", 5, "what came after it"},
		"the first of a later one": {"DELETE FROM audit WHERE id = 7", 8, "before it in its chain is gone"},
		"a head":                   {"UPDATE audit_heads SET hash = 'sha256:00' WHERE seq = 6", 6, "of its chain's head"},
		"a head goes":              {"DELETE FROM audit_heads WHERE seq = 6", 1, "head of its chain is gone"},
		"one is added":             {"INSERT INTO audit (at, app, record) VALUES (1, 'a', '{}')", 9, "in no chain"},
		"a whole chain goes": {"DELETE FROM audit WHERE id <= 6; DELETE FROM audit_heads WHERE seq = 6", 7,
			"its chain begins after is gone"},
		"what was erased": {"UPDATE audit_erased SET hash = 'sha256:00'", 3, "does not come after"},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, u string) {
				d := open(t, u)
				for i, c := range []string{"c1", "gone", "c1", "c2", "c1", "c2"} {
					record(t, d, c, fmt.Sprint("n", i+1))
				}
				later := open(t, u) // a chain of its own
				record(t, later, "c3", "n7")
				record(t, later, "c1", "n8")
				if err := d.Delete(t.Context(), ref("gone"), time.Time{}); err != nil {
					t.Fatal(err)
				}
				if v, err := d.VerifyAudit(t.Context()); err != nil || v.Broken != nil || v.Chains != 2 || v.Records != 7 || v.Erased != 1 || v.Head.ID != 8 {
					t.Fatalf("before: %+v, %+v, %v", v, v.Broken, err)
				}
				statements := c.do
				if strings.HasPrefix(u, "sqlite:") {
					statements = "DROP TRIGGER audit_unchanged; " + statements
				} else {
					statements = "DROP TRIGGER audit_unchanged ON audit; " + strings.ReplaceAll(statements,
						"replace(record, ", "convert_to(replace(convert_from(record, 'UTF8'), ")
					statements = strings.ReplaceAll(statements, "') WHERE id IN", "'), 'UTF8') WHERE id IN")
					statements = strings.ReplaceAll(statements, "'n5') WHERE", "'n5'), 'UTF8') WHERE")
				}
				do := directly(t, u)
				for statement := range strings.SplitSeq(statements, "; ") {
					do(statement)
				}
				v, err := d.VerifyAudit(t.Context())
				if err != nil || v.Broken == nil || v.Broken.ID != c.id || !strings.Contains(v.Broken.What, c.what) {
					t.Errorf("%+v, %+v, %v", v, v.Broken, err)
				}
			})
		})
	}
}

// TestChainsBeginAfterOlderRecords: those stay as they are, and are no fault.
func TestChainsBeginAfterOlderRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	if err := sqldb.MigrateTo(t.Context(), "sqlite:"+path, 6); err != nil {
		t.Fatal(err)
	}
	do := directly(t, "sqlite:"+path)
	for range 3 {
		do(`INSERT INTO audit (at, app, record) VALUES (1000, 'a', '{"what":"asked"}')`)
	}
	d := open(t, "sqlite:"+path)
	if head, err := d.AuditHead(t.Context()); err != nil || head.Hash != "" {
		t.Errorf("head %+v, %v", head, err)
	}
	record(t, d, "c", "n")
	if v, err := d.VerifyAudit(t.Context()); err != nil || v.Broken != nil || v.Records != 1 {
		t.Errorf("%+v, %+v, %v", v, v.Broken, err)
	}
	list, _, err := d.AuditRecords(t.Context(), store.AuditSpan{}, store.Page{Limit: 10})
	if err != nil || len(list) != 4 || list[0].Chain != "" || list[0].Seq != 0 || list[3].Seq != 1 || list[3].Prev != "" {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestRecordsDoNotWaitForEachOther: while one transaction has a record and is not over,
// others record and end.
func TestRecordsDoNotWaitForEachOther(t *testing.T) {
	onPostgres(t, "chains", func(t *testing.T, url string) {
		d := open(t, url)
		in, out, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			done <- d.Update(context.Background(), ref("slow"), func(tx store.Tx) error {
				err := tx.Audit(chat.AuditRecord{App: "a"})
				close(in)
				<-out
				return err
			})
		}()
		<-in
		for i := range 20 {
			record(t, d, fmt.Sprint("c", i), "n")
		}
		close(out)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if v, err := d.VerifyAudit(t.Context()); err != nil || v.Broken != nil || v.Records != 21 || v.Chains != 2 {
			t.Errorf("%+v, %+v, %v", v, v.Broken, err)
		}
	})
}
