package sqldb_test

import (
	"path/filepath"
	"testing"

	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/gateway/store/storetest"
)

func open(t testing.TB, url string) *sqldb.DB {
	t.Helper()
	d, err := sqldb.Open(t.Context(), url, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestStore(t *testing.T) {
	url := make(map[store.Store]string)
	storetest.Run(t, storetest.Backend{
		Open: func(t *testing.T) store.Store {
			u := "sqlite:" + filepath.Join(t.TempDir(), "chats.db")
			s := open(t, u)
			url[s] = u
			return s
		},
		Reopen: func(t *testing.T, old store.Store) store.Store {
			if err := old.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, url[old])
		},
	})
}
