package sqldb_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// Keys of people and of programs are deleted with their chat, and no others are.
func TestKeysGoWithTheirChat(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		d := open(t, url)
		for _, id := range []string{"goes", "stays"} {
			if err := d.Update(t.Context(), ref(id), func(tx store.Tx) error {
				tx.Conversation().Fence = 1
				if _, err := tx.Keys().Claim(chat.Key{Asker: "ci", Key: id, CreatedAt: now}, now); err != nil {
					return err
				}
				return tx.Keys().Save(chat.Key{Key: "k", CreatedAt: now})
			}); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Delete(t.Context(), ref("goes"), time.Time{}); err != nil {
			t.Fatal(err)
		}
		var left, gone int
		const count = "SELECT count(*), count(*) FILTER (WHERE key = CAST('goes' AS %)) FROM keys"
		var err error
		if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
			var file *sql.DB
			if file, err = sql.Open("sqlite", filepath.ToSlash(path)); err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			err = file.QueryRowContext(t.Context(), strings.Replace(count, "%", "TEXT", 1)).Scan(&left, &gone)
		} else {
			err = separate(t, url).QueryRow(t.Context(), strings.Replace(count, "%", "bytea", 1)).Scan(&left, &gone)
		}
		if err != nil || left != 2 || gone != 0 {
			t.Errorf("%d keys are left, %d of the chat that went, %v", left, gone, err)
		}
	})
}
