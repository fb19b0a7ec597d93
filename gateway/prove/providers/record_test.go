package providers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest/strict"
)

// exchange is one request of the suite with its response, for gateway/prove/witness: the vendors'
// SDKs read both. One line of JSON each, in the file that ASKGATE_RECORD names.
type exchange struct {
	Kind, Provider, API string
	Path                string
	Request             json.RawMessage
	Status              int
	Stream              string
	Ours                *reading // of a stream that ended well
}

// reading is the result that a client read from a stream.
type reading struct {
	Text, Thinking string
	Calls          []model.ToolCall
	Finish         model.FinishReason
	Usage          *model.Usage
}

// record is where exchanges go; nil: nowhere.
var record = sync.OnceValue(func() io.Writer {
	path := os.Getenv("ASKGATE_RECORD")
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	return f
})

var recording sync.Mutex

// recorded is a client whose exchanges are recorded. It serves one run at a time.
type recorded struct {
	model.Model
	t    *testing.T
	kind *strict.Kind
	next http.RoundTripper
	mine []*exchange
}

func (r *recorded) RoundTrip(req *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(raw))
	e := &exchange{Kind: r.kind.Name, Provider: r.kind.Provider, API: r.kind.API, Path: req.URL.Path, Request: raw}
	r.mine = append(r.mine, e)
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	e.Status = resp.StatusCode
	resp.Body = &tee{resp.Body, e}
	return resp, nil
}

// tee keeps what is read.
type tee struct {
	io.ReadCloser
	e *exchange
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.e.Stream += string(p[:n])
	return n, err
}

func (r *recorded) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		r.mine = nil
		var got reading
		whole := true
		for d, err := range r.Model.Stream(ctx, req) {
			got.Text += string(d.Text)
			got.Thinking += string(d.Thinking)
			got.Calls = append(got.Calls, d.ToolCalls...)
			if d.Finish != "" {
				got.Finish = d.Finish
			}
			if d.Usage != nil {
				u := *d.Usage
				got.Usage = &u
			}
			whole = whole && err == nil
			if !yield(d, err) {
				whole = false
				break
			}
		}
		if n := len(r.mine); n > 0 && whole {
			r.mine[n-1].Ours = &got
		}
		r.write()
	}
}

func (r *recorded) write() {
	recording.Lock()
	defer recording.Unlock()
	for _, e := range r.mine {
		if err := json.NewEncoder(record()).Encode(e); err != nil {
			r.t.Error(err)
		}
	}
}

// clientOf creates the client of an entry, recorded if that is requested.
func clientOf(t *testing.T, e entry, make func(http.RoundTripper) model.Model) model.Model {
	next := e.transport
	if next == nil {
		next = e.server.Transport()
	}
	if record() == nil {
		return make(next)
	}
	r := &recorded{t: t, kind: e.server.Kind, next: next}
	r.Model = make(r)
	return r
}
