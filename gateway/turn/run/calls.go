package run

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/tools"
)

// call carries out the step's calls that have no result yet, and stores their results. Questions
// pause the turn.
func (r *Run) call() error {
	batch := r.history.Batch(r.Turn.ID)
	batch.App, batch.Interactive = r.App, r.Turn.Interactive && r.App.Interactive
	step := r.history.LastStep(r.Turn.ID)
	results, err := r.alreadyRefused(step)
	if err != nil {
		return err
	}
	journal := &journal{run: r, mu: newLock()}
	r.progress = newProgress(journal)
	for i := range step.ToolCalls {
		c := &step.ToolCalls[i]
		_, refused := results[c.ID]
		switch {
		case c.Result != nil, refused:
		case c.Started != 0: // by a run that died
			results[c.ID] = r.toResult(c.ID, tools.Outcome{Error: interrupted})
		case i >= maxCalls:
			results[c.ID] = r.toResult(c.ID, tools.Outcome{Error: tooMany})
		default:
			journal.calls = append(journal.calls, c)
			call := r.toolCall(c)
			call.Report = r.progress.reports(c)
			batch.Calls = append(batch.Calls, call)
		}
	}
	r.earlier.Memory.Changed() // people may delete memories while the model thinks
	known := r.earlier.Step(batch.Calls)
	batch.Journal, batch.Answers, batch.Observe = journal, known, r.traceCalls(batch.Calls)
	batch.Said = sync.OnceValue(r.prompt.Said)
	batch.RanBefore = r.ranBefore(journal.calls)
	outcomes := r.node.Executor.Execute(r.ctx, r.Setup.Catalog, batch)
	r.progress.stop()
	r.settled(journal.stored)
	if journal.err != nil {
		return journal.err
	}
	r.earlier.Memory.Changed() // or while the calls ran
	for i := range outcomes {
		r.earlier.Lapse(batch.Calls[i].Name, &outcomes[i])
	}
	of := &executed{r, journal.calls, batch.Calls, outcomes, results, known.Waits, known.From, batch.AskedConversation}
	return of.withinCaps()
}

// executed holds the open calls of a step and their outcomes.
type executed struct {
	run      *Run
	calls    []*chat.ToolCall
	sent     []tools.Call                   // calls, as the tools were given them
	outcomes []tools.Outcome                // of calls, in the same order
	results  map[string]chat.ToolResult     // of calls that were not run
	waits    map[string][]string            // calls that wait for the result of another, by the id of the latter
	from     map[string]*chat.Clarification // the questions whose results calls got, by the ids of the calls
	asked    int                            // how many questions of the chat counted before these
}

// waiting reports whether a call gets the result of another.
func (of *executed) waiting(id string) bool {
	for _, ids := range of.waits {
		if slices.Contains(ids, id) {
			return true
		}
	}
	return false
}

// withinCaps stores the outcomes of the calls. If a cap leaves no room for a question, nothing has
// been stored: its call is refused, and the rest is stored without it. If an answer that they repeat or
// offer was deleted meanwhile, they are stored without the answer.
func (of *executed) withinCaps() error {
	for {
		err := of.keepCalls()
		if errors.Is(err, errDeleted) {
			continue
		}
		over, ok := errors.AsType[budget.OverCap](err)
		if !ok {
			return err
		}
		for id, reached := range maps.Clone(over) {
			for _, same := range of.waits[id] {
				over[same] = reached
			}
			delete(of.waits, id)
		}
		for i, c := range of.calls {
			if reached := over[c.ID]; reached != "" {
				of.outcomes[i] = of.run.node.Executor.Refuse(of.run.App, of.run.Setup.Catalog.Label(of.run.App.ID, c.Name), reached)
			}
		}
	}
}

