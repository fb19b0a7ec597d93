package front

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
)

// Chats gives access to the caller's chats in the entered app. The request may be in one of them.
type Chats struct{ R *host.Request }

// Enter goes to a chat by any id that a client has for it, up to 200 bytes (see ChatID), and
// reports it in X-Chat-Id. The chat need not exist. A refusal names field, the place of the id in
// the request.
func (c Chats) Enter(id, field string) error {
	own := ChatID(id)
	if own == "" {
		return Invalid("client_chat_id", field, map[string]any{"Max": MaxChatID})
	}
	c.at(own)
	return nil
}

// of returns the reference of a chat by its own id.
func (c Chats) of(id string) chat.Ref {
	ref := c.R.Ref
	ref.Tenant, ref.Subject, ref.App, ref.ChatID = c.R.Caller.Tenant, c.R.Caller.Subject, c.R.App.ID, id
	return ref
}

func (c Chats) at(id string) {
	c.R.Ref, c.R.ChatKnown, c.R.Response().About.ChatID = c.of(id), true, id
	c.R.Header().Set("X-Chat-Id", id)
}

// Ref returns the reference of the chat that the request is in.
func (c Chats) Ref() chat.Ref { return c.R.Ref }

// Go goes to a chat by its own id, and reports it in X-Chat-Id.
func (c Chats) Go(id string) error {
	if !host.ChatID.MatchString(id) {
		return Invalid("chat_id", "id", nil)
	}
	c.at(id)
	return nil
}

// View returns the chat with its newest message and all its clarifications, or nil if it does not
// exist yet.
func (c Chats) View() (*store.View, error) { return c.part(c.R.Ref, store.Part{Limit: 1}) }

// Recent returns another chat, by its own id, with its newest messages, or nil.
func (c Chats) Recent(id string, part store.Part) (*store.View, error) { return c.part(c.of(id), part) }

// maxClosed bounds, in bytes, the closed questions that a front searches for what a client means.
const maxClosed = 4 << 20

// part reads the part of a chat that is needed to know what a client means, once there is room
// for it.
func (c Chats) part(of chat.Ref, part store.Part) (*store.View, error) {
	ctx, release := host.Reading(c.R, host.CostOfReply)
	defer release()
	part.Closed = maxClosed
	view, err := c.R.Host.Store.ViewPart(ctx, of, part)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return view, err
}

// List lists the chats, the last changed first.
func (c Chats) List(page store.Page) ([]store.Listed, string, error) {
	return c.R.Host.Store.Conversations(c.R.Context(), c.R.Caller.Tenant, c.R.Caller.Subject, c.R.App.ID, page)
}

// Branches returns the chats that share the chat's name: the chat itself, and the branches that
// clients made of it or of which it is one, the last written to first. In each, it looks for
// lines of a client's history. See store.BranchReader.
func (c Chats) Branches(lines ...store.Line) ([]store.Branch, error) {
	return c.R.Host.Store.Branches(c.R.Context(), c.R.Ref, lines)
}

// Clarification returns one of the caller's clarifications, by its own id, and enters its app and
// chat.
func (c Chats) Clarification(id string) (chat.Clarification, error) {
	if err := c.R.SignIn(); err != nil {
		return chat.Clarification{}, err
	}
	found, err := host.CallersOwn(c.R, id)
	if err == nil {
		c.R.Response().About.App = c.R.App.ID
		c.at(found.ChatID)
	}
	return found, err
}

// ChatOf returns the chat of one of the caller's clarifications in the app, by its own id,
// without entering it.
func (c Chats) ChatOf(id string) (string, error) {
	of, err := c.R.Host.Store.Clarification(c.R.Context(), id)
	if err == nil && (of.Tenant != c.R.Caller.Tenant || of.Subject != c.R.Caller.Subject || of.App != c.R.App.ID) {
		return "", store.ErrNotFound
	}
	return of.ChatID, err
}

// Known reports whether a command with that key was taken in one of the caller's chats in the
// app.
func (c Chats) Known(chatID, key string) (bool, error) {
	return c.R.Host.Engine.Known(c.R.Context(), c.of(chatID), keyOf(c.R, key))
}

// Coded records that a question of the chat went out with a code of chat.CodeLength letters.
func (c Chats) Coded(of *chat.Clarification, code string) error {
	return c.R.Host.Engine.Coded(c.R.Context(), c.R.Ref, of, code)
}

// Now returns the time by the store's clock, which decides what has expired.
func (c Chats) Now() time.Time { return c.R.Host.Store.Now() }

// keyOf returns a front's key as a chat keeps it, separate from the keys that its other clients
// choose.
func keyOf(r *host.Request, key string) string {
	sum := sha256.Sum256([]byte(key))
	return r.FormatName() + ":" + hex.EncodeToString(sum[:])
}

// In returns the chats of a request that has entered an app.
func In(r *host.Request) Chats { return Chats{r} }
