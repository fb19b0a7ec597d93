package sqldb_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestARelayedMessageIsTakenOnce(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		relay, ctx := open(t, url).Relay(), t.Context()
		if got, err := relay.Take(ctx, "a"); got != nil || err != nil {
			t.Errorf("before: %q %v", got, err)
		}
		for _, text := range []string{"first", "second"} {
			if err := relay.Put(ctx, "a", []byte(text), time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		var taken atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if got, err := relay.Take(ctx, "a"); err != nil || got != nil && string(got) != "second" {
					t.Errorf("%q %v", got, err)
				} else if got != nil {
					taken.Add(1)
				}
			})
		}
		if all.Wait(); taken.Load() != 1 {
			t.Errorf("taken %d times", taken.Load())
		}
		if err := relay.Put(ctx, "b", []byte("late"), 0); err != nil {
			t.Fatal(err)
		}
		if got, err := relay.Take(ctx, "b"); got != nil || err != nil {
			t.Errorf("expired: %q %v", got, err)
		}
		if err := relay.Put(ctx, "c", make([]byte, 16<<20+1), time.Hour); err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("too large: %v", err)
		}
	})
}