// keepCalls stores the outcomes of calls, and ends the run if there are questions.
func (of *executed) keepCalls() error {
	results, number := maps.Clone(of.results), of.asked
	cause := context.Cause(of.run.ctx)
	mark := of.run.rec.Mark()
	var rows chat.Rows
	var ruled rulings
	var paused []string // calls that have begun, and go on when they are answered
	for i, c := range of.calls {
		if c.Result != nil {
			continue // the journal has stored it
		}
		if of.waiting(c.ID) {
			continue
		}
		out := of.outcomes[i]
		if cause != nil && cutShort(out) {
			continue // the run that ends the turn, or takes it over, decides
		}
		ruled = append(ruled, ruling{c.ID, c.Name, of.sent[i].Arguments, out.Ruled})
		if out.Question != nil && out.Answer != nil {
			c := of.run.asking.fromMemory(of.sent[i], &out, number)
			rows.Silent, results[c.ToolCallID] = append(rows.Silent, c), of.run.resume(&c, of.calls[i])
			continue
		}
		if q := out.Question; q != nil {
			if q.Kind == tools.KindQuestion {
				number++
			}
			asked := *q
			asked.Waiting = of.waits[c.ID]
			rows.Asked = append(rows.Asked, of.run.asking.clarification(of.sent[i], asked, number))
			if q.State != nil {
				paused = append(paused, c.ID)
				of.run.progress.last(c.ID)
			}
			continue
		}
		results[c.ID] = of.run.toResult(c.ID, out)
	}
	inOrder(rows.Asked)
	step := of.run.history.LastStep(of.run.Turn.ID)
	for i := range step.ToolCalls {
		if result, ok := results[step.ToolCalls[i].ID]; ok {
			rows.Ended = append(rows.Ended, chat.Ended{Call: &step.ToolCalls[i], Result: &result})
		}
	}
	change := func(tx store.RunTx) error {
		if err := of.withoutDeleted(tx); err != nil {
			return err
		}
		if err := of.run.asking.addSilent(tx, rows.Silent); err != nil {
			return err
		}
		for _, id := range paused {
			if err := tx.StartCall(id, 0); err != nil {
				return err
			}
		}
		return ruled.record(tx, of.run)
	}
	if len(rows.Asked) > 0 {
		err := of.run.asking.endAsking(rows, mark, change)
		if errors.Is(err, errDone) {
			ruled.count(of.run)
			of.run.asking.wentSilently(rows.Silent)
		}
		return err
	}
	if len(results) == 0 {
		return cause // the journal has stored them all
	}
	if err := of.run.commit("result", false, &rows, change); err != nil {
		return err
	}
	ruled.count(of.run)
	of.run.settled(rows.Ended)
	of.run.asking.wentSilently(rows.Silent)
	return cause
}

func (r *Run) toolCall(c *chat.ToolCall) tools.Call {
	call := tools.Call{ID: c.ID, Name: c.Name, Arguments: r.draft.readAs(c), Language: r.Turn.Language}
	if about := r.history.Allowed[c.ID]; about != nil { // the arguments that the person saw or wrote
		call.Arguments = about.Arguments
		if about.Answer.Arguments != nil {
			call.Arguments = string(about.Answer.Arguments)
		}
	}
	call.Asked = r.history.Asked[c.ID]
	if r.App.Memory && !r.Conversation.Ephemeral {
		call.Memory = r.earlier.Memory
	}
	return call
}

// ranBefore returns the calls that may have run already in the chat from which this one was forked,
// with what people are told of that. In the fork's first turn, arguments do not matter: the model
// may now word the same call differently.
func (r *Run) ranBefore(calls []*chat.ToolCall) map[string]string {
	ran := r.history.Ran
	if len(ran) == 0 {
		return nil
	}
	first := r.Turn.ID == r.Conversation.Fork.TurnID
	told := map[string]string{}
	for _, c := range calls {
		call := chat.NewRan(c.Name, c.Arguments)
		if slices.ContainsFunc(ran, func(before chat.Ran) bool { return before == call || first && before.Tool == call.Tool }) {
			told[c.ID] = r.node.Text(r.Turn.Language, "approval.ran", nil)
		}
	}
	return told
}
