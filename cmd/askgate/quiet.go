package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// quietLook is how often returnMemory looks. A look takes some microseconds.
	quietLook = time.Second
	// quietBytes is less than a busy process allocates between two looks, in bytes: some four turns.
	quietBytes = 256 << 10
	// leastReturned is how many bytes are worth a collection. They must also be an eighth of what is in
	// use, so that a large heap is not marked for little.
	leastReturned = 4 << 20
)

// returnMemory collects garbage and returns free memory to the system whenever the process has become
// quiet, until ctx ends. The runtime collects only when the heap has doubled, or after two minutes, and
// returns memory slowly: until then, what many turns needed to begin stays resident.
func returnMemory(ctx context.Context) {
	tick := time.NewTicker(quietLook)
	defer tick.Stop()
	r := newHeapReader()
	for before := r.read(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := r.read()
		if now.allocated-before.allocated < quietBytes && now.idle >= max(leastReturned, now.live/8) {
			debug.FreeOSMemory()
			now = r.read()
		}
		before = now
	}
}

// heap says what the Go runtime uses its heap for, in bytes.
type heap struct {
	allocated uint64 // since the process began
	live      uint64 // found in use by the last collection
	idle      uint64 // what was allocated since then, and what is free and not returned to the system
}

// heapReader reads the heap's size.
type heapReader [4]metrics.Sample

func newHeapReader() *heapReader {
	return &heapReader{
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}
}

func (r *heapReader) read() heap {
	metrics.Read(r[:])
	h := heap{allocated: r[0].Value.Uint64(), live: r[1].Value.Uint64(), idle: r[3].Value.Uint64()}
	if objects := r[2].Value.Uint64(); objects > h.live { // it is not while garbage is being freed
		h.idle += objects - h.live
	}
	return h
}
