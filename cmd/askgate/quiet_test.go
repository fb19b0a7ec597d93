package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"
)

// garbage keeps what is allocated from the stack.
var garbage []byte

// collections runs returnMemory while do runs, without the runtime's own collections, and returns how
// many collections there were.
func collections(t *testing.T, do func()) (n uint32) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		debug.FreeOSMemory()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		go returnMemory(ctx)
		synctest.Wait()
		do()
		synctest.Wait()
		runtime.ReadMemStats(&after)
		n = after.NumGC - before.NumGC
		garbage = nil
	})
	return n
}

func TestGarbageIsReturnedWhenTheProcessIsQuiet(t *testing.T) {
	if n := collections(t, func() {
		for range 10 {
			garbage = make([]byte, 8<<20)
		}
		garbage = nil
		pass(20)
	}); n != 1 {
		t.Errorf("%d collections, want 1: the garbage, and then nothing is left", n)
	}
}

func TestABusyProcessIsLeftToTheRuntime(t *testing.T) {
	if n := collections(t, func() {
		for range 40 {
			garbage = make([]byte, quietBytes)
			time.Sleep(quietLook / 2)
		}
	}); n != 0 {
		t.Errorf("%d collections while the process was busy", n)
	}
}

func TestLittleGarbageStays(t *testing.T) {
	if n := collections(t, func() {
		garbage = make([]byte, leastReturned/2)
		garbage = nil
		pass(20)
	}); n != 0 {
		t.Errorf("%d collections for %d bytes", n, leastReturned/2)
	}
}

// pass lets the time of that many looks pass.
func pass(looks int) { time.Sleep(time.Duration(looks) * quietLook) }
