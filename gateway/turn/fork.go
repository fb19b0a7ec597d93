package turn

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// forking makes the first turn of a chat that begins with another chat's past.
type forking struct {
	*update
	next   *transition
	judge  *judge
	origin *store.Origin
}

// takeFork begins a chat with everything that another one has before a message or before the answer
// to a question. The message is repeated or replaced; the answer is replaced.
func (in *incoming) takeFork() error {
	head, f := in.tx.Conversation(), in.cmd.Fork
	if head.Fence != 0 {
		return &chat.Error{Code: chat.CodeChatExists}
	}
	o, err := in.tx.Forks().Origin(f.From)
	if errors.Is(err, store.ErrTooLarge) {
		return &chat.Error{Code: chat.CodeNotForkable}
	} else if err != nil {
		return err
	}
	if err := forkable(o, f); err != nil {
		return err
	}
	said := o.Message.Content // the same message again
	if f.Message != nil {
		said = *f.Message
	}
	if !f.Branch { // a client sends instructions of its own with a branch
		in.cmd.Instructions = o.Message.Instructions
	}
	if err := in.roomFor(o.Bytes + int64(len(said)+len(in.cmd.Instructions))); err != nil {
		return err
	}
	if head.Language == "" {
		head.Language = o.Language
	}
	in.next.openRun()
	in.next.fresh, head.Fence = false, max(head.Fence, o.Fence+1) // higher than any fence that is copied
	head.Ephemeral, head.Lasting, head.Coded = o.Ephemeral, o.Lasting, o.Coded
	head.Fork = f.From
	head.Fork.TurnID = chat.NewID("turn")
	head.Root, head.Fork.Known = cmp.Or(o.Root, o.ChatID), head.ChatID
	if f.Branch {
		head.Fork.Known = o.KnownAs()
	}
	if o.Through > 0 { // otherwise the chat begins with other words
		head.Title, head.TitleBy = o.Title, o.TitleBy
	}
	if err := in.tx.Forks().Copy(o, head.Fork.TurnID); err != nil {
		return err
	}
	if err := in.tx.Forks().SaveRan(ran(o)); err != nil {
		return err
	}
	fork := &forking{in.update, in.next, &in.judge, o}
	if f.Answer != nil {
		err = fork.answer()
	} else {
		err = fork.message()
	}
	if err != nil {
		return err
	}
	if f.stops() && turnRuns(o) {
		return &stillRuns{o.Turn.ID}
	}
	return in.engine.node.Recorder.Forked(in.tx, &in.setup.Config.Gateway, head, in.cmd.By, in.now)
}

// stillRuns refuses a fork that could be made, but is to stop the turn first.
type stillRuns struct{ turnID string }

func (s *stillRuns) Error() string { return "turn: the turn has to be stopped first" }

// stopFor stops the turn that runs in the chat from which a command forks. The copy is made after
// the end of that turn is stored: calls that ran until then are known, and none begins later. A
// process that dies in between has forked nothing, and the same request forks then.
func (e *Engine) stopFor(ctx context.Context, cmd *Command, turnID string) error {
	from, fork := cmd.Ref, *cmd.Fork
	from.ChatID, fork.stopped = fork.From.ChatID, turnID
	cmd.Fork = &fork
	return e.cancel(ctx, from, turnID)
}

// stops reports whether the fork still has to stop the turn that runs.
func (f *Fork) stops() bool { return f.Stop && f.stopped == "" }

func turnRuns(o *store.Origin) bool { return o.Turn != nil && o.Turn.State == chat.TurnRunning }

// forkable refuses to fork where the chat could not go on as it did.
func forkable(o *store.Origin, f *Fork) error {
	no := &chat.Error{Code: chat.CodeNotForkable}
	switch {
	case o.Ephemeral && !o.Lasting:
		return no
	case turnRuns(o) && !f.stops() && (o.Turn.ID == o.Message.TurnID || o.Turn.ID == f.stopped):
		return &chat.Error{Code: chat.CodeTurnInProgress}
	case f.Answer == nil:
		if o.Message.Role != chat.RoleUser || o.Message.AskedBy != nil {
			return no
		}
		return nil
	}
	c := asked(o, f.From.ClarificationID)
	if !changeable(c) {
		return no
	}
	return nil
}

