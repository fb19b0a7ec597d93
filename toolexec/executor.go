package toolexec

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/grounding"
)

const (
	maxResult   = 64 << 10 // bytes of one result
	concurrency = 4        // calls of one step that run at the same time
)

// defaultTimeout bounds a call of a tool that is not tools.Timed.
const defaultTimeout = 30 * time.Second

// Executor runs tool calls. It is safe for concurrent use.
type Executor struct {
	log     *slog.Logger
	metrics *metrics
}

// Batch is the calls of one step.
type Batch struct {
	App         *config.App
	Interactive bool // a user can answer
	// AskedConversation and AskedTurn count the questions stored so far.
	AskedConversation int
	AskedTurn         int
	// AskedApprovals counts the questions for approval in the turn so far.
	AskedApprovals int
	Calls          []tools.Call
	// Approved has the calls that a person has allowed, by id. They run without another question,
	// unless the tool's definition has changed.
	Approved map[string]Approved
	// Answers knows the questions that need not be asked; nil: all are asked.
	Answers Answers
	// Said returns what was said in the chat, to find arguments that no one gave. It may be
	// called by several goroutines at the same time; nil: arguments are not checked for that.
	Said func() *grounding.Said
	// RanBefore has the calls that ran before the chat was forked, by id, with a warning for the
	// person. Those that must not run twice need approval, even if their tool does not.
	RanBefore map[string]string
	// Journal records the calls that must not run twice; nil: none is recorded.
	Journal Journal
	// Observe, if not nil, is called for each call with its begin and its outcome. It may be
	// called by several goroutines at the same time.
	Observe func(i int, began time.Time, out tools.Outcome)
}

// Answers knows what people have answered before. Its methods are called for the calls of
// ask_user, one after the other and in their order.
type Answers interface {
	// Known reports whether the question of call i need not be asked, and returns the outcome of
	// the call instead: a result, or the question with its answer. q does not have the options
	// that tools list yet.
	Known(i int, q tools.Question) (out tools.Outcome, known bool)
	// Asking is called with the question that call i asks, and may add to its parts.
	Asking(i int, q *tools.Question)
}

// Journal records calls that must not run twice. Its methods may be called by several goroutines
// at the same time.
type Journal interface {
	// Remembered reports whether an approval of an earlier call with the same definition also counts
	// for call i, given by a holder of the role or, if that is "", by the owner of the chat. It is
	// called right before the call runs, if approvals of its tool are remembered.
	Remembered(i int, definition, role string) bool
	// Begin is called right before call i runs, with what rules decided about it. If it returns an
	// error, the call does not run, and its outcome is CANCELLED.
	Begin(i int, ruled *tools.Ruled) error
	// End is called with the outcome of call i.
	End(i int, out tools.Outcome)
}

