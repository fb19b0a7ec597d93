package documents_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/documents"
)

// The searches of a step share 10 s of processor time. After that each is refused, with what to do;
// those of another step have their own.
func TestSearchesOfAStepShareTheProcessor(t *testing.T) {
	b := open(t, map[string]string{"a.md": "# Bees\n\nBees make honey."})
	b.search(t, "honey") // the index exists
	var now atomic.Int64
	b.Clock(func() time.Duration { return time.Duration(now.Add(int64(time.Second))) }) // each search takes a second, or more when others run at the same time
	var made, refused atomic.Int64
	var all sync.WaitGroup
	step := &tools.Processor{}
	for range 128 {
		all.Go(func() {
			_, err := b.Run(t.Context(), tools.Call{Name: "laws__search", Arguments: `{"query": "honey"}`, Processor: step})
			var e *tools.Error
			switch {
			case err == nil:
				made.Add(1)
			case errors.As(err, &e) && e.Code == tools.CodeToolTimeout && strings.Contains(e.Message, "10 s of processor time"):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := made.Load(); n < 2 || n > 13 || n+refused.Load() != 128 { // at most 3 were in progress as the tenth second was counted
		t.Errorf("%d searches were made, %d refused", n, refused.Load())
	}
	for name, other := range map[string]*tools.Processor{"of another step": {}, "of no step": nil} {
		if _, err := b.Run(t.Context(), tools.Call{Name: "laws__search", Arguments: `{"query": "honey"}`, Processor: other}); err != nil {
			t.Errorf("a search %s: %v", name, err)
		}
	}
}

// The clock counts the work of the calling thread.
func TestTheProcessorTimeOfAThread(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := documents.ThreadTime()
	for sum := 0; documents.ThreadTime() == began; sum++ { // work advances it, however slow the machine is
		_ = strings.Repeat("x", 1+sum%100)
	}
}
