package httpconn

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
)

// body is an answer's body. When it is read to its end, it returns the connection to the transport.
type body struct {
	transport *Transport
	conn      *conn
	ctx       context.Context
	stop      func() bool // stops watching ctx
	inner     io.Reader
	chunked   chunked // is inner, if the answer is chunked
	keep      bool    // the connection can be used again
	over      atomic.Bool
}

func newBody(ctx context.Context, t *Transport, c *conn, resp *http.Response) io.ReadCloser {
	b := &body{transport: t, conn: c, ctx: ctx, inner: resp.Body, keep: !resp.Close}
	if resp.Body != http.NoBody && slices.Equal(resp.TransferEncoding, []string{"chunked"}) {
		b.chunked.c = c
		b.inner = &b.chunked
	}
	b.stop = context.AfterFunc(ctx, c.abort)
	return b
}

func (b *body) Read(p []byte) (int, error) {
	if b.over.Load() {
		return 0, io.EOF
	}
	n, err := b.inner.Read(p)
	if err == nil {
		return n, nil
	}
	whole := errors.Is(err, io.EOF)
	b.end(whole)
	if ctxErr := b.ctx.Err(); ctxErr != nil && !whole {
		err = ctxErr
	}
	return n, err
}

// Close may be called while a Read is under way, which then fails.
func (b *body) Close() error {
	b.end(false)
	return nil
}

// end ends the body; only the first call counts. whole is set if the body was read to its end.
func (b *body) end(whole bool) {
	if b.over.Swap(true) {
		return
	}
	// If the context has ended, abort may set the connection's deadline at any moment.
	if b.stop() && whole && b.keep && !b.conn.dirty && b.conn.drained() {
		b.transport.put(b.conn)
		return
	}
	b.conn.Close()
}
