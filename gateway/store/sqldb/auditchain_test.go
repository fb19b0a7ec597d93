package sqldb_test

import (
	"context"
	"crypto/sha256"
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

// directly runs statements on the database, bypassing the gateway.
func directly(t testing.TB, u string) func(statement string) {
	t.Helper()
	path, ok := strings.CutPrefix(u, "sqlite:")
	if !ok {
		conn := separate(t, u)
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

// TestTamperingIsNamed: a change to the database that bypasses the gateway is detected, and the
// first record that it affects is named.
func TestTamperingIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		do   string
		id   int64
		what string
	}{
		"a text":                     {"UPDATE audit SET record = replace(record, 'n4', 'n5') WHERE id = 4", 4, "does not match"},
		"two texts":                  {"UPDATE audit SET record = replace(record, 'n', 'x') WHERE id IN (5, 3)", 3, "does not match"},
		"a time":                     {"UPDATE audit SET at = at + 1 WHERE id = 4", 4, "does not match"},
		"an app":                     {"UPDATE audit SET app = 'b' WHERE id = 6", 6, "does not match"},
		"a hash":                     {"UPDATE audit SET hash = 'sha256:00' WHERE id = 3", 3, "does not match"},
		"a hash of the previous one": {"UPDATE audit SET prev = 'sha256:00' WHERE id = 3", 3, "does not come after"},
		"of its chain":               {"UPDATE audit SET chain = NULL WHERE id = 3", 3, "in no chain"},
		"the first of its chain":     {"UPDATE audit SET chain = NULL WHERE id = 1", 1, "in no chain"},
		"a record goes":              {"DELETE FROM audit WHERE id = 4", 5, "before it in its chain is gone"},
		"the first goes":             {"DELETE FROM audit WHERE id = 1", 2, "before it in its chain is gone"},
		"the last goes":              {"DELETE FROM audit WHERE id = 9", 6, "what came after it"},
		"the first of a later one":   {"DELETE FROM audit WHERE id = 7", 8, "before it in its chain is gone"},
		"a head":                     {"UPDATE audit_heads SET hash = 'sha256:00' WHERE seq = 7", 9, "of its chain's head"},
		"a head goes":                {"DELETE FROM audit_heads WHERE seq = 7", 1, "head of its chain is gone"},
		"one is added":               {"INSERT INTO audit (at, app, record) VALUES (1, 'a', '{}')", 10, "in no chain"},
		"a whole chain goes": {"DELETE FROM audit WHERE id <= 6 OR id = 9; DELETE FROM audit_heads WHERE seq = 7", 7,
			"its chain begins after is gone"},
		"a record moves to the erased ones": {"INSERT INTO audit_erased (chain, seq, id, hash) SELECT chain, seq, id, hash FROM audit WHERE id = 4; DELETE FROM audit WHERE id = 4", 4,
			"no record says that it was erased"},
		"what was erased": {"UPDATE audit_erased SET hash = 'sha256:00'", 3, "does not come after"},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, u string) {
				d := open(t, u)
				for i, c := range []string{"c1", "gone", "c1", "c2", "c1", "c2"} {
					record(t, d, c, fmt.Sprint("n", i+1))
				}
				later := open(t, u) // its own chain
				record(t, later, "c3", "n7")
				record(t, later, "c1", "n8")
				if err := d.Delete(t.Context(), ref("gone"), time.Time{}); err != nil {
					t.Fatal(err)
				}
				if v, err := d.Audit().VerifyAudit(t.Context()); err != nil || v.Broken != nil || v.Chains != 2 || v.Records != 8 || v.Erased != 1 || v.Head.ID != 9 {
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
				v, err := d.Audit().VerifyAudit(t.Context())
				if err != nil || v.Broken == nil || v.Broken.ID != c.id || !strings.Contains(v.Broken.What, c.what) {
					t.Errorf("%+v, %+v, %v", v, v.Broken, err)
				}
			})
		})
	}
}

