package storecopy_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/gateway/store/storecopy"
)

// TestNoCopyWhileAGatewayRuns: while a node has a lease on either store, by the clock of that store, nothing
// is copied and nothing marked.
func TestNoCopyWhileAGatewayRuns(t *testing.T) {
	onEach(t, func(t *testing.T, newFrom, newTo func(t testing.TB) string) {
		from, to := newFrom(t), newTo(t)
		generate(t, from, 1, 2)
		for _, at := range []string{from, to} {
			node := open(t, at)
			if _, err := node.Heartbeat(t.Context(), "node-1", time.Hour); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				_, err := storecopy.Copy(t.Context(), options(from, to))
				wantError(t, err, "a gateway is running", "node-1", "Stop every gateway")
			}
			if err := opens(t, from); err != nil {
				t.Errorf("the source is closed: %v", err)
			}
			if at == to { // which was marked by nothing, for it was never without a lease
				if err := opens(t, to); err != nil {
					t.Errorf("the target is closed: %v", err)
				}
			}
			// A lease that has ended by the store's clock does not count.
			run(t, separate(t, at), fmt.Sprintf("UPDATE nodes SET lease_until = %s - 1", storeClock(at)))
			if at == from {
				node.Close()
			}
		}
		was := dump(t, from)
		mustCopy(t, from, to)
		wantSame(t, was, to)
	})
}

func storeClock(url string) string {
	if strings.HasPrefix(url, "sqlite:") {
		return fmt.Sprint(time.Now().UnixMilli())
	}
	return "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
}

// TestAGatewayThatWasPaused cannot write to either store, from the first copied row on: neither to
// the source, nor, until the copy is finished, to the target.
func TestAGatewayThatWasPaused(t *testing.T) {
	onEach(t, func(t *testing.T, newFrom, newTo func(t testing.TB) string) {
		from, to := newFrom(t), newTo(t)
		generate(t, from, 1, 2)
		source, target := open(t, from), open(t, to)
		refused := func(what string, d *sqldb.DB) {
			t.Helper()
			_, beat := d.Heartbeat(context.WithoutCancel(t.Context()), "node-9", time.Hour)
			said := d.Update(context.WithoutCancel(t.Context()), chat.Ref{Tenant: "acme", Subject: "alice", App: "helper", ChatID: "late"}, func(tx store.Tx) error {
				return tx.Enqueue(chat.Queued{ID: "msg_late", Content: "late", CreatedAt: d.Now()})
			})
			deleted := d.Memory().SaveMemory(context.WithoutCancel(t.Context()), chat.Memory{ID: "mem_late", Tenant: "acme", Subject: "alice", App: "helper", Key: "late", Text: "late", UpdatedAt: d.Now()}, 1000)
			for _, err := range []error{beat, said, deleted} {
				if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "askgate copy has closed it") {
					t.Errorf("%s: a write: %v", what, err)
				}
			}
		}
		was := dump(t, from)
		marked := false
		_, err := storecopy.Copy(t.Context(), storecopy.WithSteps(options(from, to), 20, func(step string) {
			marked = marked || step == "source marked"
			if marked && (step == "source marked" || strings.HasPrefix(step, "after a batch of m") || step == "after the check") {
				refused("the source, "+step, source)
				refused("the target, "+step, target)
			}
		}))
		if err != nil {
			t.Fatal(err)
		}
		refused("the source, later", source)
		wantSame(t, was, to)
		if _, err := target.Heartbeat(t.Context(), "node-9", time.Hour); err != nil {
			t.Errorf("the target, later: %v", err)
		}
	})
}

