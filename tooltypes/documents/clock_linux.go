package documents

import (
	"syscall"
	"time"
)

// ofThread is RUSAGE_THREAD of getrusage(2): the calling thread.
const ofThread = 1

// threadTime returns the processor time that the calling thread has used.
func threadTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(ofThread, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
