package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

const (
	children = 2                // that run at the same time
	maxFiles = 25               // that a child reads
	idleLife = 30 * time.Second // of a child without a file
	pause    = time.Minute      // after a child that could not begin
	// maxStart is how long a child may take until it reads: it first compiles PDFium, which takes several
	// seconds, and longer on a busy machine.
	maxStart = 3 * time.Minute
)

// Reader reads files in child processes, at most two at a time. It is safe for concurrent use. A nil
// Reader reads nothing.
type Reader struct {
	places chan struct{} // has an element for each file that is read
	behind chan struct{} // the same, of those for ReadBehind
	time   time.Duration // MaxTime

	down [math.MaxUint8 + 1]atomic.Bool // by format: the last child could not begin, less than a pause ago

	mu     sync.Mutex
	idle   []*process
	closed bool
}

// New makes a reader. Its first file starts a child.
func New() *Reader {
	return &Reader{places: make(chan struct{}, children), behind: make(chan struct{}, children-1), time: MaxTime}
}

// ErrNotHere is the error of a reader that cannot read files: it is nil, or Hook was not called.
var ErrNotHere = errors.New("PDF and DOCX files are not read here")

// ReadBehind is like Read, for background work: it leaves a child for Read.
func (r *Reader) ReadBehind(ctx context.Context, f Format, data []byte) (Text, error) {
	if r == nil {
		return Text{}, ErrNotHere
	}
	select {
	case r.behind <- struct{}{}:
		defer func() { <-r.behind }()
	case <-ctx.Done():
		return Text{}, ctx.Err()
	}
	return r.Read(ctx, f, data)
}

// Read returns the text of a file. It waits until fewer than two others are being read. The error is a
// Refused, the context's, or another if no child can be started, which may pass. The text can contain
// anything: characters that deceive, and instructions to models.
func (r *Reader) Read(ctx context.Context, f Format, data []byte) (Text, error) {
	switch {
	case r == nil || !hooked.Load():
		return Text{}, ErrNotHere
	case len(data) > MaxFile:
		return Text{}, Large
	case r.down[f].Load():
		return Text{}, errNotBegun
	}
	select {
	case r.places <- struct{}{}:
		defer func() { <-r.places }()
	case <-ctx.Done():
		return Text{}, ctx.Err()
	}
	for {
		p, err := r.take()
		if err != nil {
			return Text{}, fmt.Errorf("cannot start the process that reads PDF and DOCX files: %w", err)
		}
		used := p.files > 0
		text, err := p.read(ctx, f, data, r.time)
		if p.alive && p.files < maxFiles {
			r.keep(p)
		} else {
			p.end()
		}
		if errors.Is(err, errNotBegun) {
			if used {
				continue // it ended while it was idle
			}
			r.down[f].Store(true)
			time.AfterFunc(pause, func() { r.down[f].Store(false) })
		}
		return text, err
	}
}

// Close ends the idle children. Those that read end with their file.
func (r *Reader) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	idle := r.idle
	r.idle, r.closed = nil, true
	r.mu.Unlock()
	for _, p := range idle {
		p.life.Stop()
		p.end()
	}
}

// take returns a child that waits for a file.
func (r *Reader) take() (*process, error) {
	r.mu.Lock()
	if n := len(r.idle); n > 0 {
		p := r.idle[n-1]
		r.idle = r.idle[:n-1]
		p.life.Stop()
		r.mu.Unlock()
		return p, nil
	}
	r.mu.Unlock()
	return start()
}

func (r *Reader) keep(p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		p.end()
		return
	}
	r.idle = append(r.idle, p)
	p.life = time.AfterFunc(idleLife, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		for i := range r.idle {
			if r.idle[i] == p {
				r.idle = append(r.idle[:i], r.idle[i+1:]...)
				p.end()
				return
			}
		}
	})
}

// process is a child.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.ReadCloser
	alive bool // it can read a further file; end was not called
	files int  // that it has read
	life  *time.Timer
}

func start() (*process, error) {
	path, err := program()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, argument) //nolint:noctx,gosec // this program itself; it outlives the read that starts it; end kills it
	cmd.Env, cmd.Dir = []string{}, "/"  // no secrets
	p := &process{cmd: cmd, alive: true}
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return p, cmd.Start()
}

// end kills the child, and waits until it is gone.
func (p *process) end() {
	p.alive = false
	_ = p.cmd.Process.Kill() // it may have ended
	_ = p.cmd.Wait()         // closes the pipes
}

// errNotBegun is the error of a child that ended before it began to read the file.
var errNotBegun = errors.New("the process that reads PDF and DOCX files cannot start; give it 500 MB of memory")

// read has the child read a file. If its error is not Refused, the child is not alive afterwards.
func (p *process) read(ctx context.Context, f Format, data []byte, most time.Duration) (Text, error) {
	p.files++
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(ctx, func() { _ = p.cmd.Process.Kill() }) // this ends all that is read and written here
	limit := time.AfterFunc(maxStart, func() { cancel(errNotBegun) })
	defer func() { limit.Stop() }()
	begun := false
	text, err := p.exchange(f, data, func() {
		begun = true
		limit.Stop()
		limit = time.AfterFunc(most, func() { cancel(Slow) })
	})
	p.alive = stop() && (err == nil || errors.As(err, new(Refused)))
	switch {
	case p.alive:
		return text, err
	case ctx.Err() != nil:
		return Text{}, context.Cause(ctx)
	case !begun:
		return Text{}, errNotBegun
	}
	return Text{}, Damaged // it ended by itself, or broke the protocol
}

// exchange sends a file and returns the answer. ready is called when the child begins to read it.
func (p *process) exchange(f Format, data []byte, ready func()) (Text, error) {
	go func() { _ = writeFrame(p.in, byte(f), data) }() // if it fails, the child does not reply
	kind, content, err := readFrame(p.out, maxFrame)
	if err == nil && kind == frameReady {
		ready()
		kind, content, err = readFrame(p.out, maxFrame)
	}
	if err != nil {
		return Text{}, err
	}
	return decode(kind, content)
}
