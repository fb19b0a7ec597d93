// Package smallstack keeps the stacks of open streams small.
//
// The goroutine of an open stream waits at a depth of some 6 KiB, so its stack has 8 KiB.
// One that has once grown beyond stays so while the stream is open: the runtime halves a
// stack only where less than a quarter of it is used. Of 1,000 open streams, each takes 46
// KiB of resident memory with stacks that have grown, and 41 KiB with the first of these two
// rules for what runs on that goroutine:
//
//   - What needs a deep stack once, such as encoding a request or sending the head of a
//     response, is done by Run, on a goroutine of its own that ends (about 1 µs).
//   - What is needed only to begin is in a function that has returned when the stream is
//     open. The places that are cut in two for this reason have the comment
//     "Small stack: see package smallstack."
package smallstack

import (
	"fmt"
	"runtime/debug"
)

// Panic is what Run panics with where f did: its value, and the stack that it had.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Run calls f on another goroutine and waits for it. A panic of f is one of Run, with a
// *Panic.
func Run(f func()) {
	var broken *Panic
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				broken = &Panic{v, debug.Stack()}
			}
		}()
		f()
	}()
	<-done
	if broken != nil {
		panic(broken)
	}
}
