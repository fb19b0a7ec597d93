// Package smallstack keeps the stacks of open streams small.
//
// The goroutine of an open stream waits at a depth of some 6.3 KiB, and writes a chunk at one of some
// 7.2, so its stack has 8 KiB. One that has once grown beyond stays so while the stream is open: the
// runtime halves a stack only where less than a quarter of it is used. So what runs on that goroutine
// keeps to these rules:
//
//   - What needs a deep stack once, such as a transaction, making a request or sending the head of a
//     response, is done by Run, on another goroutine.
//   - What is needed only to begin is in a function that has returned when the stream is open, and
//     what is large is behind pointers. The places that are cut in two for this reason have the
//     comment "Small stack: see package smallstack."
//
// TestTheStacksOfOpenStreamsAreSmall in cmd/askgate measures them.
package smallstack

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Panic is what Run panics with where f did: its value, and the stack that it had.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// worker is a goroutine that runs one function after another.
type worker struct {
	work chan func()
	done chan *Panic // what became of each; closed if the function ended the goroutine
}

// idle are the workers that wait for work, the most recently used last.
var idle struct {
	sync.Mutex
	most    int
	workers []*worker
}

// Keep lets up to n goroutines of Run wait for further work, in the whole process. Their stacks have
// grown: a turn that begins on new ones spends a tenth of its processor time on growing them (see
// BenchmarkRun). By default, each goroutine ends with its work, as tests in a synctest bubble need it.
func Keep(n int) {
	idle.Lock()
	defer idle.Unlock()
	idle.most = n
	for len(idle.workers) > n {
		last := len(idle.workers) - 1
		close(idle.workers[last].work)
		idle.workers = idle.workers[:last]
	}
}

// Run calls f on another goroutine and waits for it. A panic of f is one of Run, with a
// *Panic. It is safe for concurrent use.
func Run(f func()) { Go(f)() }

// Go calls f on another goroutine. wait must be called once: it waits for f, and panics as Run does.
func Go(f func()) (wait func()) {
	w := take()
	w.work <- f
	return w.wait
}

func (w *worker) wait() {
	broken, goesOn := <-w.done
	if goesOn {
		w.rest()
	}
	if broken != nil {
		panic(broken)
	}
}

// take returns an idle worker, or else a new one.
func take() *worker {
	idle.Lock()
	defer idle.Unlock()
	if last := len(idle.workers) - 1; last >= 0 {
		w := idle.workers[last]
		idle.workers[last] = nil
		idle.workers = idle.workers[:last]
		return w
	}
	w := &worker{work: make(chan func(), 1), done: make(chan *Panic)}
	go w.run()
	return w
}

// rest makes the worker wait for further work, or ends it if enough do. Only the caller that has had
// its result may call it: until then, the next result is that caller's.
func (w *worker) rest() {
	idle.Lock()
	defer idle.Unlock()
	if len(idle.workers) < idle.most {
		idle.workers = append(idle.workers, w)
	} else {
		close(w.work)
	}
}

func (w *worker) run() {
	defer close(w.done) // also where f calls runtime.Goexit
	for f := range w.work {
		w.done <- call(f)
	}
}

// call calls f and returns its panic.
func call(f func()) (broken *Panic) {
	defer func() {
		if v := recover(); v != nil {
			broken = &Panic{v, debug.Stack()}
		}
	}()
	f()
	return nil
}