// Execute runs the calls and returns one outcome for each, in their order. If ctx ends, the
// outcome of calls that still run is CANCELLED.
func (e *Executor) Execute(ctx context.Context, catalog *Catalog, batch Batch) []tools.Outcome {
	outcomes := make([]tools.Outcome, len(batch.Calls))
	var group errgroup.Group
	group.SetLimit(concurrency)
	began := make([]time.Time, len(batch.Calls))
	batch.Calls = slices.Clone(batch.Calls)
	together := &tools.Processor{}
	for i := range batch.Calls {
		batch.Calls[i].Processor = together
	}
	var asks []int
	execute := func(i int, call func() tools.Outcome) {
		began[i], outcomes[i] = time.Now(), call()
		if batch.Observe != nil && outcomes[i].Question == nil { // a cap may still refuse a question
			batch.Observe(i, began[i], outcomes[i])
		}
	}
	for i, call := range batch.Calls {
		b, ok := catalog.find(batch.App.ID, call.Name)
		switch {
		case !ok:
			execute(i, func() tools.Outcome { return notAvailable(catalog, batch, call) })
			e.metrics.call(batch.App.ID, "unknown", "refused")
		case b.entry.Type == config.TypeAskUser:
			asks = append(asks, i)
		default:
			group.Go(func() error {
				execute(i, func() tools.Outcome {
					out := e.run(ctx, b, &batch, i)
					if out.Error != nil && out.Error.Code == tools.CodeNotAvailable { // its family has no member with that name
						out = notAvailable(catalog, batch, call)
					}
					return out
				})
				return nil
			})
		}
	}
	for _, i := range asks { // one after the other, since each counts against the caps
		b, _ := catalog.find(batch.App.ID, batch.Calls[i].Name)
		execute(i, func() tools.Outcome { return e.ask(ctx, catalog, b, &batch, i) })
	}
	_ = group.Wait() // the functions return no errors
	for i, call := range batch.Calls {
		q := outcomes[i].Question
		if q == nil {
			continue
		}
		tools.Identify(q.Parts)
		switch {
		case q.State != nil: // asked in the middle of a call
			outcomes[i] = e.admit(ctx, catalog, &batch, call, outcomes[i])
		case q.Kind == tools.KindApproval:
			outcomes[i] = e.capApproval(catalog, &batch, call, outcomes[i])
		}
		if batch.Observe != nil {
			batch.Observe(i, began[i], outcomes[i])
		}
	}
	return outcomes
}

// admit lets a tool's question through if a user can answer and the caps allow it. The caps are
// the same as for questions of the model.
func (e *Executor) admit(ctx context.Context, catalog *Catalog, batch *Batch, call tools.Call, out tools.Outcome) tools.Outcome {
	b, _ := catalog.find(batch.App.ID, call.Name) // found: the call has just run
	if by := out.Question.AskedBy; by != nil && by.Name == "" {
		by.Name = b.entry.ID
	}
	if refused := refusal(batch); refused != nil {
		if holder, is := b.tool.(tools.Resumer); is { // the tool need not wait for an answer any more
			_, _ = holder.Resume(ctx, call, *out.Question, tools.Closing{State: tools.StateCancelled})
		}
		out = *refused
	}
	if e.asked(b, batch, out) {
		batch.AskedConversation++
		batch.AskedTurn++
	}
	return out
}

func failure(code, format string, args ...any) tools.Outcome {
	return tools.Outcome{Error: &tools.Error{Code: code, Message: fmt.Sprintf(format, args...)}}
}

func notAvailable(catalog *Catalog, batch Batch, call tools.Call) tools.Outcome {
	var names []string
	for _, d := range catalog.Definitions(batch.App.ID, call.Language, batch.Interactive) {
		names = append(names, d.Name)
	}
	return tools.Outcome{Error: tools.NotAvailable(call.Name, names)}
}

// ask runs a call of ask_user. Its question counts against the caps of the batch's next calls.
func (e *Executor) ask(ctx context.Context, catalog *Catalog, b *bound, batch *Batch, i int) tools.Outcome {
	call := batch.Calls[i]
	out, known := e.intercept(ctx, b, batch, i)
	if out.Question != nil && !known {
		if err := e.fill(ctx, catalog, batch.App, b, call, out.Question); err != nil {
			out = tools.Outcome{Error: err, Repairs: out.Repairs}
		} else if batch.Answers != nil {
			batch.Answers.Asking(i, out.Question)
		}
	}
	for _, kind := range out.Repairs {
		e.metrics.repairs.WithLabelValues(batch.App.ID, kind).Inc()
	}
	if known && out.Question != nil {
		e.metrics.call(batch.App.ID, b.label(), "remembered")
	} else if known {
		e.metrics.call(batch.App.ID, b.label(), "repeated")
	} else if e.asked(b, batch, out) {
		batch.AskedConversation++
		batch.AskedTurn++
	}
	return out
}

