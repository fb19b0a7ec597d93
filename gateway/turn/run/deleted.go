package run

import (
	"errors"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/reuse"
	"github.com/askgate/askgate/tools"
)

// A person may delete an answer while a turn runs that has read it. The model may go on with what it
// was sent, but the run stores nothing more of the answer: each commit that could compares what it
// takes from answers with the store, which a deletion and a commit change one after the other.

// errDeleted says that an answer was deleted after this run had read it.
var errDeleted = errors.New("run: an answer was deleted")

// stand fails with errDeleted, and notes it, if an answer that is becoming a result was deleted since
// it was read.
func (r *Run) stand(tx store.RunTx) error {
	var err error
	for _, c := range r.history.Unsettled {
		if c.Question.Kind != tools.KindQuestion {
			continue
		}
		deleted, readErr := wasDeleted(tx, c)
		if readErr != nil {
			return readErr
		}
		if deleted {
			r.history.DeleteAnswer(c.ID)
			err = errDeleted
		}
	}
	return err
}

// withoutDeleted fails with errDeleted if an answer that the outcomes repeat or offer was deleted since
// it was read. The outcomes are then without it.
func (of *executed) withoutDeleted(tx store.RunTx) error {
	var err error
	for i, call := range of.calls {
		out := &of.outcomes[i]
		if c := of.from[call.ID]; c != nil && out.Question == nil {
			deleted, readErr := wasDeleted(tx, c)
			if readErr != nil {
				return readErr
			}
			if deleted {
				err = errDeleted
				without := *c
				without.Answer = &tools.Answer{Deleted: true}
				result := of.run.resume(&without, of.run.history.Calls[c.ToolCallID])
				result = reuse.Repeated(&result, c.ToolCallID)
				*out = tools.Outcome{Result: result.Content, Error: result.Error}
				delete(of.from, call.ID)
			}
		}
		if out.Question == nil {
			continue
		}
		for _, c := range of.run.earlier.Offered(out.Question) {
			deleted, readErr := wasDeleted(tx, c)
			if readErr != nil {
				return readErr
			}
			if deleted {
				err = errDeleted
				reuse.Withdraw(out.Question, c)
			}
		}
	}
	return err
}

// wasDeleted reports whether the answer to a question was deleted since it was read.
func wasDeleted(tx store.RunTx, c *chat.Clarification) (bool, error) {
	if c.Answer == nil || c.Answer.Deleted {
		return false, nil
	}
	return tx.IsDeleted(c.ID)
}
