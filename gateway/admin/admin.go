package admin

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Engine is the part of the turn engine that admins need.
type Engine interface {
	// CancelClarification closes a pending question, regardless of owner.
	CancelClarification(ctx context.Context, id string, by chat.Actor) error
}

// Admin handles the requests of callers with the role.
type Admin struct {
	Engine   Engine
	Registry *prometheus.Registry
	// See Options.
	LastReload  func() config.Reload
	Definitions func(setup *turn.Setup, app, language string) []tools.Definition
	ModelNotes  func(name string) *upstream.Notes
	Trial       tools.Definition
}

// Only lets admins pass.
func Only(r *host.Request) error {
	if err := r.SignIn(); err != nil {
		return err
	}
	if !host.IsAdmin(r) {
		return &host.Fault{Code: chat.CodeForbidden, Detail: "admin"}
	}
	return nil
}

// readsTexts reports whether an admin may read what people were asked and answered: with the
// role, or if there is only one person, who is the admin.
func readsTexts(r *host.Request) bool {
	return host.WithoutKeys(r) || slices.Contains(r.Caller.Roles, host.TextsRole)
}

// pendingItem is a pending question, without its text and its person.
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

// Pending lists the pending questions of all principals, oldest first.
func (h Admin) Pending(r *host.Request) error {
	want, err := host.PageWanted(r)
	if err != nil {
		return err
	}
	ctx, release := host.Reading(r, host.CostOfReply)
	defer release()
	list, next, err := r.Host.Store.AllPending(ctx, want)
	if err != nil {
		return err
	}
	now, texts := r.Host.Store.Now(), readsTexts(r)
	items := make([]pendingItem, len(list))
	for i := range list {
		items[i] = newPendingItem(&list[i], now, texts)
	}
	return r.JSON(host.NewPage(items, next))
}

func newPendingItem(c *chat.Clarification, now time.Time, texts bool) pendingItem {
	item := pendingItem{
		ClarificationID: c.ID, App: c.App, Kind: c.Question.Kind, InputType: c.Question.InputType(), ToolName: c.ToolName,
		Number: c.Number, Max: c.Max, AskedAt: chat.Time(c.AskedAt), AgeSeconds: max(0, int64(now.Sub(c.AskedAt).Seconds())),
		ExpiresAt: host.OptionalTime(c.ExpiresAt),
	}
	if texts {
		for _, p := range c.Question.Parts {
			item.Questions = append(item.Questions, p.Question)
		}
	}
	return item
}

// Cancel closes a pending question, regardless of owner.
func (h Admin) Cancel(r *host.Request) error {
	if err := h.Engine.CancelClarification(r.Context(), r.Param("clarificationId"), host.AuditActor(r, chat.ActorAdmin)); err != nil {
		return err
	}
	return r.Nothing()
}