// asked reports whether out is a question. If not, it counts the refusal.
func (e *Executor) asked(b *bound, batch *Batch, out tools.Outcome) bool {
	if out.Question == nil {
		e.refused(batch.App.ID, b.label(), out)
	}
	return out.Question != nil
}

// Asked counts a question of a tool. It is called after the question is stored, because a cap may
// refuse it until then.
func (e *Executor) Asked(c *Catalog, app, tool string) {
	e.metrics.call(app, c.Label(app, tool), "question")
}

// refused counts a question that is not asked.
func (e *Executor) refused(app, tool string, out tools.Outcome) {
	e.metrics.call(app, tool, "refused")
	e.metrics.rejected.WithLabelValues(app, out.Error.Reason).Inc()
}

// pause makes a call wait for a person's approval, or for the caller that runs it. Approvals are
// counted against the turn's cap later, in the order of the calls (capApproval).
func (e *Executor) pause(ctx context.Context, b *bound, tool tools.Tool, batch *Batch, call tools.Call, r ruling) tools.Outcome {
	out := noUser()
	role, quorum, later := r.approver()
	call.For = role
	if batch.Interactive && tool != nil {
		out = e.question(ctx, b, tool, batch.App.ID, call)
	}
	if out.Question != nil {
		out.Question.AskedBy = &tools.Asker{Kind: tools.AskerTool, Name: call.Name, Title: b.entry.Name.In(call.Language)}
	}
	if q := out.Question; q != nil && q.Kind == tools.KindApproval {
		b.identify(q, call, r)
		q.For, q.Quorum, q.Escalate, q.Rule, q.Respond = call.For, quorum, later, r.index, b.entry.Respond
		if r.then() == config.RuleAsk {
			q.Reason = r.rule.Reason.In(call.Language)
		}
		if quorum == 0 { // each of several would have allowed something else, or for another time
			q.Editable = b.entry.Editable
			if b.entry.ApprovalRemember == config.RememberChat {
				q.Remember = config.RememberChat
			}
		}
	}
	e.asked(b, batch, out)
	return out
}

// intercept makes the question of a call of ask_user, unless no more questions may be asked. A
// known answer is returned even if the caps are reached.
func (e *Executor) intercept(ctx context.Context, b *bound, batch *Batch, i int) (out tools.Outcome, known bool) {
	refused := refusal(batch)
	if refused != nil && (!batch.Interactive || batch.Answers == nil) {
		return *refused, false
	}
	out = e.question(ctx, b, b.tool, batch.App.ID, batch.Calls[i])
	if out.Question != nil && batch.Answers != nil {
		if answer, known := batch.Answers.Known(i, *out.Question); known {
			answer.Repairs = out.Repairs
			return answer, true
		}
	}
	if refused != nil {
		return *refused, false
	}
	return out, false
}

// refusal returns the error for the model if no more questions may be asked, or nil.
func refusal(batch *Batch) *tools.Outcome {
	var out tools.Outcome
	caps := batch.App.Clarifications
	switch {
	case !batch.Interactive:
		out = noUser()
	case batch.AskedConversation >= caps.PerConversation:
		out = limitReached(caps.PerConversation, "conversation")
	case batch.AskedTurn >= caps.PerTurn:
		out = limitReached(caps.PerTurn, "turn")
	default:
		return nil
	}
	return &out
}

// question runs a tool that asks. The outcome is a question, or an error with a reason.
func (e *Executor) question(ctx context.Context, b *bound, tool tools.Tool, app string, call tools.Call) tools.Outcome {
	out := e.guard(ctx, b, tool, app, call)
	if out.Question == nil && out.Error == nil {
		out = failure(tools.CodeToolFailed, "The question could not be asked.")
	}
	if out.Error != nil && out.Error.Reason == "" {
		out.Error.Reason = "invalid"
	}
	return out
}

