package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// onPostgres runs a test that needs PostgreSQL.
func onPostgres(t *testing.T, name string, test func(t *testing.T, url string)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { test(t, postgresURL(t)) })
}

// elsewhere returns the URL of the test's database with changes.
func elsewhere(t *testing.T, rawURL string, change func(u *url.URL)) string {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	change(u)
	return u.String()
}

const password = "correct%20horse"

func TestOpenPostgresNamesWhatIsWrong(t *testing.T) {
	onPostgres(t, "open", func(t *testing.T, good string) {
		set := func(name, value string) func(u *url.URL) {
			return func(u *url.URL) {
				params := u.Query()
				params.Set(name, value)
				u.RawQuery = params.Encode()
			}
		}
		for _, test := range []struct {
			name, url   string
			unavailable bool
			want        []string
		}{
			{"a port that is none", "postgres://u:" + password + "@h:port/d", false, []string{"malformed", "postgres://USER:PASSWORD@HOST/DATABASE"}},
			{"a sslmode that is none", "postgres://u:" + password + "@h/d?sslmode=perhaps", false, []string{"sslmode"}},
			{"a server that is not there", elsewhere(t, good, func(u *url.URL) { u.Host, u.User = "127.0.0.1:1", url.UserPassword("u", password) }), true,
				[]string{"127.0.0.1:1/", "cannot be reached"}},
			{"a host that is not there", elsewhere(t, good, func(u *url.URL) { u.Host = "no-such-host.invalid" }), true, []string{"no-such-host.invalid:5432/", "cannot be reached"}},
			{"a database that is not there", elsewhere(t, good, func(u *url.URL) { u.Path = "/no_such_database" }), true, []string{"/no_such_database", "create it"}},
			{"a user that is not there", elsewhere(t, good, func(u *url.URL) { u.User = url.UserPassword("nobody_such", password) }), true, []string{"refused"}},
			{"a schema that is not there", elsewhere(t, good, set("search_path", "no_such_schema")), true, []string{"schema", "search_path"}},
			{"a read-only server", elsewhere(t, good, set("default_transaction_read_only", "on")), true, []string{"read-only", "primary"}},
		} {
			d, err := sqldb.Open(t.Context(), test.url, sqldb.Options{})
			if err == nil {
				d.Close()
				t.Errorf("%s was opened", test.name)
				continue
			}
			if errors.Is(err, store.ErrUnavailable) != test.unavailable {
				t.Errorf("%s: %v; want unavailable = %v", test.name, err, test.unavailable)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: the error %q does not contain %q", test.name, err, want)
				}
			}
			if text := err.Error(); strings.Contains(text, "horse") || strings.Contains(text, "\n") {
				t.Errorf("%s: the error discloses the password, or has several lines: %q", test.name, text)
			}
		}
	})
}

// TestPostgresDownHeals: a failure is reported at once, and operations work again on their own when
// the server is back.
func TestPostgresDownHeals(t *testing.T) {
	onPostgres(t, "down", func(t *testing.T, direct string) {
		p, through := startProxy(t, direct)
		d := open(t, through)
		if err := d.Update(t.Context(), ref("c"), beginTurn); err != nil {
			t.Fatal(err)
		}
		place := p.Addr().String()
		for range 3 {
			p.cut()
			for what, call := range map[string]func() error{
				"Update":  func() error { return d.Update(t.Context(), ref("c"), beginTurn) },
				"View":    func() error { _, err := d.View(t.Context(), ref("c")); return err },
				"Delete":  func() error { return d.Delete(t.Context(), ref("c"), time.Time{}) },
				"Expired": func() error { _, err := d.Due().Expired(t.Context(), now, 1); return err },
				"Heartbeat": func() error {
					lease, err := d.Heartbeat(t.Context(), "n", time.Hour)
					if lease.Lapsed {
						t.Error("a heartbeat that did not reach the store reports that the leases had lapsed")
					}
					return err
				},
				"Ping": func() error { return d.Ping(t.Context()) },
			} {
				err := call()
				wantUnavailable(t, err, place, "cannot be reached")
				if t.Failed() {
					t.Fatal(what)
				}
			}
			p.heal()
			if err := d.Update(t.Context(), ref("c"), beginTurn); err != nil {
				t.Fatalf("it did not recover: %v", err)
			}
		}
		v, err := d.View(t.Context(), ref("c"))
		if err != nil || len(v.Messages) != 4 || v.Conversation.Fence != 4 {
			t.Errorf("the chat is %+v, %v", v, err)
		}
	})
}

// TestPostgresConnectionsDieUnnoticed: a server that was restarted between two requests causes no
// error at all.
func TestPostgresConnectionsDieUnnoticed(t *testing.T) {
	onPostgres(t, "restarted", func(t *testing.T, direct string) {
		p, through := startProxy(t, direct)
		d := open(t, through)
		for i := range 5 {
			p.cut()
			p.heal()
			if err := d.Update(t.Context(), ref("c"), beginTurn); err != nil {
				t.Errorf("update %d: %v", i, err)
			}
			p.cut()
			p.heal()
			if v, err := d.View(t.Context(), ref("c")); err != nil || len(v.Messages) != i+1 {
				t.Errorf("view %d: %+v, %v", i, v, err)
			}
		}
	})
}

