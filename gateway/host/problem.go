package host

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/store"
)

// Refuse turns any error into the response; it is the only place that does. After the first byte
// of a response, it can no longer do so.
func (r *Request) Refuse(err error) {
	if r.Written() {
		r.Logger().LogAttrs(r.Context(), slog.LevelError, "error after the response began", slog.Any("error", err))
		return
	}
	p, wait, lang := explained(r, err)
	if p.Code == chat.CodeDraining {
		r.Host.Metrics.Draining.WithLabelValues(r.Response().route, knownMethod(r.HTTP().Method)).Inc()
	}
	h := r.Response().Header()
	if f, ok := errors.AsType[*Fault](err); ok {
		if f.Limited != nil {
			f.Limited.Headers(h)
		}
		if f.challenge != "" {
			h.Set("WWW-Authenticate", f.challenge)
		}
	}
	if wait > 0 && h.Get("Retry-After") == "" {
		h.Set("Retry-After", strconv.Itoa(limit.Seconds(wait)))
	}
	h.Set("Content-Language", lang)
	if r.Format == nil {
		_ = r.Write(p.Status, "application/problem+json", p)
		return
	}
	contentType, body := r.Format.Refuse(h, p.told())
	_ = send(r.Response(), p.Status, contentType, body)
}

// Problem returns what an error means to the caller, as a refusal would.
func (r *Request) Problem(err error) Problem {
	p, _, _ := explained(r, err)
	return p.told()
}

// explained returns the problem of an error in the caller's language. What only the operator can
// fix is logged.
func explained(r *Request, err error) (p Refusal, wait time.Duration, lang string) {
	if errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown) || errors.Is(err, context.DeadlineExceeded) {
		r.ChatKnown = false // a store that did not answer is not asked for the chat's language
	}
	lang = r.Language()
	p, wait = r.Host.Texts.Problem(err, lang)
	if m := r.HTTP().Method; p.Code == chat.CodeStoreUnavailable && (m == http.MethodGet || m == http.MethodHead) {
		p.Detail = r.Host.Texts.text(p.Code, "not_read", nil, lang).Detail // there was nothing to save
	}
	if p.Code == chat.CodeNotFound && p.Detail == r.Host.Texts.text(p.Code, "", nil, lang).Detail {
		p.Detail = r.Host.Texts.text(p.Code, missing(r.Response().route), nil, lang).Detail
	}
	if p.Status >= http.StatusInternalServerError && p.Status != http.StatusBadGateway && p.Code != chat.CodeDraining && p.Code != chat.CodeOverloaded && !errors.Is(err, context.Canceled) {
		r.Logger().LogAttrs(r.Context(), slog.LevelError, "request failed", slog.String("code", string(p.Code)), slog.Any("error", err))
	}
	return p, wait, lang
}
