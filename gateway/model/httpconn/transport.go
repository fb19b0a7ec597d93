package httpconn

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	dialTimeout = 10 * time.Second
	keepAlive   = 30 * time.Second
	idleTimeout = 90 * time.Second // net/http's default
	maxIdle     = 1024             // connections of one address
	// maxHead bounds the head of an answer, in bytes.
	maxHead = 256 << 10
	// bufferSize is the size in bytes of the buffer of a reader. Longer reads of a body bypass it.
	bufferSize = 1 << 10
	// maxInterim is how many 1xx responses may precede the real one, as in net/http.
	maxInterim = 5
)

// Transport is an http.RoundTripper. It is safe for concurrent use.
type Transport struct {
	dialer  net.Dialer
	tls     *tls.Config
	proxy   func(*http.Request) (*url.URL, error)
	proxied *http.Transport

	mu    sync.Mutex
	idle  map[string][]*conn // by scheme and host, the most recently used last
	sweep *time.Timer        // runs while there are idle connections
}

// NewTransport returns a transport without connections.
func NewTransport() *Transport {
	t := &Transport{
		dialer: net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive},
		tls:    &tls.Config{NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12},
		proxy:  http.ProxyFromEnvironment,
		proxied: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DisableCompression: true,
			MaxIdleConnsPerHost: maxIdle, IdleConnTimeout: idleTimeout, TLSHandshakeTimeout: dialTimeout,
		},
		idle: map[string][]*conn{},
	}
	t.sweep = time.AfterFunc(idleTimeout, t.closeOld)
	return t
}

var _ http.RoundTripper = (*Transport)(nil)

// conn is one connection and its buffer.
type conn struct {
	net.Conn
	raw    net.Conn         // below TLS
	reader *bufio.Reader    // nil where it is not needed: idle, or in a chunked body
	head   io.LimitedReader // source of reader, limited while a head is read
	key    string
	in     io.Reader // reads Conn
	source source    // may be in
	dirty  bool      // the server sent more than the answer
	used   bool      // an answer has been read from it before
	since  time.Time
}

// writers have small buffers; longWriters are for requests with a long chat, which would take hundreds
// of system calls.
var (
	writers     = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 4<<10) }}
	longWriters = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 64<<10) }}
)

// readers read the heads of answers, and bodies that are not chunked.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, bufferSize) }}

// drained reports whether nothing is left in the reader, which is then given back.
func (c *conn) drained() bool {
	if c.reader == nil {
		return true
	}
	if c.reader.Buffered() > 0 {
		return false
	}
	c.reader.Reset(nil)
	readers.Put(c.reader)
	c.reader = nil
	return true
}

// longRequest is how many bytes the body of a request has that takes one of longWriters.
const longRequest = 32 << 10

// RoundTrip implements http.RoundTripper. The body of the answer ends if the request's context does.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "http" && req.URL.Scheme != "https" || req.URL.Host == "" {
		closeBody(req)
		return nil, fmt.Errorf("httpconn: not an http or https address: %s://%s", req.URL.Scheme, req.URL.Host)
	}
	if proxy, err := t.proxy(req); proxy != nil || err != nil {
		return t.proxied.RoundTrip(req)
	}
	for {
		c, err := t.get(req)
		if err != nil {
			closeBody(req)
			return nil, err
		}
		resp, answered, err := c.exchange(req)
		if err == nil {
			resp.Body = newBody(req.Context(), t, c, resp)
			return resp, nil
		}
		c.Close()
		if ctxErr := req.Context().Err(); ctxErr != nil {
			return nil, ctxErr
		}
		// The server may have closed the idle connection a moment ago.
		if answered || !c.used || req.GetBody == nil {
			return nil, err
		}
		body, bodyErr := req.GetBody()
		if bodyErr != nil {
			return nil, err
		}
		again := *req
		again.Body = body
		req = &again
	}
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// together keeps net/http from flushing the head of a request separately, as it does with a
// *bufio.Writer if it does not know the body's type. That would be one more system call, and would
// wake the server too early.
type together struct{ *bufio.Writer }