// TestAbandon opens the source again and makes the target useless until it is emptied. A finished copy
// cannot be abandoned.
func TestAbandon(t *testing.T) {
	onEach(t, func(t *testing.T, newFrom, newTo func(t testing.TB) string) {
		from, to, other := newFrom(t), newTo(t), newTo(t)
		generate(t, from, 1, 3)
		was := dump(t, from)
		_, _, err := storecopy.Abandon(t.Context(), options(from, to))
		wantError(t, err, "not being copied")
		half := func(step string) {
			t.Helper()
			_, err := storecopy.Copy(t.Context(), storecopy.WithSteps(options(from, to), 4, func(s string) {
				if s == step {
					panic(errKilled)
				}
			}))
			t.Errorf("%s was not reached: %v", step, err)
		}
		killed := func(step string) {
			t.Helper()
			defer func() { _ = recover() }()
			half(step)
		}
		killed("after a batch of messages")
		open(t, other).Close()
		generate(t, other, 5, 1)
		_, _, err = storecopy.Abandon(t.Context(), options(from, other))
		wantError(t, err, "not the store that", "name that one with --to")
		_, err = storecopy.Copy(t.Context(), options(from, newTo(t)))
		wantError(t, err, "being copied to another store", "--abandon")
		_, err = storecopy.Copy(t.Context(), options(to, newTo(t)))
		wantError(t, err, "itself an unfinished copy")
		wantClosed(t, from)

		// An abandon that is killed between its two steps is repeated.
		func() {
			defer func() { _ = recover() }()
			_, _, err := storecopy.Abandon(t.Context(), storecopy.WithSteps(options(from, to), 0, func(step string) {
				if step == "target abandoned" {
					panic(errKilled)
				}
			}))
			t.Error(err)
		}()
		wantClosed(t, from)
		wantClosed(t, to, "abandoned")
		_, err = storecopy.Copy(t.Context(), options(from, to))
		wantError(t, err, "being abandoned", "--abandon")
		if _, _, err := storecopy.Abandon(t.Context(), options(from, to)); err != nil {
			t.Fatal(err)
		}
		wantSame(t, was, from)
		if err := opens(t, from); err != nil {
			t.Errorf("the source stays closed: %v", err)
		}
		generate(t, from, 9, 1) // a gateway writes to it
		wantClosed(t, to, "abandoned", "drop the tables")
		_, err = storecopy.Copy(t.Context(), options(from, to))
		wantError(t, err, "abandoned", "drop the tables")
		empty(t, to)
		if err := opens(t, to); err != nil {
			t.Errorf("the target stays closed after it was emptied: %v", err)
		}

		// A target that is gone does not keep the source closed.
		killed("after a batch of messages")
		empty(t, to)
		if _, _, err := storecopy.Abandon(t.Context(), options(from, to)); err != nil {
			t.Fatal(err)
		}
		was = dump(t, from)
		mustCopy(t, from, to)
		wantSame(t, was, to)
		for _, target := range []string{to, newTo(t)} {
			_, _, err := storecopy.Abandon(t.Context(), options(from, target))
			wantError(t, err, "its copy is finished", "stays closed")
		}
		wantClosed(t, from)
		back := newFrom(t)
		mustCopy(t, to, back) // the way back
		wantSame(t, was, back)
		wantClosed(t, to)
	})
}

// TestWhoReadsTheSourceHoldsNothingUp: the source stays closed from its first mark on, so the end of a copy
// waits for no one who still reads it, such as a backup.
func TestWhoReadsTheSourceHoldsNothingUp(t *testing.T) {
	t.Parallel()
	from, to := postgresURL(t), sqliteURL(t)
	generate(t, from, 1, 2)
	was := dump(t, from)
	patient := from + "&options=-c%20lock_timeout%3D1s" // an end that waits fails
	_, err := storecopy.Copy(t.Context(), storecopy.WithSteps(options(patient, to), 0, func(step string) {
		if step != "after the check" {
			return
		}
		reader, err := separate(t, from).BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = reader.Rollback() })
		for name := range was {
			if _, err := reader.ExecContext(t.Context(), "SELECT 1 FROM "+name); err != nil {
				t.Fatal(err)
			}
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, was, to)
	wantClosed(t, from, "has copied it")
}

// empty drops all that a store has.
func empty(t *testing.T, url string) {
	t.Helper()
	path, ok := strings.CutPrefix(url, "sqlite:")
	if ok {
		path, _, _ = strings.Cut(path, "?")
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
		return
	}
	schema := column(t, separate(t, url), "SELECT current_schema()::text")[0]
	run(t, separate(t, url), "DROP SCHEMA "+schema+" CASCADE; CREATE SCHEMA "+schema)
}
