package mcptool

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
	"github.com/askgate/askgate/tools/placeholder"
)

// Personal offers to one app the tools of a server that is connected per caller, since its headers
// have placeholders. Without a caller it offers none, and its calls fail. It is safe for concurrent
// use.
type Personal struct {
	sessions *sessions
	asking   Asking
	caller   identity
	release  func() // nil in the tool of a caller
}

var (
	_ tools.Personal = (*Personal)(nil)
	_ tools.Family   = (*Personal)(nil)
	_ tools.Checker  = (*Personal)(nil)
	_ tools.Repeater = (*Personal)(nil)
	_ tools.Timed    = (*Personal)(nil)
)

// As implements tools.Personal. The server is connected to when it is first needed.
func (t *Personal) As(who tools.Caller) tools.Tool {
	return &Personal{sessions: t.sessions, asking: t.asking, caller: t.sessions.identify(who)}
}

// Close releases the server, whose sessions end after its last tool is closed. It does nothing for
// the tool of a caller.
func (t *Personal) Close() error {
	if t.release != nil {
		t.release()
	}
	return nil
}

// with calls f with the tool of the caller's session, which is not closed meanwhile.
func (t *Personal) with(f func(*Tool) error) error {
	s, done, err := t.sessions.use(t.caller)
	if err != nil {
		return err
	}
	defer done()
	return f(&Tool{server: s, asking: t.asking})
}

// Members implements tools.Family. It is empty if the server cannot be called for the caller.
func (t *Personal) Members(language string) (list []tools.Definition) {
	if errors.Is(t.caller.err, errNoCaller) { // the app in general, such as for an admin
		return nil
	}
	if err := t.with(func(of *Tool) error {
		list = of.Members(language)
		return nil
	}); err != nil {
		t.sessions.refused(err)
	}
	return list
}

// Ready implements tools.Family.
func (t *Personal) Ready(ctx context.Context, name string) error {
	return t.with(func(of *Tool) error { return of.Ready(ctx, name) })
}

// Run implements tools.Tool. The session may be a new one.
func (t *Personal) Run(ctx context.Context, call tools.Call) (out tools.Outcome, err error) {
	err = t.with(func(of *Tool) error {
		if err := of.Ready(ctx, call.Name); err != nil {
			return err
		}
		out, err = of.Run(ctx, call)
		return err
	})
	return out, err
}

// CheckArguments implements tools.Checker, as far as the list of the caller's session is known.
func (t *Personal) CheckArguments(call tools.Call) error {
	if s := t.sessions.known(t.caller); s != nil {
		return (&Tool{server: s}).CheckArguments(call)
	}
	var unknown *arguments.Schema // of any object
	return unknown.Check(call.Arguments)
}

// Repeatable implements tools.Repeater.
func (t *Personal) Repeatable(call tools.Call) bool {
	s := t.sessions.known(t.caller)
	return s != nil && (&Tool{server: s}).Repeatable(call)
}

// Timeout implements tools.Timed.
func (t *Personal) Timeout() time.Duration { return t.sessions.o.Timeout }

// Check implements tools.Resumer. It needs no session.
func (t *Personal) Check(q tools.Question, a tools.Answer) (tools.Answer, error) {
	return (&Tool{asking: t.asking}).Check(q, a)
}

// Read implements tools.Resumer.
func (t *Personal) Read(q tools.Question, text, language string) (tools.Answer, bool) {
	return (&Tool{asking: t.asking}).Read(q, text, language)
}

// Resume implements tools.Resumer. It makes no session.
func (t *Personal) Resume(ctx context.Context, call tools.Call, q tools.Question, c tools.Closing) (tools.Outcome, error) {
	if s, err := readState(q.State); err == nil && s.Park != "" {
		t.sessions.drop(ctx, s.Park)
	}
	return t.asking.Asker.Resume(ctx, call, q, c)
}

// credentials are the headers whose values are secrets, also where they are made of a caller's
// values. What else is known of a caller may appear in results: it is what the caller asks about.
var credentials = map[string]bool{"Authorization": true, "Cookie": true, "Proxy-Authorization": true}

func canonical(header string) string { return http.CanonicalHeaderKey(header) }

// placeholders returns the names of the placeholders in the headers, each once, in order.
func (o *Options) placeholders() []string {
	var names []string
	for _, header := range o.Personal {
		text, err := placeholder.Parse(o.Headers[header])
		if err != nil {
			continue // check has named it
		}
		names = append(names, text.Names()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
