// Package gatewaytest runs gateways for tests and provers: the program askgate itself, in processes
// that can be killed. Log keeps what a gateway in this process logs.
package gatewaytest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// startTimeout limits how long a process may take until it listens. Eight of them may create a
	// database at once on two cores.
	startTimeout = time.Minute
	// logLines is the number of lines kept of a process's log.
	logLines = 60
)

// listens matches the log line that reports where a gateway listens.
var listens = regexp.MustCompile(`msg="askgate serves" url=(\S+)`)

// Program describes a process to start.
type Program struct {
	Path string       // path of the program; "": Binary
	Args []string     // arguments; nil: serve
	Env  []string     // all variables, NAME=value; nil: those of this process
	Dir  string       // working directory; "": that of this process
	Line func(string) // receives each line of the log, one after another; may be nil
	URL  string       // where it will listen; "": taken from its log, at level info
}

// Process is a gateway that runs or ran. It is safe for concurrent use.
type Process struct {
	URL string // http://127.0.0.1:PORT

	cmd    *exec.Cmd
	line   func(string)
	exited chan struct{}
	err    error // valid once exited is closed

	mu  sync.Mutex
	log []string
}

// Start starts the program, and returns when it listens, or at once if URL gives its address. It is
// killed when ctx ends. If it ends before it listens, the error contains the end of its log, and
// the process is returned as well.
func (p Program) Start(ctx context.Context) (*Process, error) {
	path, args := p.Path, p.Args
	if path == "" {
		var err error
		if path, err = Binary(); err != nil {
			return nil, err
		}
	}
	if args == nil {
		args = []string{"serve"}
	}
	process := &Process{cmd: exec.CommandContext(ctx, path, args...), line: p.Line, exited: make(chan struct{})} //nolint:gosec // our own program
	process.cmd.Env, process.cmd.Dir = p.Env, p.Dir
	log, err := process.cmd.StderrPipe()
	if err == nil {
		err = process.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	url := make(chan string, 1)
	go func() {
		process.read(log, url)
		process.err = process.cmd.Wait()
		close(process.exited)
	}()
	if p.URL != "" {
		process.URL = p.URL
		return process, nil
	}
	limit := time.NewTimer(startTimeout)
	defer limit.Stop()
	select {
	case process.URL = <-url:
		return process, nil
	case <-process.exited:
		return process, fmt.Errorf("%s ended before it listened: %w\n%s", path, process.err, process.Log())
	case <-limit.C:
		process.Kill()
		return nil, fmt.Errorf("%s does not listen after %s\n%s", path, startTimeout, process.Log())
	}
}

// read keeps the end of the log, and reports where the process listens.
func (p *Process) read(log io.Reader, url chan<- string) {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for told := false; lines.Scan(); {
		line := lines.Text()
		p.mu.Lock()
		if p.log = append(p.log, line); len(p.log) > logLines {
			p.log = slices.Delete(p.log, 0, len(p.log)-logLines)
		}
		p.mu.Unlock()
		if p.line != nil {
			p.line(line)
		}
		if m := listens.FindStringSubmatch(line); m != nil && !told {
			told = true
			url <- m[1]
		}
	}
	_, _ = io.Copy(io.Discard, log) // longer than any line may be
}

// Log returns the last lines of the log.
func (p *Process) Log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.log, "\n")
}

// PID returns the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal, and does nothing if the process has exited.
func (p *Process) Signal(s os.Signal) { _ = p.cmd.Process.Signal(s) }

// Kill kills the process as kill -9 does, and waits until it has exited.
func (p *Process) Kill() {
	p.Signal(syscall.SIGKILL)
	<-p.exited
}

// Exited returns a channel that is closed when the process has exited.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Over reports whether the process has exited.
func (p *Process) Over() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// Wait waits until the process has exited, and returns the error of its exit status.
func (p *Process) Wait() error {
	<-p.exited
	return p.err
}

// ExitCode waits until the process has exited, and returns its exit code, -1 after a signal.
func (p *Process) ExitCode() int {
	<-p.exited
	return p.cmd.ProcessState.ExitCode()
}

// Killed waits until the process has exited, and reports whether it died of SIGKILL.
func (p *Process) Killed() bool {
	exit, ok := errors.AsType[*exec.ExitError](p.Wait())
	if !ok {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// Build builds the program at a path.
func Build(ctx context.Context, path string, flags ...string) error {
	args := slices.Concat([]string{"build", "-o", path}, flags, []string{"github.com/askgate/askgate/cmd/askgate"})
	if out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil { //nolint:gosec // our own program
		return fmt.Errorf("building askgate: %w\n%s", err, out)
	}
	return nil
}

// Binary returns the path of the program: the value of ASKGATE_TEST_BINARY, or one that is built
// once for this process and left in the directory for temporary files.
var Binary = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("ASKGATE_TEST_BINARY"); path != "" {
		return path, nil
	}
	dir, err := os.MkdirTemp("", "askgate-test")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "askgate")
	return path, Build(context.Background(), path)
})
