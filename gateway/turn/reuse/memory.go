package reuse

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// Memory holds what is remembered about a chat's owner beyond chats, as known to a run. Tools may change
// it while others read it. It implements tools.Memory.
type Memory struct {
	store        Store
	conversation *chat.Conversation
	secretWords  []string
	log          *slog.Logger

	// Stood returns the parts of a text that occur in the person's own messages and answers in the chat.
	Stood func(text string) string

	mu   sync.Mutex
	read bool
	list []chat.Memory
}

// Store is the part of the gateway's store that holds what is remembered of people.
type Store interface {
	Memories(ctx context.Context, tenant, subject, app string) ([]chat.Memory, error)
	SaveMemory(ctx context.Context, m chat.Memory, most int) error
	ForgetKey(ctx context.Context, tenant, subject, app, key string) (int64, error)
	Now() time.Time
}

var _ tools.Memory = (*Memory)(nil)

// NewMemory returns the memory of a chat's owner. secretWords are the app's own names of secrets,
// which are not remembered.
func NewMemory(s Store, c *chat.Conversation, secretWords []string, log *slog.Logger) *Memory {
	return &Memory{store: s, conversation: c, secretWords: secretWords, log: log}
}

// List returns all memories, or none if they cannot be read: a turn does not fail because of that.
func (m *Memory) List() []chat.Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.read {
		return m.list
	}
	ctx, cancel := context.WithTimeout(context.Background(), store.Timeout)
	defer cancel()
	ref := &m.conversation.Ref
	list, err := m.store.Memories(ctx, ref.Tenant, ref.Subject, ref.App)
	if err != nil {
		m.log.Warn("cannot read the user's memories", "error", err)
		return nil
	}
	m.read, m.list = true, list
	return list
}

// Changed makes the next List read the store again.
func (m *Memory) Changed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read = false
}

// Remember implements tools.Memory.
func (m *Memory) Remember(ctx context.Context, key, text string) error {
	if askuser.HoldsSecret(key, text, m.secretWords...) {
		return &tools.Error{Code: tools.CodeInvalidArguments, Message: "this looks like a secret; secrets are not remembered. Tell the user to keep it where it belongs, such as a password manager"}
	}
	ref := &m.conversation.Ref
	err := m.store.SaveMemory(ctx, chat.Memory{
		ID: chat.NewID("mem"), Tenant: ref.Tenant, Subject: ref.Subject, App: ref.App, Key: key, Text: text, Said: m.Stood(text), UpdatedAt: m.store.Now(),
		ConversationID: m.conversation.ID,
	}, chat.MaxMemories)
	if errors.Is(err, store.ErrFull) {
		return &tools.Error{Code: tools.CodeInvalidArguments, Message: fmt.Sprintf(
			"%d things are remembered of this user already, which is as many as there may be: ask what to forget, or keep it under a key that there is.", chat.MaxMemories)}
	}
	m.Changed()
	return err
}

// Forget implements tools.Memory.
func (m *Memory) Forget(ctx context.Context, key string) (bool, error) {
	ref := &m.conversation.Ref
	n, err := m.store.ForgetKey(ctx, ref.Tenant, ref.Subject, ref.App, key)
	m.Changed()
	return n > 0, err
}
