package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/askgate/askgate/gateway/gatewaytest"
)

// logLines is the number of log lines of the processes that are kept to show with a fault.
const logLines = 60

// node is one gateway process after another on the same store; each has its own address. It is safe
// for concurrent use.
type node struct {
	name   string
	binary string
	args   []string

	mu   sync.Mutex
	life *life // the present process; nil before the first and while it is down
	log  []string
	lone int // how often it began to limit by itself
	bad  int // lines of errors so far
}

// life is one process.
type life struct{ *gatewaytest.Process }

// start runs a process and returns when it listens. environment is added to this command's own,
// such as ASKGATE_CRASH_AT. A process that ended before it listened is returned with the error.
func (n *node) start(ctx context.Context, environment ...string) (*life, error) {
	p, err := gatewaytest.Program{Path: n.binary, Args: n.args, Env: append(os.Environ(), environment...), Line: n.read}.Start(ctx)
	if p == nil {
		return nil, fmt.Errorf("%s: %w", n.name, err)
	}
	l := &life{p}
	if err == nil {
		n.mu.Lock()
		n.life = l
		n.mu.Unlock()
	}
	return l, err
}

// read counts events in the log, and keeps its end.
func (n *node) read(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if strings.Contains(line, "this node limits by itself") {
		n.lone++
	}
	if strings.Contains(line, " level=ERROR ") {
		n.bad++
	}
	if n.log = append(n.log, line); len(n.log) > logLines {
		n.log = slices.Delete(n.log, 0, len(n.log)-logLines)
	}
}

// tail returns the end of the log.
func (n *node) tail() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.log, "\n")
}

// warnings returns the warnings and errors in the end of the log.
func (n *node) warnings() string {
	lines := slices.DeleteFunc(strings.Split(n.tail(), "\n"), func(line string) bool { return strings.Contains(line, " level=INFO ") })
	return strings.Join(lines, "\n")
}

// errors returns the number of errors it has logged.
func (n *node) errors() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.bad
}

// present returns the process that listens now, nil while there is none.
func (n *node) present() *life {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.life == nil || n.life.Over() {
		return nil
	}
	return n.life
}

// url returns the address at which the node listens now, "" while it is down.
func (n *node) url() string {
	if l := n.present(); l != nil {
		return l.URL
	}
	return ""
}

// signal sends a signal to the present process, if there is one.
func (n *node) signal(s syscall.Signal) {
	if l := n.present(); l != nil {
		l.Signal(s)
	}
}

// stop kills the present process and waits until it is gone.
func (n *node) stop() {
	if l := n.present(); l != nil {
		l.Kill()
	}
}
