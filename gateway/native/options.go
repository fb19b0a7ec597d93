package native

import (
	"strconv"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// maxOptionQuery is the maximum length of q in code points: that of a label.
const maxOptionQuery = 100

// optionPage is a part of the options that match.
type optionPage struct {
	host.Page[tools.Option]
	Total int `json:"total"` // number of matching options
}

// OptionsInChat finds options of a pending question as the person types.
func (h Clarifications) OptionsInChat(r *host.Request) error {
	r.ChatKnown = true
	return h.found(r, r.QueryOr("closed", "") == "true")
}

// Options finds options of a question in any chat, for those who may answer it.
func (h Clarifications) Options(r *host.Request) error {
	if _, err := host.ToAnswer(r); err != nil {
		return err
	}
	return h.found(r, false)
}

// found answers a search in the entered chat. If closed is set, it also searches in what the
// chat's owner may answer otherwise.
func (h Clarifications) found(r *host.Request, closed bool) error {
	if err := host.OftenAsTyping(r, host.ScopeOptions); err != nil {
		return err
	}
	want, err := host.PageWanted(r)
	if err != nil {
		return err
	}
	q := turn.OptionQuery{ClarificationID: r.Param("clarificationId"), Text: r.QueryOr("q", ""), Limit: want.Limit, Closed: closed, Claims: r.Claims()}
	if utf8.RuneCountInString(q.Text) > maxOptionQuery {
		return host.Invalid("query", "q")
	}
	if q.Skip, err = number(want.Cursor); err != nil {
		return host.Invalid("query", "cursor")
	}
	if q.Part, err = number(r.QueryOr("question", "")); err != nil {
		return host.Invalid("query", "question")
	}
	found, total, err := h.Engine.SearchOptions(turn.WithLog(r.Context(), r.Logger()), r.Setup(), r.Ref, r.App, q)
	if err != nil {
		return err
	}
	next := ""
	if end := q.Skip + len(found); len(found) > 0 && end < total {
		next = strconv.Itoa(end)
	}
	return r.JSON(optionPage{host.NewPage(found, next), total})
}

// number reads a number that is not negative; a missing one is 0.
func number(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n), err
}
