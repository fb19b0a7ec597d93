package api

import (
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// adminRole is what a caller with a key needs for /v1/admin; textsRole lets an admin
// also read there what people were asked and answered.
const (
	adminRole = "admin"
	textsRole = "admin:texts"
)

func (a *API) overseerRoutes(r *gin.Engine) {
	a.get(r, "/v1/admin/config", a.asAdmin(a.showConfig))
	a.get(r, "/v1/admin/models", a.asAdmin(a.showModels))
	r.POST("/v1/admin/models/:model/try", a.handle(a.asAdmin(a.tryModel)))
	a.get(r, "/v1/admin/faults", a.asAdmin(a.showFaults))
	a.get(r, "/v1/admin/tools", a.asAdmin(a.showDefinitions))
	a.get(r, "/v1/admin/clarifications", a.asAdmin(a.listAllPending))
	r.POST("/v1/admin/clarifications/:clarificationId/cancel", a.handle(a.asAdmin(a.cancelClarification)))
	a.get(r, "/v1/admin/stats", a.asAdmin(a.showStats))
	a.get(r, "/v1/admin/questions", a.asAdmin(a.showQuestions))
	r.GET("/v1/admin/audit", a.handle(a.ownPages(a.asAdmin(a.exportAudit)))) // no HEAD: its length is not known
}

// asAdmin lets admins pass.
func (a *API) asAdmin(h func(*request) error) func(*request) error {
	return func(r *request) error {
		if err := a.signedIn(r); err != nil {
			return err
		}
		if !r.isAdmin() {
			return &fault{code: chat.CodeForbidden, detail: "admin"}
		}
		return h(r)
	}
}

// isAdmin says whether a caller has the role; where callers have no keys, whether it is on this
// machine.
func (r *request) isAdmin() bool {
	if r.withoutKeys() {
		return atThisMachine(r.c.Request)
	}
	return slices.Contains(r.caller.Roles, adminRole)
}

// readsTexts says whether an admin may read what people were asked and answered: with
// the role, or where there is one person, who is the admin.
func (r *request) readsTexts() bool {
	return r.withoutKeys() || slices.Contains(r.caller.Roles, textsRole)
}

func (r *request) withoutKeys() bool { return r.conf().Auth.Mode == config.AuthNone }

// atThisMachine says that a request came over loopback, and not through a proxy, which may
// serve remote clients. That its host is the gateway's own, ownHost has seen.
func atThisMachine(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"} {
		if _, given := r.Header[http.CanonicalHeaderKey(name)]; given {
			return false
		}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback()
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
func (a *API) listAllPending(r *request) error {
	want, err := r.pageWanted()
	if err != nil {
		return err
	}
	ctx, release := a.reading(r, costOfReply)
	defer release()
	list, next, err := a.Store.AllPending(ctx, want)
	if err != nil {
		return err
	}
	now, texts := a.Store.Now(), r.readsTexts()
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

func optionalTime(t time.Time) *chat.Time {
	if t.IsZero() {
		return nil
	}
	w := chat.Time(t)
	return &w
}

func (a *API) cancelClarification(r *request) error {
	if err := a.Engine.CancelClarification(r.ctx(), r.c.Param("clarificationId"), a.actor(r, chat.ActorAdmin)); err != nil {
		return err
	}
	return r.noContent()
}
