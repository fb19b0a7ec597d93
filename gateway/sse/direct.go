package sse

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
)

// Direct is implemented by a ResponseWriter that knows its connection. If the connection is one of
// Listen and the response is chunked, a Writer hands its frames to the connection as chunks, as net/http
// would, but without its buffers: after the response's head, net/http only writes the end.
type Direct interface {
	// Conn returns the connection (see ConnOf), or nil if it is not known.
	Conn() net.Conn
	// Sent is told how many bytes of the body went out without the ResponseWriter, when the Writer is
	// closed.
	Sent(bytes int64)
}

type connKey struct{}

// ConnContext is for http.Server: requests know their connection.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// ConnOf returns the connection that a request came over, or nil if the server has no ConnContext.
func ConnOf(r *http.Request) net.Conn {
	c, _ := r.Context().Value(connKey{}).(net.Conn)
	return c
}

// maxChunk is how many bytes are copied into a chunk; more go through net/http.
const maxChunk = 32 << 10

var chunks = sync.Pool{New: func() any { b := make([]byte, 0, 1<<10); return &b }}

// chunk writes p as a chunk of the response.
func (c *conn) chunk(p []byte) error {
	b := chunks.Get().(*[]byte)
	defer chunks.Put(b)
	*b = append(strconv.AppendInt((*b)[:0], int64(len(p)), 16), "\r\n"...)
	*b = append(append(*b, p...), "\r\n"...)
	n, err := c.Write(*b)
	if err != nil && n < len(*b) {
		c.mu.Lock()
		c.cut = true
		c.mu.Unlock()
	}
	return err
}

// errCut is the error of writing behind an unfinished chunk: the client would take it for the rest.
var errCut = errors.New("sse: a chunk was not sent whole")

// head is what is known of the head of the response that is being written.
type head int8

const (
	headUnknown head = iota
	headExpected
	headChunked
)

// expectHead makes the next write show whether the response is chunked.
func (c *conn) expectHead() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head = headExpected
}

// see looks at a write for the head of a response. The caller holds mu.
func (c *conn) see(p []byte) {
	c.head = headUnknown
	head, _, whole := bytes.Cut(p, []byte("\r\n\r\n"))
	if whole && bytes.HasPrefix(head, []byte("HTTP/1.1 200 ")) && bytes.Contains(head, []byte("\r\nTransfer-Encoding: chunked")) {
		c.head = headChunked
	}
}

func (c *conn) isChunked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.head == headChunked
}
