package openai

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/gateway/model"
)

// Waits between attempts: doubling from the first, half of each by chance.
const (
	firstBackoff = 500 * time.Millisecond
	maxBackoff   = 8 * time.Second
	// maxWait is the longest Retry-After that is waited for; who asks for more gets
	// the error at once, with the wait in it, instead of a user who stares.
	maxWait = 30 * time.Second
	// errorTime is how long the body of an error may take; its status is known.
	errorTime = 5 * time.Second
)

// readSize is the size of a stream's read buffer, in bytes: some chunks. The
// transport's own buffer lies before it; longer lines are put together.
const readSize = 2 << 10

// attempt is an answer whose first byte has arrived.
type attempt struct {
	body  *watchedBody
	lines *bufio.Reader
}

var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readSize) }}

func (a *attempt) close() {
	a.body.stop()
	a.body.cancel()
	_ = a.body.body.Close()
	a.lines.Reset(nil)
	readers.Put(a.lines)
}

// open sends the request until an answer begins, or MaxRetries are used up.
func (c *Client) open(ctx context.Context, req model.Request) (*attempt, error) {
	plain := c.plain.Load()
	body, err := c.encode(req, plain)
	if err != nil {
		return nil, &model.Error{Kind: model.KindError, Detail: "the request cannot be written as JSON", Err: err}
	}
	downgraded := false
	for n := 0; ; n++ {
		a, failed := c.send(ctx, body)
		if failed == nil {
			if downgraded {
				c.plain.Store(true)
			}
			return a, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if failed.refusesUsage && !plain {
			plain, downgraded = true, true
			if body, err = c.encode(req, plain); err != nil {
				return nil, &model.Error{Kind: model.KindError, Detail: "the request cannot be written as JSON", Err: err}
			}
			n-- // not a failure of the server's: it does not count
			continue
		}
		if !failed.again || n >= c.maxRetries || failed.err.RetryAfter > maxWait {
			return nil, failed.err
		}
		if err := sleep(ctx, max(failed.err.RetryAfter, backoff(n))); err != nil {
			return nil, err
		}
	}
}

// failure is an attempt that failed before the first byte.
type failure struct {
	err          *model.Error
	again        bool // may be retried
	refusesUsage bool // the server does not know stream_options
}

// send makes one attempt.
func (c *Client) send(ctx context.Context, body []byte) (_ *attempt, failed *failure) {
	ctx, cancel := context.WithCancel(ctx)
	watch := newWatch(c.timeout, cancel)
	defer func() {
		if failed != nil {
			watch.stop()
			cancel()
			if watch.expired.Load() && failed.err.Status == 0 {
				failed.err = &model.Error{Kind: model.KindTimeout, Detail: "no first byte within " + c.timeout.String()}
				failed.again = false // it has waited long enough
			}
		}
	}()
	sent := &requestBody{data: body}
	first, err := sent.open()
	if err != nil {
		return nil, &failure{err: transportError(err)}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, first)
	if err != nil {
		return nil, &failure{err: transportError(err)}
	}
	r.ContentLength = int64(len(body))
	r.GetBody = sent.open // for a connection that the server had closed
	defer sent.release()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("User-Agent", "askgate")
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.transport.RoundTrip(r)
	if err != nil {
		return nil, &failure{err: transportError(err), again: true}
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		watch.limit(min(c.timeout, errorTime))
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // the status counts, whatever the body
		return nil, &failure{
			err:          statusError(resp.StatusCode, resp.Header, text),
			again:        retried(resp.StatusCode),
			refusesUsage: refusesUsage(resp.StatusCode, text),
		}
	}
	resp.Header, resp.Request = nil, nil // the body holds on to resp as long as the answer lasts
	a := &attempt{body: &watchedBody{watch: watch, body: resp.Body, left: maxBody}, lines: readers.Get().(*bufio.Reader)}
	a.lines.Reset(a.body)
	if _, err := a.lines.Peek(1); err != nil {
		a.close()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, &failure{again: true, err: &model.Error{
			Kind: model.KindUnavailable, Detail: "the answer ended before its first byte", Err: err,
		}}
	}
	return a, nil
}

// requestBody is the body of an attempt. net/http keeps the request, and so its body, as
// long as the answer is being read; a whole history need not be held for that.
type requestBody struct {
	mu       sync.Mutex
	data     []byte
	readers  int  // that have not come to the end
	released bool // the answer has begun
}

var errReleased = errors.New("the request was sent already")

func (b *requestBody) open() (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.released {
		return nil, errReleased
	}
	b.readers++
	return &bodyReader{body: b}, nil
}

// release lets the bytes go, unless a server that answers early has yet to read them.
func (b *requestBody) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.released = true
	b.drop()
}

