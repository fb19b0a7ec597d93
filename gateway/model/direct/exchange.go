package direct

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Ahead is a request that was written before anybody waits for its answer.
type Ahead struct {
	transport *Transport
	req       *http.Request
	exchange  *exchange
}

// Ahead writes the request if a connection to its server stands open, and returns nil
// where none does: it does not wait for the network. What was written is taken back, as
// far as it can be, when the request's context ends.
func (t *Transport) Ahead(req *http.Request) *Ahead {
	if proxy, err := t.proxy(req); proxy != nil || err != nil {
		return nil
	}
	c := t.open(address(req))
	if c == nil {
		return nil
	}
	return &Ahead{t, req, c.write(req)}
}

// RoundTrip is the transport's, of the request that was written.
func (a *Ahead) RoundTrip() (*http.Response, error) { return a.transport.carry(a.req, a.exchange) }

// together keeps net/http from sending the head of a request by itself, as it does to a
// *bufio.Writer where it does not know the body's type: that is one more system call, and
// wakes the server for nothing.
type together struct{ *bufio.Writer }

// exchange is a request that was written to a connection.
type exchange struct {
	conn *conn
	err  error       // of the writing
	stop func() bool // keeps the end of the request's context from closing the connection
}

// write writes the request. Its answer must be read, or its context must end.
func (c *conn) write(req *http.Request) *exchange {
	x := &exchange{conn: c, stop: context.AfterFunc(req.Context(), func() { _ = c.raw.Close() })}
	w := writers.Get().(*bufio.Writer)
	w.Reset(c)
	if x.err = req.Write(together{w}); x.err == nil {
		x.err = w.Flush()
	}
	w.Reset(nil)
	writers.Put(w)
	return x
}

// answer reads the head of the answer. answered says that the server said anything.
func (x *exchange) answer(req *http.Request) (resp *http.Response, answered bool, err error) {
	defer x.stop()
	c, writeErr := x.conn, x.err
	c.head.N = maxHead
	if _, err = c.reader.Peek(1); err != nil {
		// A server that refuses a long request may answer before it has read it all; only
		// where it says nothing the failed write is the reason.
		return nil, false, errors.Join(writeErr, err)
	}
	for range maxInterim {
		resp, err = http.ReadResponse(c.reader, req)
		if err != nil {
			if c.head.N <= 0 {
				err = fmt.Errorf("direct: the head of the answer is over %d bytes", maxHead)
			}
			return nil, true, err
		}
		if resp.StatusCode >= 200 {
			c.head.N = 1 << 62
			if writeErr != nil {
				resp.Close = true
			}
			return resp, true, nil
		}
		if resp.StatusCode == http.StatusSwitchingProtocols {
			break
		}
	}
	return nil, true, errors.New("direct: no final answer")
}
