package run

import (
	"context"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// interrupted is the result of a call that a crash interrupted and that must not run twice.
var interrupted = &tools.Error{
	Code: tools.CodeInterrupted,
	Message: "The call was interrupted: the gateway ended while it ran. It may or may not have taken effect, " +
		"and was not run again. Find out before you repeat it, or ask the user.",
}

// abandoned and cancelled are the results of calls that were open when the turn ended: abandoned of
// those that had begun and must not run twice, cancelled of all others.
var (
	abandoned = &tools.Error{
		Code: tools.CodeInterrupted,
		Message: "The turn was ended while this call ran. It may or may not have taken effect, and is not run again. " +
			"Find out before you repeat it, or ask the user.",
	}
	cancelled = &tools.Error{Code: tools.CodeCancelled, Message: "The turn was ended before this call had a result."}
)

// journal stores the beginnings and outcomes of calls, one by one, while the run waits for its
// tools.
type journal struct {
	run   *Run
	calls []*chat.ToolCall

	mu     lock // guards the run's own state, including its recorder, against several tools at a time
	stored []chat.Ended
	err    error // the first failure
}

// lock is a mutex that is held while the store is away. It is a channel because tests with a clock
// of their own (testing/synctest) can then see who waits for it.
type lock chan struct{}

func newLock() lock { return make(lock, 1) }

func (l lock) Lock() { l <- struct{}{} }

func (l lock) Unlock() { <-l }

// Remembered implements toolexec.Journal. The run knows what was remembered when it began, and only
// an answer adds to that. But a person may revoke it at any moment, so what is stored now decides.
func (j *journal) Remembered(i int, definition, role string) bool {
	tool := j.calls[i].Name
	if !remembered(j.run.history.View.Clarifications, tool, definition, role) {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return false
	}
	still := false
	j.err = j.run.commit("recall", true, nil, func(tx store.RunTx) error {
		all, err := tx.Remembered()
		still = remembered(all, tool, definition, role)
		return err
	})
	return still && j.err == nil
}

// Begin implements toolexec.Journal.
func (j *journal) Begin(i int, ruled *tools.Ruled) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	c, fence := j.calls[i], j.run.Record.Fence
	of := rulings{{c.ID, c.Name, c.Arguments, ruled}}
	j.err = j.run.commit("tool.started", false, nil, func(tx store.RunTx) error {
		if err := tx.StartCall(c.ID, fence); err != nil {
			return err
		}
		return of.record(tx, j.run)
	})
	if j.err == nil {
		c.Started = fence
		of.count(j.run)
	}
	return j.err
}

// End implements toolexec.Journal. A call that was cut short keeps its mark and has no result: the
// run that ends the turn, or takes it over, decides about it.
func (j *journal) End(i int, out tools.Outcome) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil || context.Cause(j.run.ctx) != nil && cutShort(out) {
		return
	}
	c := j.calls[i]
	result := j.run.toResult(c.ID, out)
	rows := chat.Rows{Ended: []chat.Ended{{Call: c, Result: &result}}}
	j.err = j.run.commit("result", false, &rows, nil)
	if j.err != nil {
		return
	}
	j.stored = append(j.stored, rows.Ended...)
	j.run.rec.Flush()
}

// remembered reports whether an approval counts for later calls of the tool, which it does as long
// as the tool's definition is unchanged.
func remembered(all []chat.Clarification, tool, definition, role string) bool {
	return slices.ContainsFunc(all, func(c chat.Clarification) bool {
		return c.Remembered && c.ToolName == tool && c.Question.Definition == definition && c.For == role
	})
}
