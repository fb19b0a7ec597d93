package mcptool

import (
	"context"
	"time"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// Tool offers a server's tools to one app. It is safe for concurrent use.
type Tool struct {
	server  *server
	asking  Asking
	release func()
}

var (
	_ tools.Family   = (*Tool)(nil)
	_ tools.Checker  = (*Tool)(nil)
	_ tools.Repeater = (*Tool)(nil)
	_ tools.Timed    = (*Tool)(nil)
)

// Close releases the server, which ends after its last tool is closed.
func (t *Tool) Close() error {
	t.release()
	return nil
}

// Members implements tools.Family.
func (t *Tool) Members(string) []tools.Definition {
	<-t.server.first
	if r := t.server.offer.roster.Load(); r != nil {
		return r.definitions
	}
	return nil
}

// Ready implements tools.Family.
func (t *Tool) Ready(ctx context.Context, name string) error {
	if t.server.offer.roster.Load() == nil {
		ctx, cancel := context.WithTimeout(ctx, t.server.o.Timeout)
		defer cancel()
		if _, err := t.server.live(ctx); err != nil {
			return unreachable(err)
		}
	}
	if t.member(name) == nil {
		return tools.NotAvailable(name, t.names())
	}
	return nil
}

func (t *Tool) names() (names []string) {
	for _, d := range t.Members("") {
		names = append(names, d.Name)
	}
	return names
}

// member returns the tool that is offered under a name, or nil.
func (t *Tool) member(name string) *member {
	if r := t.server.offer.roster.Load(); r != nil {
		return r.byName[name]
	}
	return nil
}

// CheckArguments implements tools.Checker. It does not wait for the server's list: arguments
// that a person edits before the list is there are checked when the call is made.
func (t *Tool) CheckArguments(call tools.Call) error {
	var schema *arguments.Schema // of any object
	if m := t.member(call.Name); m != nil {
		schema = m.schema
	}
	return schema.Check(call.Arguments)
}

// Repeatable implements tools.Repeater. It trusts the server's annotations of its tool, since the
// admin chose the server.
func (t *Tool) Repeatable(call tools.Call) bool {
	m := t.member(call.Name)
	return m != nil && m.repeatable
}

// Timeout implements tools.Timed.
func (t *Tool) Timeout() time.Duration { return t.server.o.Timeout }
