package turn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// call carries out the step's calls that have no result yet, and stores what they
// came to. Questions pause the turn.
func (r *Run) call() error {
	step := r.lastStep()
	batch := toolexec.Batch{App: r.app, Interactive: r.turn.Interactive, Approved: map[string]bool{}}
	for id := range r.allowed {
		batch.Approved[id] = true
	}
	for _, c := range r.view.Clarifications {
		if c.Question.Kind == tools.KindQuestion {
			batch.AskedConversation++
			if c.TurnID == r.turn.ID {
				batch.AskedTurn++
			}
		}
	}
	results := map[string]chat.ToolResult{}
	journal := &journal{run: r, stored: map[string]chat.ToolResult{}}
	for i := range step.ToolCalls {
		c := &step.ToolCalls[i]
		switch {
		case c.Result != nil:
		case c.Started != 0: // by a run that died
			results[c.ID] = r.toResult(r.remarked(c.ID, tools.Outcome{Error: interrupted}))
		default:
			journal.calls = append(journal.calls, c)
			batch.Calls = append(batch.Calls, r.toolCall(c))
		}
	}
	batch.Journal, batch.Observe = journal, r.traceCalls(batch.Calls)
	asked := batch.AskedConversation
	outcomes := r.engine.Executor.Execute(r.ctx, r.setup.Catalog, batch)
	if journal.err != nil {
		return journal.err
	}
	r.apply(journal.stored)
	return r.withinCaps(&carried{journal.calls, batch.Calls, outcomes, results, asked})
}

// carried is what the open calls of a step came to.
type carried struct {
	calls    []*chat.ToolCall
	sent     []tools.Call               // the same, as the tools got them
	outcomes []tools.Outcome            // of the same
	results  map[string]chat.ToolResult // of calls that were not carried out
	asked    int                        // questions of the chat that count, before
}

// keepCalls stores what calls came to, and ends the run where they ask.
func (r *Run) keepCalls(of *carried) error {
	results, number := maps.Clone(of.results), of.asked
	cause := context.Cause(r.ctx)
	mark := r.rec.Mark()
	var questions []chat.Clarification
	var paused []string // calls that began, and go on when they are answered
	for i, c := range of.calls {
		if c.Result != nil {
			continue // journalled
		}
		out := of.outcomes[i]
		if cause != nil && cutShort(out) {
			continue // whoever ends the turn, or takes it over, decides
		}
		if q := out.Question; q != nil {
			if q.Kind == tools.KindQuestion {
				number++
			}
			questions = append(questions, r.clarification(of.sent[i], *q, number))
			if q.State != nil {
				paused = append(paused, c.ID)
			}
			continue
		}
		results[c.ID] = r.toResult(r.remarked(c.ID, out))
	}
	inOrder(questions)
	step := r.lastStep()
	for i := range step.ToolCalls {
		if result, ok := results[step.ToolCalls[i].ID]; ok {
			r.endEvent(&step.ToolCalls[i], &result)
		}
	}
	change := func(tx store.Tx) error {
		for id, result := range results {
			if err := tx.SetResult(id, result); err != nil {
				return err
			}
		}
		for i := range questions {
			if err := tx.AddClarification(questions[i]); err != nil {
				return err
			}
			if err := r.auditAsked(tx, &questions[i]); err != nil {
				return err
			}
		}
		for _, id := range paused {
			if err := tx.StartCall(id, 0); err != nil {
				return err
			}
		}
		return r.meter(tx, questions)
	}
	if len(questions) > 0 {
		return r.endAsking(questions, mark, change)
	}
	if len(results) == 0 {
		return cause // all journalled
	}
	if err := r.commit("result", false, change); err != nil {
		r.rec.Rewind(mark)
		return err
	}
	r.apply(results)
	return cause
}

