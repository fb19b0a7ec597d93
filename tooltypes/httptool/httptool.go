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
	URL          string            // with {name} of arguments in path and query
	Headers      map[string]string // sent with each request
	Secrets      []string          // values of Headers to hide from models, users and logs
	Timeout      time.Duration     // of a call, including its retries
	AllowPrivate bool              // see outgoing.Options
	Once         bool              // a call sends one request, whatever its method
	Declared     []string          // names of the tool's parameters
}

// Tool makes one request per call. Safe for concurrent use.
type Tool struct {
	options  Options
	address  *template
	client   *http.Client
	redactor outgoing.Redactor
}

var (
	_ tools.Tool     = (*Tool)(nil)
	_ tools.Repeater = (*Tool)(nil)
	_ tools.Timed    = (*Tool)(nil)
)

// New makes the tool. It returns an error if the address is not valid.
func New(o Options) (*Tool, error) {
	address, err := parseTemplate(o.URL)
	if err != nil {
		return nil, err
	}
	target, err := url.Parse(address.base)
	if err != nil {
		return nil, errors.New("the address cannot be read") // err shows it
	}
	hidden := outgoing.NewRedactor(o.Secrets)
	client, err := outgoing.New(target, outgoing.Options{AllowPrivate: o.AllowPrivate})
	if err != nil {
		return nil, err
	}
	return &Tool{options: o, address: address, client: client, redactor: hidden}, nil
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
	address, body, err := t.request(call.Arguments)
	if err != nil {
		return tools.Outcome{}, &tools.Error{Code: tools.CodeInvalidArguments, Message: err.Error()}
	}
	waits := newBackoff()
	for n := 1; ; n++ {
		a := t.attempt(ctx, address, body, cmp.Or(call.MaxResult, maxResult))
		if ctx.Err() != nil {
			return tools.Outcome{}, ctx.Err()
		}
		if !a.again || n == attempts || !t.Repeatable(call) || !wait(ctx, max(a.after, waits.NextBackOff())) {
			return a.outcome()
		}
	}
}

// request returns the address and the body of a call. Arguments that have no placeholder in the
// address are sent byte for byte as they were approved. The error is for the model.
func (t *Tool) request(raw string) (address string, body []byte, err error) {
	canonical, err := arguments.Canonical(raw)
	if err != nil {
		return "", nil, err
	}
	given := map[string]any{}
	d := json.NewDecoder(strings.NewReader(canonical))
	d.UseNumber()
	if err := d.Decode(&given); err != nil {
		return "", nil, err
	}
	if address, err = t.address.fill(given); err != nil {
		return "", nil, err
	}
	for name := range t.address.used {
		delete(given, name)
	}
	if err := t.checkNames(given); err != nil {
		return "", nil, err
	}
	switch method := t.options.Method; {
	case method == http.MethodGet:
		address = addQuery(address, given)
	case method != http.MethodDelete || len(given) > 0: // a DELETE seldom has a body
		body = []byte(arguments.Without(canonical, t.address.used))
	}
	if len(address) > maxAddress {
		return "", nil, fmt.Errorf("the arguments make an address of %d bytes; the limit is %d: shorten them", len(address), maxAddress)
	}
	return address, body, nil
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
func (t *Tool) attempt(ctx context.Context, address string, body []byte, limit int) answer {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, t.options.Method, address, content)
	if err != nil {
		return answer{err: errors.New("the address cannot be read")} // err shows it
	}
	req.Header.Set("User-Agent", "askgate")
	req.Header.Set("Accept", "application/json, text/*;q=0.9, */*;q=0.1")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range t.options.Headers {
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
