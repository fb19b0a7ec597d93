package admin

import (
	"strconv"

	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/report"
)

// Questions reports the outcomes of each question.
func (h Admin) Questions(r *host.Request) error {
	now := r.Host.Store.Now()
	wish := report.Wish{Since: now.Add(-report.DefaultSpan), App: r.QueryOr("app", ""), Rows: report.DefaultRows, Texts: readsTexts(r), Now: now}
	if text, ok := r.Query("since"); ok {
		since, err := report.ParseSince(text, now)
		if err != nil {
			return host.Invalid("query", "since")
		}
		wish.Since = since
	}
	if text, ok := r.Query("limit"); ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > report.MaxRows {
			return host.Invalid("query", "limit")
		}
		wish.Rows = n
	}
	language := r.Language()
	ctx, release := host.Reading(r, host.CostOfReply)
	defer release()
	found, err := report.Read(ctx, r.Host.Store, wish, func(id string, data map[string]any) string {
		return r.Host.Catalog.Text(language, id, data)
	})
	if err != nil {
		return err
	}
	return r.JSON(found)
}
