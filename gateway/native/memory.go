package native

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/tools"
)

// Memory handles what is kept of a caller.
type Memory struct{}

// memoryItem is one thing that is kept of the caller: words have a text, answers have the answer
// and how it reads.
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

// List lists what is kept of the caller, including that of apps that they may no longer use, so
// that they can still see and delete it.
func (h Memory) List(r *host.Request) error {
	app, err := appWanted(r)
	if err != nil {
		return err
	}
	want, err := host.PageWanted(r)
	if err != nil {
		return err
	}
	ctx, release := host.Reading(r, host.CostOfReply)
	defer release()
	list, next, err := r.Host.Store.MemoryPage(ctx, r.Caller.Tenant, r.Caller.Subject, app, want)
	if err != nil {
		return err
	}
	items := make([]memoryItem, len(list))
	for i := range list {
		items[i] = newMemoryItem(&list[i])
	}
	return r.JSON(host.NewPage(items, next))
}

// appWanted reads the query app; "" means all apps.
func appWanted(r *host.Request) (string, error) {
	app, given := r.Query("app")
	if given && !appID.MatchString(app) {
		return "", host.Invalid("query", "app")
	}
	return app, nil
}

// DeleteAll deletes everything that is kept of the caller, in an app or in all.
func (h Memory) DeleteAll(r *host.Request) error {
	app, err := appWanted(r)
	if err != nil {
		return err
	}
	if _, err := r.Host.Store.DeleteMemories(r.Context(), r.Caller.Tenant, r.Caller.Subject, app); err != nil {
		return err
	}
	return r.Nothing()
}

// Delete deletes one of the things that are kept.
func (h Memory) Delete(r *host.Request) error {
	if err := r.Host.Store.DeleteMemory(r.Context(), r.Caller.Tenant, r.Caller.Subject, r.Param("memoryId")); err != nil {
		return err
	}
	return r.Nothing()
}

// Edit changes words; answers are changed by answering again.
func (h Memory) Edit(r *host.Request) error {
	data, err := r.Body()
	if err != nil {
		return err
	}
	words, err := decodeMemory(data)
	if err != nil {
		return err
	}
	m, err := r.Host.Store.EditMemory(r.Context(), r.Caller.Tenant, r.Caller.Subject, r.Param("memoryId"), words, r.Host.Store.Now())
	if err != nil {
		return err
	}
	return r.JSON(newMemoryItem(&m))
}

// decodeMemory reads {"text": ...}.
func decodeMemory(data []byte) (string, error) {
	d, err := host.OpenJSON(data)
	if err != nil {
		return "", err
	}
	var words *string
	if err := host.Object(d, map[string]host.Field{"text": host.String(func(s string) { words = &s })}); err != nil {
		return "", err
	}
	if words == nil || tools.Blank(*words) || utf8.RuneCountInString(*words) > chat.MaxMemoryText {
		f := host.Invalid("memory_text", "text")
		f.Params = map[string]any{"Max": chat.MaxMemoryText}
		return "", f
	}
	return *words, nil
}
