package turn

import (
	"errors"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// seen reports whether the sender has seen the event of a clarification. An event id that is not one
// of this chat's proves nothing.
func (j *judge) seen(c *chat.Clarification) (bool, error) {
	id, err := chat.ParseEventID(j.cmd.LastEventID)
	last := j.tx.Conversation().LastEvent
	if err != nil || id.Seq < 1 || c.AskedFence == 0 || id.Fence < c.AskedFence || last.Less(id) {
		return false, nil //nolint:nilerr // a malformed id shows nothing
	}
	if id.Fence > c.AskedFence {
		if id.Fence == last.Fence {
			return true, nil
		}
		run, err := j.ended(id.Fence) // the chat's fences are consecutive, so it is one of them
		return err == nil && id.Seq <= run.LastSeq, err
	}
	run, err := j.ended(c.AskedFence)
	if err != nil {
		return false, err
	}
	asked, err := j.asked(c, run)
	return err == nil && asked <= id.Seq && id.Seq <= run.LastSeq, err
}

// ended returns the record of a run, or the zero Run if there is none, because it died.
func (j *judge) ended(fence int64) (chat.Run, error) {
	run, err := j.tx.Run(fence)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return run, err
}

// asked returns the number of c's event in the run that asked it. A run's questions come right
// before its done event, in the store's order.
func (j *judge) asked(c *chat.Clarification, run chat.Run) (int64, error) {
	all, err := j.tx.Clarifications().AskedBy(c.AskedFence)
	if err != nil {
		return 0, err
	}
	at := slices.IndexFunc(all, func(of chat.Clarification) bool { return of.ID == c.ID })
	return run.LastSeq - int64(len(all)-at), nil
}

// heldBack refuses a message that would close a question that its sender may not have seen: the
// message may have been meant for another one. For an ordinary question, the message is taken unless
// something shows that it was not seen; for an approval, only if something shows that it was.
func (j *judge) heldBack(c *chat.Clarification) error {
	named, told := j.cmd.ClarificationID, j.cmd.LastEventID
	if named == c.ID || named == "" && told == "" && c.Question.Kind != tools.KindApproval {
		return nil
	}
	seen, err := j.seen(c)
	if err != nil || seen && named == "" {
		return err
	}
	return &chat.Error{Code: chat.CodeClarificationPending, Clarification: c}
}

// meant refuses an answer that may be about something other than the pending question: its digest is
// that of another approval, or it names nothing and nothing shows that its sender has seen the
// approval.
func (j *judge) meant(a *Answer, c *chat.Clarification) error {
	if a.Digest != "" {
		if a.Digest != c.Digest() {
			return &chat.Error{Code: chat.CodeApprovalChanged, Clarification: c}
		}
		return nil
	}
	if a.ToolCallID != "" || a.ClarificationID != "" || c.Question.Kind != tools.KindApproval && j.cmd.LastEventID == "" {
		return nil
	}
	seen, err := j.seen(c)
	if err != nil || seen {
		return err
	}
	refused := &chat.Error{Code: chat.CodeClarificationPending, Clarification: c}
	if c.Question.Kind == tools.KindApproval {
		refused.Detail = "unnamed_approval"
		return refused.At("answer.toolCallId")
	}
	return refused
}
