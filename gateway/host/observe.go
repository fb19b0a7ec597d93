package host

import (
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
)

// harmlessID matches a caller's request id that can appear in logs and headers.
var harmlessID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// guards are the headers that keep a browser from misinterpreting a response. The page sets a
// policy of its own. All responses share them, so they are never changed.
var guards = http.Header{
	"X-Content-Type-Options":       {"nosniff"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Referrer-Policy":              {"no-referrer"},
	"X-Frame-Options":              {"DENY"},
	"Content-Security-Policy":      {"default-src 'none'; frame-ancestors 'none'"},
	"Cross-Origin-Opener-Policy":   {"same-origin"},
	"Permissions-Policy": {"accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=(), " +
		"microphone=(), midi=(), payment=(), serial=(), usb=()"},
}

// onlyTLS makes a browser use only TLS for a year. It is sent if the gateway itself speaks TLS;
// behind a proxy that does, the proxy decides.
var onlyTLS = []string{"max-age=31536000"}

// Observe is the outermost handler: it gives the request its id, sets the headers of every
// response, recovers from panics, and records the outcome of the request.
//
// Small stack: see package smallstack.
func (h *Host) Observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		res, r, moved := h.receive(w, r)
		defer func() { h.observed(res, r, begin, recover()) }()
		if moved != "" {
			http.Redirect(res, r, moved, http.StatusPermanentRedirect) //nolint:gosec // see unwrap: a path below our own
			return
		}
		next.ServeHTTP(res, r)
	})
}

// receive gives the request its id, and the response its headers. moved is where the client should
// ask instead, "" if it asks in the right place.
func (h *Host) receive(w http.ResponseWriter, of *http.Request) (res *Response, r *http.Request, moved string) {
	id := of.Header.Get("X-Request-Id")
	if !harmlessID.MatchString(id) {
		id = chat.NewID("req")
	}
	header := w.Header()
	header.Set("X-Request-Id", id)
	for name, value := range guards {
		header[name] = value
	}
	if of.TLS != nil {
		header["Strict-Transport-Security"] = onlyTLS
	}
	res = &Response{ResponseWriter: w, requestID: id, setup: h.Setup()}
	r, moved = unwrap(of, &res.setup.Config.Gateway)
	shareWith(header, r, res.setup.Config.Gateway.CORS.Origins)
	res.flusher, _ = w.(interface{ FlushError() error })
	if of.Method != http.MethodHead { // whose response has no body
		res.conn = sse.ConnOf(of)
	}
	if r.ContentLength != 0 {
		res.awaitBody(MaxBody)
	}
	if len(r.TransferEncoding) > 0 {
		// There may have been a Content-Length as well, which net/http removes: a proxy before us may
		// have seen another end of the body. So the connection is not used again (RFC 9112, 6.1).
		header.Set("Connection", "close")
	}
	return res, r, moved
}

// observed records a request that is over. broken is what its handler panicked with, or nil.
func (h *Host) observed(res *Response, r *http.Request, begin time.Time, broken any) {
	if broken != nil && broken != http.ErrAbortHandler { //nolint:errorlint // a recovered value, compared as net/http does
		h.Log.LogAttrs(r.Context(), slog.LevelError, "panic", append(res.attrs(), slog.Any("panic", broken), slog.String("stack", string(debug.Stack())))...)
		if res.status == 0 {
			h.panicked(res, r)
			broken = nil
		}
	}
	h.record(res, r, time.Since(begin))
	if broken != nil {
		panic(http.ErrAbortHandler) // cut the connection: the client must see that the response is incomplete
	}
}

// panicked answers a request whose handler panicked before it wrote anything.
func (h *Host) panicked(res *Response, r *http.Request) {
	lang, ok := h.Catalog.Match(r.Header.Get("Accept-Language"))
	if !ok {
		lang = defaultLanguage
	}
	res.Header().Set("Content-Language", lang)
	_ = writeJSON(res, http.StatusInternalServerError, "application/problem+json", h.Texts.text(chat.CodeInternal, "", nil, lang))
}

// record logs and counts a request by its route, not its path. It includes no text and no person,
// except the address of a caller that is refused.
func (h *Host) record(res *Response, r *http.Request, took time.Duration) {
	status := res.status
	if status == 0 {
		status = http.StatusOK // net/http sends this for a handler that wrote nothing
	}
	route := res.route
	if route == "" {
		route = "unmatched"
	}
	method := knownMethod(r.Method)
	h.Metrics.requests.WithLabelValues(route, method, strconv.Itoa(status)).Observe(took.Seconds())
	level := slog.LevelInfo
	var more []slog.Attr
	if status == http.StatusUnauthorized || status == http.StatusTooManyRequests || status == http.StatusMisdirectedRequest || res.route == "" {
		left, ok := h.noise.admits(r.Context())
		if !ok {
			level = slog.LevelDebug
		} else if left > 0 {
			more = append(more, slog.Int64("unlogged", left))
		}
	}
	if route == "/healthz" || route == "/readyz" || route == "/metrics" {
		level = slog.LevelDebug // requested every few seconds
	}
	if !h.Log.Enabled(r.Context(), level) {
		return
	}
	if res.About.turnID == "" {
		res.About.ChatID = ""
	}
	line := append(res.attrs(), more...)
	line = append(line, slog.String("method", method), slog.String("route", route),
		slog.Int("status", status), slog.Duration("duration", took), slog.Int64("bytes", res.bytes))
	if isRefusal(status) {
		line = append(line, res.refusedTo(r)...)
	}
	h.Log.LogAttrs(r.Context(), level, "request", line...)
}
