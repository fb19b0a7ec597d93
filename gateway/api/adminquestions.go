package api

import (
	"strconv"

	"github.com/askgate/askgate/gateway/report"
)

// showQuestions reports what became of each question.
func (h Admin) showQuestions(r *request) error {
	now := r.host.Store.Now()
	wish := report.Wish{Since: now.Add(-report.DefaultSpan), App: r.queryOr("app", ""), Rows: report.DefaultRows, Texts: readsTexts(r), Now: now}
	if text, ok := r.query("since"); ok {
		since, err := report.ParseSince(text, now)
		if err != nil {
			return invalid("query", "since")
		}
		wish.Since = since
	}
	if text, ok := r.query("limit"); ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > report.MaxRows {
			return invalid("query", "limit")
		}
		wish.Rows = n
	}
	language := r.readable()
	ctx, release := r.reading(costOfReply)
	defer release()
	found, err := report.Read(ctx, r.host.Store, wish, func(id string, data map[string]any) string {
		return r.host.Catalog.Text(language, id, data)
	})
	if err != nil {
		return err
	}
	return r.json(found)
}