func (b *requestBody) drop() {
	if b.released && b.readers == 0 {
		b.data = nil
	}
}

// bodyReader reads the body once.
type bodyReader struct {
	body  *requestBody
	at    int
	ended bool
}

func (r *bodyReader) Read(p []byte) (int, error) {
	r.body.mu.Lock()
	defer r.body.mu.Unlock()
	if r.ended || r.at == len(r.body.data) {
		r.end()
		return 0, io.EOF
	}
	n := copy(p, r.body.data[r.at:])
	r.at += n
	return n, nil
}

func (r *bodyReader) Close() error {
	r.body.mu.Lock()
	defer r.body.mu.Unlock()
	r.end()
	return nil
}

func (r *bodyReader) end() {
	if !r.ended {
		r.ended = true
		r.body.readers--
		r.body.drop()
	}
}

// refusesUsage: OpenAI's own words for an unknown key, and those of most
// others, name it.
func refusesUsage(status int, body []byte) bool {
	return (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity) &&
		(strings.Contains(string(body), "stream_options") || strings.Contains(string(body), "include_usage"))
}

// backoff is the wait after failure n, from 0.
func backoff(n int) time.Duration {
	d := maxBackoff
	if n < 5 { // more would overflow in the end
		d = min(firstBackoff<<n, maxBackoff)
	}
	return d/2 + rand.N(d/2)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// watch cancels a request that waits too long for bytes. Beginning and ending a wait
// touch no timer: it looks by itself how long the wait has been.
type watch struct {
	timer   *time.Timer
	timeout atomic.Int64 // time.Duration
	since   atomic.Int64 // when the wait began, Unix nanoseconds; 0: nobody waits
	expired atomic.Bool
	cancel  context.CancelFunc
}

func newWatch(timeout time.Duration, cancel context.CancelFunc) *watch {
	w := &watch{cancel: cancel}
	w.timer = time.AfterFunc(math.MaxInt64, w.look) // set before look can run
	w.limit(timeout)
	return w
}

// limit begins a wait that may take d.
func (w *watch) limit(d time.Duration) {
	w.timeout.Store(int64(d))
	w.begin()
	w.timer.Reset(d)
}

func (w *watch) begin() { w.since.Store(time.Now().UnixNano()) }
func (w *watch) end()   { w.since.Store(0) }

func (w *watch) look() {
	timeout := time.Duration(w.timeout.Load())
	rest := timeout
	if since := w.since.Load(); since != 0 {
		rest -= time.Since(time.Unix(0, since))
	}
	if rest > 0 {
		w.timer.Reset(rest)
		return
	}
	w.expired.Store(true)
	w.cancel()
}

func (w *watch) stop() { w.timer.Stop() }

// drain reads the body to its end, within bounds, so that the connection goes
// back to the pool: net/http closes it otherwise, and the next request dials.
func (a *attempt) drain() {
	a.body.limit(drainTime)
	_, _ = io.CopyN(io.Discard, a.body.body, maxDrain) // however it ends, the answer is complete
}

// watchedBody is a body whose reads are timed, and its bytes counted. The time
// that the caller takes between reads does not count.
type watchedBody struct {
	*watch
	body  io.ReadCloser
	left  int64 // bytes that may still come
	begun bool  // the first read goes on with the time that the request has left
}

// errTooLong ends a body over maxBody.
var errTooLong = errors.New("the answer is over 1 GiB")

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	if b.begun {
		b.watch.begin()
	}
	b.begun = true
	n, err := b.body.Read(p)
	b.end()
	b.left -= int64(n)
	return n, err
}
