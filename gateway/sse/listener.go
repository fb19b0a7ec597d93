package sse

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// patience is how long a write waits for the client's system to take it; it may be up to twice
	// as long, because the deadline is not moved at every write.
	patience = 20 * time.Millisecond
	// maxBacklog is how far behind a client may be, in bytes, in addition to the system's own
	// buffers: some thousand events.
	maxBacklog = 1 << 20
	// stall is how long a client with a backlog may take nothing at all.
	stall = 10 * time.Second
	// systemBuffer is the size of the system's send buffer for a client, in bytes (Linux: twice that). By default,
	// it would take megabytes, which count as this process's in a container.
	systemBuffer = 128 << 10
	// maxBacklogs is how much the connections of a listener may keep together, in bytes.
	maxBacklogs = 32 << 20
)

// ErrBacklog is the error of writing to a client that is too far behind for too long.
var ErrBacklog = errors.New("sse: the client takes too little")

// Listen returns a listener whose connections do not make writes wait for slow clients. What a
// client's system does not take at once is kept, up to 1 MiB, and sent by a goroutine that exists
// only as long as there is such a backlog, so a run is not held up by the client that it writes
// to. A write beyond the limit waits for room until the write deadline. A write whose deadline is
// further away than a client may stall waits for the client, and nothing is kept, because such
// responses can wait. All connections together keep up to 32 MiB; beyond that, slow clients are
// dropped.
func Listen(l net.Listener) net.Listener { return listener{l, new(atomic.Int64)} }

type listener struct {
	net.Listener
	kept *atomic.Int64 // by all its connections, bytes
}

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(systemBuffer) // if it fails, the system's own choice will do
	}
	kept := &conn{Conn: c, kept: l.kept}
	kept.atOnce.init(c)
	return kept, nil
}

// conn is one such connection. What a write looks at comes first, together.
type conn struct {
	mu      sync.Mutex
	head    head
	cut     bool          // a chunk is unfinished
	sending chan struct{} // closed when the backlog is sent; nil if there is none
	err     error         // of the sender
	atOnce  atOnce

	net.Conn
	kept     *atomic.Int64 // backlogs of all connections, bytes
	deadline time.Time     // set by the user: how long to wait for room
	until    time.Time     // the connection's own write deadline
	backlog  []byte
	room     chan struct{} // gets a value when the backlog has become smaller
}

// Write takes all of p, or fails. As in net/http, only one goroutine may call it at a time.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.fast(p)
	if n == len(p) || err != nil {
		return n, err
	}
	rest, err := c.write(p[n:])
	return n + rest, err
}

// fast writes what the client's system takes at once, which is nearly always all of it. It sets no
// deadline and reads no clock.
func (c *conn) fast(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.head == headExpected {
		c.see(p)
	}
	switch {
	case c.cut:
		return 0, errCut
	case c.err != nil || c.sending != nil:
		return 0, nil // write returns the error
	}
	return c.atOnce.take(p), nil
}

// write writes what fast did not.
func (c *conn) write(p []byte) (int, error) {
	if n, done, err := c.patiently(p); done {
		return n, err
	}
	n, err := c.try(p)
	for n < len(p) && err == nil {
		var kept int
		if kept, err = c.keep(p[n:]); kept == 0 && err == nil {
			err = c.wait()
		}
		n += kept
	}
	return n, err
}

// patiently writes for a caller that can wait, unless there is a backlog.
func (c *conn) patiently(p []byte) (n int, done bool, err error) {
	c.mu.Lock()
	if c.err != nil || c.sending != nil || time.Until(c.deadline) <= stall {
		c.mu.Unlock()
		return 0, false, nil //nolint:nilerr // Write returns the error
	}
	if c.until != c.deadline {
		c.until = c.deadline
		err = c.Conn.SetWriteDeadline(c.until)
	}
	c.mu.Unlock()
	if err == nil {
		n, err = c.Conn.Write(p)
	}
	return n, true, err
}

// try writes what the client takes at once.
func (c *conn) try(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil || c.sending != nil {
		return 0, c.err
	}
	if now := time.Now(); c.until.Sub(now) < patience || c.until.Sub(now) > 2*patience { // on a busy connection, not at every write
		c.until = now.Add(2 * patience)
		if err := c.Conn.SetWriteDeadline(c.until); err != nil {
			return 0, err
		}
	}
	n, err := c.Conn.Write(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return n, err
}

// keep adds to the backlog as much as there is room for.
func (c *conn) keep(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	n := min(len(p), maxBacklog-len(c.backlog))
	if c.kept.Add(int64(n)) > maxBacklogs {
		c.kept.Add(int64(-n))
		return 0, ErrBacklog
	}
	c.backlog = append(c.backlog, p[:n]...)
	if c.sending == nil {
		c.sending = make(chan struct{})
		if c.room == nil {
			c.room = make(chan struct{}, 1)
		}
		go c.send()
	}
	return n, nil
}

// wait waits for room until the deadline or, without a deadline, as long as the client takes
// anything at all.
func (c *conn) wait() error {
	c.mu.Lock()
	var expired <-chan time.Time
	if !c.deadline.IsZero() {
		timer := time.NewTimer(time.Until(c.deadline))
		defer timer.Stop()
		expired = timer.C
	}
	c.mu.Unlock()
	select {
	case <-c.room:
		return nil
	case <-expired:
		return ErrBacklog
	}
}

// send sends the backlog in pieces; each one taken shows that the client is alive.
func (c *conn) send() {
	const piece = 16 << 10
	var batch []byte
	for {
		c.mu.Lock()
		if len(c.backlog) == 0 || c.err != nil {
			c.kept.Add(int64(-len(c.backlog)))
			c.backlog, c.until = nil, time.Time{}
			close(c.sending)
			c.sending = nil
			c.mu.Unlock()
			return
		}
		batch, c.backlog = c.backlog, batch[:0]
		c.mu.Unlock()
		var err error
		for rest := batch; len(rest) > 0 && err == nil; {
			var n int
			if err = c.Conn.SetWriteDeadline(time.Now().Add(stall)); err == nil {
				n, err = c.Conn.Write(rest[:min(len(rest), piece)])
			}
			if rest = rest[n:]; n > 0 && errors.Is(err, os.ErrDeadlineExceeded) {
				err = nil
			}
		}
		c.kept.Add(int64(-len(batch)))
		if err != nil {
			c.mu.Lock()
			c.err = err
			c.mu.Unlock()
		}
		select {
		case c.room <- struct{}{}:
		default:
		}
	}
}

// SetWriteDeadline bounds how long a write waits for room in the backlog.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return nil
}

// SetDeadline sets the read and the write deadline.
func (c *conn) SetDeadline(t time.Time) error {
	_ = c.SetWriteDeadline(t)
	return c.Conn.SetReadDeadline(t)
}

// CloseWrite ends writing; net/http calls it before it closes a connection whose client may still
// be sending. While there is a backlog, Close does this later.
func (c *conn) CloseWrite() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && c.sending == nil {
		return half.CloseWrite()
	}
	return nil
}

// Close closes the connection at once or, if there is a backlog, in the background when the
// backlog is sent or given up: closing must not wait for a slow client either.
func (c *conn) Close() error {
	c.mu.Lock()
	sending := c.sending
	c.mu.Unlock()
	if sending == nil {
		return c.Conn.Close()
	}
	go func() {
		<-sending
		_ = c.Conn.Close() // the error cannot be reported to anyone any more
	}()
	return nil
}
