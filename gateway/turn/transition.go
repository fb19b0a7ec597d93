package turn

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/earlier"
	"github.com/askgate/askgate/gateway/turn/run"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
)

// errNothing says that what was due no longer is.
var errNothing = errors.New("turn: nothing to do")

// transition is one change of a turn's state on its way through the store: a message, an
// answer, an expiry, a cancellation, a resumption, a take-over, or a message out of the
// queue, each in the file of its name. What a run begins with is what it comes to, as committed.
type transition struct {
	run.Start
	engine   *Engine
	cmd      *Command
	verified verified // by the sources of options
	matches  matches
	tx       store.Tx
	now      time.Time
	look     bool // the chat must be known to be readable

	// What comes of it, beside the run.
	instead Accepted             // Repeated or Queued: no run begins
	fresh   bool                 // the chat's first run
	message *chat.Message        // the user's, where one was stored
	closed  []chat.Clarification // all that are closed by it
	open    []chat.Clarification // of the step, still: nothing runs
	files   uploads.Answers
	aside   *aside // what programs ask and say; nil: the run is a turn's
}

// remember stores what the request's key stands for.
func (t *transition) remember(fence int64, messageID string) error {
	if t.cmd.IdempotencyKey == "" {
		return nil
	}
	return t.tx.SaveIdempotency(chat.Idempotency{
		Key: t.cmd.IdempotencyKey, Hash: t.cmd.Hash, Fence: fence, MessageID: messageID, CreatedAt: t.now,
	})
}