// rehash recomputes the hashes of a record for its content, as anyone can who knows how they are
// computed, including the rest of its chain and the head.
func rehash(t *testing.T, u string) {
	t.Helper()
	db, err := sql.Open("sqlite", strings.TrimPrefix(u, "sqlite:")+"?_busy_timeout=10000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	type row struct {
		id, seq, at      int64
		chain, app, text string
	}
	var all []row
	found, err := db.QueryContext(t.Context(), "SELECT id, seq, at, chain, app, record FROM audit ORDER BY chain, seq")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	for found.Next() {
		var r row
		if err := found.Scan(&r.id, &r.seq, &r.at, &r.chain, &r.app, &r.text); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	do := directly(t, u)
	do("DROP TRIGGER IF EXISTS audit_unchanged")
	prev := ""
	for _, r := range all {
		if r.seq == 1 {
			prev = ""
		}
		h := sha256.New()
		for _, part := range []string{"askgate audit 1", r.chain, fmt.Sprint(r.seq), prev, fmt.Sprint(r.at), r.app, r.text} {
			fmt.Fprintf(h, "%d:%s,", len(part), part)
		}
		hash := fmt.Sprintf("sha256:%x", h.Sum(nil))
		do(fmt.Sprintf("UPDATE audit SET prev = '%s', hash = '%s' WHERE id = %d", prev, hash, r.id))
		do(fmt.Sprintf("UPDATE audit_heads SET seq = %d, hash = '%s' WHERE chain = '%s'", r.seq, hash, r.chain))
		prev = hash
	}
}

// withSecrets opens a store whose audit has HMACs: the first secret creates them.
func withSecrets(t *testing.T, u string, secrets ...string) *sqldb.DB {
	t.Helper()
	d, err := sqldb.Open(t.Context(), u, sqldb.Options{AuditSecrets: func() []string { return secrets }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

const (
	secretA = "0123456789abcdef0123456789abcdef"
	secretB = "another-secret-of-at-least-32-bytes"
)

// TestWhoHasNoSecretIsFound: changes made without the secret are detected, although all hashes
// match again, by the HMAC of a record, of what was erased, or of a head.
func TestWhoHasNoSecretIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		do     string
		rehash bool
		id     int64
		what   string
	}{
		"a text":             {"UPDATE audit SET record = replace(record, 'n2', 'n9') WHERE id = 2", true, 2, "its HMAC does not match"},
		"the last goes":      {"DELETE FROM audit WHERE id = 4", true, 3, "HMAC of its chain's head"},
		"a record is forged": {"INSERT INTO audit (at, app, record, chain, seq, mac) SELECT at, app, record, chain, 5, mac FROM audit WHERE id = 4", true, 5, "its HMAC does not match"},
		"one is reported as erased": {`INSERT INTO audit_erased (chain, seq, id, hash, mac) SELECT chain, seq, id, hash, mac FROM audit WHERE id = 4;
			DELETE FROM audit WHERE id = 4;
			INSERT INTO audit (at, app, record, chain, seq, prev, hash, mac) SELECT 1, 'a', '{"what":"erased","places":{"' || chain || '":"4"}}', chain, 5, hash, 'sha256:00', mac FROM audit WHERE id = 3;
			UPDATE audit_heads SET seq = 5`,
			false, 5, "its HMAC does not match"},
		"an HMAC goes":    {"UPDATE audit SET mac = NULL WHERE id = 1", false, 1, "its HMAC does not match"},
		"a head's goes":   {"UPDATE audit_heads SET mac = NULL", false, 4, "HMAC of its chain's head"},
		"all HMACs go":    {"UPDATE audit SET mac = NULL; UPDATE audit_heads SET mac = NULL", false, 1, "its HMAC does not match"},
		"a head's number": {"UPDATE audit_heads SET mac = (SELECT mac FROM audit WHERE id = 4)", false, 4, "HMAC of its chain's head"},
	} {
		t.Run(name, func(t *testing.T) {
			u := "sqlite:" + filepath.Join(t.TempDir(), "chats.db")
			d := withSecrets(t, u, secretA)
			for i := range 4 {
				record(t, d, "c1", fmt.Sprint("n", i+1))
			}
			if v, err := d.Audit().VerifyAudit(t.Context()); err != nil || v.Broken != nil || v.Keyed != 1 || v.Unchecked != "" {
				t.Fatalf("before: %+v, %+v, %v", v, v.Broken, err)
			}
			do := directly(t, u)
			do("DROP TRIGGER audit_unchanged")
			for statement := range strings.SplitSeq(c.do, ";") {
				do(statement)
			}
			if c.rehash {
				rehash(t, u)
			}
			if v, err := d.Audit().VerifyAudit(t.Context()); err != nil || v.Broken == nil || v.Broken.ID != c.id || !strings.Contains(v.Broken.What, c.what) {
				t.Errorf("%+v, %+v, %v", v, v.Broken, err)
			}
			bare := open(t, u) // without the secret, only the hashes can be checked
			if v, err := bare.Audit().VerifyAudit(t.Context()); c.rehash && (err != nil || v.Broken != nil || v.Unchecked == "") {
				t.Errorf("the hashes do not match: the test proves nothing: %+v, %+v, %v", v, v.Broken, err)
			}
		})
	}
}

// TestANewSecretBeginsANewChain in a running process, and each chain is checked with its own
// secret.
func TestANewSecretBeginsANewChain(t *testing.T) {
	onEach(t, func(t *testing.T, u string) {
		secret := secretA
		d, err := sqldb.Open(t.Context(), u, sqldb.Options{AuditSecrets: func() []string { return []string{secret} }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		record(t, d, "c1", "n1")
		record(t, d, "gone", "n2")
		secret = secretB
		record(t, d, "c1", "n3")
		if err := d.Delete(t.Context(), ref("gone"), time.Time{}); err != nil { // of the previous chain
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			secrets   []string
			unchecked bool
		}{
			"both": {[]string{secretB, secretA}, false}, "the new one": {[]string{secretB}, true}, "the former": {[]string{"", secretA}, true}, "none": {nil, true},
		} {
			v, err := withSecrets(t, u, c.secrets...).Audit().VerifyAudit(t.Context())
			if err != nil || v.Broken != nil || v.Chains != 2 || v.Keyed != 2 || v.Records != 3 || v.Erased != 1 || (v.Unchecked != "") != c.unchecked {
				t.Errorf("%s: %+v, %+v, %v", name, v, v.Broken, err)
			}
		}
		// Without a secret, chains have no HMAC: after one that has it, that is reported.
		record(t, open(t, u), "c2", "n5")
		if v, err := withSecrets(t, u, secretB, secretA).Audit().VerifyAudit(t.Context()); err != nil || v.Broken == nil || v.Broken.ID != 5 || !strings.Contains(v.Broken.What, "has no HMAC") {
			t.Errorf("%+v, %+v, %v", v, v.Broken, err)
		}
	})
}

// TestAnAuditMayGetHMACsLater: chains without HMACs are accepted before the first chain with them.
func TestAnAuditMayGetHMACsLater(t *testing.T) {
	u := "sqlite:" + filepath.Join(t.TempDir(), "chats.db")
	old := open(t, u)
	record(t, old, "c1", "n1")
	d := withSecrets(t, u, secretA)
	record(t, d, "c1", "n2")
	record(t, old, "c1", "n3") // a node that was not restarted yet
	if v, err := d.Audit().VerifyAudit(t.Context()); err != nil || v.Broken != nil || v.Chains != 2 || v.Keyed != 1 {
		t.Errorf("%+v, %+v, %v", v, v.Broken, err)
	}
}

// TestAnErasureOfManyPlaces: the erasure is recorded in several records, none of which is too
// large.
func TestAnErasureOfManyPlaces(t *testing.T) {
	d := withSecrets(t, "sqlite:"+filepath.Join(t.TempDir(), "chats.db"), secretA)
	const n = 1001
	for range n {
		for _, c := range []string{"gone", "stays"} { // no two places of one are adjacent
			if err := d.UpdateLazily(t.Context(), ref(c), func(tx store.Tx) error { return tx.Audit(chat.AuditRecord{App: "a"}) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := d.Delete(t.Context(), ref("gone"), time.Time{}, chat.AuditRecord{What: chat.AuditErased, App: "a"}); err != nil {
		t.Fatal(err)
	}
	if v, err := d.Audit().VerifyAudit(t.Context()); err != nil || v.Broken != nil || v.Erased != n || v.Records != n+2 {
		t.Errorf("%+v, %+v, %v", v, v.Broken, err)
	}
}

// TestRecordsDoNotWaitForEachOther: while one transaction with a record is open, others record and
// end.
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
		if v, err := d.Audit().VerifyAudit(t.Context()); err != nil || v.Broken != nil || v.Records != 21 || v.Chains != 2 {
			t.Errorf("%+v, %+v, %v", v, v.Broken, err)
		}
	})
}
