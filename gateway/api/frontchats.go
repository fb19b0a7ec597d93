package api

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// ChatOf implements front.Call.
func (c *frontCall) ChatOf(id string) (string, error) {
	of, err := c.r.host.Store.Clarification(c.r.ctx(), id)
	if err == nil && (of.Tenant != c.r.caller.Tenant || of.Subject != c.r.caller.Subject || of.App != c.r.app.ID) {
		return "", store.ErrNotFound
	}
	return of.ChatID, err
}

// keyOf is a front's key as a chat keeps it: apart from the keys that other clients of it choose.
func (c *frontCall) keyOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return c.r.frontName() + ":" + hex.EncodeToString(sum[:])
}

// Known implements front.Call.
func (c *frontCall) Known(chatID, key string) (bool, error) {
	ref := c.r.ref
	ref.Tenant, ref.Subject, ref.App, ref.ChatID = c.r.caller.Tenant, c.r.caller.Subject, c.r.app.ID, chatID
	return c.r.host.Engine.Known(c.r.ctx(), ref, c.keyOf(key))
}

// Coded implements front.Call.
func (c *frontCall) Coded(of *chat.Clarification, code string) error {
	return c.r.host.Engine.Coded(c.r.ctx(), c.r.ref, of, code)
}
