package turn

import (
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// takeResume goes on with the newest turn after an error, a stop or a limit ended it. It begins at
// the first step without a stored end, with all stored results and answers.
func (in *incoming) takeResume() error {
	turn := in.tx.Turn()
	if turn == nil {
		if in.tx.Conversation().Fence == 0 {
			return &chat.Error{Code: chat.CodeNotFound}
		}
		return &chat.Error{Code: chat.CodeNothingToResume} // only programs have asked in this chat
	}
	if turn.State == chat.TurnRunning {
		return &chat.Error{Code: chat.CodeTurnInProgress}
	}
	queue, err := in.tx.Queue() // queued messages come next
	if err != nil {
		return err
	}
	if !turn.Resumable() || len(queue) > 0 {
		return &chat.Error{Code: chat.CodeNothingToResume}
	}
	if turn.FinishReason == chat.FinishError || turn.FinishReason == chat.FinishCancelled {
		run, err := in.tx.LastRun(turn.ID) // runs of programs may have followed
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if run.Failure.Final() {
			return &chat.Error{Code: chat.CodeNothingToResume}
		}
		if in.next.start.Record.Discards, err = in.tx.DropText(run.Fence); err != nil {
			return err
		}
	}
	if turn.FinishReason == chat.FinishMaxSteps || turn.Steps >= in.app.MaxSteps {
		turn.Steps = 0
	}
	turn.Interactive = turn.Interactive && in.cmd.Interactive
	if err := in.next.turnsClaims(turn.ID); err != nil {
		return err
	}
	in.next.openRun()
	in.next.start.Record.Resumed = true
	turn.FinishReason, turn.EndedAt = "", time.Time{}
	return turn.Move(chat.TurnRunning)
}
