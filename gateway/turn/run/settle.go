package run

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/reuse"
	"github.com/askgate/askgate/tools"
)

// settle turns closed questions into the results of their calls, once.
func (r *Run) settle() error {
	mark := r.rec.Mark()
	results := r.answered()
	if len(results) > 0 {
		if err := r.commit("result", true, func(tx store.RunTx) error { return setResults(tx, results) }); err != nil {
			r.rec.Rewind(mark)
			return err
		}
		r.settled(results)
	}
	r.history.Unsettled = nil // not before: a run that cannot store them still ends with them
	return nil
}

// answered records and returns the results of calls whose questions are closed.
func (r *Run) answered() map[string]chat.ToolResult {
	results := map[string]chat.ToolResult{}
	for _, c := range r.history.Deciding(r.Turn.ID) {
		call := r.history.Calls[c.ToolCallID]
		result := r.resume(&c, call)
		results[c.ToolCallID] = result
		r.asking.copiedFormEvents(&c)
		r.endEvent(call, &result)
		for _, id := range c.Question.Waiting {
			if waiting := r.history.Calls[id]; waiting != nil && waiting.Result == nil {
				same := reuse.Repeated(&result, c.ToolCallID)
				results[id] = same
				r.endEvent(waiting, &same)
			}
		}
	}
	return results
}

// resume asks the tool for the result of a closed question. Whatever the tool
// does, there is one, also where the run was stopped meanwhile: an accepted answer counts.
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
		r.Log.Error("tool could not take an answer", "tool", call.Name, "error", err)
		return failed
	}
	out.Result += r.prompt.FileTexts(r.ctx, c)
	return r.toResult(call.ID, out)
}
