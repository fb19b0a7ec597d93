package run

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn/reuse"
	"github.com/askgate/askgate/tools"
)

// settle turns closed questions into the results of their calls, once.
func (r *Run) settle() error {
	for rows := r.answered(); len(rows.Ended) > 0; rows = r.answered() {
		err := r.commit("result", true, &rows, r.stand)
		if errors.Is(err, errDeleted) {
			continue
		}
		if err != nil {
			return err
		}
		r.settled(rows.Ended)
		break
	}
	r.history.Unsettled = nil // not earlier: a run that cannot store the results still ends with them
	return nil
}

// answered returns the results of calls whose questions are closed. A form that a fork began with
// was not asked, so it is Silent, too.
func (r *Run) answered() (rows chat.Rows) {
	for _, c := range r.history.Deciding(r.Turn.ID) {
		call := r.history.Calls[c.ToolCallID]
		result := r.resume(&c, call)
		if c.State == tools.StateRemembered {
			rows.Silent = append(rows.Silent, c)
		}
		rows.Ended = append(rows.Ended, chat.Ended{Call: call, Result: &result})
		for _, id := range c.Question.Waiting {
			if waiting := r.history.Calls[id]; waiting != nil && waiting.Result == nil {
				same := reuse.Repeated(&result, c.ToolCallID)
				rows.Ended = append(rows.Ended, chat.Ended{Call: waiting, Result: &same})
			}
		}
	}
	return rows
}

// resume asks the tool for the result of a closed question. Whatever the tool does, there is a
// result, even if the run was stopped meanwhile: an accepted answer counts.
func (r *Run) resume(c *chat.Clarification, call *chat.ToolCall) (result chat.ToolResult) {
	failed := chat.ErrorResult(&tools.Error{Code: tools.CodeToolFailed, Message: "The answer could not be taken."}, r.Record.Fence)
	defer func() {
		if p := recover(); p != nil {
			r.Log.Error("tool panicked", "tool", call.Name, "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			result = failed
		}
	}()
	resumer := r.Setup.Catalog.Resumer(r.App.ID, c.ToolName, c.Question.Kind)
	out, err := resumer.Resume(context.WithoutCancel(r.ctx), r.toolCall(call), c.Question, c.Closing())
	if err != nil || out.Question != nil {
		r.Log.Error("a tool failed to process an answer", "tool", call.Name, "error", err)
		return failed
	}
	out.Result += r.prompt.FileTexts(r.ctx, c)
	return r.toResult(call.ID, out)
}