// endAsking ends the run with its questions. If it cannot, it tells nothing from mark on.
func (r *Run) endAsking(questions []chat.Clarification, mark stream.Mark, change func(store.Tx) error) error {
	told := r.result.Clarification
	for i := range questions {
		r.askEvent(&questions[i])
	}
	err := r.end(chat.FinishClarification, change)
	if !errors.Is(err, errDone) {
		r.rec.Rewind(mark)
		r.result.Clarification = told
		return err
	}
	for i := range questions {
		r.engine.metrics.requested.WithLabelValues(r.app.ID, questions[i].Question.InputType()).Inc()
		r.engine.Executor.Asked(r.setup.Catalog, r.app.ID, questions[i].ToolName)
		r.trace.Asked(&questions[i])
	}
	return errDone
}

// inOrder gives the ids that were minted to the questions in the order of their calls: it
// is that of the store among those that have one number, since only some count.
func inOrder(questions []chat.Clarification) {
	ids := make([]string, len(questions))
	for i := range questions {
		ids[i] = questions[i].ID
	}
	slices.Sort(ids)
	for i := range questions {
		questions[i].ID = ids[i]
	}
}

// interrupted is the result of a call that a crash hit, and that must not run twice.
var interrupted = &tools.Error{
	Code: tools.CodeInterrupted,
	Message: "The call was interrupted: the gateway ended while it ran. It may or may not have taken effect, " +
		"and was not run again. Find out before you repeat it, or ask the user.",
}

// journal stores that a call begins and what it came to, one by one, while the run
// waits for its tools.
type journal struct {
	run   *Run
	calls []*chat.ToolCall

	mu     sync.Mutex // the run's own state is not for several tools at a time
	stored map[string]chat.ToolResult
	err    error // the first failure
}

// Remembered implements toolexec.Journal. The run knows what was remembered when it
// began, and only an answer adds to that; but a person may revoke it at any moment, so
// what is stored now decides.
func (j *journal) Remembered(i int) bool {
	tool := j.calls[i].Name
	if !remembered(j.run.view.Clarifications, tool) {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return false
	}
	still := false
	j.err = j.run.commit("recall", true, func(tx store.Tx) error {
		all, err := tx.Clarifications()
		still = remembered(all, tool)
		return err
	})
	return still && j.err == nil
}

// Begin implements toolexec.Journal.
func (j *journal) Begin(i int) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = j.run.commit("tool.started", false, func(tx store.Tx) error {
			return tx.StartCall(j.calls[i].ID, j.run.record.Fence)
		})
	}
	return j.err
}

// End implements toolexec.Journal. A call that was cut short keeps its mark and has no
// result: whoever ends the turn, or takes it over, decides.
func (j *journal) End(i int, out tools.Outcome) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil || context.Cause(j.run.ctx) != nil && cutShort(out) {
		return
	}
	c := j.calls[i]
	result, mark := j.run.toResult(j.run.remarked(c.ID, out)), j.run.rec.Mark()
	j.run.endEvent(c, &result)
	j.err = j.run.commit("result", false, func(tx store.Tx) error { return tx.SetResult(c.ID, result) })
	if j.err != nil {
		j.run.rec.Rewind(mark)
		return
	}
	j.stored[c.ID] = result
	j.run.rec.Flush()
}

// cutShort says that a call came to nothing worth keeping when the run was cancelled.
func cutShort(o tools.Outcome) bool {
	return o.Question != nil || o.Error != nil && o.Error.Code == tools.CodeCancelled
}

func (r *Run) toolCall(c *chat.ToolCall) tools.Call {
	call := tools.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments, Language: r.turn.Language}
	if raw, ok := r.raw[c.ID]; ok {
		call.Arguments = raw
	}
	if a := r.allowed[c.ID]; a != nil && a.Arguments != nil {
		call.Arguments = string(a.Arguments)
	}
	call.Asked = r.asked[c.ID]
	return call
}

// remarked adds to an outcome what the person who allowed the call had to say: the model
// knows only the arguments that it sent.
func (r *Run) remarked(id string, out tools.Outcome) tools.Outcome {
	a := r.allowed[id]
	if a == nil || out.Question != nil {
		return out
	}
	remark := ""
	if a.Arguments != nil {
		remark = "\nThe user changed the arguments of this call to " + string(a.Arguments)
	}
	if a.Note != "" {
		remark += "\nNote: " + a.Note
	}
	if out.Error != nil && remark != "" {
		e := *out.Error // a tool may return the same one again
		e.Message += remark
		out.Error = &e
	} else if out.Error == nil {
		out.Result += remark
	}
	return out
}

