package turn

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn/run"
	"github.com/askgate/askgate/tools"
)

// aside is a run without a turn: what programs ask and say, and how their questions end. It
// is over as it begins, and no model is asked. While a turn runs there is none: rows are
// stored, and the chat is told when that is over.
type aside struct {
	later  bool                 // a turn runs
	said   []chat.Message       // what was asked and said
	asked  []chat.Clarification // of said
	told   []chat.Clarification // ends that are announced
	status chat.Status          // of the chat, then
}

// beside makes the change one without a turn. What was not told yet is, with it.
func (t *transition) beside() error {
	head, turn := t.tx.Conversation(), t.tx.Turn()
	t.aside = &aside{}
	if turn != nil && turn.State == chat.TurnRunning {
		t.aside.later, head.Untold, head.UpdatedAt = true, true, t.now
		return nil
	}
	t.openRun()
	if !head.Untold {
		return nil
	}
	head.Untold = false
	return t.tellLate()
}

// tellLate takes what was stored while a turn ran into the run.
func (t *transition) tellLate() error {
	all, err := t.tx.Untold()
	if err != nil {
		return err
	}
	lines, err := t.tx.TakeAside()
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b chat.Clarification) int { return a.AskedAt.Compare(b.AskedAt) })
	for i := range all {
		c := &all[i]
		closed := c.State != tools.StatePending && c.DoneFence == 0
		if closed {
			c.DoneFence = t.tx.Conversation().Fence
		}
		if c.AskedFence == 0 {
			for len(lines) > 0 && lines[0].CreatedAt.Before(c.AskedAt) {
				if err := t.say(lines[0]); err != nil {
					return err
				}
				lines = lines[1:]
			}
			if err := t.ask(c); err != nil {
				return err
			}
		}
		if closed {
			t.aside.told = append(t.aside.told, *c)
		}
		if err := t.tx.SaveTold(c.ID, c.AskedFence, c.DoneFence); err != nil {
			return err
		}
	}
	for _, m := range lines {
		if err := t.say(m); err != nil {
			return err
		}
	}
	return nil
}

// ask has the run announce a question: it stands in the chat as a message without a text.
func (t *transition) ask(c *chat.Clarification) error {
	c.AskedFence = t.tx.Conversation().Fence
	t.aside.asked = append(t.aside.asked, *c)
	return t.say(chat.Message{
		ID: chat.NewID("msg"), Role: chat.RoleAssistant, CreatedAt: c.AskedAt, AskedBy: c.Question.AskedBy, ClarificationID: c.ID,
	})
}

// say has the run announce a message.
func (t *transition) say(m chat.Message) error {
	m.Fence = t.tx.Conversation().Fence
	t.aside.said = append(t.aside.said, m)
	return t.tx.AppendMessage(m)
}

// untoldAsides is what the log calls them.
const untoldAsides = "what programs asked while a turn ran"

// tellUntold tells chats whose turn ended on another node, or on one that died.
func (e *Engine) tellUntold(ctx context.Context) {
	e.beginAll(ctx, untoldAsides, e.Store.Untold, (*transition).takeUntold)
}

// takeUntold tells the chat what was stored while a turn ran.
func (t *transition) takeUntold() error {
	if turn := t.tx.Turn(); !t.tx.Conversation().Untold || turn != nil && turn.State == chat.TurnRunning {
		return errNothing
	}
	return t.beside()
}

// saveAside stores the run, which is over.
func (t *transition) saveAside() error {
	head := t.tx.Conversation()
	t.aside.status = t.status()
	if t.aside.later {
		t.Conversation = *head
		return t.remember(0, t.answered())
	}
	slices.SortFunc(t.aside.told, func(a, b chat.Clarification) int { return cmp.Compare(a.ID, b.ID) }) // as the store has them
	t.Record.ConversationID, t.Record.Fence, t.Record.StartedAt, t.Record.EndedAt = head.ID, head.Fence, t.now, t.now
	t.Record.FinishReason = chat.FinishStop
	if slices.ContainsFunc(t.aside.asked, func(c chat.Clarification) bool { return c.State == tools.StatePending }) {
		t.Record.FinishReason = chat.FinishClarification
	}
	opening := t.opening(head, &chat.Turn{})
	t.Record.LastSeq = int64(len(opening.Events())) + 1 // its done
	head.LastEvent = chat.EventID{Fence: head.Fence, Seq: t.Record.LastSeq}
	t.Conversation = *head
	if err := t.tx.SaveRun(t.Record); err != nil {
		return err
	}
	return t.remember(head.Fence, "")
}

// answered is what a repeated answer is known by, that the chat is told of later.
func (t *transition) answered() string {
	if len(t.closed) == 0 {
		return ""
	}
	return t.closed[0].ID
}

// announceAside publishes the run, under the lane.
func (t *transition) announceAside() Over {
	e := t.engine
	if t.aside.later {
		if r := e.registered(t.Conversation.ID); r != nil {
			r.Untold.Store(true)
		}
		return t.silent(t.closed)
	}
	var frames run.Frames
	rec := stream.NewRecorder(e.Hub.Record(t.Conversation.ID, t.Before, func() {}), &frames, t.Conversation.ChatID, t.Conversation.Fence)
	opening := t.opening(&t.Conversation, &chat.Turn{})
	for _, ev := range opening.Events() {
		rec.Event(ev)
	}
	rec.Event(chat.Event{Type: chat.EventDone, Data: chat.Done{ChatID: t.Conversation.ChatID, FinishReason: t.Record.FinishReason}})
	rec.Publish(true)
	rec.Flush()
	rec.Close()
	if t.Before == (chat.EventID{}) {
		stream.TellBegun(e.Hub, t.Conversation.Ref, t.Conversation.Fence)
	}
	return Over{Frames: frames, Result: t.asideResult()}
}

