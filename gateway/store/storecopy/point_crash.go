//go:build crashpoints

package storecopy

import (
	"os"
	"slices"
	"strings"
	"syscall"
)

// crash kills the process at the first step that is not yet in the file that ASKGATE_CRASH_STEPS
// names, and adds the step to it. A command that is repeated thus dies at one step after another.
func crash(step string) {
	path := os.Getenv("ASKGATE_CRASH_STEPS")
	if path == "" {
		return
	}
	died, err := os.ReadFile(path) //nolint:gosec // a test names it
	if err != nil {
		panic(err)
	}
	if slices.Contains(strings.Split(string(died), "\n"), step) {
		return
	}
	if err := os.WriteFile(path, append(died, step+"\n"...), 0o600); err != nil { //nolint:gosec // as above
		panic(err)
	}
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
	select {} // the signal takes effect soon, and nothing may happen until then
}
