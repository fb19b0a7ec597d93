package api

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// maxDraft bounds a draft, in bytes of its JSON as it was sent.
const (
	maxDraft   = 16 << 10
	draftLimit = "16 KiB" // maxDraft for people
)

// appID is what the id of an app may look like.
var appID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Clarifications are questions, by their own ids or in a chat.
type Clarifications struct{ Engine NativeEngine }

var statusesListed = map[string]store.Status{
	"pending": store.StatusPending, "closed": store.StatusClosed, "all": store.StatusAll,
}

// listClarifications lists questions of the caller, and those that wait for a role of
// theirs. Those of apps that the caller may not
// use (any more) are left out, so that a page can be short.
func (h Clarifications) listClarifications(r *request) error {
	if err := r.signedIn(); err != nil {
		return err
	}
	which, err := clarificationsWanted(r)
	if err != nil {
		return err
	}
	want, err := pageWanted(r)
	if err != nil {
		return err
	}
	ctx, release := r.reading(costOfReply)
	defer release()
	list, next, err := r.host.Store.Clarifications(ctx, r.caller.Tenant, r.caller.Subject, which, want)
	if err != nil {
		return err
	}
	items := make([]chat.Kept, 0, len(list))
	for i := range list {
		if app, ok := r.setup().Config.App(list[i].App); ok && r.caller.mayUse(app) {
			items = append(items, kept(r, &list[i]))
		}
	}
	return r.json(newPage(items, next))
}

// rfc3339 is what time.Parse takes more of.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// clarificationsWanted reads status, app, chat and since.
func clarificationsWanted(r *request) (which store.Which, err error) {
	status, known := statusesListed[r.queryOr("status", "pending")]
	if !known {
		return which, invalid("query_status", "status")
	}
	which.Status, which.Roles = status, r.caller.Roles
	var given bool
	if which.App, given = r.query("app"); given && !appID.MatchString(which.App) {
		return which, invalid("query", "app")
	}
	if which.ChatID, given = r.query("chat"); given && !chatID.MatchString(which.ChatID) {
		return which, invalid("query", "chat")
	}
	if s, given := r.query("since"); given {
		s = strings.ToUpper(s)
		since, err := time.Parse(time.RFC3339, s)
		if err != nil || !rfc3339.MatchString(s) {
			return which, invalid("query_since", "since")
		}
		which.Since = since.Add(time.Millisecond - 1).Truncate(time.Millisecond) // as times are stored and shown
	}
	return which, nil
}

// saveDraft keeps what was typed so far for the caller's other devices.
func (h Clarifications) saveDraft(r *request) error {
	c, err := toAnswer(r)
	if err != nil {
		return err
	}
	if err := r.oftenAsTyping(scopeDrafts); err != nil {
		return err
	}
	draft, err := h.readDraft(r)
	if err != nil {
		return err
	}
	if err := r.host.Engine.SaveDraft(r.ctx(), c, draft); err != nil {
		return err
	}
	return r.noContent()
}

// readDraft reads the body; nil is null, which removes the draft.
func (h Clarifications) readDraft(r *request) (json.RawMessage, error) {
	data, read, err := r.bodyOf()
	defer read()
	if err != nil {
		return nil, err
	}
	d, err := openJSON(data)
	if err != nil {
		return nil, err
	}
	return decodeDraft(d)
}

func decodeDraft(d *jsontext.Decoder) (json.RawMessage, error) {
	var draft json.RawMessage
	if err := object(d, map[string]field{"draft": raw(&draft, "")}); err != nil {
		return nil, err
	}
	switch {
	case draft == nil:
		return nil, invalid("draft_missing", "draft")
	case len(draft) > maxDraft:
		return nil, &fault{code: chat.CodeTooLarge, field: "draft", params: map[string]any{"Limit": draftLimit}}
	case bytes.Equal(draft, []byte("null")):
		return nil, nil
	}
	return draft, nil
}