func asksForFiles(c *chat.Clarification) bool {
	return slices.ContainsFunc(c.Question.Parts, func(p tools.Part) bool { return p.InputType == tools.File })
}

func asked(o *store.Origin, id string) *chat.Clarification {
	return &o.Asked[slices.IndexFunc(o.Asked, func(c chat.Clarification) bool { return c.ID == id })]
}

// message begins a turn with the message at the point.
func (f *forking) message() error {
	if _, err := f.copyAsked(); err != nil {
		return err
	}
	cmd := *f.cmd
	if cmd.Message = cmd.Fork.Message; cmd.Message == nil {
		cmd.Message = &f.origin.Message.Content
	}
	if cmd.sent = f.origin.Message.Files; cmd.Fork.Branch && cmd.Fork.Message != nil || cmd.bearing() {
		cmd.sent = nil // a client sends all files of an edit with it
	}
	f.cmd = &cmd
	if err := f.next.beginTurn(); err != nil {
		return err
	}
	if len(cmd.sent) > 0 {
		if err := f.tx.Forks().CopyFiles(f.origin, f.origin.Message.ID, f.next.message.ID); err != nil {
			return err
		}
	}
	fork := &f.tx.Conversation().Fork
	fork.TurnID, fork.Own = f.next.message.TurnID, f.next.message.ID
	return f.copyForm()
}

// answer continues the turn of a question with another answer.
func (f *forking) answer() error {
	head, at := f.tx.Conversation(), asked(f.origin, f.cmd.Fork.From.ClarificationID)
	head.Fork.Own = at.ToolCallID
	if asksForFiles(at) { // the answer may name the earlier file, or a newer one
		for _, of := range []string{at.ID, ""} {
			if err := f.tx.Forks().CopyFiles(f.origin, of, ""); err != nil {
				return err
			}
		}
	}
	answer, err := f.judge.checkAnswer(at, *f.cmd.Fork.Answer)
	if err != nil {
		return err
	}
	turn := chat.Turn{ID: head.Fork.TurnID, ConversationID: head.ID, Interactive: f.cmd.Interactive, StartedAt: f.now}
	for _, state := range []chat.TurnState{chat.TurnRunning, chat.TurnPaused} {
		if err := turn.Move(state); err != nil {
			return err
		}
	}
	if err := f.tx.BeginTurn(turn); err != nil {
		return err
	}
	if err := f.next.turnsClaims(turn.ID); err != nil {
		return err
	}
	c, err := f.copyAsked()
	if err != nil {
		return err
	}
	channel := chat.ChannelAPI
	if f.cmd.Fork.Branch { // the answer is in words that can be edited again
		channel = chat.ChannelMessage
	}
	return f.next.answer(c, answer, channel)
}

// copyAsked copies the questions from before the point, as they are. If the point is a question,
// that is reopened and returned. What waits in the other chat waits in both.
func (f *forking) copyAsked() (point *chat.Clarification, err error) {
	head := f.tx.Conversation()
	list := slices.DeleteFunc(slices.Clone(f.origin.Asked), func(c chat.Clarification) bool {
		return slices.ContainsFunc(f.origin.Behind, func(b chat.ToolCall) bool { return b.ID == c.ToolCallID })
	})
	ids := make([]string, len(list))
	for i := range ids {
		ids[i] = chat.NewID("clr")
	}
	slices.Sort(ids) // the ids order those with the same number
	for i := range list {
		c, was := &list[i], list[i].ID
		at := was == f.cmd.Fork.From.ClarificationID
		runs := slices.ContainsFunc(f.origin.Message.ToolCalls, func(call chat.ToolCall) bool { return call.ID == c.ToolCallID && call.Result == nil })
		c.ID, c.ConversationID, c.Ref = ids[i], head.ID, head.Ref
		c.Copied, c.Remembered, c.Draft, c.DeletedFence = true, false, nil, 0
		if c.TurnID == f.origin.Message.TurnID {
			c.TurnID = head.Fork.TurnID
		}
		// A call that was approved and has not run yet may still run in the other chat.
		waits := !at && (c.State == tools.StatePending || runs && c.Approved())
		if at || waits {
			f.reopen(c)
		}
		if err := f.tx.AddClarification(*c); err != nil {
			return nil, err
		}
		if !at && asksForFiles(c) {
			if err := f.tx.Forks().CopyFiles(f.origin, was, c.ID); err != nil {
				return nil, err
			}
		}
		switch {
		case at:
			point = c
		case runs && c.Question.State != nil: // the call can only go on in the chat in which it began
			err = f.next.close(c, tools.StateSuperseded, nil, nil)
		case waits:
			err = f.engine.node.Recorder.Asked(f.tx, &f.setup.Config.Gateway, c, chat.Actor{Kind: chat.ActorGateway})
		}
		if err != nil {
			return nil, err
		}
	}
	return point, nil
}

