package extract

import (
	"os"
	"syscall"
)

const (
	rlimitData = 2    // RLIMIT_DATA: since Linux 4.7, all private memory that can be written, as of Go's heap
	maxCPU     = 1500 // seconds: more than maxFiles take; so a child that its parent cannot kill ends, too
)

// confine limits this process for good. If its container runs out of memory, the kernel ends this process
// before the gateway.
func confine() error {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // there may be no /proc
	if err := syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: maxCPU, Max: maxCPU}); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return err
	}
	if detected {
		return nil
	}
	return syscall.Setrlimit(rlimitData, &syscall.Rlimit{Cur: MaxMemory, Max: MaxMemory})
}

// program is this program's file, even if another was installed in its place.
func program() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self, nil
	}
	return os.Executable()
}
