package api

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// AdminEngine is what admins need of the turn engine.
type AdminEngine interface {
	// CancelClarification closes a pending question, whoever it belongs to.
	CancelClarification(ctx context.Context, id string, by chat.Actor) error
}

// Admin is what callers with the role see and do.
type Admin struct {
	Engine   AdminEngine
	Registry *prometheus.Registry
	// See Options.
	LastReload  func() config.Reload
	Definitions func(setup *turn.Setup, app, language string) []tools.Definition
	ModelNotes  func(name string) *upstream.Notes
	Trial       tools.Definition
}

// asAdmin lets admins pass.
func asAdmin(h func(*request) error) func(*request) error {
	return func(r *request) error {
		if err := r.signedIn(); err != nil {
			return err
		}
		if !isAdmin(r) {
			return &fault{code: chat.CodeForbidden, detail: "admin"}
		}
		return h(r)
	}
}

// readsTexts says whether an admin may read what people were asked and answered: with
// the role, or where there is one person, who is the admin.
func readsTexts(r *request) bool {
	return withoutKeys(r) || slices.Contains(r.caller.Roles, textsRole)
}

// pendingItem is a question that waits, without what it asks and of whom.
type pendingItem struct {
	ClarificationID string     `json:"clarificationId"`
	App             string     `json:"app"`
	Kind            tools.Kind `json:"kind"`
	InputType       string     `json:"input_type"`
	ToolName        string     `json:"toolName"`
	Number          int        `json:"clarificationNumber"`
	Max             int        `json:"maxClarifications"`
	AskedAt         chat.Time  `json:"askedAt"`
	AgeSeconds      int64      `json:"ageSeconds"`
	ExpiresAt       *chat.Time `json:"expiresAt"`
	// Questions are the texts, only for those who may read them.
	Questions []string `json:"questions,omitempty"`
}

// listAllPending lists the pending questions of all principals, oldest first.
func (h Admin) listAllPending(r *request) error {
	want, err := pageWanted(r)
	if err != nil {
		return err
	}
	ctx, release := r.reading(costOfReply)
	defer release()
	list, next, err := r.host.Store.AllPending(ctx, want)
	if err != nil {
		return err
	}
	now, texts := r.host.Store.Now(), readsTexts(r)
	items := make([]pendingItem, len(list))
	for i := range list {
		items[i] = newPendingItem(&list[i], now, texts)
	}
	return r.json(newPage(items, next))
}

func newPendingItem(c *chat.Clarification, now time.Time, texts bool) pendingItem {
	item := pendingItem{
		ClarificationID: c.ID, App: c.App, Kind: c.Question.Kind, InputType: c.Question.InputType(), ToolName: c.ToolName,
		Number: c.Number, Max: c.Max, AskedAt: chat.Time(c.AskedAt), AgeSeconds: max(0, int64(now.Sub(c.AskedAt).Seconds())),
		ExpiresAt: optionalTime(c.ExpiresAt),
	}
	if texts {
		for _, p := range c.Question.Parts {
			item.Questions = append(item.Questions, p.Question)
		}
	}
	return item
}

func (h Admin) cancelClarification(r *request) error {
	if err := h.Engine.CancelClarification(r.ctx(), r.param("clarificationId"), r.actor(chat.ActorAdmin)); err != nil {
		return err
	}
	return r.noContent()
}