func noUser() tools.Outcome {
	out := failure(tools.CodeNoUser, "No one can answer questions now. Go on with what you know, and say what you assume.")
	out.Error.Reason = "no_user"
	return out
}

// limitReached returns the error for the model if a cap is reached. The contract defines its text
// (6.5).
func limitReached(limit int, scope string) tools.Outcome {
	whose := scope
	switch Cap(scope) {
	case CapPrincipal:
		whose = "user today"
	case CapApp:
		whose = "app at the moment"
	}
	out := failure(tools.CodeLimitReached, "Maximum clarification limit (%d) reached for this %s. "+
		"Please proceed with the available information or make reasonable assumptions.", limit, whose)
	out.Error.Reason = "limit_" + scope
	return out
}

// Cap is a limit across chats. Only the code that stores a question can check it.
type Cap string

// The caps that Refuse knows.
const (
	CapPrincipal Cap = "principal" // Clarifications.PerPrincipalPerDay
	CapApp       Cap = "app"       // Clarifications.PerAppPerMinute
	CapOpen      Cap = "open"      // store.MaxOpen, in bytes
)

// Refuse returns the outcome of a question that a cap does not allow, and counts it.
func (e *Executor) Refuse(app *config.App, tool string, reached Cap) tools.Outcome {
	var out tools.Outcome
	switch reached {
	case CapOpen:
		out = failure(tools.CodeLimitReached, "Too much is waiting for answers, so no one was asked. "+
			"Please proceed with the available information or make reasonable assumptions, or ask something shorter.")
		out.Error.Reason = "limit_" + string(reached)
	case CapApp:
		out = limitReached(app.Clarifications.PerAppPerMinute, string(reached))
	default:
		out = limitReached(app.Clarifications.PerPrincipalPerDay, string(reached))
	}
	e.refused(app.ID, tool, out)
	return out
}

// run runs a call of a tool other than ask_user.
func (e *Executor) run(ctx context.Context, b *bound, batch *Batch, i int) tools.Outcome {
	app, call := batch.App.ID, batch.Calls[i]
	if out := e.ready(ctx, b, app, call); out.Error != nil {
		e.metrics.call(app, b.label(), outcomeOf(out.Error))
		return out
	}
	r := b.judge(call.Name, call.Arguments)
	approved := b.approved(batch, call, r)
	if call.Asked == nil && r.then() == config.RuleDeny {
		e.metrics.call(app, b.label(), "refused")
		return notPermitted(r, call.Language)
	}
	found := e.unfounded(b, batch, call, approved)
	ask, again := b.policy() == config.UnfoundedAsk && len(found) > 0, b.again(batch, call)
	var ruled *tools.Ruled
	switch {
	case call.Asked != nil: // it has begun, and continues
	case b.policy() == config.UnfoundedRefuse && len(found) > 0:
		e.metrics.call(app, b.label(), "refused")
		return notSaid(found)
	case ask, (r.then() == config.RuleAsk || again) && !approved && !b.remembered(batch, i, r):
		call.Unfounded = found
		out := e.pause(ctx, b, b.approval, batch, call, r)
		if out.Question != nil && again {
			out.Question.Warning = strings.TrimSpace(out.Question.Warning + " " + batch.RanBefore[call.ID])
		}
		return out
	case r.then() == config.RuleAllow && !approved:
		ruled = r.ruled(call.Language)
	}
	if b.entry.RequiresUserInput && call.Asked == nil {
		out := e.pause(ctx, b, b.tool, batch, call, r)
		if out.Question != nil {
			out.Ruled = ruled
		}
		return out
	}
	// A person or a rule allows one call, so it is not repeated even if its tool could.
	journalled := batch.Journal != nil && (r.approval != nil || approved || !repeatable(b.tool, call))
	if journalled {
		if err := batch.Journal.Begin(i, ruled); err != nil {
			return failure(tools.CodeCancelled, "The call did not start.")
		}
	}
	out := e.guard(ctx, b, b.tool, app, call)
	switch {
	case out.Question != nil && out.Question.State != nil: // admit counts it
		return out
	case out.Question != nil: // this tool must not ask
		out = failure(tools.CodeToolFailed, "The tool %s did not finish.", b.entry.ID)
		e.logFailure(ctx, b, app, out.Error, "it asked a question, which a tool of its type may not")
	case out.Error == nil:
		out.Result = tools.Clip(tools.Quoted(strings.ToValidUTF8(out.Result, "\ufffd")), maxResult)
	}
	if out.Error != nil {
		e := *out.Error // a copy: a tool may return the same error for several calls
		e.Message = tools.Quoted(e.Message)
		out.Error = &e
	}
	e.metrics.call(app, b.label(), outcomeOf(out.Error))
	if journalled {
		batch.Journal.End(i, out)
	}
	return out
}

