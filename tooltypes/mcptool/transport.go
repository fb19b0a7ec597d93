package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools/outgoing"
)

const (
	// Limits of what is logged of a child's standard error: bytes of a line, and lines of one run
	// of the child, so that a child cannot fill the operator's log.
	maxLine  = 500
	maxLines = 200
)

// transport returns the function that makes transports to the server.
func (s *server) transport() (func() (mcp.Transport, func(), error), error) {
	if s.o.Command != "" {
		return s.command, nil
	}
	target, err := url.Parse(s.o.URL)
	if err != nil {
		return nil, err
	}
	client, err := outgoing.New(target, outgoing.Options{AllowPrivate: s.o.AllowPrivate}) // orderedBody bounds responses
	if err != nil {
		return nil, err
	}
	client.Transport = &headers{s.o.Headers, s.progressed, client.Transport}
	s.knock = knocker(s.o.URL, client)
	return func() (mcp.Transport, func(), error) {
		t := &mcp.StreamableClientTransport{Endpoint: s.o.URL, HTTPClient: client, MaxEventSize: maxMessage}
		return t, client.CloseIdleConnections, nil
	}, nil
}

// headers adds the admin's headers to each request, keeps the order of requested fields, and
// passes notifications of progress to progressed.
type headers struct {
	values     map[string]string
	progressed func(params json.RawMessage)
	next       http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (h *headers) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	if r.Method == http.MethodDelete { // the end of a session must not take long
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		time.AfterFunc(terminate, cancel)
	}
	r = r.Clone(ctx)
	for name, value := range h.values {
		if r.Header.Get(name) == "" { // keep those of the protocol
			r.Header.Set(name, value)
		}
	}
	r.Header.Set("User-Agent", "askgate")
	response, err := h.next.RoundTrip(r)
	cancelSent(ctx)
	if err == nil {
		response.Body = orderedBody(response, h.progressed)
	}
	return response, err
}

// CloseIdleConnections is called by the method of http.Client with that name.
func (h *headers) CloseIdleConnections() {
	if c, ok := h.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// inherited lists the gateway's environment variables that a child gets. The others may be
// secrets.
var inherited = []string{"PATH", "HOME", "LANG", "TZ", "TMPDIR", "USER"}

// command starts the server.
func (s *server) command() (mcp.Transport, func(), error) {
	path, err := exec.LookPath(s.o.Command)
	if err != nil {
		return nil, nil, &localError{err}
	}
	cmd := exec.CommandContext(context.Background(), path, s.o.Args...) //nolint:gosec // the admin's own program
	cmd.Env = []string{}
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok && s.o.Env[name] == "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for name, value := range s.o.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stderr = &lines{say: func(line string) { s.log.Debug("mcp server says", "line", s.speech.redactor.Replace(line)) }}
	apart(cmd)
	conceal()
	cmd.WaitDelay = terminate // in case a grandchild keeps its standard error open
	failed := func() {
		if cmd.Process != nil { // the SDK does not end all processes that it starts
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	return ordered{&mcp.CommandTransport{Command: cmd, TerminateDuration: terminate}, s.progressed}, failed, nil
}

// lines passes lines to say, up to maxLine bytes each and maxLines in all.
type lines struct {
	say  func(string)
	line []byte
	said int
}

// Write implements io.Writer; os/exec calls it from one goroutine.
func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	for l.said < maxLines && len(p) > 0 {
		piece, rest, end := bytes.Cut(p, []byte("\n"))
		l.line = append(l.line, piece[:min(len(piece), maxLine-len(l.line))]...)
		if p = rest; end {
			l.said++
			l.say(string(bytes.ToValidUTF8(l.line, []byte("\ufffd"))))
			l.line = l.line[:0]
		}
	}
	return n, nil
}
