package native

import (
	"context"
	"io"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Engine has the methods of the turn engine, and of the reader that accompanies it, that only the
// gateway's own protocol needs.
type Engine interface {
	// Snapshot returns a chat with its newest messages, or those before a given one, as far as ctx
	// admits them; maxQuestions is the cap that it reports.
	Snapshot(ctx context.Context, ref chat.Ref, maxQuestions, messages int, before string) (*chat.Snapshot, error)
	// Content returns the content of a part of a tool's result.
	Content(ctx context.Context, ref chat.Ref, id string) (chat.Bytes, error)
	// Follow opens a view of a chat after the event id ("" for the start of a new view). What it
	// begins with must be admitted by ctx.
	Follow(ctx context.Context, ref chat.Ref, maxQuestions int, after string) (host.Following, error)
	Cancel(ctx context.Context, ref chat.Ref) error
	// TakeBack removes a queued message. SendNow begins the turn of one in place of the newest turn.
	TakeBack(ctx context.Context, ref chat.Ref, messageID string) error
	SendNow(ctx context.Context, now turn.SendNow) error
	Delete(ctx context.Context, ref chat.Ref) error
	Rename(ctx context.Context, ref chat.Ref, title string) (chat.Conversation, error)
	// DeleteBranches and RenameBranches do the same with all branches of the chat.
	DeleteBranches(ctx context.Context, ref chat.Ref) error
	RenameBranches(ctx context.Context, ref chat.Ref, title string) (chat.Conversation, error)
	// Revoke forgets that calls of the tool were allowed for the rest of the chat.
	Revoke(ctx context.Context, ref chat.Ref, tool string) error
	// SearchOptions finds options of a pending question; total is how many match.
	SearchOptions(ctx context.Context, setup *turn.Setup, ref chat.Ref, app *config.App, q turn.OptionQuery) (found []tools.Option, total int, err error)
	// OpenFile returns a file of a chat, and its content.
	OpenFile(ctx context.Context, ref chat.Ref, id, clarificationID string) (chat.File, io.ReadCloser, error)
	// Withdraw closes a question for its asker.
	Withdraw(ctx context.Context, id string, by chat.Actor) error
	// DeleteAnswer deletes the answer to a clarification for who gave it.
	DeleteAnswer(ctx context.Context, setup *turn.Setup, id string, by chat.Actor) error
	// Seen records that a screen has shown a clarification.
	Seen(ctx context.Context, c chat.Clarification) error
}
