package inbox_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/prove/redistest"
	"github.com/askgate/askgate/gateway/prove/testdb"
	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/stream/redishub"
)

// postgres is the URL of an empty schema.
func postgres(t testing.TB) string {
	t.Helper()
	u, err := url.Parse(testenv.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	schema := "askgate_test_" + strings.ToLower(rand.Text())
	run := func(statement string) {
		ctx := context.WithoutCancel(t.Context())
		conn, err := pgx.Connect(ctx, u.String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	run("CREATE SCHEMA " + schema)
	t.Cleanup(func() { run("DROP SCHEMA " + schema + " CASCADE") })
	params := url.Values{"search_path": {schema}, "pool_max_conns": {"6"}}
	own := *u
	own.RawQuery = params.Encode()
	return own.String()
}

func openPostgres(t testing.TB, url string) store.Store {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func openRedis(t testing.TB, server, prefix string) stream.Hub {
	t.Helper()
	hub, err := redishub.Open(t.Context(), redishub.Options{
		URL: server, Prefix: prefix, Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hub.Close)
	return hub
}

func TestTwoNodesTellEachOnceInOneOrder(t *testing.T) {
	t.Run("PostgreSQL and Redis", func(t *testing.T) {
		url, server := postgres(t), testenv.Redis(t)
		prefix := redistest.Prefix(t, server)
		tellTwice(t, newNode(t, openPostgres(t, url), openRedis(t, server, prefix), true),
			newNode(t, openPostgres(t, url), openRedis(t, server, prefix), true))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		url := postgres(t)
		tellTwice(t, newNode(t, openPostgres(t, url), stream.NewPartial(), true), newNode(t, openPostgres(t, url), stream.NewPartial(), true))
	})
}

// tellTwice changes many chats of one person on both nodes at once, while one viewer stays on a
// node and another switches nodes after every few events: both see everything, once, in the same
// order. A stranger sees nothing.
func tellTwice(t *testing.T, a, b *node) {
	const chats, turns = 8, 12
	stays, stranger := a.listen("", "alice"), b.listen("", "bob")
	stays.expect("snapshot[]")
	stranger.expect("snapshot[]")
	moves := b.listen(stays.last, "alice")
	var writers sync.WaitGroup
	for i := range chats {
		writers.Go(func() {
			ref := refOf("alice")
			ref.ChatID = fmt.Sprint("c", i)
			for j := range turns {
				n := []*node{a, b}[(i+j)%2]
				id := fmt.Sprintf("clr_%d_%d", i, j)
				n.ask(ref, id)
				n.answer(ref, id)
			}
		})
	}
	seen := map[string]bool{}
	for k := range chats * turns * 2 {
		want := stays.next()
		if k%10 == 9 {
			last := moves.last
			moves.close()
			moves = []*node{a, b}[k/10%2].listen(last, "alice")
			moves.last = last
		}
		got := moves.next()
		if got.ID != want.ID || got.Name != want.Name || string(got.Data) != string(want.Data) {
			t.Fatalf("event %d: %s %s on one node, %s %s on the other", k, want.ID, want.Name, got.ID, got.Name)
		}
		seen[want.Name+string(want.Data)] = true
	}
	if len(seen) != chats*turns*2 {
		t.Errorf("%d events differed, want %d", len(seen), chats*turns*2)
	}
	writers.Wait()
	b.done(refOf("bob"), "turn_1")
	stranger.expect("done:turn_1")
}

func TestWithoutAHubTheStoreIsLookedInto(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := testdb.Open(t)
		a, b := newNode(t, db, stream.NewPartial(), true), newNode(t, db, stream.NewPartial(), true)
		l := b.listen("", "alice")
		l.expect("snapshot[]")
		synctest.Wait()
		start := time.Now()
		a.ask(refOf("alice"), "clr_1")
		l.expect("clarification:clr_1")
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// deaf is a hub whose nudges are lost, as where a node dies before it nudges.
type deaf struct{ *stream.Local }

func (deaf) Nudge() {}

func TestALostNudgeIsMadeUpFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t, testdb.Open(t), deaf{stream.NewLocal()}, true)
		l := n.listen("", "alice")
		l.expect("snapshot[]")
		synctest.Wait()
		n.ask(refOf("alice"), "clr_1")
		start := time.Now()
		l.expect("clarification:clr_1")
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// away is a store that cannot be read while it is away.
type away struct {
	store.Store
	gone atomic.Bool
}

func (s *away) fault() error {
	if s.gone.Load() {
		return fmt.Errorf("no route: %w", store.ErrUnavailable)
	}
	return nil
}

func (s *away) Feed() store.Feed { return awayFeed{s.Store.Feed(), s} }

type awayFeed struct {
	store.Feed
	of *away
}

func (s awayFeed) AllNews(ctx context.Context, after int64, limit int) ([]chat.News, bool, error) {
	if err := s.of.fault(); err != nil {
		return nil, false, err
	}
	return s.Feed.AllNews(ctx, after, limit)
}

func (s awayFeed) NewsHead(ctx context.Context) (int64, error) {
	if err := s.of.fault(); err != nil {
		return 0, err
	}
	return s.Feed.NewsHead(ctx)
}

func (s awayFeed) News(ctx context.Context, tenant, subject string, roles []string, after int64, limit int) ([]chat.News, error) {
	if err := s.of.fault(); err != nil {
		return nil, err
	}
	return s.Feed.News(ctx, tenant, subject, roles, after, limit)
}

func (s *away) Clarification(ctx context.Context, id string) (chat.Clarification, error) {
	if err := s.fault(); err != nil {
		return chat.Clarification{}, err
	}
	return s.Store.Clarification(ctx, id)
}

func TestAStoreThatIsAwayIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &away{Store: testdb.Open(t)}
		n := newNode(t, db, stream.NewLocal(), false)
		l := n.listen("", "alice")
		l.expect("snapshot[]")
		db.gone.Store(true)
		n.ask(refOf("alice"), "clr_1")
		n.answer(refOf("alice"), "clr_1")
		time.Sleep(5 * time.Second)
		db.gone.Store(false)
		l.expect("clarification:clr_1", "clarification.resolved:clr_1")
		// It becomes unreachable between reading the news and reading the rows they refer to.
		db.gone.Store(true)
		if _, err := n.inbox.Follow(t.Context(), whoIs("bob"), ""); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("a stream begins: %v", err)
		}
		db.gone.Store(false)
		n.done(refOf("alice"), "turn_1")
		l.expect("done:turn_1")
	})
}
