package smallstack_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/smallstack"
)

func breaks(err error) { panic(err) }

// each runs a test with goroutines that end with their work, and with goroutines that are kept.
func each(t *testing.T, test func(t *testing.T)) {
	t.Run("none is kept", test)
	t.Run("some are kept", func(t *testing.T) {
		smallstack.Keep(2)
		defer smallstack.Keep(0)
		test(t)
	})
}

func TestAPanicReachesTheCallerWithItsStack(t *testing.T) {
	each(t, func(t *testing.T) {
		want := errors.New("broken")
		for range 3 { // a goroutine goes on after a panic
			func() {
				defer func() {
					got, ok := recover().(*smallstack.Panic)
					if !ok || got.Value != any(want) || !strings.Contains(got.Error(), "broken") || !strings.Contains(got.Error(), "smallstack_test.breaks") {
						t.Errorf("recovered %v", got)
					}
				}()
				smallstack.Run(func() { breaks(want) })
				t.Error("Run returned")
			}()
		}
	})
}

func TestRunReturnsIfTheGoroutineEnds(t *testing.T) {
	each(t, func(t *testing.T) {
		for range 3 {
			smallstack.Run(runtime.Goexit)
		}
		ran := false
		smallstack.Run(func() { ran = true })
		if !ran {
			t.Error("nothing ran after a goroutine had ended")
		}
	})
}

func TestManyRunAtOnce(t *testing.T) {
	each(t, func(t *testing.T) {
		const callers = 50
		var all, wg sync.WaitGroup
		all.Add(callers)
		for range callers {
			wg.Go(func() {
				smallstack.Run(func() {
					all.Done()
					all.Wait() // none waits for another one's goroutine
				})
				for i := range 200 {
					inner, outer := 0, 0
					smallstack.Run(func() {
						smallstack.Run(func() {
							runtime.Gosched()
							inner = i
						})
						outer = inner
					})
					if outer != i {
						t.Errorf("Run returned before its function: %d, want %d", outer, i)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

// deep uses some 30 KiB of stack, as SQLite does.
func deep(n int) byte {
	var page [1 << 10]byte
	page[n] = byte(n)
	if n == 0 {
		return page[0]
	}
	return deep(n-1) + page[n]
}

// BenchmarkRun compares goroutines that end with their work with goroutines that are kept.
func BenchmarkRun(b *testing.B) {
	for name, kept := range map[string]int{"new": 0, "kept": 4} {
		b.Run(name, func(b *testing.B) {
			smallstack.Keep(kept)
			defer smallstack.Keep(0)
			for b.Loop() {
				smallstack.Run(func() { deep(30) })
			}
		})
	}
}
