package sqldb_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// TestNewsOfSlowTransactionsAreNotSkipped: of two transactions, the one that began to write first
// commits last. Until then, no reader sees the other's news, and none misses any.
func TestNewsOfSlowTransactionsAreNotSkipped(t *testing.T) {
	onPostgres(t, "order", func(t *testing.T, url string) {
		slowNode, node := open(t, url), open(t, url)
		wrote, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- slowNode.Update(t.Context(), ref("slow"), func(tx store.Tx) error {
				if err := tx.AddNews(chat.News{TurnID: "first", Type: chat.EventTitle}); err != nil {
					return err
				}
				if _, err := tx.Clarifications().Pending(); err != nil { // sends the deferred writes
					return err
				}
				close(wrote)
				<-goOn
				return tx.AddNews(chat.News{TurnID: "second", Type: chat.EventTitle})
			})
		}()
		<-wrote
		if err := node.Update(t.Context(), ref("fast"), func(tx store.Tx) error {
			return tx.AddNews(chat.News{TurnID: "third", Type: chat.EventTitle})
		}); err != nil {
			t.Fatal(err)
		}
		all, later, err := node.Feed().AllNews(t.Context(), 0, 10)
		if err != nil || len(all) != 0 || !later {
			t.Errorf("while the first is open: %v, later %v, %v", all, later, err)
		}
		mine, err := node.Feed().News(t.Context(), "acme", "alice", nil, 0, 10)
		if err != nil || len(mine) != 0 {
			t.Errorf("while the first is open: %v, %v", mine, err)
		}
		head, err := node.Feed().NewsHead(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		close(goOn)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		for later := true; later; { // others use the same server
			if all, later, err = node.Feed().AllNews(t.Context(), head, 10); err != nil {
				t.Fatal(err)
			}
		}
		if mine, err = node.Feed().News(t.Context(), "acme", "alice", nil, head, 10); err != nil {
			t.Fatal(err)
		}
		for _, got := range [][]chat.News{all, mine} {
			if len(got) != 3 || got[0].TurnID != "first" || got[1].TurnID != "second" || got[2].TurnID != "third" {
				t.Errorf("after the head %d: %+v", head, got)
			}
		}
	})
}
