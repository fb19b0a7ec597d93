// Package claims contains the requirements that the client of every provider must meet, as tests
// that all of them run: what is retried and what is not, how long a request may take, and that
// errors disclose no secrets. A provider's own tests cover only what is specific to its protocol.
package claims

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
)

// Ask is a request with words that must not appear in errors.
var Ask = model.Request{Messages: []model.Message{{Role: model.RoleUser, Content: "secret words"}}}

// Body is a transport that responds to each request with the same text.
type Body struct {
	Text   string
	Header http.Header
	Step   int   // bytes of one read; 0: as many as the buffer holds
	Err    error // after the text; nil: io.EOF
}

// RoundTrip implements http.RoundTripper.
func (b *Body) RoundTrip(*http.Request) (*http.Response, error) {
	r := *b
	return &http.Response{StatusCode: http.StatusOK, Header: b.Header, Body: io.NopCloser(&r)}, nil
}

// Read returns bytes from Text.
func (b *Body) Read(p []byte) (int, error) {
	if b.Text == "" {
		if b.Err != nil {
			return 0, b.Err
		}
		return 0, io.EOF
	}
	if b.Step > 0 {
		p = p[:min(len(p), b.Step)]
	}
	n := copy(p, b.Text)
	b.Text = b.Text[n:]
	return n, nil
}

// Got is an answer, assembled from its pieces.
type Got struct {
	Text, Thinking string
	Calls          []model.ToolCall
	Finish         model.FinishReason
	Usage          *model.Usage
	Made           *model.Made
	Forgot         bool
	Err            error
	Pieces         int
}

// Read asks, and fails the test if the pieces break a rule of model.Model: nothing follows the end,
// which is a finish reason with its maker or an error, and no error repeats a secret.
func Read(t testing.TB, m model.Model, req model.Request) Got {
	t.Helper()
	var g Got
	more := false
	for d, err := range m.Stream(t.Context(), req) {
		if g.Err != nil || g.Finish != "" {
			t.Errorf("got a piece after the end: %+v %v", d, err)
		}
		g.Pieces++
		g.Text += string(d.Text)
		g.Thinking += string(d.Thinking)
		g.Calls = append(g.Calls, d.ToolCalls...)
		if d.Usage != nil {
			g.Usage = d.Usage
		}
		g.Made, g.Forgot, g.Finish, g.Err, more = d.Made, d.Forgot, d.Finish, err, d.More
	}
	if more {
		t.Error("the last piece has More set")
	}
	if (g.Err == nil) == (g.Finish == "") || (g.Made == nil) != (g.Finish == "") {
		t.Errorf("finish %q, made %v, error %v", g.Finish, g.Made, g.Err)
	}
	if g.Err != nil && strings.Contains(g.Err.Error(), "secret") {
		t.Errorf("the error discloses secrets: %v", g.Err)
	}
	return g
}

// String describes the answer in one line, without its state.
func (g Got) String() string {
	s := fmt.Sprintf("text=%q", g.Text)
	if g.Thinking != "" {
		s += fmt.Sprintf(" thinking=%q", g.Thinking)
	}
	for _, c := range g.Calls {
		s += fmt.Sprintf(" call=%s/%s/%s", c.ID, c.Name, c.Arguments)
	}
	if g.Usage != nil {
		s += fmt.Sprintf(" usage=%d+%d", g.Usage.InputTokens, g.Usage.OutputTokens)
	}
	if e, is := errors.AsType[*model.Error](g.Err); is {
		return s + fmt.Sprintf(" error=%s/%d", e.Kind, e.Status)
	}
	return s + " finish=" + string(g.Finish)
}

// State returns the state that the answer's maker expects back, or "".
func (g Got) State() string {
	if g.Made == nil {
		return ""
	}
	return string(g.Made.State)
}
