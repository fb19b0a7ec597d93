package sse

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

const (
	// patience is how long a write waits, once or twice over, for the client's system to
	// take it.
	patience = 20 * time.Millisecond
	// maxBacklog is how far behind, in bytes, a client may be beyond the system's own
	// buffers: some thousand events.
	maxBacklog = 1 << 20
	// stall is how long a client with a backlog may take nothing at all.
	stall = 10 * time.Second
)

// ErrBacklog is what writing returns to a client that is too far behind.
var ErrBacklog = errors.New("sse: the client takes too little")

// Listen makes the connections of l such that writing to them does not wait for
// slow clients: what a client's system does not take at once is kept, up to 1 MiB, and
// sent by a goroutine that exists only as long as there is such a backlog. So a run that
// writes to the client that started it is held up by nobody.
func Listen(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

// conn is one such connection. The write deadlines of its user are not the
// connection's own: no write waits.
type conn struct {
	net.Conn
	mu      sync.Mutex
	until   time.Time // the write deadline that is set
	backlog []byte
	sending chan struct{} // closed when the backlog is sent; nil where there is none
	err     error         // of the sender
}

// Write takes all of p, or fails.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return 0, c.err
	case c.sending != nil:
		return c.keep(p)
	}
	if now := time.Now(); c.until.Sub(now) < patience { // on a busy connection not at every write
		c.until = now.Add(2 * patience)
		if err := c.Conn.SetWriteDeadline(c.until); err != nil {
			return 0, err
		}
	}
	n, err := c.Conn.Write(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.sending = make(chan struct{})
		if _, err = c.keep(p[n:]); err == nil {
			go c.send()
			return len(p), nil
		}
	}
	return n, err
}

func (c *conn) keep(p []byte) (int, error) {
	if len(c.backlog)+len(p) > maxBacklog {
		c.err = ErrBacklog
		return 0, c.err
	}
	c.backlog = append(c.backlog, p...)
	return len(p), nil
}

// send works the backlog off, in pieces: each that is taken is a sign of life.
func (c *conn) send() {
	const piece = 16 << 10
	var batch []byte
	for {
		c.mu.Lock()
		if len(c.backlog) == 0 || c.err != nil {
			c.backlog, c.until = nil, time.Time{}
			close(c.sending)
			c.sending = nil
			c.mu.Unlock()
			return
		}
		batch, c.backlog = c.backlog, batch[:0]
		c.mu.Unlock()
		for rest := batch; len(rest) > 0; {
			err := c.Conn.SetWriteDeadline(time.Now().Add(stall))
			n := 0
			if err == nil {
				n, err = c.Conn.Write(rest[:min(len(rest), piece)])
			}
			if rest = rest[n:]; err != nil && (n == 0 || !errors.Is(err, os.ErrDeadlineExceeded)) {
				c.mu.Lock()
				c.err = err
				c.mu.Unlock()
				break
			}
		}
	}
}

// SetWriteDeadline is for users who would wait; here nobody does.
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

// SetDeadline is the reader's.
func (c *conn) SetDeadline(t time.Time) error { return c.Conn.SetReadDeadline(t) }

// CloseWrite ends what is written; net/http asks for it before it closes a connection
// whose client may still be sending. While there is a backlog, Close does it in time.
func (c *conn) CloseWrite() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && c.sending == nil {
		return half.CloseWrite()
	}
	return nil
}

// Close closes at once, or when the backlog is sent or given up: who closes must not
// wait for a slow client either.
func (c *conn) Close() error {
	c.mu.Lock()
	sending := c.sending
	c.mu.Unlock()
	if sending == nil {
		return c.Conn.Close()
	}
	go func() {
		<-sending
		_ = c.Conn.Close() // nobody is left to be told
	}()
	return nil
}
