package sqldb_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/store/sqldb"
)

// A step of a run writes one row of the chats and no entry of an index, so that PostgreSQL can keep the row
// in its page, and SQLite writes one page. The beginning and the end of a turn change the place of the chat
// in lists, and do write entries.
func TestAStepWritesToNoIndexOfTheChats(t *testing.T) {
	d := open(t, "sqlite:"+filepath.Join(t.TempDir(), "chats.db"))
	for name, most := range map[string]int{"updateStep": 1, "updateHeld": 6} {
		trees, err := d.Writes(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if trees > most {
			t.Errorf("SQLite: %s writes to %d trees, at most %d", name, trees, most)
		}
	}
	onPostgres(t, "indexes", func(t *testing.T, url string) {
		open(t, url)
		indexed := map[string]bool{}
		rows, err := separate(t, url).Query(t.Context(), `SELECT DISTINCT a.attname FROM pg_depend d JOIN pg_index i ON i.indexrelid = d.objid
			JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid
			WHERE i.indrelid = 'conversations'::regclass AND d.refobjid = i.indrelid AND d.refobjsubid > 0
			UNION SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
			WHERE i.indrelid = 'conversations'::regclass`)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var column string
			if err := rows.Scan(&column); err != nil {
				t.Fatal(err)
			}
			indexed[column] = true
		}
		if rows.Err() != nil || !indexed["updated_at"] || !indexed["queued"] || !indexed["chat_id"] {
			t.Fatalf("the columns of indexes: %v, %v", indexed, rows.Err())
		}
		set, _, _ := strings.Cut(sqldb.PostgresTexts()["updateStep"], "WHERE")
		for column := range indexed {
			if strings.Contains(set, " "+column+" = ") {
				t.Errorf("a step changes %s, which an index has", column)
			}
		}
	})
}
