package main

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestMemoryOfTheControlGroupBoundsWhatIsInFlight(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	write := func(text string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "memory.max"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for _, none := range []string{t.TempDir(), write("max\n"), write("9223372036854771712\n")} {
		if n := limitMemory(none); n != 0 || debug.SetMemoryLimit(-1) != math.MaxInt64 {
			t.Errorf("without a limit: %d in flight, limit %d", n, debug.SetMemoryLimit(-1))
		}
	}
	const limit = 448 << 20
	if n := limitMemory(write("469762048\n")); n != limit/10*9/4 || debug.SetMemoryLimit(-1) != limit/10*9 {
		t.Errorf("448 MiB: %d in flight, limit %d", n, debug.SetMemoryLimit(-1))
	}
	debug.SetMemoryLimit(400 << 20) // as GOMEMLIMIT does
	if n := limitMemory(write("9000000000\n")); n != 100<<20 || debug.SetMemoryLimit(-1) != 400<<20 {
		t.Errorf("GOMEMLIMIT=400MiB: %d in flight, limit %d", n, debug.SetMemoryLimit(-1))
	}
}
