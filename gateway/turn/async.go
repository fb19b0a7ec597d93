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
	"github.com/askgate/askgate/tools"
)

// async is a run without a turn: what programs ask and say, and how their questions end. It is over
// as soon as it begins, and asks no model. While a turn runs, there is no such run: rows are stored,
// and announced in the chat when the turn is over.
type async struct {
	t      *transition
	later  bool                 // a turn runs: announce this when it is over
	said   []chat.Message       // messages, those of questions included
	asked  []chat.Clarification // the questions among them
	closed []chat.Clarification // closed questions whose end is announced
	gone   []chat.Clarification // closed questions whose answer was deleted
	status chat.Status          // of the chat, after the run
}

// goAsync makes this change one without a turn, and announces with it what has not been announced
// yet.
func (t *transition) goAsync() error {
	head, turn := t.tx.Conversation(), t.tx.Turn()
	t.async = &async{t: t}
	if turn != nil && turn.State == chat.TurnRunning {
		t.async.later, head.Unpublished, head.UpdatedAt = true, true, t.now
		return nil
	}
	t.openRun()
	if !head.Unpublished {
		return nil
	}
	head.Unpublished = false
	return t.async.publishLate()
}

// publishLate adds to the run what was stored while a turn ran.
func (a *async) publishLate() error {
	all, err := a.t.tx.Clarifications().Unpublished()
	if err != nil {
		return err
	}
	lines, err := a.t.tx.TakeDeferred()
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(x, y chat.Clarification) int { return x.AskedAt.Compare(y.AskedAt) })
	for i := range all {
		c := &all[i]
		closed := c.State != tools.StatePending && c.DoneFence == 0
		if closed {
			c.DoneFence = a.t.tx.Conversation().Fence
		}
		if c.AskedFence == 0 {
			for len(lines) > 0 && lines[0].CreatedAt.Before(c.AskedAt) {
				if err := a.say(lines[0]); err != nil {
					return err
				}
				lines = lines[1:]
			}
			if err := a.ask(c); err != nil {
				return err
			}
		}
		if closed {
			a.closed = append(a.closed, *c)
		}
		if err := a.t.tx.Clarifications().SavePublished(c.ID, c.AskedFence, c.DoneFence); err != nil {
			return err
		}
	}
	for _, m := range lines {
		if err := a.say(m); err != nil {
			return err
		}
	}
	return a.publishDeleted()
}

// publishDeleted adds to the run which answers were deleted. The end of a question is announced only
// once in a run.
func (a *async) publishDeleted() error {
	tx, fence := a.t.tx, a.t.tx.Conversation().Fence
	all, err := tx.Answers().Unannounced()
	if err != nil {
		return err
	}
	for i := range all {
		c := &all[i]
		if err := tx.Answers().Announced(c.ID, fence); err != nil {
			return err
		}
		if slices.ContainsFunc(a.closed, func(of chat.Clarification) bool { return of.ID == c.ID }) {
			continue
		}
		c.DeletedFence = fence
		a.gone = append(a.gone, *c)
		if err := a.t.engine.node.Recorder.Deleted(tx, c, a.t.now); err != nil {
			return err
		}
	}
	return nil
}

// ask has the run announce a question, which is in the chat as a message without text.
func (a *async) ask(c *chat.Clarification) error {
	c.AskedFence = a.t.tx.Conversation().Fence
	a.asked = append(a.asked, *c)
	return a.say(chat.Message{
		ID: chat.NewID("msg"), Role: chat.RoleAssistant, CreatedAt: c.AskedAt, AskedBy: c.Question.AskedBy, ClarificationID: c.ID,
	})
}

// say has the run announce a message.
func (a *async) say(m chat.Message) error {
	m.Fence = a.t.tx.Conversation().Fence
	a.said = append(a.said, m)
	return a.t.tx.AppendMessage(m)
}

// unpublishedAsks names these in the log.
const unpublishedAsks = "what programs asked while a turn ran"

