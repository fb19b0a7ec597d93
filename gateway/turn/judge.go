package turn

import (
	"cmp"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
)

// judge finds the clarification that an answer or a message is for, and decides whether it answers
// it. It changes nothing.
type judge struct {
	*update
	verified verified // by the sources of options
	matches  matches
	files    uploads.Answers
}

// verified holds the verdicts of the sources of options on answers, by clarification id. The sources
// are asked before the transaction begins, so that no chat is locked while a tool is waited for.
type verified map[string]verdict

type verdict struct {
	answer tools.Answer
	err    error // why it is not an answer; for a message, that it is none
}

// matches holds the results of matching a command's texts, by clarification id.
type matches map[string]tools.Matches

// accept returns a, normalised as the answer to c. It changes nothing.
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
	checked, err := j.checkAnswer(c, a.Answer)
	if err == nil && checked.Allows() && c.Decided(j.by("").Subject) { // a no may follow
		err = &chat.Error{Code: chat.CodeAlreadyDecided, Clarification: c}
	}
	return checked, err
}

// picked returns the clarification that an answer is for, see pick.
func (j *judge) picked(a *Answer) (*chat.Clarification, error) {
	all, err := j.named(a)
	if chat.CodeOf(err) == chat.CodeNotFound {
		return nil, unnamed(a)
	} else if err != nil {
		return nil, err
	}
	return pick(all, a)
}

// named returns the clarifications that an answer may be for. It reads only those that the answer
// names, because a chat may have any number.
func (j *judge) named(a *Answer) ([]chat.Clarification, error) {
	switch {
	case a.ToolCallID != "":
		return j.tx.Clarifications().OfCall(a.ToolCallID)
	case a.ClarificationID != "":
		c, err := j.tx.Clarifications().Find(a.ClarificationID)
		return []chat.Clarification{c}, err
	}
	open, err := j.tx.Clarifications().Pending()
	if err != nil || len(open) > 0 {
		return open, err
	}
	switch asking := j.tx.Conversation().Asking; {
	case asking > 1 && a.Digest == "":
		return nil, errAmbiguous
	case asking > 0:
		open, err = j.tx.Clarifications().PendingAsync(1)
	}
	if err != nil || len(open) > 0 {
		return open, err
	}
	return j.tx.Clarifications().Newest()
}

// readAnswer reads the message as the answer to c.
func (j *judge) readAnswer(c *chat.Clarification) (a tools.Answer, ok bool, err error) {
	if known, ok := j.verified[c.ID]; ok {
		return known.answer, known.err == nil, nil
	}
	resumer, text, language := j.resumer(c), *j.cmd.Message, j.tx.Conversation().Language
	err = j.matched(c, func(q tools.Question) { a, ok = resumer.Read(q, text, language) })
	return a, ok, err
}

// checkAnswer returns the answer to c, normalised.
func (j *judge) checkAnswer(c *chat.Clarification, a tools.Answer) (tools.Answer, error) {
	if known, ok := j.verified[c.ID]; ok {
		if known.err != nil {
			return a, known.err
		}
		a = known.answer
	}
	a, err := j.files.Known(j.tx.Files(), &j.setup.Config.Gateway.Files, c, a)
	if err != nil {
		return a, err
	}
	resumer, given := j.resumer(c), a
	var refused error
	if err := j.matched(c, func(q tools.Question) { a, refused = resumer.Check(q, given) }); err != nil {
		return a, err
	}
	return a, refused
}

func (j *judge) resumer(c *chat.Clarification) tools.Resumer {
	return j.setup.Catalog.Resumer(c.App, c.ToolName, c.Question.Kind)
}

// errAmbiguous refuses an answer that names no question while several wait.
var errAmbiguous = &chat.Error{Code: chat.CodeInvalidRequest, Detail: "ambiguous_answer"}

// pick finds the clarification that an answer names: the open one, or else the newest, whose state
// says how it ended. A call may have two: its approval, then its input. If several wait and the
// answer names none, its digest may identify one.
func pick(all []chat.Clarification, a *Answer) (*chat.Clarification, error) {
	named := a.ToolCallID != "" || a.ClarificationID != ""
	if turns := ofTurn(all); !named && slices.ContainsFunc(turns, func(c chat.Clarification) bool { return c.State == tools.StatePending }) {
		all = turns // an answer that names nothing is for the turn
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
	case other != nil: // its approval does not wait any more; meant reports it
		return other, nil
	case newest != nil:
		return newest, nil
	default:
		return nil, unnamed(a)
	}
}

// unnamed refuses an answer that fits no question of the chat.
func unnamed(a *Answer) error {
	switch {
	case a.ToolCallID != "":
		return (&chat.Error{Code: chat.CodeNotFound, Detail: "no_such_call"}).At("answer.toolCallId")
	case a.ClarificationID != "":
		return (&chat.Error{Code: chat.CodeNotFound, Detail: "no_such_question"}).At("answer.clarificationId")
	}
	return &chat.Error{Code: chat.CodeNotFound, Detail: "no_pending"}
}

// changeable reports whether a fork may replace the answer to a question. An answer that continues
// in the middle of a call cannot be given twice.
func changeable(c *chat.Clarification) bool {
	return c.Question.Kind == tools.KindQuestion && c.Question.State == nil && c.State != tools.StatePending
}

// decidedBy refuses a decision by someone who lacks the role, or whose own call it is about.
func decidedBy(c *chat.Clarification) error {
	return &chat.Error{Code: chat.CodeForbidden, Detail: "waits_for_role", Params: map[string]any{"Role": c.For}, Clarification: c}
}
