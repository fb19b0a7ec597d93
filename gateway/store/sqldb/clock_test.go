package sqldb_test

import (
	"fmt"
	"net/url"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// mistimed returns the URL of a schema with its own clock, which is found before the server's, and
// a function that sets it.
func mistimed(t *testing.T) (u string, set func(by time.Duration)) {
	t.Helper()
	u = postgresURL(t)
	conn := separate(t, u)
	set = func(by time.Duration) {
		t.Helper()
		run(t, conn, fmt.Sprintf("CREATE OR REPLACE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS "+
			"$$ SELECT pg_catalog.clock_timestamp() + make_interval(secs => %f) $$", by.Seconds()))
	}
	set(0)
	own, err := url.Parse(u)
	if err != nil {
		t.Fatal(err)
	}
	params := own.Query()
	params.Set("search_path", params.Get("search_path")+",pg_catalog")
	own.RawQuery = params.Encode()
	return own.String(), set
}

// near fails the test unless two times are the same, apart from the delay of a slow machine.
func near(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if d := (got - want).Abs(); d > 20*time.Second {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// A node uses the clock of the database server, whatever its own shows, and measures it with each
// heartbeat.
func TestTheStoresClockIsTheServers(t *testing.T) {
	t.Run("PostgreSQL", func(t *testing.T) {
		u, set := mistimed(t)
		for _, ahead := range []time.Duration{0, 40 * 24 * time.Hour, -5 * time.Minute} {
			d, err := sqldb.Open(t.Context(), u, sqldb.Options{Now: func() time.Time { return time.Now().Add(ahead) }})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "its time", time.Until(d.Now()), 0)
			near(t, "the skew", d.Skew().Ahead, ahead)
			beat(t, d, "node")
			set(-25 * time.Hour) // like a standby that is promoted
			near(t, "its time before a heartbeat", time.Until(d.Now()), 0)
			beat(t, d, "node")
			near(t, "its time after a heartbeat", time.Until(d.Now()), -25*time.Hour)
			near(t, "the skew after a heartbeat", d.Skew().Ahead, ahead+25*time.Hour)
			if d.Skew().Jumped {
				t.Error("a server's clock jumped")
			}
			set(0)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func beat(t *testing.T, d *sqldb.DB, node string) {
	t.Helper()
	if _, err := d.Heartbeat(t.Context(), node, time.Minute); err != nil {
		t.Fatal(err)
	}
}

// A file's clock is the machine's: it has no skew, and a jump is reported until the store is
// closed.
func TestAJumpOfTheMachinesClockIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var set time.Duration
		u := "sqlite:" + filepath.Join(t.TempDir(), "chats.db")
		d, err := sqldb.Open(t.Context(), u, sqldb.Options{Now: func() time.Time { return time.Now().Round(0).Add(set) }})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		want := func(jumped bool) {
			t.Helper()
			if got := d.Skew(); got != (store.Skew{Jumped: jumped}) {
				t.Errorf("after %v: %+v", set, got)
			}
		}
		for range 3 { // a clock that is set often, by small steps
			time.Sleep(time.Hour)
			set += 40 * time.Second
			want(false)
		}
		set -= 2 * time.Minute
		if got := d.Now(); !got.Equal(time.Now().Add(set)) {
			t.Errorf("its time is %v", got)
		}
		beat(t, d, "node") // notices it
		set += 2 * time.Minute
		want(true)
		time.Sleep(time.Hour)
		want(true)
	})
}
