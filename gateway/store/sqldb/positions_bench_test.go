package sqldb_test

import (
	"strconv"
	"testing"

	"github.com/askgate/askgate/gateway/store/sqldb"
)

// BenchmarkPositions: what a node pays to learn how far the chats that it follows have come, among
// 100,000 in the store. ns/op divided by the number of chats is the time per chat.
func BenchmarkPositions(b *testing.B) {
	const stored = 100_000
	ids := make([]string, stored)
	for i := range ids {
		ids[i] = "cnv_" + strconv.Itoa(i+1)
	}
	run := func(b *testing.B, d *sqldb.DB) {
		for _, followed := range []int{10, 10_000, stored} {
			b.Run(strconv.Itoa(followed), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if found, err := d.Positions(b.Context(), ids[stored-followed:]); err != nil || len(found) != followed {
						b.Fatal(len(found), err)
					}
				}
			})
		}
	}
	b.Run("PostgreSQL", func(b *testing.B) {
		url := postgresURL(b)
		d := open(b, url)
		if err := d.Update(b.Context(), ref("c"), beginTurn); err != nil {
			b.Fatal(err)
		}
		_, err := separate(b, url).Exec(b.Context(), `INSERT INTO conversations SELECT r.* FROM conversations c, generate_series(1, $1::int) n,
			jsonb_populate_record(c, jsonb_build_object('chat_id', n::text::bytea, 'id', ('cnv_' || n)::bytea)) r`, stored)
		if err != nil {
			b.Fatal(err)
		}
		run(b, d)
	})
}