// openRun gives the run that begins its number.
func (t *transition) openRun() {
	head := t.tx.Conversation()
	t.Before, t.fresh = head.LastEvent, head.Fence == 0
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

// save stores the beginning of the run. The events that open it are the chat's last from
// now on, as a snapshot says.
func (t *transition) save() error {
	if t.aside != nil {
		return t.saveAside()
	}
	head, turn := t.tx.Conversation(), t.tx.Turn()
	if t.cmd.persons() {
		head.WrittenAt = t.now
	}
	turn.Language = head.Language
	if len(t.open) == 0 {
		turn.LeaseOwner = t.engine.Node
	}
	t.Record.ConversationID, t.Record.Fence, t.Record.TurnID = head.ID, head.Fence, turn.ID
	t.Record.StartedAt = t.now
	opening := t.opening(head, turn)
	head.LastEvent = chat.EventID{Fence: head.Fence, Seq: int64(len(opening.Events()))}
	if len(t.open) > 0 { // the run is over as it begins; others are stored at their end
		head.LastEvent.Seq += int64(len(t.asksNow(head.Fence))) + 1 // its done
		t.Record.FinishReason, t.Record.EndedAt, t.Record.LastSeq = chat.FinishClarification, t.now, head.LastEvent.Seq
	}
	if len(t.open) > 0 || t.cmd.Resume { // of the latter, nothing else that is stored tells how it began
		if err := t.tx.SaveRun(t.Record); err != nil {
			return err
		}
	}
	if len(t.open) > 0 {
		if err := t.engine.node.Others.Done(t.tx, head.App, &t.Record); err != nil {
			return err
		}
	}
	t.Conversation, t.Turn = *head, *turn
	if err := t.keepClientTools(); err != nil {
		return err
	}
	return t.remember(head.Fence, "")
}

// keepClientTools stores what the client brought, or that it brought nothing any more.
func (t *transition) keepClientTools() error {
	brought := t.cmd.ClientTools
	t.ClientTools = brought
	switch {
	case len(brought) > 0:
		return t.tx.SaveClientTools(&chat.ClientTools{TurnID: t.Turn.ID, Tools: brought})
	case brought != nil && !t.fresh:
		return t.tx.SaveClientTools(nil)
	}
	return nil
}

func (t *transition) opening(head *chat.Conversation, turn *chat.Turn) chat.Opening {
	if t.aside != nil {
		return chat.Opening{ChatID: head.ChatID, Said: t.aside.said, Asked: t.aside.asked, Closed: t.aside.told}
	}
	return chat.Opening{
		ChatID: head.ChatID, TurnID: turn.ID, Resumed: t.Record.Resumed, Discards: t.Record.Discards, Closed: t.closed, Message: t.message,
	}
}

// close ends a clarification, in a state that is not pending; nothing else does. The run
// that begins announces it; a program's is closed by closeBeside. a and by are nil where nobody
// answered, or closed it.
func (t *transition) close(c *chat.Clarification, state tools.State, a *tools.Answer, by *chat.By) error {
	c.State, c.Answer, c.AnsweredAt, c.AnsweredBy, c.DoneFence = state, a, t.now, by, t.tx.Conversation().Fence
	c.Draft = nil
	if c.Asker != "" {
		t.tx.Conversation().Asking--
		if t.aside.later {
			c.DoneFence = 0
		}
	}
	t.closed = append(t.closed, *c) // counted when this is committed
	if err := t.tx.SaveClarification(*c); err != nil {
		return err
	}
	if err := earlier.Keep(t.tx, t.App, t.Setup.Catalog, c, t.now); err != nil {
		return err
	}
	if err := uploads.Use(t.tx, c); err != nil {
		return err
	}
	return t.engine.node.Others.Resolved(t.tx, &t.Setup.Config.Gateway, c, t.cmd.By)
}

// unanswered closes a question that nobody answered; a turn goes on if it was the last.
func (t *transition) unanswered(c *chat.Clarification, state tools.State, by *chat.By) error {
	if c.Asker != "" {
		return t.closeBeside(c, state, nil, by)
	}
	t.openRun()
	if err := t.close(c, state, nil, by); err != nil {
		return err
	}
	return t.goOn()
}

// channel is how the command came, where it says so.
func (t *transition) channel(usual chat.Channel) chat.Channel {
	return cmp.Or(t.cmd.via, t.cmd.Channel, usual)
}

// by is who sent the command, by that channel.
func (t *transition) by(channel chat.Channel) *chat.By {
	subject := t.cmd.By.Subject
	if t.cmd.By.Kind == "" {
		subject = t.cmd.Ref.Subject
	}
	return &chat.By{Subject: subject, Channel: channel, ClientID: t.cmd.ClientID}
}

// goOn resumes the turn if nothing of it is pending any more.
func (t *transition) goOn() error {
	t.Record.Resumed = true
	var err error
	if t.open, err = t.pending(); err != nil {
		return err
	}
	if len(t.open) > 0 {
		return t.tx.Turn().Move(chat.TurnPaused)
	}
	return t.tx.Turn().Move(chat.TurnRunning)
}

// pending is what the turn waits for.
func (t *transition) pending() ([]chat.Clarification, error) {
	return t.tx.Pending()
}

// due says that a pending question has expired, though nobody closed it yet.
func (t *transition) due(c *chat.Clarification) bool {
	return c.State == tools.StatePending && !c.ExpiresAt.IsZero() && !t.now.Before(c.ExpiresAt)
}

// closable refuses to close what is closed already, or has expired.
func (t *transition) closable(c *chat.Clarification) error {
	if t.due(c) {
		c.State = tools.StateExpired
	}
	return closedError(c)
}

// closedError refuses an answer to what is closed.
func closedError(c *chat.Clarification) error {
	switch {
	case c.State == tools.StatePending:
		return nil
	case c.State.Replied():
		return &chat.Error{Code: chat.CodeAlreadyAnswered, Clarification: c}
	default:
		return &chat.Error{
			Code: chat.CodeClarificationClosed, Clarification: c, Params: map[string]any{"State": string(c.State)},
		}
	}
}

// ofTurn are those of the clarifications that a turn asked.
func ofTurn(all []chat.Clarification) []chat.Clarification {
	return slices.DeleteFunc(slices.Clone(all), func(c chat.Clarification) bool { return c.Asker != "" })
}

// asksNow are the open questions that wait since the run began: those of a fork.
func (t *transition) asksNow(fence int64) []chat.Clarification {
	return slices.DeleteFunc(slices.Clone(t.open), func(c chat.Clarification) bool { return c.AskedFence != fence })
}

// afford refuses the command if a budget is used up.
func (t *transition) afford() (err error) {
	t.Left, err = budget.Check(t.tx, &t.Setup.Config.Gateway.Limits.Tokens, t.cmd.Ref, t.now)
	return err
}
