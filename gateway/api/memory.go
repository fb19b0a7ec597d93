package api

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Memory is what is kept of a caller.
type Memory struct{}

// memoryItem is one thing that is kept of the caller: words have a text, answers what was
// answered and how it reads.
type memoryItem struct {
	ID           string          `json:"id"`
	App          string          `json:"app"`
	Key          string          `json:"key"`
	Text         string          `json:"text,omitempty"`
	Value        json.RawMessage `json:"value,omitempty"`
	Values       []string        `json:"values,omitempty"`
	Other        string          `json:"other,omitempty"`
	Label        string          `json:"label,omitempty"`
	DontAskAgain bool            `json:"dontAskAgain,omitempty"`
	UpdatedAt    chat.Time       `json:"updatedAt"`
	ExpiresAt    *chat.Time      `json:"expiresAt,omitempty"`
}

func newMemoryItem(m *chat.Memory) memoryItem {
	item := memoryItem{ID: m.ID, App: m.App, Key: m.Key, DontAskAgain: m.Silent, UpdatedAt: chat.Time(m.UpdatedAt)}
	if !m.ExpiresAt.IsZero() {
		at := chat.Time(m.ExpiresAt)
		item.ExpiresAt = &at
	}
	if a := m.Answer; a != nil {
		item.Label, item.Value, item.Values, item.Other = m.Text, a.Answer.Value, a.Answer.Values, a.Answer.Other
	} else {
		item.Text = m.Text
	}
	return item
}

// listMemory lists what is kept of the caller, also of apps that they may not use any more:
// it stays theirs to see and to delete.
func (h Memory) listMemory(r *request) error {
	if err := r.signedIn(); err != nil {
		return err
	}
	app, err := appWanted(r)
	if err != nil {
		return err
	}
	want, err := pageWanted(r)
	if err != nil {
		return err
	}
	ctx, release := r.reading(costOfReply)
	defer release()
	list, next, err := r.host.Store.MemoryPage(ctx, r.caller.Tenant, r.caller.Subject, app, want)
	if err != nil {
		return err
	}
	items := make([]memoryItem, len(list))
	for i := range list {
		items[i] = newMemoryItem(&list[i])
	}
	return r.json(newPage(items, next))
}

// appWanted reads the query app; "": all.
func appWanted(r *request) (string, error) {
	app, given := r.query("app")
	if given && !appID.MatchString(app) {
		return "", invalid("query", "app")
	}
	return app, nil
}

func (h Memory) deleteMemories(r *request) error {
	if err := r.signedIn(); err != nil {
		return err
	}
	if err := r.counted(scopeChanges); err != nil {
		return err
	}
	app, err := appWanted(r)
	if err != nil {
		return err
	}
	if _, err := r.host.Store.DeleteMemories(r.ctx(), r.caller.Tenant, r.caller.Subject, app); err != nil {
		return err
	}
	return r.noContent()
}

func (h Memory) deleteMemory(r *request) error {
	if err := r.signedIn(); err != nil {
		return err
	}
	if err := r.counted(scopeChanges); err != nil {
		return err
	}
	if err := r.host.Store.DeleteMemory(r.ctx(), r.caller.Tenant, r.caller.Subject, r.param("memoryId")); err != nil {
		return err
	}
	return r.noContent()
}

// editMemory changes words; answers are changed by answering again.
func (h Memory) editMemory(r *request) error {
	if err := r.signedIn(); err != nil {
		return err
	}
	if err := r.counted(scopeChanges); err != nil {
		return err
	}
	data, read, err := r.bodyOf()
	defer read()
	if err != nil {
		return err
	}
	words, err := decodeMemory(data)
	if err != nil {
		return err
	}
	m, err := r.host.Store.EditMemory(r.ctx(), r.caller.Tenant, r.caller.Subject, r.param("memoryId"), words, r.host.Store.Now())
	if err != nil {
		return err
	}
	return r.json(newMemoryItem(&m))
}

// decodeMemory reads {"text": ...}.
func decodeMemory(data []byte) (string, error) {
	d, err := openJSON(data)
	if err != nil {
		return "", err
	}
	var words *string
	if err := object(d, map[string]field{"text": text(func(s string) { words = &s })}); err != nil {
		return "", err
	}
	if words == nil || tools.Blank(*words) || utf8.RuneCountInString(*words) > chat.MaxMemoryText {
		f := invalid("memory_text", "text")
		f.params = map[string]any{"Max": chat.MaxMemoryText}
		return "", f
	}
	return *words, nil
}
