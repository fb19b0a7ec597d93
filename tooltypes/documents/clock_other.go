//go:build !linux

package documents

import "time"

var start = time.Now()

// threadTime returns the time since the start of the program, since other systems than Linux do
// not report the processor time of a thread.
func threadTime() time.Duration { return time.Since(start) }
