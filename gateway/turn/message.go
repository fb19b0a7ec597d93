package turn

import (
	"cmp"
	"errors"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// takeMessage begins a turn, or answers or supersedes the pending questions.
func (in *incoming) takeMessage() error {
	turn := in.tx.Turn()
	if turn != nil && turn.State == chat.TurnRunning {
		return &chat.Error{Code: chat.CodeTurnInProgress}
	}
	if turn != nil && turn.State == chat.TurnPaused {
		answered, err := in.messageWhilePending(turn)
		if err != nil || answered {
			return err
		}
	}
	if err := in.roomFor(int64(len(*in.cmd.Message) + len(in.cmd.Instructions))); err != nil {
		return err
	}
	return in.next.beginTurn()
}

func (t *transition) beginTurn() error {
	head := t.tx.Conversation()
	turn := chat.Turn{
		ID: chat.NewID("turn"), ConversationID: head.ID, Interactive: t.cmd.Interactive, StartedAt: t.now,
	}
	if err := turn.Move(chat.TurnRunning); err != nil {
		return err
	}
	if err := t.tx.BeginTurn(turn); err != nil {
		return err
	}
	if err := t.turnsClaims(turn.ID); err != nil {
		return err
	}
	id := t.cmd.messageID
	if id == "" {
		id = chat.NewID("msg")
	}
	files, err := t.attached(id)
	if err != nil {
		return err
	}
	t.message = &chat.Message{
		ID: id, TurnID: turn.ID, Fence: head.Fence, Role: chat.RoleUser,
		Content: *t.cmd.Message, CreatedAt: t.now, Files: files, ClientID: t.cmd.ClientID, Instructions: t.cmd.Instructions,
	}
	if err := t.tx.AppendMessage(*t.message); err != nil {
		return err
	}
	return t.instruct()
}

// instruct stores the instructions that came with the message, and drops all others of the chat
// except those of queued messages. If the app does not accept instructions any more, none are kept.
func (t *transition) instruct() error {
	if t.app.ClientInstructions != config.InstructionsAppend {
		t.message.Instructions = ""
		return t.tx.DropInstructions("")
	}
	if err := t.tx.DropInstructions(t.message.ID); err != nil || t.cmd.Instructions == "" {
		return err
	}
	return t.tx.Instruct(t.message.ID, t.cmd.Instructions)
}

// tooLate refuses a message that answers a question which was closed after the message's request was
// read.
func (in *incoming) tooLate() error {
	if in.cmd.Message == nil || in.cmd.Queue || !in.cmd.Waited || in.cmd.bearing() || in.app.Clarifications.OnMessageWhilePending != config.PendingAnswer {
		return nil
	}
	c, err := in.tx.Clarifications().Find(in.cmd.ClarificationID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil || c.State == tools.StatePending {
		return err
	}
	if _, ok, err := in.judge.readAnswer(&c); !ok || err != nil {
		return err
	}
	return closedError(&c)
}

// messageWhilePending applies onMessageWhilePending. It returns true if the message was the answer,
// and false if the pending questions are closed and the message begins a turn.
func (in *incoming) messageWhilePending(turn *chat.Turn) (bool, error) {
	pending, err := in.tx.Clarifications().Pending()
	if err != nil {
		return false, err
	}
	policy := in.app.Clarifications.OnMessageWhilePending
	if policy == config.PendingReject && len(pending) > 0 && !in.due(&pending[0]) {
		return false, &chat.Error{Code: chat.CodeClarificationPending, Clarification: &pending[0]}
	}
	if c := in.cmd.about(pending); policy == config.PendingAnswer && !in.cmd.bearing() && c != nil && c.For == "" && !in.due(c) {
		a, ok, err := in.judge.readAnswer(c)
		if err != nil {
			return false, err
		}
		if ok {
			if err := in.judge.heldBack(c); err != nil {
				return false, err
			}
			if c.Question.Kind == tools.KindApproval && in.cmd.ClarificationID == "" && in.tx.Conversation().Asking > 0 {
				// a yes that may be meant for a program's question approves nothing
				return false, &chat.Error{Code: chat.CodeClarificationPending, Clarification: c}
			}
			turn.Interactive = turn.Interactive && in.cmd.Interactive
			return true, in.next.answer(c, a, chat.ChannelMessage)
		}
	}
	for i := range pending { // a yes does not bypass a decision that others have to make
		if c := &pending[i]; c.For != "" && !in.due(c) {
			if _, ok, err := in.judge.readAnswer(c); ok || err != nil {
				return false, cmp.Or(err, decidedBy(c))
			}
		}
	}
	return false, in.next.supersede(turn, pending)
}

// supersede ends a turn that waits, and closes what it waits for.
func (t *transition) supersede(turn *chat.Turn, pending []chat.Clarification) error {
	for i := range pending {
		state := tools.StateSuperseded
		if t.due(&pending[i]) {
			state = tools.StateExpired
		}
		if err := t.close(&pending[i], state, nil, nil); err != nil {
			return err
		}
	}
	if err := t.dropClaims(turn.ID); err != nil {
		return err
	}
	turn.FinishReason, turn.EndedAt = chat.FinishClarification, t.now
	return turn.Move(chat.TurnEnded)
}

// pass makes a new chat ephemeral if the command requests it. A chat that is not ephemeral stays so.
func (in *incoming) pass() error {
	if !in.cmd.Ephemeral || in.cmd.Message == nil {
		return nil
	}
	head := in.tx.Conversation()
	if head.Fence == 0 {
		head.Ephemeral, head.Lasting = true, in.cmd.Lasting
	}
	if !head.Ephemeral {
		return &chat.Error{Code: chat.CodeInvalidRequest, Detail: "chat_kept"}
	}
	return nil
}
