//go:build crashpoints

package run

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// crash is "<point>:<n>" from ASKGATE_CRASH_AT: the process kills itself when it reaches that point
// for the n-th time, as if the machine had failed.
var crash = func() *crashPoint {
	point, n, _ := strings.Cut(os.Getenv("ASKGATE_CRASH_AT"), ":")
	times, err := strconv.Atoi(n)
	if err != nil {
		times = 1
	}
	c := &crashPoint{point: point}
	c.left.Store(int64(times))
	return c
}()

type crashPoint struct {
	point string
	left  atomic.Int64
}

func reached(point string) {
	if point == crash.point && crash.left.Add(-1) == 0 {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {} // the signal takes effect soon, and nothing may happen until then
	}
}
