package turn

import (
	"cmp"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// takeAnswer closes a clarification; the turn goes on when it was the last.
func (in *incoming) takeAnswer(a *Answer) error {
	c, err := in.judge.picked(a)
	if err != nil {
		return err
	}
	checked, err := in.judge.accept(a, c)
	if err != nil {
		return err
	}
	return in.next.answer(c, checked, in.channel(chat.ChannelAPI))
}

// accept is the answer to c that a is, normalised. Nothing is changed.
func (j *judge) accept(a *Answer, c *chat.Clarification) (tools.Answer, error) {
	if err := j.closable(c); err != nil {
		return tools.Answer{}, err
	}
	if c.For != "" && j.cmd.via == "" {
		return tools.Answer{}, decidedBy(c)
	}
	if err := j.meant(a, c); err != nil {
		return tools.Answer{}, err
	}
	return j.checkAnswer(c, a.Answer)
}

// errAmbiguous refuses an answer that names nothing where several questions wait.
var errAmbiguous = &chat.Error{Code: chat.CodeInvalidRequest, Detail: "ambiguous_answer"}

// picked is the clarification that an answer is for, see pick.
func (j *judge) picked(a *Answer) (*chat.Clarification, error) {
	all, err := j.named(a)
	if err != nil {
		return nil, err
	}
	return pick(all, a)
}

// named are the clarifications that an answer may be for. They are read by what names them: a chat
// may have any number.
func (j *judge) named(a *Answer) ([]chat.Clarification, error) {
	switch {
	case a.ToolCallID != "":
		return j.tx.OfCall(a.ToolCallID)
	case a.ClarificationID != "":
		c, err := j.tx.Clarification(a.ClarificationID)
		return []chat.Clarification{c}, err
	}
	open, err := j.tx.Pending()
	if err != nil || len(open) > 0 {
		return open, err
	}
	switch asking := j.tx.Conversation().Asking; {
	case asking > 1 && a.Digest == "":
		return nil, errAmbiguous
	case asking > 0:
		open, err = j.tx.PendingAside(1)
	}
	if err != nil || len(open) > 0 {
		return open, err
	}
	return j.tx.NewestAsked()
}

// answer closes a clarification with a checked answer, which came by that channel, and goes
// on with the turn.
func (t *transition) answer(c *chat.Clarification, a tools.Answer, channel chat.Channel) error {
	if err := t.conclude(c, a, channel); err != nil {
		return err
	}
	return t.goOn()
}

// conclude closes a clarification with a checked answer.
func (t *transition) conclude(c *chat.Clarification, a tools.Answer, channel chat.Channel) error {
	if c.Question.Remember != "" { // the newest decision about a tool counts
		if err := revoke(t.tx, c.ToolName); err != nil {
			return err
		}
		c.State, c.Answer = a.Outcome(), &a
		c.Remembered = c.Approved() && a.Arguments == nil && !a.Once && channel != chat.ChannelLink // which is for one question
	}
	return t.close(c, a.Outcome(), &a, t.by(channel))
}

// pick finds the clarification that an answer names: the one that is open, else the
// newest, which says how it ended. One call may have two: its approval, then its input.
// Where several wait and none is named, a digest may tell which is meant.
func pick(all []chat.Clarification, a *Answer) (*chat.Clarification, error) {
	named := a.ToolCallID != "" || a.ClarificationID != ""
	if turns := ofTurn(all); !named && slices.ContainsFunc(turns, func(c chat.Clarification) bool { return c.State == tools.StatePending }) {
		all = turns // who names nothing means what the turn waits for
	}
	var found, other, newest *chat.Clarification
	for i := range all {
		c := &all[i]
		switch {
		case a.ToolCallID != "" && a.ToolCallID != c.ToolCallID, a.ClarificationID != "" && a.ClarificationID != c.ID:
			continue
		case c.State != tools.StatePending:
		case !named && a.Digest != "" && a.Digest != c.Digest():
			other = cmp.Or(other, c)
		case found != nil && !named:
			return nil, errAmbiguous
		default:
			found = c
		}
		if newest == nil || c.AskedFence >= newest.AskedFence {
			newest = c
		}
	}
	switch {
	case found != nil:
		return found, nil
	case other != nil: // what it decides about does not wait any more; meant says so
		return other, nil
	case newest != nil:
		return newest, nil
	default:
		return nil, &chat.Error{Code: chat.CodeNotFound}
	}
}

// changeable says whether a fork may answer a question otherwise. What would go on in the middle
// of a call cannot go on twice.
func changeable(c *chat.Clarification) bool {
	return c.Question.Kind == tools.KindQuestion && c.Question.State == nil && c.State != tools.StatePending
}

// decidedBy refuses the decision of somebody who does not have the role, or is who it is about.
func decidedBy(c *chat.Clarification) error {
	return &chat.Error{Code: chat.CodeForbidden, Detail: "waits_for_role", Params: map[string]any{"Role": c.For}, Clarification: c}
}