// apply takes stored results into the run's own picture.
func (r *Run) apply(results map[string]chat.ToolResult) {
	for id, result := range results {
		r.calls[id].Result = &result
	}
	r.rec.Flush()
}

func (r *Run) toResult(o tools.Outcome) chat.ToolResult {
	if o.Error != nil {
		return errorResult(o.Error, r.record.Fence)
	}
	return chat.ToolResult{Content: o.Result, Fence: r.record.Fence}
}

func (r *Run) endEvent(c *chat.ToolCall, result *chat.ToolResult) {
	r.rec.Event(chat.EventToolCallEnd, toolCallEnd(r.conversation.ChatID, c, result))
}

func toolCallEnd(chatID string, c *chat.ToolCall, result *chat.ToolResult) chat.ToolCallEnd {
	end := chat.ToolCallEnd{ChatID: chatID, ToolCallID: c.ID, ToolName: c.Name}
	if result.Error != nil {
		end.Error = result.Error
	} else {
		end.Result = &result.Content
	}
	return end
}

func (r *Run) clarification(c tools.Call, q tools.Question, number int) chat.Clarification {
	now := time.Now()
	clr := chat.Clarification{
		ID: chat.NewID("clr"), ConversationID: r.conversation.ID, Ref: r.conversation.Ref, TurnID: r.turn.ID,
		ToolCallID: c.ID, ToolName: c.Name, Arguments: soundArguments(c.Arguments), Question: q,
		Number: number, Max: r.app.Clarifications.PerConversation,
		State: tools.StatePending, AskedFence: r.record.Fence, AskedAt: now,
	}
	if d := r.app.Clarifications.ExpiresIn.Std(); d > 0 {
		clr.ExpiresAt = now.Add(d)
	}
	return clr
}

// settle turns closed questions into the results of their calls, once. A call that was
// approved, or that goes on with the answer, stays open: it is run like any other that has
// no result, unless its turn has ended because another question of its step was superseded.
func (r *Run) settle() error {
	mark := r.rec.Mark()
	results := map[string]chat.ToolResult{}
	for _, c := range r.unsettled {
		if slices.ContainsFunc(r.unsettled, c.Before) {
			continue // the last that a call asked counts
		}
		if c.Approved() || c.Question.GoesOn(c.State) {
			if c.TurnID == r.turn.ID {
				continue
			}
			ended := *c
			ended.State, ended.Answer = tools.StateSuperseded, nil
			c = &ended
		}
		call := r.calls[c.ToolCallID]
		result := r.resume(c, call)
		results[c.ToolCallID] = result
		r.endEvent(call, &result)
	}
	r.unsettled = nil
	if len(results) == 0 {
		return nil
	}
	err := r.commit("result", true, func(tx store.Tx) error {
		for id, result := range results {
			if err := tx.SetResult(id, result); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		r.rec.Rewind(mark)
		return err
	}
	r.apply(results)
	return nil
}

// resume asks the tool for the result of a closed question. Whatever the tool
// does, there is one.
func (r *Run) resume(c *chat.Clarification, call *chat.ToolCall) (result chat.ToolResult) {
	failed := errorResult(&tools.Error{Code: tools.CodeToolFailed, Message: "The answer could not be taken."}, r.record.Fence)
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("tool panicked", "app", r.app.ID, "tool", call.Name, "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			result = failed
		}
	}()
	resumer := r.setup.Catalog.Resumer(r.app.ID, c.ToolName, c.Question.Kind)
	out, err := resumer.Resume(r.ctx, r.toolCall(call), c.Question, tools.Closing{State: c.State, Answer: c.Answer})
	if err != nil || out.Question != nil {
		r.log.Error("tool could not take an answer", "app", r.app.ID, "tool", call.Name, "error", err)
		return failed
	}
	return r.toResult(r.remarked(call.ID, out))
}