// remembered reports whether a remembered approval covers call i. Without a user, who could revoke
// it, none does.
func (b *bound) remembered(batch *Batch, i int, r ruling) bool {
	role, quorum, _ := r.approver()
	return b.entry.ApprovalRemember == config.RememberChat && quorum == 0 && batch.Interactive && batch.Journal != nil &&
		batch.Journal.Remembered(i, b.identity(batch.Calls[i].Name, r), role)
}

// again reports whether the call ran before the fork, and must not run again without approval.
func (b *bound) again(batch *Batch, call tools.Call) bool {
	return batch.RanBefore[call.ID] != "" && !repeatable(b.tool, call)
}

// ready returns an error for the model if a call cannot run: its tool is missing, or its arguments
// are invalid.
func (e *Executor) ready(ctx context.Context, b *bound, app string, call tools.Call) tools.Outcome {
	if b.family != nil {
		out := e.guard(ctx, b, awaited{b.family}, app, call)
		if out.Error != nil {
			return out
		}
	}
	if call.Asked != nil {
		return tools.Outcome{} // its arguments were checked when it began
	}
	if err := b.check(call); err != nil {
		return failure(tools.CodeInvalidArguments, "%s", err)
	}
	return tools.Outcome{}
}

// awaited is a tool whose Run waits for a member of a family.
type awaited struct{ tools.Family }

func (a awaited) Run(ctx context.Context, call tools.Call) (tools.Outcome, error) {
	return tools.Outcome{}, a.Ready(ctx, call.Name)
}

func repeatable(tool tools.Tool, call tools.Call) bool {
	r, ok := tool.(tools.Repeater)
	return ok && r.Repeatable(call)
}

// guard runs the tool within its time limit, and turns errors and panics into an outcome.
func (e *Executor) guard(ctx context.Context, b *bound, tool tools.Tool, app string, call tools.Call) (out tools.Outcome) {
	timeout := defaultTimeout
	if t, ok := tool.(tools.Timed); ok {
		timeout = t.Timeout()
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			e.logger(ctx, app).Error("tool panicked", "tool", b.entry.ID, "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			out = failure(tools.CodeToolFailed, "The tool %s failed.", b.entry.ID)
		}
	}()
	defer reporting(&call)()
	out, err := tool.Run(ctx, call)
	var toolErr *tools.Error
	cause := ""
	switch {
	case err == nil:
		return out
	case errors.As(err, &toolErr):
		out, cause = tools.Outcome{Error: toolErr, Repairs: out.Repairs}, toolErr.Cause
	case errors.Is(err, context.DeadlineExceeded):
		out = failure(tools.CodeToolTimeout, "The tool %s did not answer in time.", b.entry.ID)
	case errors.Is(err, context.Canceled):
		out = failure(tools.CodeCancelled, "The call was cancelled.")
	default:
		out, cause = failure(tools.CodeToolFailed, "The tool %s failed.", b.entry.ID), err.Error()
	}
	e.logFailure(ctx, b, app, out.Error, cause)
	return out
}
