package turn

import (
	"cmp"
	"errors"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
)

// errNothing says that what was due is no longer due.
var errNothing = errors.New("turn: nothing to do")

// update is one transaction on a chat and its circumstances. All fields may be read at any time.
type update struct {
	engine *Engine
	setup  *Setup
	app    *config.App
	cmd    *Command // the client's command; for what becomes due, it has only the chat
	tx     store.Tx
	now    time.Time
}

// remember stores what the request's idempotency key stands for.
func (u *update) remember(fence int64, messageID string) error {
	if u.cmd.IdempotencyKey == "" {
		return nil
	}
	return u.tx.Keys().Save(chat.Key{
		Key: u.cmd.IdempotencyKey, Hash: u.cmd.Hash, Fence: fence, Of: messageID, CreatedAt: u.now,
	})
}

// channel returns how the command came, or usual if the command does not say.
func (u *update) channel(usual chat.Channel) chat.Channel {
	return cmp.Or(u.cmd.via, u.cmd.Channel, usual)
}

// by returns the sender of the command, with the channel.
func (u *update) by(channel chat.Channel) *chat.By {
	subject := u.cmd.By.Subject
	if u.cmd.By.Kind == "" {
		subject = u.cmd.Ref.Subject
	}
	return &chat.By{Subject: subject, Channel: channel, ClientID: u.cmd.ClientID}
}

// due reports whether a pending question has expired, although it has not been closed yet.
func (u *update) due(c *chat.Clarification) bool {
	return c.State == tools.StatePending && !c.ExpiresAt.IsZero() && !u.now.Before(c.ExpiresAt)
}

// closable refuses to close a question that is closed already or has expired.
func (u *update) closable(c *chat.Clarification) error {
	if u.due(c) {
		c.State = tools.StateExpired
	}
	return closedError(c)
}

// closedError refuses an answer to a closed question.
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

// roomFor refuses what a person sends once their storage is full.
func (u *update) roomFor(bytes int64) error {
	return budget.Storage(u.tx, u.setup.Config.Gateway.Limits.StoredBytes, u.cmd.Ref.Owner(), bytes)
}

// attached returns the files that come with the message of that id.
func (u *update) attached(messageID string) ([]chat.SentFile, error) {
	switch {
	case u.cmd.Bringing:
		return nil, ErrBring
	case len(u.cmd.Files) == 0:
		return u.cmd.sent, nil
	}
	files, err := uploads.Attach(u.tx.Files(), u.tx.Conversation().Ref, &u.app.Attachments, u.cmd.Files, messageID)
	for i := range min(len(files), len(u.cmd.Sums)) {
		files[i].Sum = u.cmd.Sums[i]
	}
	return files, err
}

// fullWait is when the asker of too many questions should try again: once people have answered some.
const fullWait = time.Minute

// roomAsync refuses what a program asks or says if too much waits already, in the chat or from the
// asker for the same person or role.
func (u *update) roomAsync(bytes int64, role, asker string) error {
	open, err := u.tx.OpenBytes()
	if err != nil {
		return err
	}
	from, err := u.tx.OpenFrom(role, asker)
	if err != nil {
		return err
	}
	if max(open, from)+bytes > store.MaxOpen {
		return &chat.Error{Code: chat.CodeClarificationLimit, RetryAfter: fullWait}
	}
	return nil
}

// status returns the chat's status.
func (u *update) status() chat.Status {
	status := chat.StatusOf(u.tx.Turn())
	if status == chat.StatusIdle && u.tx.Conversation().Asking > 0 {
		return chat.StatusAwaitingInput
	}
	return status
}