func (c *conn) write(req *http.Request) error {
	pool := &writers
	if req.ContentLength >= longRequest {
		pool = &longWriters
	}
	w := pool.Get().(*bufio.Writer)
	defer pool.Put(w)
	w.Reset(c)
	defer w.Reset(nil)
	if err := req.Write(together{w}); err != nil {
		return err
	}
	return w.Flush()
}

// exchange writes the request and reads the head of the answer. answered reports whether the server
// sent anything.
func (c *conn) exchange(req *http.Request) (resp *http.Response, answered bool, err error) {
	stop := context.AfterFunc(req.Context(), c.abort)
	defer stop()
	c.reader = readers.Get().(*bufio.Reader)
	c.reader.Reset(&c.head)
	writeErr := c.write(req)
	c.head.N = maxHead
	if _, err = c.reader.Peek(1); err != nil {
		// A server that refuses a long request may answer before it has read all of it. The failed
		// write is only the reason if there is no answer.
		return nil, false, errors.Join(writeErr, err)
	}
	for range maxInterim {
		resp, err = http.ReadResponse(c.reader, req)
		if err != nil {
			if c.head.N <= 0 {
				err = fmt.Errorf("httpconn: the head of the answer has more than %d bytes", maxHead)
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
	return nil, true, errors.New("httpconn: the server sent no final answer")
}

// abort ends all reads and writes.
func (c *conn) abort() { _ = c.SetDeadline(time.Unix(1, 0)) }

// get returns an idle connection that is still open, or dials.
func (t *Transport) get(req *http.Request) (*conn, error) {
	key := req.URL.Scheme + "://" + req.URL.Host
	for {
		c := t.take(key)
		if c == nil {
			return t.dial(req, key)
		}
		if time.Since(c.since) < idleTimeout && quiet(c.raw) {
			return c, nil
		}
		c.Close()
	}
}

func (t *Transport) take(key string) *conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.idle[key]
	if len(list) == 0 {
		return nil
	}
	c := list[len(list)-1]
	t.idle[key] = list[:len(list)-1]
	return c
}

func (t *Transport) put(c *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.idle[c.key]) >= maxIdle {
		c.Close()
		return
	}
	c.used, c.since = true, time.Now()
	t.idle[c.key] = append(t.idle[c.key], c)
	if len(t.idle) == 1 && len(t.idle[c.key]) == 1 {
		t.sweep.Reset(idleTimeout)
	}
}

// closeOld closes connections that have been idle for too long.
func (t *Transport) closeOld() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, list := range t.idle {
		old := 0
		for old < len(list) && time.Since(list[old].since) >= idleTimeout {
			list[old].Close()
			old++
		}
		if old == len(list) {
			delete(t.idle, key)
		} else {
			t.idle[key] = append([]*conn(nil), list[old:]...)
		}
	}
	if len(t.idle) > 0 {
		t.sweep.Reset(idleTimeout / 2)
	}
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, list := range t.idle {
		for _, c := range list {
			c.Close()
		}
		delete(t.idle, key)
	}
	t.proxied.CloseIdleConnections()
}

func (t *Transport) dial(req *http.Request, key string) (*conn, error) {
	ctx := req.Context()
	host, port := req.URL.Hostname(), req.URL.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[req.URL.Scheme]
	}
	raw, err := t.dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, raw: raw, key: key}
	if req.URL.Scheme == "https" {
		config := t.tls.Clone()
		config.ServerName = host
		secured := tls.Client(raw, config)
		handshake, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		if err := secured.HandshakeContext(handshake); err != nil {
			raw.Close()
			return nil, err
		}
		c.Conn = secured
	}
	if c.in = c.Conn; c.Conn == raw {
		c.in = c.source.of(raw)
	}
	c.head = io.LimitedReader{R: c.in}
	return c, nil
}
