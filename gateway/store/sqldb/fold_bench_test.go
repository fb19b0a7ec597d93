package sqldb_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// BenchmarkFolded reads the first page of the list of a person with 10,000 chats, plain and folded:
// each chat by itself, families of 4, and one family of all.
func BenchmarkFolded(b *testing.B) {
	for name, newURL := range urls() {
		b.Run(name, func(b *testing.B) {
			s := open(b, newURL(b))
			for _, size := range []int{1, 4, chats(10_000)} {
				owner := fmt.Sprint("of-", size)
				hasFamilies(b, s, owner, chats(10_000), size)
				for kind, list := range map[string]func(p store.Page) (string, error){
					"plain": func(p store.Page) (string, error) {
						_, next, err := s.Conversations(b.Context(), "acme", owner, "translator", p)
						return next, err
					},
					"folded": func(p store.Page) (string, error) {
						_, next, err := s.Folded(b.Context(), "acme", owner, "translator", p)
						return next, err
					},
				} {
					b.Run(fmt.Sprintf("families of %d, %s", size, kind), func(b *testing.B) {
						for b.Loop() {
							if _, err := list(store.Page{Limit: 30}); err != nil {
								b.Fatal(err)
							}
						}
					})
				}
			}
		})
	}
}

// hasFamilies stores a person's chats in families of a size, in which each is newer than the one
// before.
func hasFamilies(b *testing.B, s store.Store, owner string, chats, size int) {
	b.Helper()
	for i := range chats {
		r := ref(strconv.Itoa(i))
		r.Subject = owner
		if err := s.UpdateLazily(b.Context(), r, func(tx store.Tx) error {
			head := tx.Conversation()
			if i%size > 0 {
				head.Root, head.Fork = strconv.Itoa(i-i%size), chat.Fork{ChatID: strconv.Itoa(i - 1), MessageID: "msg", Own: "msg"}
			}
			if err := beginTurn(tx); err != nil {
				return err
			}
			head.UpdatedAt = now.Add(time.Duration(i) * time.Minute)
			head.WrittenAt = head.UpdatedAt
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
}
