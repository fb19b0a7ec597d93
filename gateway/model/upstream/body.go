package upstream

import (
	"errors"
	"io"
	"sync"
)

// requestBody is the body of an attempt. net/http keeps the request and its body until the whole
// answer is read. This body frees its bytes, which are a whole history, before that.
type requestBody struct {
	mu       sync.Mutex
	data     []byte
	readers  int  // readers that have not reached the end
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

// release frees the bytes. If the server answers before it has read them all, the last reader
// frees them.
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