// publishUnpublished announces what is still unannounced in chats whose turn ended on another node, or on a
// node that died.
func (s *sweeper) publishUnpublished(ctx context.Context) {
	s.beginAll(ctx, unpublishedAsks, s.engine.Store.Due().Unpublished, (*transition).takeUnpublished)
}

// takeUnpublished announces in the chat what was stored while a turn ran.
func (t *transition) takeUnpublished() error {
	if turn := t.tx.Turn(); !t.tx.Conversation().Unpublished || turn != nil && turn.State == chat.TurnRunning {
		return errNothing
	}
	return t.goAsync()
}

// save stores the run and its end.
func (a *async) save() error {
	head := a.t.tx.Conversation()
	a.status = a.t.status()
	if a.later {
		a.t.start.Conversation = *head
		return a.t.remember(0, a.answered())
	}
	slices.SortFunc(a.closed, func(x, y chat.Clarification) int { return cmp.Compare(x.ID, y.ID) }) // in the store's order
	a.t.start.Record.ConversationID, a.t.start.Record.Fence, a.t.start.Record.StartedAt, a.t.start.Record.EndedAt = head.ID, head.Fence, a.t.now, a.t.now
	a.t.start.Record.FinishReason = chat.FinishStop
	if slices.ContainsFunc(a.asked, func(c chat.Clarification) bool { return c.State == tools.StatePending }) {
		a.t.start.Record.FinishReason = chat.FinishClarification
	}
	a.t.begun(head, &chat.Turn{})
	a.t.start.Conversation = *head
	if err := a.t.tx.SaveRun(a.t.start.Record); err != nil {
		return err
	}
	return a.t.remember(head.Fence, "")
}

// answered returns the id by which a repeated answer is recognised if the answer is announced later.
func (a *async) answered() string {
	if len(a.t.closed) == 0 {
		return ""
	}
	return a.t.closed[0].ID
}

// announce publishes the run. The lane must be held.
func (a *async) announce() Over {
	e := a.t.engine
	if a.later {
		if r := e.runs.registered(a.t.start.Conversation.ID); r != nil {
			r.Unpublished.Store(true)
		}
		return a.silent(a.t.closed)
	}
	if len(a.gone) > 0 {
		e.Hub.Forget(a.t.start.Conversation.ID)
	}
	var events stream.Events
	rec := stream.NewRecorder(e.Hub.Record(a.t.start.Conversation.ID, a.t.start.Before, func() {}), &events, a.t.start.Conversation.ChatID, a.t.start.Conversation.Fence)
	rec.Emit(a.t.start.Begun.After(rec.Last())...)
	rec.Publish(true)
	rec.Flush()
	rec.Close()
	if a.t.start.Before == (chat.EventID{}) {
		stream.AnnounceBegun(e.Hub, a.t.start.Conversation.Ref, a.t.start.Conversation.Fence)
	}
	return Over{Events: events, Result: a.result()}
}

// silent returns what the sender of an answer is shown if the answer is announced later: the same
// events, without ids.
func (a *async) silent(closed []chat.Clarification) Over {
	var events stream.Events
	for i := range closed {
		events.AddAs("", chat.Event{Type: chat.EventClarificationResolved, Data: chat.NewResolved(&closed[i])})
	}
	events.AddAs("", chat.Event{Type: chat.EventDone, Data: chat.Done{ChatID: a.t.start.Conversation.ChatID, FinishReason: chat.FinishStop}})
	return Over{Events: events, Result: a.result()}
}

func (a *async) result() chat.Result {
	return chat.Result{Status: a.status, FinishReason: cmp.Or(a.t.start.Record.FinishReason, chat.FinishStop)}
}

