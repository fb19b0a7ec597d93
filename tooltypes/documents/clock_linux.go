package documents

import (
	"syscall"
	"time"
)

// ofThread asks getrusage(2) for the calling thread (RUSAGE_THREAD).
const ofThread = 1

// threadTime is the processor time that the calling thread has taken.
func threadTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(ofThread, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