// silent is what the sender of an answer is shown that the chat is told of later: the same
// events, without ids.
func (t *transition) silent(closed []chat.Clarification) Over {
	var frames run.Frames
	for i := range closed {
		frames = stream.AppendUnnumbered(frames, chat.Event{Type: chat.EventClarificationResolved, Data: chat.NewResolved(&closed[i])})
	}
	frames = stream.AppendUnnumbered(frames, chat.Event{Type: chat.EventDone, Data: chat.Done{ChatID: t.Conversation.ChatID, FinishReason: chat.FinishStop}})
	return Over{Frames: frames, Result: t.asideResult()}
}

func (t *transition) asideResult() chat.Result {
	return chat.Result{Status: t.aside.status, FinishReason: cmp.Or(t.Record.FinishReason, chat.FinishStop)}
}

// status is the chat's.
func (t *transition) status() chat.Status {
	status := chat.StatusOf(t.tx.Turn())
	if status == chat.StatusIdle && t.tx.Conversation().Asking > 0 {
		return chat.StatusAwaitingInput
	}
	return status
}

// takeAside takes an answer to a program's question, by name or as a plain message. False: it
// is none.
func (t *transition) takeAside() (bool, error) {
	if t.tx.Conversation().Asking == 0 || t.cmd.Resume || len(t.cmd.Answers) > 0 {
		return false, nil
	}
	if t.cmd.Answer == nil {
		return t.messageBeside()
	}
	c, err := t.picked(t.cmd.Answer)
	if chat.CodeOf(err) == chat.CodeNotFound {
		return false, nil
	}
	if err != nil || c.Asker == "" || c.State != tools.StatePending { // of what is closed, an answer is refused as any other is
		return false, err
	}
	if err := t.closable(c); err != nil {
		return false, err
	}
	if err := t.meant(t.cmd.Answer, c); err != nil {
		return false, err
	}
	a, err := t.checkAnswer(c, t.cmd.Answer.Answer)
	if err != nil {
		return false, err
	}
	return true, t.closeBeside(c, a.Outcome(), &a, t.by(t.channel(chat.ChannelAPI)))
}

// messageBeside takes a message as the answer to a program's question, if nothing else waits
// in the chat, or it names the question; and it reads as an answer.
func (t *transition) messageBeside() (bool, error) {
	if turn := t.tx.Turn(); t.cmd.bearing() || t.App.Clarifications.OnMessageWhilePending != config.PendingAnswer || turn != nil && turn.State == chat.TurnRunning {
		return false, nil
	}
	c, err := t.aboutBeside()
	if err != nil || c == nil || t.due(c) {
		return false, err
	}
	a, ok, err := t.readAnswer(c)
	if !ok || err != nil {
		return false, err
	}
	switch err := t.heldBack(c); {
	case chat.CodeOf(err) == chat.CodeClarificationPending: // it is about something else
		return false, nil
	case err != nil:
		return false, err
	}
	return true, t.closeBeside(c, a.Outcome(), &a, t.by(chat.ChannelMessage))
}

// aboutBeside is the program's question that a message is about: the one that it names, or the only
// one where nothing else waits; nil where there is none.
func (t *transition) aboutBeside() (*chat.Clarification, error) {
	if id := t.cmd.ClarificationID; id != "" {
		c, err := t.tx.Clarification(id)
		if errors.Is(err, store.ErrNotFound) || err == nil && (c.Asker == "" || c.State != tools.StatePending) {
			return nil, nil
		}
		return &c, err
	}
	if t.tx.Conversation().Asking > 1 {
		return nil, nil
	}
	waits, err := t.tx.Pending()
	if err != nil || len(waits) > 0 {
		return nil, err
	}
	only, err := t.tx.PendingAside(1)
	if err != nil || len(only) == 0 {
		return nil, err
	}
	return &only[0], nil
}

// closeBeside closes a program's question, beside the turn.
func (t *transition) closeBeside(c *chat.Clarification, state tools.State, a *tools.Answer, by *chat.By) error {
	if err := t.beside(); err != nil {
		return err
	}
	if i := slices.IndexFunc(t.aside.asked, func(asked chat.Clarification) bool { return asked.ID == c.ID }); i >= 0 {
		c.AskedFence = t.aside.asked[i].AskedFence // it was told with this
	}
	if err := t.close(c, state, a, by); err != nil {
		return err
	}
	if !t.aside.later {
		t.aside.told = append(t.aside.told, *c)
	}
	for i := range t.aside.asked {
		if t.aside.asked[i].ID == c.ID {
			t.aside.asked[i].State = state
		}
	}
	return nil
}

// repeatedAside shows an answer again that the chat is told of later.
func (t *transition) repeatedAside(id string) error {
	c, err := t.tx.Clarification(id)
	if err != nil {
		return err
	}
	t.Conversation, t.aside = *t.tx.Conversation(), &aside{status: t.status()}
	t.instead = t.silent([]chat.Clarification{c})
	return nil
}

// isClarification says that the id of what a request did is that of a question it closed.
func isClarification(id string) bool { return strings.HasPrefix(id, "clr_") }