// takeAsync takes an answer to a program's question, given by name or as a plain message. It returns
// false if the command is not such an answer.
func (in *incoming) takeAsync() (bool, error) {
	if in.tx.Conversation().Asking == 0 || in.cmd.Resume || len(in.cmd.Answers) > 0 {
		return false, nil
	}
	if in.cmd.Answer == nil {
		return in.messageAsync()
	}
	c, err := in.judge.picked(in.cmd.Answer)
	if chat.CodeOf(err) == chat.CodeNotFound {
		return false, nil
	}
	if err != nil || c.Asker == "" || c.State != tools.StatePending { // an answer to a closed question is refused like any other
		return false, err
	}
	if err := in.closable(c); err != nil {
		return false, err
	}
	if err := in.judge.meant(in.cmd.Answer, c); err != nil {
		return false, err
	}
	a, err := in.judge.checkAnswer(c, in.cmd.Answer.Answer)
	if err != nil {
		return false, err
	}
	return true, in.next.closeAsync(c, a.Outcome(), &a, in.by(in.channel(chat.ChannelAPI)))
}

// messageAsync takes a message as the answer to a program's question if it reads as one, and either
// names the question or nothing else waits in the chat.
func (in *incoming) messageAsync() (bool, error) {
	if turn := in.tx.Turn(); in.cmd.Queue || in.cmd.bearing() || in.app.Clarifications.OnMessageWhilePending != config.PendingAnswer || turn != nil && turn.State == chat.TurnRunning {
		return false, nil
	}
	c, err := in.judge.aboutAsync()
	if err != nil || c == nil || in.due(c) {
		return false, err
	}
	a, ok, err := in.judge.readAnswer(c)
	if !ok || err != nil {
		return false, err
	}
	switch err := in.judge.heldBack(c); {
	case chat.CodeOf(err) == chat.CodeClarificationPending: // it is about something else
		return false, nil
	case err != nil:
		return false, err
	}
	return true, in.next.closeAsync(c, a.Outcome(), &a, in.by(chat.ChannelMessage))
}

// aboutAsync returns the program's question that a message is about: the one that it names, or the
// only one if nothing else waits; nil if there is none.
func (j *judge) aboutAsync() (*chat.Clarification, error) {
	if id := j.cmd.ClarificationID; id != "" {
		c, err := j.tx.Clarifications().Find(id)
		if errors.Is(err, store.ErrNotFound) || err == nil && (c.Asker == "" || c.State != tools.StatePending) {
			return nil, nil
		}
		return &c, err
	}
	if j.tx.Conversation().Asking > 1 {
		return nil, nil
	}
	waits, err := j.tx.Clarifications().Pending()
	if err != nil || len(waits) > 0 {
		return nil, err
	}
	only, err := j.tx.Clarifications().PendingAsync(1)
	if err != nil || len(only) == 0 {
		return nil, err
	}
	return &only[0], nil
}

// closeAsync closes a program's question, independently of the turn.
func (t *transition) closeAsync(c *chat.Clarification, state tools.State, a *tools.Answer, by *chat.By) error {
	if err := t.goAsync(); err != nil {
		return err
	}
	if i := slices.IndexFunc(t.async.asked, func(asked chat.Clarification) bool { return asked.ID == c.ID }); i >= 0 {
		c.AskedFence = t.async.asked[i].AskedFence // this run announces the question, too
	}
	if err := t.close(c, state, a, by); err != nil {
		return err
	}
	if !t.async.later {
		t.async.closed = append(t.async.closed, *c)
	}
	for i := range t.async.asked {
		if t.async.asked[i].ID == c.ID {
			t.async.asked[i].State = state
		}
	}
	return nil
}

// repeatedAsync repeats the reply to an answer that is announced later.
func (in *incoming) repeatedAsync(id string) error {
	c, err := in.tx.Clarifications().Find(id)
	if err != nil {
		return err
	}
	in.next.start.Conversation, in.next.async = *in.tx.Conversation(), &async{t: in.next, status: in.status()}
	in.next.instead = in.next.async.silent([]chat.Clarification{c})
	return nil
}

// isClarification reports whether the id of what a request did is that of a question it closed.
func isClarification(id string) bool { return strings.HasPrefix(id, "clr_") }
