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

// Memory is what is kept of a chat's owner beyond chats, as a run knows it. Tools change it while
// others read. It implements tools.Memory.
type Memory struct {
	store        Store
	conversation *chat.Conversation
	secretWords  []string
	log          *slog.Logger

	// Stood is what of a text stands in the person's own messages and answers in the chat.
	Stood func(text string) string

	mu   sync.Mutex
	read bool
	list []chat.Memory
}

// Store is what the gateway's store keeps of people, and when.
type Store interface {
	Memories(ctx context.Context, tenant, subject, app string) ([]chat.Memory, error)
	SaveMemory(ctx context.Context, m chat.Memory, most int) error
	ForgetKey(ctx context.Context, tenant, subject, app, key string) (int64, error)
	Now() time.Time
}

var _ tools.Memory = (*Memory)(nil)

// NewMemory is what is kept of the owner of a chat. secretWords are the app's own names of secrets, which are not kept.
func NewMemory(s Store, c *chat.Conversation, secretWords []string, log *slog.Logger) *Memory {
	return &Memory{store: s, conversation: c, secretWords: secretWords, log: log}
}

// List is all of it, as far as it can be read: a turn does not end for want of it.
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
		m.log.Warn("what is remembered of the person cannot be read", "error", err)
		return nil
	}
	m.read, m.list = true, list
	return list
}

// Changed has it be read again.
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