// TestPostgresCutAnywhere: an update whose connection dies, after whichever byte, is written once.
// If the server stays away, it is written whole or not at all, and reported as not written only if
// that is true.
func TestPostgresCutAnywhere(t *testing.T) {
	onPostgres(t, "cut", func(t *testing.T, direct string) {
		witness := open(t, direct)
		p, through := startProxy(t, direct)
		d := open(t, through)
		update := func() error { return d.Update(t.Context(), ref("c"), beginTurn) }
		for range 2 { // a new chat, and an old one: all statements are prepared then
			if err := update(); err != nil {
				t.Fatal(err)
			}
		}
		before := p.passed()
		if err := update(); err != nil {
			t.Fatal(err)
		}
		whole, written := p.passed()-before, int64(3)
		outcomes := make(map[string]int)
		for i := range 82 {
			bytes, stays := max(1, whole*(i/2)/40), i%2 == 0
			d.SetOutcomeWait(time.Millisecond)
			if stays {
				d.SetOutcomeWait(time.Minute)
			}
			p.cutAfter(bytes, stays)
			err := update()
			v, viewErr := witness.View(t.Context(), ref("c"))
			if viewErr != nil {
				t.Fatal(viewErr)
			}
			n := int64(len(v.Messages))
			where := fmt.Sprintf("cut after %d of %d bytes, reachable %v", bytes, whole, stays)
			switch {
			case n != v.Conversation.Fence || n < written || n > written+1:
				t.Fatalf("%s: %d messages and fence %d, there were %d", where, n, v.Conversation.Fence, written)
			case err == nil && n == written:
				t.Fatalf("%s: reported as written, and is not", where)
			case err != nil && stays:
				t.Fatalf("%s: %v", where, err)
			case errors.Is(err, store.ErrUnavailable) && n > written:
				t.Fatalf("%s: reported as not written, and is", where)
			case err != nil && !errors.Is(err, store.ErrUnknown):
				wantUnavailable(t, err, p.Addr().String())
			}
			outcomes[fmt.Sprintf("%v %v, %d written", stays, err == nil, n-written)]++
			p.heal()
			if err := update(); err != nil { // waits for the lost one, if the server still has it
				t.Fatalf("%s: it did not recover: %v", where, err)
			}
			head, _, err := witness.Conversation(t.Context(), ref("c"))
			if err != nil {
				t.Fatal(err)
			}
			written = head.Fence
		}
		t.Logf("%d bytes; reachable, reported, written: %v", whole, outcomes)
		if outcomes["false false, 0 written"] == 0 {
			t.Error("no cut was ever noticed: this test tests nothing")
		}
	})
}

// TestNodesShareADatabase: several stores on one database, in one process here, create and change
// the same chats at the same time.
func TestNodesShareADatabase(t *testing.T) {
	onEach(t, func(t *testing.T, u string) {
		const nodes, each = 3, 20
		var wg sync.WaitGroup
		for n := range nodes {
			wg.Go(func() {
				d, err := sqldb.Open(t.Context(), u, sqldb.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				defer d.Close()
				var writers sync.WaitGroup
				for range 4 {
					writers.Go(func() {
						for i := range each {
							if err := d.Update(t.Context(), ref(fmt.Sprint("c", i)), beginTurn); err != nil {
								t.Errorf("node %d: %v", n, err)
							}
						}
					})
				}
				writers.Wait()
			})
		}
		wg.Wait()
		d := open(t, u)
		for i := range each {
			v, err := d.View(t.Context(), ref(fmt.Sprint("c", i)))
			if err != nil {
				t.Fatal(err)
			}
			if want := nodes * 4; len(v.Messages) != want || v.Conversation.Fence != int64(want) {
				t.Errorf("chat %d: %d messages and fence %d, want %d", i, len(v.Messages), v.Conversation.Fence, want)
			}
			for j, m := range v.Messages {
				if m.Fence != int64(j+1) {
					t.Fatalf("message %d is of run %d", j+1, m.Fence)
				}
			}
		}
	})
}

// TestANodeThatStandsStillHoldsNobodyUp: the server ends its transaction.
func TestANodeThatStandsStillHoldsNobodyUp(t *testing.T) {
	onPostgres(t, "paused", func(t *testing.T, direct string) {
		other := open(t, direct)
		paused := open(t, elsewhere(t, direct, func(u *url.URL) {
			params := u.Query()
			params.Set("idle_in_transaction_session_timeout", "50ms")
			u.RawQuery = params.Encode()
		}))
		calls := 0
		err := paused.Update(t.Context(), ref("c"), func(tx store.Tx) error {
			if calls++; calls > 1 {
				return errors.New("called again")
			}
			// the chat is locked; another node gets it while this one is paused
			if err := other.Update(context.WithoutCancel(t.Context()), ref("d"), beginTurn); err != nil {
				t.Error(err)
			}
			return errors.Join(beginTurn(tx), other.Update(t.Context(), ref("c"), beginTurn))
		})
		if calls != 1 && err == nil {
			t.Errorf("called %d times, %v", calls, err)
		}
		v, err := other.View(t.Context(), ref("c"))
		if err != nil || v.Conversation.Fence != 1 || len(v.Messages) != 1 {
			t.Errorf("the chat is %+v, %v", v, err)
		}
	})
}
