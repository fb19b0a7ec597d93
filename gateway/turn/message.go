package turn

import (
	"cmp"
	"errors"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
)

// takeMessage begins a turn, or answers or supersedes what is pending.
func (t *transition) takeMessage() error {
	turn := t.tx.Turn()
	if turn != nil && turn.State == chat.TurnRunning {
		return &chat.Error{Code: chat.CodeTurnInProgress}
	}
	if turn != nil && turn.State == chat.TurnPaused {
		answered, err := t.messageWhilePending(turn)
		if err != nil || answered {
			return err
		}
	}
	if err := t.roomFor(int64(len(*t.cmd.Message) + len(t.cmd.Instructions))); err != nil {
		return err
	}
	return t.beginTurn()
}

// roomFor refuses what a person sends, where as much of theirs is stored as may be.
func (t *transition) roomFor(bytes int64) error {
	return budget.Storage(t.tx, t.Setup.Config.Gateway.Limits.StoredBytes, t.cmd.Ref.Owner(), bytes)
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

// instruct keeps the instructions that came with the message, and no others of the chat's but those of
// queued messages. Where the app does not take any more, it keeps none.
func (t *transition) instruct() error {
	if t.App.ClientInstructions != config.InstructionsAppend {
		t.message.Instructions = ""
		return t.tx.DropInstructions("")
	}
	if err := t.tx.DropInstructions(t.message.ID); err != nil || t.cmd.Instructions == "" {
		return err
	}
	return t.tx.Instruct(t.message.ID, t.cmd.Instructions)
}

// attached are the files that come with the message of that id.
func (t *transition) attached(messageID string) ([]chat.SentFile, error) {
	switch {
	case t.cmd.Bringing:
		return nil, ErrBring
	case len(t.cmd.Files) == 0:
		return t.cmd.sent, nil
	}
	files, err := uploads.Attach(t.tx, &t.App.Attachments, t.cmd.Files, messageID)
	for i := range min(len(files), len(t.cmd.Sums)) {
		files[i].Sum = t.cmd.Sums[i]
	}
	return files, err
}

// tooLate refuses a message that would have answered a question which was closed since its request was read.
func (t *transition) tooLate() error {
	if t.cmd.Message == nil || !t.cmd.Waited || t.cmd.bearing() || t.App.Clarifications.OnMessageWhilePending != config.PendingAnswer {
		return nil
	}
	c, err := t.tx.Clarification(t.cmd.ClarificationID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil || c.State == tools.StatePending {
		return err
	}
	if _, ok, err := t.readAnswer(&c); !ok || err != nil {
		return err
	}
	return closedError(&c)
}

// messageWhilePending applies onMessageWhilePending (contract 6.7). True: the message was
// the answer; false: what was pending is closed and the message follows.
func (t *transition) messageWhilePending(turn *chat.Turn) (bool, error) {
	pending, err := t.pending()
	if err != nil {
		return false, err
	}
	policy := t.App.Clarifications.OnMessageWhilePending
	if policy == config.PendingReject && len(pending) > 0 && !t.due(&pending[0]) {
		return false, &chat.Error{Code: chat.CodeClarificationPending, Clarification: &pending[0]}
	}
	if c := t.cmd.about(pending); policy == config.PendingAnswer && !t.cmd.bearing() && c != nil && c.For == "" && !t.due(c) {
		a, ok, err := t.readAnswer(c)
		if err != nil {
			return false, err
		}
		if ok {
			if err := t.heldBack(c); err != nil {
				return false, err
			}
			if c.Question.Kind == tools.KindApproval && t.cmd.ClarificationID == "" && t.tx.Conversation().Asking > 0 {
				// a yes that may be meant for what a program asks allows nothing
				return false, &chat.Error{Code: chat.CodeClarificationPending, Clarification: c}
			}
			turn.Interactive = turn.Interactive && t.cmd.Interactive
			return true, t.answer(c, a, chat.ChannelMessage)
		}
	}
	for i := range pending { // a yes to what others decide does not go past them
		if c := &pending[i]; c.For != "" && !t.due(c) {
			if _, ok, err := t.readAnswer(c); ok || err != nil {
				return false, cmp.Or(err, decidedBy(c))
			}
		}
	}
	for i := range pending {
		state := tools.StateSuperseded
		if t.due(&pending[i]) {
			state = tools.StateExpired
		}
		if err := t.close(&pending[i], state, nil, nil); err != nil {
			return false, err
		}
	}
	turn.FinishReason, turn.EndedAt = chat.FinishClarification, t.now
	return false, turn.Move(chat.TurnEnded)
}
