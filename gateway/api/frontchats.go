package api

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// ChatOf implements front.Call.
func (c *frontCall) ChatOf(id string) (string, error) {
	of, err := c.r.Host.Store.Clarification(c.r.Context(), id)
	if err == nil && (of.Tenant != c.r.Caller.Tenant || of.Subject != c.r.Caller.Subject || of.App != c.r.App.ID) {
		return "", store.ErrNotFound
	}
	return of.ChatID, err
}

// keyOf is a front's key as a chat keeps it: apart from the keys that other clients of it choose.
func (c *frontCall) keyOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return c.r.FormatName() + ":" + hex.EncodeToString(sum[:])
}

// Known implements front.Call.
func (c *frontCall) Known(chatID, key string) (bool, error) {
	ref := c.r.Ref
	ref.Tenant, ref.Subject, ref.App, ref.ChatID = c.r.Caller.Tenant, c.r.Caller.Subject, c.r.App.ID, chatID
	return c.r.Host.Engine.Known(c.r.Context(), ref, c.keyOf(key))
}

// Coded implements front.Call.
func (c *frontCall) Coded(of *chat.Clarification, code string) error {
	return c.r.Host.Engine.Coded(c.r.Context(), c.r.Ref, of, code)
}
