package httptool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
	"github.com/askgate/askgate/tools/outgoing"
)

// attempts is how many requests a repeatable call sends at most.
const attempts = 3

// newBackoff returns the waits between attempts: a random 125 to 250 ms, then twice that.
func newBackoff() backoff.BackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.Multiplier, b.RandomizationFactor = 187500*time.Microsecond, 2, 1./3
	return b
}

// Options configures a tool.
type Options struct {
	Method       string            // GET, POST, PUT, PATCH, DELETE
	URL          string            // with {name} of arguments and placeholders of the caller in path and query
	Headers      map[string]string // sent with each request; with placeholders of the caller
	Body         json.RawMessage   // fixed members of the JSON body, an object; with placeholders of the caller; nil: none
	Secrets      []string          // values of Headers and Body to hide from models, users and logs
	Timeout      time.Duration     // of a call, including its retries
	AllowPrivate bool              // see outgoing.Options
	Once         bool              // a call sends one request, whatever its method
	Declared     []string          // names of the tool's parameters
}

// Tool makes one request per call. Safe for concurrent use.
type Tool struct {
	options Options
	compiled
	who      tools.Caller
	client   *http.Client
	redactor outgoing.Redactor
}

var (
	_ tools.Tool     = (*Tool)(nil)
	_ tools.Repeater = (*Tool)(nil)
	_ tools.Timed    = (*Tool)(nil)
	_ tools.Personal = (*Tool)(nil)
)

// New makes the tool. It returns an error if the address, a header or the body is not valid.
func New(o Options) (*Tool, error) {
	parts, err := o.compile()
	if err != nil {
		return nil, err
	}
	target, err := url.Parse(parts.address.base)
	if err != nil {
		return nil, errors.New("the address cannot be read") // err shows it
	}
	hidden := outgoing.NewRedactor(o.Secrets)
	client, err := outgoing.New(target, outgoing.Options{AllowPrivate: o.AllowPrivate})
	if err != nil {
		return nil, err
	}
	return &Tool{options: o, compiled: parts, client: client, redactor: hidden}, nil
}

// Timeout implements tools.Timed.
func (t *Tool) Timeout() time.Duration { return t.options.Timeout }

// Repeatable implements tools.Repeater. Calls with the methods that RFC 9110, 9.2.2, defines as
// idempotent are repeatable, unless Once is set.
func (t *Tool) Repeatable(tools.Call) bool {
	switch t.options.Method {
	case http.MethodGet, http.MethodPut, http.MethodDelete:
		return !t.options.Once
	}
	return false
}

// Run implements tools.Tool.
func (t *Tool) Run(ctx context.Context, call tools.Call) (tools.Outcome, error) {
	r, err := t.request(call.Arguments)
	if own, is := errors.AsType[*tools.Error](err); is {
		return tools.Outcome{}, own
	} else if err != nil {
		return tools.Outcome{}, &tools.Error{Code: tools.CodeInvalidArguments, Message: err.Error()}
	}
	waits := newBackoff()
	for n := 1; ; n++ {
		a := t.attempt(ctx, r, cmp.Or(call.MaxResult, maxResult))
		if ctx.Err() != nil {
			return tools.Outcome{}, ctx.Err()
		}
		if !a.again || n == attempts || !t.Repeatable(call) || !wait(ctx, max(a.after, waits.NextBackOff())) {
			return a.outcome()
		}
	}
}

// request is what a call sends.
type request struct {
	address string
	headers map[string]string
	body    []byte // nil: none
}

// request returns what a call sends. Arguments that have no placeholder in the address are sent byte
// for byte as they were approved. The error is for the model: a *tools.Error if the call cannot be
// made for this caller, any other is about the arguments.
func (t *Tool) request(raw string) (r request, err error) {
	canonical, err := arguments.Canonical(raw)
	if err != nil {
		return r, err
	}
	given := map[string]any{}
	d := json.NewDecoder(strings.NewReader(canonical))
	d.UseNumber()
	if err := d.Decode(&given); err != nil {
		return r, err
	}
	own, err := t.callerValues()
	if err != nil {
		return r, err
	}
	if r.headers, err = t.filledHeaders(); err != nil {
		return r, err
	}
	if r.address, err = t.address.fill(values{given, own}); err != nil {
		return r, err
	}
	for name := range t.address.used {
		delete(given, name)
	}
	if err := t.checkNames(given); err != nil {
		return r, err
	}
	if t.options.Method == http.MethodGet {
		r.address = addQuery(r.address, given)
	} else {
		body, err := t.fixed.before(arguments.Without(canonical, t.address.used), t.who)
		if err != nil {
			return r, err
		}
		if t.options.Method != http.MethodDelete || body != "{}" { // a DELETE seldom has a body
			r.body = []byte(body)
		}
	}
	if len(r.address) > maxAddress {
		return r, fmt.Errorf("the arguments make an address of %d bytes; the limit is %d: shorten them", len(r.address), maxAddress)
	}
	return r, nil
}

// compact encodes a value that was decoded from JSON.
func compact(value any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "null" // cannot happen for a decoded value
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// attempt sends the request once. limit is the most bytes of its result.
func (t *Tool) attempt(ctx context.Context, r request, limit int) answer {
	var content io.Reader
	if r.body != nil {
		content = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, t.options.Method, r.address, content)
	if err != nil {
		return answer{err: errors.New("the address cannot be read")} // err shows it
	}
	req.Header.Set("User-Agent", "askgate")
	req.Header.Set("Accept", "application/json, text/*;q=0.9, */*;q=0.1")
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range r.headers {
		req.Header.Set(name, value)
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return unreachable(err)
	}
	defer resp.Body.Close()
	most := limit + t.redactor.Longest
	raw, err := io.ReadAll(io.LimitReader(resp.Body, int64(most)+1)) // one byte more shows whether there is more
	if err != nil {
		return unreachable(err)
	}
	return t.read(resp, string(raw[:min(len(raw), most)]), len(raw) > most, limit)
}

// wait waits for d. It returns false if the call's time ends before that: the last answer then
// counts.
func wait(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
