package sqldb_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// TestTheAuditIsNeverChanged: the database refuses any change.
func TestTheAuditIsNeverChanged(t *testing.T) {
	onEach(t, func(t *testing.T, u string) {
		d := open(t, u)
		for _, r := range []string{"c1", "c2"} {
			if err := d.Update(t.Context(), ref(r), func(tx store.Tx) error { return tx.Audit(chat.AuditRecord{App: "a"}) }); err != nil {
				t.Fatal(err)
			}
		}
		const change = "UPDATE audit SET app = app"
		var err error
		if path, ok := strings.CutPrefix(u, "sqlite:"); ok {
			other, openErr := sql.Open("sqlite", path+"?_busy_timeout=10000")
			if openErr != nil {
				t.Fatal(openErr)
			}
			defer other.Close()
			_, err = other.ExecContext(t.Context(), change)
		} else {
			_, err = separate(t, u).Exec(t.Context(), change)
		}
		if err == nil || !strings.Contains(err.Error(), "records of the audit are never changed") {
			t.Errorf("%s: %v", change, err)
		}
	})
}
