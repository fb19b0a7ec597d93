package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// world is a cluster with a model, in which crashes happen as planned. The first node is the front:
// it gets the requests while it is up, and it is the one that crashes. Viewers are connected to the
// last one.
type world struct {
	*cluster
	model *modeltest.Server
	tools string // the file in which tools note their calls
	end   context.CancelFunc
	kept  chan struct{} // closed when the front is no longer started again

	repaired sync.Map // chats whose model works again

	mu    sync.Mutex
	armed *crash // the next one at a moment that this command counts
	seen  map[string]int
	hits  []crash // that happened
	fault error   // a process ended otherwise
}

// crash is a SIGKILL for the front: at a crash point, which the process counts itself, or shortly
// after a moment that this command counts.
type crash struct {
	at    string
	n     int
	after time.Duration
}

func (c crash) String() string {
	if c.after > 0 {
		return fmt.Sprintf("%s:%d+%s", c.at, c.n, c.after)
	}
	return fmt.Sprintf("%s:%d", c.at, c.n)
}

// The moments that this command counts, from a process's start.
const (
	atRequest = "at.request" // the model got a request
	atEvent   = "at.event"   // a viewer got an event
	atPost    = "at.post"    // a message or an answer was sent
)

// injected reports that the process crashes by itself.
func (c crash) injected() bool { return c.at != atRequest && c.at != atEvent && c.at != atPost }

// world creates a cluster with these crashes ahead of it, and starts it.
func (p *plant) world(ctx context.Context, size int, plan []crash) (*world, error) {
	return p.worldWith(ctx, size, plan, nil)
}

// worldWith is world with keys of gateway.json in place of those of configure.
func (p *plant) worldWith(ctx context.Context, size int, plan []crash, keys object) (*world, error) {
	w := &world{kept: make(chan struct{})}
	w.model = modeltest.NewFunc(nil, func(n int, r modeltest.Request) modeltest.Response {
		w.tick(atRequest)
		return w.troubled(n, r)
	})
	var err error
	if w.cluster, err = p.clusterWith(ctx, size, w.model.URL, time.Second, nil, keys); err != nil {
		w.model.Close()
		return nil, err
	}
	w.tools = filepath.Join(p.dir, fmt.Sprintf("tools%d", p.serial.next()))
	if err := os.WriteFile(w.tools, nil, 0o600); err != nil {
		w.cluster.close()
		w.model.Close()
		return nil, err
	}
	ctx, w.end = context.WithCancel(ctx)
	up := make(chan struct{})
	go w.keep(ctx, plan, up)
	select {
	case <-up: // it has migrated the store
	case <-w.kept:
	}
	for _, n := range w.nodes[1:] {
		if _, err := n.start(ctx, w.environment()...); err != nil {
			w.failed(err)
		}
	}
	if err := w.failure(); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// keep runs the front, one process after another, each with its own crash, until
// ctx ends or a process ends for another reason.
func (w *world) keep(ctx context.Context, plan []crash, up chan<- struct{}) {
	defer close(w.kept)
	for first := true; ; {
		var next *crash
		environment := w.environment()
		if len(plan) > 0 {
			next, plan = &plan[0], plan[1:]
			if next.injected() {
				environment = append(environment, fmt.Sprintf("ASKGATE_CRASH_AT=%s:%d", next.at, next.n))
			}
		}
		w.arm(next)
		l, err := w.nodes[0].start(ctx, environment...)
		if err == nil && first {
			close(up)
			first = false
		}
		if l != nil {
			<-l.Exited()
		}
		switch {
		case ctx.Err() != nil:
			return
		case l == nil:
			w.failed(err)
			return
		case !l.Killed() || next == nil:
			w.failed(fmt.Errorf("a process ended on its own: %w\n%s", l.Wait(), w.nodes[0].tail()))
			return
		}
		w.mu.Lock()
		w.hits = append(w.hits, *next)
		w.mu.Unlock()
	}
}

func (w *world) environment() []string { return []string{"ASKGATE_TOOL_LOG=" + w.tools} }

func (w *world) arm(c *crash) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed, w.seen = c, map[string]int{}
}

// tick counts a moment, and carries out the crash that waits for it.
func (w *world) tick(moment string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[moment]++
	c := w.armed
	if c == nil || c.at != moment || w.seen[moment] < c.n {
		return
	}
	if l := w.nodes[0].present(); l != nil {
		w.armed = nil
		time.AfterFunc(c.after, l.Kill)
	}
}

func (w *world) failed(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fault == nil {
		w.fault = err
	}
}

func (w *world) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fault
}

func (w *world) happened() []crash {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hits
}

// close ends all processes and removes the store.
func (w *world) close() {
	w.end()
	<-w.kept
	w.cluster.close()
	w.model.Close()
}

// front returns the node that gets requests: the first node that is up, "" while none is.
func (w *world) front() string {
	for _, n := range w.nodes {
		if url := n.url(); url != "" {
			return url
		}
	}
	return ""
}

// viewed returns the node of the viewers, "" while it is down.
func (w *world) viewed() string { return w.nodes[len(w.nodes)-1].url() }
