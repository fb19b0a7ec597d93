package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// startTimeout bounds the time from a process's start to its listening. Eight of
	// them may migrate a database at once on two cores.
	startTimeout = 60 * time.Second
	// logLines is how much of a process's log is kept to show with a fault.
	logLines = 60
)

// node is one gateway process after another on the same store; each has an address
// of its own. Safe for concurrent use.
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
type life struct {
	cmd    *exec.Cmd
	url    string
	exited chan struct{} // closed when the process is gone
	err    error         // how it ended; after exited
	gone   bool          // guarded by the node's mutex
}

// ready is the log line that says where the gateway listens.
var ready = regexp.MustCompile(`msg="askgate serves" url=(\S+)`)

// start runs a process and returns when it listens. environment is what it gets
// beside this command's own, such as ASKGATE_CRASH_AT.
func (n *node) start(ctx context.Context, environment ...string) (*life, error) {
	l := &life{exited: make(chan struct{})}
	l.cmd = exec.CommandContext(ctx, n.binary, n.args...) //nolint:gosec // our own program
	l.cmd.Env = append(os.Environ(), environment...)
	stderr, err := l.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := l.cmd.Start(); err != nil {
		return nil, err
	}
	listening := make(chan string, 1)
	go func() {
		n.read(stderr, listening)
		l.err = l.cmd.Wait()
		n.mu.Lock()
		if l.gone = true; n.life == l {
			n.life = nil
		}
		n.mu.Unlock()
		close(l.exited)
	}()
	limit := time.NewTimer(startTimeout)
	defer limit.Stop()
	select {
	case l.url = <-listening:
	case <-l.exited:
		return l, fmt.Errorf("%s ended before it listened: %w\n%s", n.name, l.err, n.tail())
	case <-limit.C:
		_ = l.cmd.Process.Kill()
		return nil, fmt.Errorf("%s does not listen after %s\n%s", n.name, startTimeout, n.tail())
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !l.gone {
		n.life = l
	}
	return l, nil
}

// read keeps the end of the log, and reports where the process listens.
func (n *node) read(r io.Reader, listening chan<- string) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if m := ready.FindStringSubmatch(lines.Text()); m != nil {
			listening <- m[1]
		}
		n.mu.Lock()
		if strings.Contains(lines.Text(), "each node limits by itself") {
			n.lone++
		}
		if strings.Contains(lines.Text(), " level=ERROR ") {
			n.bad++
		}
		n.log = append(n.log, lines.Text())
		if len(n.log) > logLines {
			n.log = slices.Delete(n.log, 0, len(n.log)-logLines)
		}
		n.mu.Unlock()
	}
	_, _ = io.Copy(io.Discard, r) // what is longer than a line may be
}

// tail is the end of the log.
func (n *node) tail() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.log, "\n")
}

// warnings is what of the end of the log is a warning or an error.
func (n *node) warnings() string {
	lines := slices.DeleteFunc(strings.Split(n.tail(), "\n"), func(line string) bool { return strings.Contains(line, " level=INFO ") })
	return strings.Join(lines, "\n")
}

// errors is how many errors it has logged.
func (n *node) errors() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.bad
}

// present is the process that listens now, nil while there is none.
func (n *node) present() *life {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.life
}

// url is where the node listens now, "" while it is down.
func (n *node) url() string {
	if l := n.present(); l != nil {
		return l.url
	}
	return ""
}

// signal sends a signal to the present process, if there is one.
func (n *node) signal(s syscall.Signal) {
	if l := n.present(); l != nil {
		_ = l.cmd.Process.Signal(s)
	}
}

// stop kills the present process and waits until it is gone.
func (n *node) stop() {
	if l := n.present(); l != nil {
		_ = l.cmd.Process.Kill()
		<-l.exited
	}
}

// killed says that the process died of SIGKILL: by us, or by its own hand at a
// crash point. Anything else is a fault of the gateway.
func (l *life) killed() bool {
	var exit *exec.ExitError
	if !errors.As(l.err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
