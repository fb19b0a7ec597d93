package admin

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
)

// auditTimeout is how long a client may stop reading.
const auditTimeout = 30 * time.Second

// Audit streams the records of a span as JSON lines, regardless of their number.
func (h Admin) Audit(r *host.Request) error {
	span, err := spanWanted(r)
	if err != nil {
		return err
	}
	texts := readsTexts(r)
	w := r.Response()
	rc := http.NewResponseController(w)
	defer func() { _ = rc.SetWriteDeadline(time.Time{}) }() // the connection may carry other requests
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	out.SetEscapeHTML(false)
	for records, err := range store.AuditPages(r.Context(), r.Host.Store, span) {
		switch {
		case err != nil && r.Written():
			panic(http.ErrAbortHandler) // the client must see that the response is incomplete
		case err != nil:
			return err
		}
		if !r.Written() {
			w.Header().Set("Content-Type", "application/x-ndjson; charset=utf-8")
			w.Header().Set("Cache-Control", "no-store")
			w.WriteHeader(http.StatusOK)
		}
		lines.Reset()
		for _, record := range records {
			if !texts {
				record = record.WithoutTexts()
			}
			if err := out.Encode(record); err != nil {
				panic(http.ErrAbortHandler)
			}
		}
		_ = rc.SetWriteDeadline(time.Now().Add(auditTimeout))
		if _, err := w.Write(lines.Bytes()); err != nil || w.FlushError() != nil {
			break // the client left
		}
	}
	return nil
}

// spanWanted reads since, until and app.
func spanWanted(r *host.Request) (store.AuditSpan, error) {
	span := store.AuditSpan{App: r.QueryOr("app", "")}
	for name, to := range map[string]*time.Time{"since": &span.Since, "until": &span.Until} {
		if s, ok := r.Query(name); ok {
			t, err := time.Parse(time.RFC3339, s)
			if err != nil {
				t, err = time.Parse(time.DateOnly, s)
			}
			if err != nil {
				return span, host.Invalid("query", name)
			}
			*to = t
		}
	}
	return span, nil
}
