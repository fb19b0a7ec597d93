package httptool

import (
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/outgoing"
)

const (
	maxResult = 64 << 10 // bytes
	maxSaid   = 2 << 10  // bytes of an error's body for the model
)

// answer is the outcome of an attempt.
type answer struct {
	result string
	err    error
	again  bool          // another attempt may succeed
	after  time.Duration // how long the server asks to wait
}

func (a answer) outcome() (tools.Outcome, error) { return tools.Outcome{Result: a.result}, a.err }

// read makes the answer of a response. Its result has at most limit bytes. If the body is long,
// raw is only its beginning.
func (t *Tool) read(resp *http.Response, raw string, long bool, limit int) answer {
	text := t.redactor.Replace(raw)
	if long { // the cut may have split a secret or a code point
		text = whole(text[:max(0, len(text)-t.redactor.Longest)])
	}
	isText := readable(resp.Header, tools.Clip(text, maxResult))
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		if !isText {
			text = ""
		}
		return refusal(resp, text)
	}
	if !isText {
		media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
		return answer{err: &tools.Error{Code: tools.CodeToolFailed, Status: resp.StatusCode, Message: fmt.Sprintf(
			"The server's answer is not text (%s), so it cannot be shown. Ask for another format, or go on without it.",
			cmp.Or(tools.Clip(media, 100), "unknown type"))}}
	}
	return answer{result: tools.Clip(strings.ToValidUTF8(tools.Clip(text, limit), "\ufffd"), limit)}
}

// refusal is the error of a status other than 2xx.
func refusal(resp *http.Response, text string) answer {
	status := resp.StatusCode
	e := &tools.Error{Code: tools.CodeHTTPError, Status: status, Rejected: rejects(status), Message: strings.TrimSpace(fmt.Sprintf("HTTP %d %s", status, http.StatusText(status))) + "."}
	a := answer{err: e, after: retryAfter(resp.Header)}
	switch status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		a.again = true
	}
	if status == http.StatusUnauthorized || status == http.StatusForbidden || status >= 500 {
		e.Cause = fmt.Sprintf("HTTP %d", status) // the operator may be able to fix it
	}
	if status < 400 && resp.Header.Get("Location") != "" {
		e.Message += " The server redirects, which is not followed."
	}
	if a.after > 0 {
		e.Message += fmt.Sprintf(" You can try again in %d s.", int(a.after.Seconds()))
	}
	if said := strings.TrimSpace(strings.ToValidUTF8(tools.Clip(text, maxSaid), "\ufffd")); said != "" {
		e.Message += " The server says: " + said
	}
	return a
}

// rejects reports whether a status rejects one call. 401 and 403 are about the tool's credentials, 408
// and 429 about the service.
func rejects(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	return status >= 400 && status < 500
}

// retryAfter returns the wait of the Retry-After header (RFC 9110, 10.2.3), or 0 without one.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at).Round(time.Second))
	}
	return 0
}

// unreachable makes the answer of an attempt that got no response.
func unreachable(err error) answer {
	again, why := outgoing.Cause(err)
	return answer{again: again, err: &tools.Error{
		Code: tools.CodeToolFailed, Cause: why.Error(),
		Message: "The server of this tool did not respond, or not with HTTP. Try again later, or go on without it.",
	}}
}

// readable reports whether a model can read the body. The type decides if it is clear, otherwise
// the bytes do.
func readable(h http.Header, text string) bool {
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return false // net/http has already decoded what it asked for
	}
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	kind, form, _ := strings.Cut(media, "/")
	switch {
	case kind == "text" || strings.HasSuffix(form, "json") || strings.HasSuffix(form, "xml"):
		return true
	case text == "":
		return true
	case kind == "image" || kind == "audio" || kind == "video" || kind == "font":
		return false
	}
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// whole drops an incomplete code point at the end.
func whole(s string) string {
	for range utf8.UTFMax - 1 {
		if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size != 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}
