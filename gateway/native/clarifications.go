package native

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
)

// maxDraft bounds a draft, in bytes of the JSON that was sent.
const (
	maxDraft   = 16 << 10
	draftLimit = "16 KiB" // maxDraft for people
)

// appID matches valid app ids.
var appID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Clarifications handles questions, by their own ids or in a chat.
type Clarifications struct{ Engine Engine }

var statusesListed = map[string]store.Status{
	"pending": store.StatusPending, "closed": store.StatusClosed, "all": store.StatusAll,
}

// List lists questions of the caller, and those that wait for one of the caller's roles. It
// leaves out those of apps that the caller may not use (any more), so a page can be short.
func (h Clarifications) List(r *host.Request) error {
	which, err := clarificationsWanted(r)
	if err != nil {
		return err
	}
	want, err := host.PageWanted(r)
	if err != nil {
		return err
	}
	ctx, release := host.Reading(r, host.CostOfReply)
	defer release()
	list, next, err := r.Host.Store.Clarifications(ctx, r.Caller.Tenant, r.Caller.Subject, which, want)
	if err != nil {
		return err
	}
	items := make([]chat.Kept, 0, len(list))
	for i := range list {
		if app, ok := r.Setup().Config.App(list[i].App); ok && r.Caller.MayUse(app) {
			items = append(items, host.Kept(r, &list[i]))
		}
	}
	return r.JSON(host.NewPage(items, next))
}

// rfc3339 matches RFC 3339 times; time.Parse accepts more.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// clarificationsWanted reads status, app, chat and since.
func clarificationsWanted(r *host.Request) (which store.Which, err error) {
	status, known := statusesListed[r.QueryOr("status", "pending")]
	if !known {
		return which, host.Invalid("query_status", "status")
	}
	which.Status, which.Roles = status, r.Caller.Roles
	var given bool
	if which.App, given = r.Query("app"); given && !appID.MatchString(which.App) {
		return which, host.Invalid("query", "app")
	}
	if which.ChatID, given = r.Query("chat"); given && !host.ChatID.MatchString(which.ChatID) {
		return which, host.Invalid("query", "chat")
	}
	if s, given := r.Query("since"); given {
		s = strings.ToUpper(s)
		since, err := time.Parse(time.RFC3339, s)
		if err != nil || !rfc3339.MatchString(s) {
			return which, host.Invalid("query_since", "since")
		}
		which.Since = since.Add(time.Millisecond - 1).Truncate(time.Millisecond) // rounds up to the precision of stored times
	}
	return which, nil
}

// SaveDraft keeps a draft for the caller's other devices.
func (h Clarifications) SaveDraft(r *host.Request) error {
	c, err := host.ToAnswer(r)
	if err != nil {
		return err
	}
	if err := host.OftenAsTyping(r, host.ScopeDrafts); err != nil {
		return err
	}
	draft, err := h.readDraft(r)
	if err != nil {
		return err
	}
	if err := r.Host.Engine.SaveDraft(r.Context(), c, draft); err != nil {
		return err
	}
	return r.Nothing()
}

// readDraft reads the body; nil stands for null, which removes the draft.
func (h Clarifications) readDraft(r *host.Request) (json.RawMessage, error) {
	data, err := r.Body()
	if err != nil {
		return nil, err
	}
	d, err := host.OpenJSON(data)
	if err != nil {
		return nil, err
	}
	return decodeDraft(d)
}

func decodeDraft(d *jsontext.Decoder) (json.RawMessage, error) {
	var draft json.RawMessage
	if err := host.Object(d, map[string]host.Field{"draft": host.Raw(&draft, "", "")}); err != nil {
		return nil, err
	}
	switch {
	case draft == nil:
		return nil, host.Invalid("draft_missing", "draft")
	case len(draft) > maxDraft:
		return nil, &host.Fault{Code: chat.CodeTooLarge, Field: "draft", Params: map[string]any{"Limit": draftLimit}}
	case bytes.Equal(draft, []byte("null")):
		return nil, nil
	}
	return draft, nil
}
