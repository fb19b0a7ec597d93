package storetest

import (
	"errors"
	"testing"

	"github.com/askgate/askgate/gateway/store"
)

// meter is a window of an hour.
func meter(name, holder string, start int) store.Meter {
	return store.Meter{Name: name, Holder: holder, Start: at(start), End: at(start + 60)}
}

// wantUsed looks at a meter from a chat that need not have used it.
func wantUsed(t *testing.T, s store.Store, m store.Meter, want int64) {
	t.Helper()
	update(t, s, ref("looks"), func(tx store.Tx) error {
		got, err := tx.Meters().Used(m)
		if got != want {
			t.Errorf("%+v counts %d, want %d", m, got, want)
		}
		return err
	})
}

func testMeters(t *testing.T, s store.Store) {
	tokens := meter("tokens", "acme\x00alice", 0)
	update(t, s, ref("c"), func(tx store.Tx) error {
		err := all(
			func() error { return tx.Meters().Use(tokens, 40) },
			func() error { return tx.Meters().Use(tokens, 1<<40) },
			func() error { return tx.Meters().Use(meter("tokens", "acme\x00bob", 0), 7) },
			func() error { return tx.Meters().Use(meter("other", "acme\x00alice", 0), 8) },
			func() error { return tx.Meters().Use(meter("tokens", "acme\x00alice", 60), 9) },
		)
		if n, usedErr := tx.Meters().Used(tokens); n != 1<<40+40 {
			t.Errorf("its own use counts %d, %v", n, usedErr)
		}
		return err
	})
	failed := errors.New("no")
	wantError(t, "an update that fails", s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
		return errors.Join(tx.Meters().Use(tokens, 5), failed)
	}), failed)
	wantUsed(t, s, tokens, 1<<40+40)
	wantUsed(t, s, meter("tokens", "acme\x00bob", 0), 7)
	wantUsed(t, s, meter("other", "acme\x00alice", 0), 8)
	wantUsed(t, s, meter("tokens", "acme\x00alice", 60), 9)
	wantUsed(t, s, meter("tokens", "acme", 0), 0)

	asked := meter("asked", "app", 0)
	for _, step := range []struct {
		n, most int64
		want    bool
	}{{3, 2, false}, {2, 2, true}, {1, 2, false}, {1, 3, true}, {0, 3, true}, {1, 0, false}} {
		update(t, s, ref("c"), func(tx store.Tx) error {
			got, err := tx.Meters().UseUpTo(asked, step.n, step.most)
			if got != step.want {
				t.Errorf("%d up to %d: %v", step.n, step.most, got)
			}
			return err
		})
	}
	wantUsed(t, s, asked, 3)

	for _, step := range []struct {
		before      int
		first, next int64
	}{{60, 3, 9}, {61, 0, 9}, {121, 0, 0}} {
		if err := s.Due().DropMeters(t.Context(), at(step.before)); err != nil {
			t.Fatal(err)
		}
		wantUsed(t, s, asked, step.first)
		wantUsed(t, s, meter("tokens", "acme\x00alice", 60), step.next)
	}
}

func testMetersOutliveChats(t *testing.T, s store.Store) {
	m := meter("tokens", "acme\x00alice", 0)
	update(t, s, ref("c"), func(tx store.Tx) error { return tx.Meters().Use(m, 12) })
	if err := s.Delete(t.Context(), ref("c"), at(1).AddDate(100, 0, 0)); err != nil {
		t.Fatal(err)
	}
	wantUsed(t, s, m, 12)
}

// Chats of a crowd use up one meter: exactly, in any order, and without a deadlock.
func testMetersAreExact(t *testing.T, s store.Store) {
	const most, each = 20, 3
	asked, tokens := meter("asked", "app", 0), meter("tokens", "acme\x00alice", 0)
	oneTooMany := errors.New("used up")
	got := 0
	for _, err := range together(func(i int) error {
		return s.Update(t.Context(), ref("chat"+string(rune('A'+i))), func(tx store.Tx) error {
			ok, err := tx.Meters().UseUpTo(asked, 1, most)
			if err == nil && !ok {
				err = oneTooMany
			}
			return errors.Join(err, tx.Meters().Use(tokens, each))
		})
	}) {
		switch {
		case err == nil:
			got++
		case !errors.Is(err, oneTooMany):
			t.Error(err)
		}
	}
	if got != most {
		t.Errorf("%d of %d were allowed, want %d", got, crowd, most)
	}
	wantUsed(t, s, asked, most)
	wantUsed(t, s, tokens, most*each)
}
