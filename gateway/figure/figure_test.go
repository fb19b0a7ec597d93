package figure_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/figure"
)

func TestWhoAsksDoesNotReadAndGetsNoOldFigure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int64
		f := figure.New(func(context.Context) (time.Time, error) { reads.Add(1); return time.Now(), nil })
		ctx, cancel := context.WithCancel(t.Context())
		go f.Keep(ctx)
		get := func() {
			t.Helper()
			if at, err := f.Get(); err != nil || time.Since(at) > figure.MaxAge {
				t.Errorf("%v old: %v", time.Since(at), err)
			}
		}
		time.Sleep(time.Minute)
		if n := reads.Load(); n != 0 {
			t.Errorf("%d reads that no one asked for", n)
		}
		for range 600 {
			get()
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		if n := reads.Load(); n > 8 { // one by Get, then one every 10 s
			t.Errorf("%d reads in a minute", n)
		}
		time.Sleep(time.Hour)
		if before := reads.Load(); before > 30 {
			t.Errorf("%d reads for an hour without a use", before)
		}
		get()
		cancel()
		synctest.Wait()
		time.Sleep(16 * time.Second) // Keep has ended
		get()
	})
}

func TestAFigureThatCannotBeReadIsUsedUntilItIsTooOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down error
		f := figure.New(func(context.Context) (int, error) { return 1, down })
		if _, err := f.Get(); err != nil {
			t.Fatal(err)
		}
		down = errors.New("down")
		time.Sleep(figure.MaxAge)
		if n, err := f.Get(); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		time.Sleep(time.Second)
		if _, err := f.Get(); !errors.Is(err, down) {
			t.Errorf("%v", err)
		}
	})
}