// reopen makes a clarification wait as if it were asked now.
func (f *forking) reopen(c *chat.Clarification) {
	c.State, c.Answer, c.AnsweredAt, c.AnsweredBy, c.DoneFence = tools.StatePending, nil, time.Time{}, nil, 0
	c.Decisions, c.Escalated = nil, nil // they were about the call of the other chat
	if !c.ExpiresAt.IsZero() {
		c.ExpiresAt = f.now.Add(c.ExpiresAt.Sub(c.AskedAt))
	}
	c.AskedAt, c.AskedFence, c.SeenAt = f.now, f.tx.Conversation().Fence, time.Time{}
}

// ran returns the calls behind the point that have run, and would run again with the same arguments,
// and those of its own step that were cut off: they may have taken effect. Calls that may be repeated are
// included if a person approved them: only the code that runs a call knows which those are.
func ran(o *store.Origin) []chat.Ran {
	list, calls := slices.Clone(o.Ran), slices.Clone(o.Behind)
	for i := range o.Message.ToolCalls {
		if c := &o.Message.ToolCalls[i]; c.Result != nil && c.Result.Error != nil && c.Result.Error.Code == tools.CodeInterrupted {
			calls = append(calls, *c)
		}
	}
	for i := range calls {
		call := &calls[i]
		began, arguments := call.Started != 0, call.Arguments
		for j := range o.Asked {
			c := &o.Asked[j]
			if c.ToolCallID != call.ID {
				continue
			}
			began = began || c.Question.State != nil || c.Question.Kind == tools.KindInput && c.State == tools.StateAnswered
			if c.Approved() && c.Answer.Arguments != nil {
				arguments = string(c.Answer.Arguments)
			}
		}
		if began {
			list = append(list, chat.NewRan(call.Name, arguments))
		}
	}
	return list
}

// copyForm begins a fork's first turn with the form that was filled in behind the point: a chat asks
// for it only once, however often its first answer is replaced. The form counts as answered before,
// so no one is asked.
func (f *forking) copyForm() error {
	at := -1
	for i := range f.origin.Asked {
		behind := slices.ContainsFunc(f.origin.Behind, func(b chat.ToolCall) bool { return b.ID == f.origin.Asked[i].ToolCallID })
		if f.origin.Asked[i].IsForm() && f.origin.Asked[i].State.Replied() && behind {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	head, c := f.tx.Conversation(), f.origin.Asked[at]
	c.ID, c.ConversationID, c.Ref, c.TurnID = chat.NewID("clr"), head.ID, head.Ref, f.tx.Turn().ID
	c.Copied, c.Draft, c.DeletedFence, c.AskedFence, c.DoneFence = true, nil, 0, head.Fence, head.Fence
	if c.State == tools.StateSkipped || c.State == tools.StateDeclined {
		c.Answer = &tools.Answer{Skipped: true}
		if n := len(c.Question.Parts); n > 1 {
			c.Answer = &tools.Answer{Answers: slices.Repeat([]tools.Answer{{Skipped: true}}, n)}
		}
	}
	c.State = tools.StateRemembered
	opening := f.next.opening(head, f.tx.Turn())
	f.next.form = &chat.Message{
		ID: chat.NewID("msg"), TurnID: c.TurnID, Fence: head.Fence, Role: chat.RoleAssistant, CreatedAt: f.now, Seq: int64(len(opening.Events())),
		ToolCalls: []chat.ToolCall{{ID: c.ToolCallID, Name: c.ToolName, Arguments: c.Arguments}},
	}
	if err := f.tx.AppendMessage(*f.next.form); err != nil {
		return err
	}
	return f.tx.AddClarification(c)
}
