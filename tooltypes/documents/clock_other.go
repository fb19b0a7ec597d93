//go:build !linux

package documents

import "time"

var start = time.Now()

// threadTime is the time that has passed: the other systems do not count that of a thread.
func threadTime() time.Duration { return time.Since(start) }
