package storecopy_test

import (
	"context"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/storecopy"
	"github.com/askgate/askgate/gateway/store/storetest"
)

// TestAnyStoreIsCopied: all that the conformance suite leaves in a store is in its copy, and what the
// suite expects after a restart, it finds in a copy.
func TestAnyStoreIsCopied(t *testing.T) {
	for _, name := range []string{"SQLite to PostgreSQL", "PostgreSQL to SQLite"} {
		way := ways()[name]
		t.Run(name, func(t *testing.T) {
			lent := &targets{t: t, make: way[1]}
			var opened sync.Map // the URL of each store that is not copied yet
			copied := func(t *testing.T, old store.Store) string {
				u, _ := opened.LoadAndDelete(old)
				from, to := u.(string), lent.lend(t)
				if err := old.Close(); err != nil {
					t.Fatal(err)
				}
				run(t, separate(t, from), "DELETE FROM nodes") // the suite's leases last for hours
				was := dump(t, from)
				mustCopy(t, from, to)
				wantSame(t, was, to)
				return to
			}
			storetest.Run(t, storetest.Backend{
				Open: func(t *testing.T) store.Store {
					from := way[0](t)
					s := open(t, from)
					opened.Store(s, from)
					t.Cleanup(func() {
						if _, here := opened.Load(s); here && !t.Failed() {
							copied(t, s)
						}
					})
					return s
				},
				Reopen: func(t *testing.T, old store.Store) store.Store { return open(t, copied(t, old)) },
			})
		})
	}
}

// targets are lent to one test at a time: to make the tables takes longer than most tests.
type targets struct {
	t    *testing.T
	make func(t testing.TB) string
	mu   sync.Mutex
	free []string // URLs
}

func (l *targets) lend(t *testing.T) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var u string
	if n := len(l.free); n > 0 {
		u, l.free = l.free[n-1], l.free[:n-1]
	} else {
		u = l.make(l.t)
	}
	t.Cleanup(func() {
		keys, _ := storecopy.Tables()
		db := separate(t, u)
		if _, err := db.ExecContext(context.Background(), "SET session_replication_role = replica"); err != nil {
			return // SQLite: a new file is quicker
		}
		for name := range keys {
			run(t, db, "DELETE FROM "+name)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.free = append(l.free, u)
	})
	return u
}
