package api

import (
	"strconv"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// maxOptionQuery is the length of q in code points: a label's.
const maxOptionQuery = 100

// optionPage is a part of the options that fit.
type optionPage struct {
	page[tools.Option]
	Total int `json:"total"` // how many fit
}

// searchOptions finds options of a pending question as the person types.
func (h Clarifications) searchOptions(r *request) error {
	if err := r.inChat(); err != nil {
		return err
	}
	r.chatKnown = true
	return h.found(r, r.queryOr("closed", "") == "true")
}

// optionsByID is searchOptions for a question in whichever chat, by those who may answer it.
func (h Clarifications) optionsByID(r *request) error {
	if _, err := toAnswer(r); err != nil {
		return err
	}
	return h.found(r, false)
}

// found answers a search in the chat that was entered. Where closed is set, also in
// what its owner may answer otherwise.
func (h Clarifications) found(r *request, closed bool) error {
	if err := r.oftenAsTyping(scopeOptions); err != nil {
		return err
	}
	want, err := pageWanted(r)
	if err != nil {
		return err
	}
	q := turn.OptionQuery{ClarificationID: r.param("clarificationId"), Text: r.queryOr("q", ""), Limit: want.Limit, Closed: closed}
	if utf8.RuneCountInString(q.Text) > maxOptionQuery {
		return invalid("query", "q")
	}
	if q.Skip, err = number(want.Cursor); err != nil {
		return invalid("query", "cursor")
	}
	if q.Part, err = number(r.queryOr("question", "")); err != nil {
		return invalid("query", "question")
	}
	found, total, err := h.Engine.SearchOptions(turn.WithLog(r.ctx(), r.logger()), r.setup(), r.ref, r.app, q)
	if err != nil {
		return err
	}
	next := ""
	if end := q.Skip + len(found); len(found) > 0 && end < total {
		next = strconv.Itoa(end)
	}
	return r.json(optionPage{newPage(found, next), total})
}

// number reads a number that is not negative, 0 where there is none.
func number(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n), err
}
