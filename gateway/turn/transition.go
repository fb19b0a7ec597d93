package turn

import (
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/reuse"
	"github.com/askgate/askgate/gateway/turn/run"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
)

// transition is a change of a turn's state while it passes through the store: the run that begins,
// the questions that are closed, and the events that announce them. Messages, answers, expiries,
// cancellations, resumptions, take-overs and messages from the queue make transitions, each in the
// file of its name.
type transition struct {
	*update
	start run.Start // how the run begins, as committed

	instead Accepted             // Repeated or Queued: no run begins
	fresh   bool                 // the chat's first run
	message *chat.Message        // the user's, if one was stored
	form    *chat.Message        // with the call of the form that a fork begins with
	closed  []chat.Clarification // the questions that it closes
	amended []chat.Event         // that one of several people has decided, or that others are asked, too
	open    []chat.Clarification // questions of the step that are still open: nothing runs
	queued  bool                 // messages wait for the end of the turn
	async   *async               // what programs ask and say; nil: the run belongs to a turn
}

// openRun numbers the run that begins.
func (t *transition) openRun() {
	head := t.tx.Conversation()
	t.start.Before, t.fresh = head.LastEvent, head.Fence == 0
	head.Fence++
	if t.fresh {
		head.Fence = chat.FirstFence(t.now)
	}
	head.UpdatedAt = t.now
	if t.cmd.Language != "" {
		head.Language = t.cmd.Language
	} else if head.Language == "" {
		head.Language = "en"
	}
}

// save stores the beginning of the run. From now on, the last of its opening events is the chat's
// last, as a snapshot says.
func (t *transition) save() error {
	if t.async != nil {
		return t.async.save()
	}
	head, turn := t.tx.Conversation(), t.tx.Turn()
	if t.cmd.persons() {
		head.WrittenAt = t.now
	}
	turn.Language = head.Language
	if len(t.open) == 0 {
		turn.LeaseOwner = t.engine.Node
	}
	t.start.Record.ConversationID, t.start.Record.Fence, t.start.Record.TurnID = head.ID, head.Fence, turn.ID
	t.start.Record.StartedAt = t.now
	if len(t.open) > 0 { // the run is over as it begins; others are stored when they end
		t.start.Record.FinishReason, t.start.Record.EndedAt = chat.FinishClarification, t.now
	}
	t.begun(head, turn)
	if len(t.open) > 0 || t.cmd.Resume { // for a resumption, nothing else that is stored says how the run began
		if err := t.tx.SaveRun(t.start.Record); err != nil {
			return err
		}
	}
	if len(t.open) > 0 {
		if err := t.engine.node.Recorder.Done(t.tx, head.App, &t.start.Record); err != nil {
			return err
		}
	}
	t.start.Conversation, t.start.Turn = *head, *turn
	if err := t.keepClientTools(); err != nil {
		return err
	}
	queue, err := t.tx.Queue()
	if err != nil {
		return err
	}
	t.queued = len(queue) > 0
	return t.remember(head.Fence, "")
}

// keepClientTools stores the tools that the client brought, or that it brings none any more.
func (t *transition) keepClientTools() error {
	brought := t.cmd.ClientTools
	t.start.ClientTools = brought
	switch {
	case len(brought) > 0:
		return t.tx.SaveClientTools(&chat.ClientTools{TurnID: t.start.Turn.ID, Tools: brought})
	case brought != nil && !t.fresh:
		return t.tx.SaveClientTools(nil)
	}
	return nil
}

// begun fills in the rows with which the run begins, or all of its rows if it has ended. The last of
// their events becomes the chat's last.
func (t *transition) begun(head *chat.Conversation, turn *chat.Turn) {
	opening := t.opening(head, turn)
	rows := &chat.Rows{ChatID: head.ChatID, TurnID: turn.ID, Fence: head.Fence, Opening: &opening, Asked: t.asksNow(head.Fence)}
	if t.form != nil {
		rows.Steps = []*chat.Message{t.form}
	}
	if t.start.Record.FinishReason != "" {
		rows.Run = &t.start.Record
	}
	head.LastEvent = chat.EventID{Fence: head.Fence, Seq: rows.Number(0)}
	t.start.Begun = rows
}

func (t *transition) opening(head *chat.Conversation, turn *chat.Turn) chat.Opening {
	if t.async != nil {
		return chat.Opening{ChatID: head.ChatID, Said: t.async.said, Asked: t.async.asked, Closed: t.async.closed, Amended: t.amended, Deleted: t.async.gone}
	}
	return chat.Opening{
		ChatID: head.ChatID, TurnID: turn.ID, Resumed: t.start.Record.Resumed, Discards: t.start.Record.Discards, Closed: t.closed, Amended: t.amended, Message: t.message,
	}
}

// close ends a clarification, in a state other than pending; nothing else does. The run that begins
// announces it; closeAsync closes a program's question. a is nil if no one answered, by is nil if
// no one closed it.
func (t *transition) close(c *chat.Clarification, state tools.State, a *tools.Answer, by *chat.By) error {
	c.State, c.Answer, c.AnsweredAt, c.AnsweredBy, c.DoneFence = state, a, t.now, by, t.tx.Conversation().Fence
	c.Draft = nil
	if c.Asker != "" {
		t.tx.Conversation().Asking--
		if t.async.later {
			c.DoneFence = 0
		}
		if len(c.Question.Sources) > 0 {
			if err := t.dropClaims(c.ID); err != nil {
				return err
			}
		}
	}
	t.closed = append(t.closed, *c) // metrics count it after the commit
	if err := t.tx.Clarifications().Save(*c); err != nil {
		return err
	}
	if err := reuse.Keep(t.tx, t.app, t.setup.Catalog, c, t.now); err != nil {
		return err
	}
	if err := uploads.Use(t.tx.Files(), c); err != nil {
		return err
	}
	return t.engine.node.Recorder.Resolved(t.tx, &t.setup.Config.Gateway, c, t.cmd.By)
}

// unanswered closes a question that was not answered. If it was the turn's last, the turn goes on.
func (t *transition) unanswered(c *chat.Clarification, state tools.State, by *chat.By) error {
	if c.Asker != "" {
		return t.closeAsync(c, state, nil, by)
	}
	t.openRun()
	if err := t.close(c, state, nil, by); err != nil {
		return err
	}
	return t.goOn()
}

// goOn resumes the turn if none of its questions is pending any more.
func (t *transition) goOn() error {
	t.start.Record.Resumed = true
	var err error
	if t.open, err = t.tx.Clarifications().Pending(); err != nil {
		return err
	}
	if len(t.open) > 0 {
		return t.tx.Turn().Move(chat.TurnPaused)
	}
	return t.tx.Turn().Move(chat.TurnRunning)
}

// ofTurn returns those of the clarifications that turns asked, and not programs.
func ofTurn(all []chat.Clarification) []chat.Clarification {
	return slices.DeleteFunc(slices.Clone(all), func(c chat.Clarification) bool { return c.Asker != "" })
}

// asksNow returns the open questions that this run asks: those of a fork.
func (t *transition) asksNow(fence int64) []chat.Clarification {
	return slices.DeleteFunc(slices.Clone(t.open), func(c chat.Clarification) bool { return c.AskedFence != fence })
}

// afford refuses the command if a token budget is used up.
func (t *transition) afford() (err error) {
	t.start.Left, err = budget.Check(t.tx, &t.setup.Config.Gateway.Limits.Tokens, t.cmd.Ref, t.now)
	return err
}
