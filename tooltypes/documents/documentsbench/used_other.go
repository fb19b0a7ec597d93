//go:build !unix

package main

import "time"

// used returns 0: the processor time is only known on Unix.
func used() time.Duration { return 0 }
