package documents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

const (
	searchSuffix = "__search"
	readSuffix   = "__read"
	diffSuffix   = "__diff"

	codeNotFound = "NOT_FOUND"

	maxResult = 60 << 10 // bytes of a result: a model reads at most 64 KiB
)

// Tool offers a library to one app. It is safe for concurrent use.
type Tool struct {
	library *library
	app     string
	o       Options
	schemas map[string]*arguments.Schema
	release func()
}

var (
	_ tools.Family   = (*Tool)(nil)
	_ tools.Checker  = (*Tool)(nil)
	_ tools.Repeater = (*Tool)(nil)
	_ tools.Library  = (*Tool)(nil)
	_ tools.Finder   = (*Tool)(nil)
)

func newTool(l *library, app string, o Options, release func()) (*Tool, error) {
	t := &Tool{library: l, app: app, o: o, schemas: map[string]*arguments.Schema{}, release: release}
	for _, d := range t.Members("en") {
		schema, err := arguments.Compile(d.Parameters)
		if err != nil {
			release()
			return nil, err
		}
		t.schemas[d.Name] = schema
	}
	return t, nil
}

// Close releases the library, which ends after its last tool is closed.
func (t *Tool) Close() error {
	t.release()
	return nil
}

// Ready implements tools.Family.
func (t *Tool) Ready(_ context.Context, name string) error {
	if t.schemas[name] == nil {
		var names []string
		for _, suffix := range t.o.suffixes() {
			names = append(names, t.o.ID+suffix)
		}
		return tools.NotAvailable(name, names)
	}
	return nil
}

// CheckArguments implements tools.Checker.
func (t *Tool) CheckArguments(call tools.Call) error {
	return t.fieldsNamed(t.schemas[call.Name].Check(call.Arguments), call.Arguments)
}

// Repeatable implements tools.Repeater: it only reads.
func (t *Tool) Repeatable(tools.Call) bool { return true }

var errAsksNothing = errors.New("documents: this tool asks nothing")

// Check implements tools.Resumer. Its questions are those of another tool that once had this name.
func (t *Tool) Check(tools.Question, tools.Answer) (tools.Answer, error) {
	return tools.Answer{}, errAsksNothing
}

// Read implements tools.Resumer.
func (t *Tool) Read(tools.Question, string, string) (tools.Answer, bool) {
	return tools.Answer{}, false
}

// Resume implements tools.Resumer.
func (t *Tool) Resume(context.Context, tools.Call, tools.Question, tools.Closing) (tools.Outcome, error) {
	return tools.Outcome{}, errAsksNothing
}

// Run implements tools.Tool.
func (t *Tool) Run(ctx context.Context, call tools.Call) (tools.Outcome, error) {
	canonical, err := arguments.Canonical(call.Arguments)
	if err != nil {
		return tools.Outcome{}, invalid("%s", err)
	}
	switch call.Name {
	case t.o.ID + readSuffix:
		return t.read(ctx, []byte(canonical))
	case t.o.ID + diffSuffix:
		return t.diff(ctx, call, []byte(canonical))
	}
	return t.search(ctx, call, []byte(canonical))
}

func invalid(format string, args ...any) error {
	return &tools.Error{Code: tools.CodeInvalidArguments, Message: fmt.Sprintf(format, args...)}
}

// plain encodes v as JSON, without escaping for HTML.
func plain(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // cannot fail for texts
	return bytes.TrimSpace(b.Bytes())
}

// failed returns the error for the model of a call that failed.
func (t *Tool) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, errTooLong) {
		return &tools.Error{Code: tools.CodeToolTimeout, Message: fmt.Sprintf("The searches of this step have used up their %d s of processor time; this one was not made. Answer from what was found, or search again with fewer calls at a time.", stepTime/time.Second)}
	}
	return &tools.Error{Code: tools.CodeToolFailed, Message: "The documents cannot be searched now. Try again later, or go on without them.", Cause: err.Error()}
}
