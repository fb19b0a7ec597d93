package upstream

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/askgate/askgate/gateway/model"
)

// maxRetryAfter bounds what a server may ask for, so that no arithmetic overflows.
const maxRetryAfter = 24 * time.Hour

// StatusOverloaded is "overloaded" of Anthropic and its proxies.
const StatusOverloaded = 529

// Retried says whether another attempt may succeed after this status.
func Retried(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout, StatusOverloaded:
		return true
	}
	return false
}

// statusError is the error of an answer other than 200. Of its body, only code
// and type are reported, and only if they are plain words: a message may quote the prompt,
// unless it is about the key or the model.
func statusError(status int, header http.Header, body []byte) *model.Error {
	e := &model.Error{Kind: KindOf(status), Status: status, RetryAfter: retryAfter(header, time.Now())}
	e.Detail = "the server answered " + strconv.Itoa(status)
	if w := ErrorIn(body); w != nil {
		e.Detail += w.Words()
	}
	classify(e, body)
	switch {
	case e.Fault == model.FaultFunds:
		e.Detail += quoted(body) + "; check the account at the provider"
	case e.Fault == model.FaultKey:
		e.Detail += quoted(body) + "; check the key (apiKey)"
	case e.Fault == model.FaultModel:
		e.Detail += quoted(body) + "; check baseUrl and model"
	case status >= 300 && status < 400:
		e.Detail += ", a redirect; set baseUrl to its target"
	}
	return e
}

// KindOf is the kind of error that a status stands for.
func KindOf(status int) model.ErrorKind {
	switch {
	case status == http.StatusTooManyRequests:
		return model.KindRateLimited
	case status == http.StatusRequestTimeout:
		return model.KindTimeout
	case status >= 500:
		return model.KindUnavailable
	}
	return model.KindError
}

// classify finds what is behind an error that an answer or a stream reports.
func classify(e *model.Error, body []byte) {
	if got, most, is := tooLong(e.Status, body); is {
		e.Kind, e.Tokens, e.MaxTokens = model.KindTooLong, got, most
		e.Detail += ": the request is too long for the model"
		return
	}
	if e.Fault = fault(e.Status, body); e.Fault == model.FaultFunds {
		e.Kind = model.KindError // a rate limit goes away
	}
}

// Failed is the error for an error object within a stream, a whole line of which is given.
func Failed(kind model.ErrorKind, status int, w *ServerError, line []byte) *model.Error {
	e := &model.Error{Kind: kind, Status: status, Detail: "the server reported an error within the stream" + w.Words()}
	classify(e, line)
	return e
}

// ServerError is the error object of a body, or of a piece of a stream.
type ServerError struct {
	Code    any    `json:"code"`
	Type    string `json:"type"`
	Message string `json:"message"` // may quote the prompt
}

// ErrorIn finds the error object in a body: {"error": {...}}, {"error": "text"},
// vLLM's {"object": "error", ...}, or one of these in a list (Gemini). Nil if there is none.
func ErrorIn(body []byte) *ServerError {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) == 1 {
		body = list[0]
	}
	var outer struct {
		Error  json.RawMessage `json:"error"`
		Object string          `json:"object"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return nil
	}
	var w ServerError
	switch {
	case len(outer.Error) > 0 && string(outer.Error) != "null":
		_ = json.Unmarshal(outer.Error, &w) // what does not fit is left out
		_ = json.Unmarshal(outer.Error, &w.Message)
	case outer.Object == "error":
		_ = json.Unmarshal(body, &w)
	default:
		return nil
	}
	return &w
}

// Status is the code where it is an HTTP status (OpenRouter, vLLM), else 0.
func (w ServerError) Status() int {
	n := 0
	switch c := w.Code.(type) {
	case float64:
		n = int(min(max(c, 0), 1000))
	case string:
		n, _ = strconv.Atoi(c)
	}
	if n < 400 || n > 599 {
		return 0
	}
	return n
}

// Words are type and code for an operator, where they are plain.
func (w ServerError) Words() string {
	s := ""
	if t := plainWord(w.Type); t != "" {
		s += " type=" + t
	}
	code, _ := w.Code.(string)
	if n := w.Status(); n != 0 {
		code = strconv.Itoa(n)
	}
	if code = plainWord(code); code != "" {
		s += " code=" + code
	}
	return s
}

// In bytes: how much of a key tells something of it; and a key that is no more than an
// ordinary piece of a word.
const minSecret, minWord = 8, 4

const redacted = "[key]"

// hide is an error of the server's without its key, should the server have said that.
func (s *Server) hide(err error) error {
	var e *model.Error
	if !errors.As(err, &e) {
		return err
	}
	detail, cause := withoutSecret(e.Detail, s.o.Secret), ""
	if e.Err != nil {
		cause = withoutSecret(e.Err.Error(), s.o.Secret)
	}
	if detail == e.Detail && (e.Err == nil || cause == e.Err.Error()) {
		return err
	}
	hidden := *e
	hidden.Detail = detail
	if e.Err != nil {
		hidden.Err = errors.New(cause)
	}
	return &hidden
}

// withoutSecret takes the words out that share a part of the secret with it: the whole of
// it, also escaped or in other letters, or with a part masked.
func withoutSecret(text, secret string) string {
	if len(secret) < minWord {
		return text
	}
	text = strings.ReplaceAll(text, secret, redacted)
	if len(secret) < minSecret {
		return text
	}
	secret = strings.ToLower(secret)
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`=:;,()<>[]{}", r) }) {
		folded := strings.ToLower(word)
		for at := 0; at+minSecret <= len(secret); at++ {
			if strings.Contains(folded, secret[at:at+minSecret]) {
				text = strings.ReplaceAll(text, word, redacted)
				break
			}
		}
	}
	return text
}

// plainWord is s if it is a word such as "rate_limit_exceeded", else "".
func plainWord(s string) string {
	if len(s) > 64 {
		return ""
	}
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') && s[i] != '_' && s[i] != '-' && s[i] != '.' {
			return ""
		}
	}
	return s
}

// transportError is the error of a request that got no answer. The URL is left
// out: a proxy's may hold a password.
func transportError(err error) *model.Error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return &model.Error{Kind: model.KindUnavailable, Detail: "the server cannot be reached; check baseUrl", Err: err}
}

// retryAfter reads Retry-After (seconds or an HTTP date) and OpenAI's
// retry-after-ms; 0 if there is none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	bounded := func(n float64, unit time.Duration) time.Duration {
		if !(n > 0) {
			return 0
		}
		return time.Duration(min(n*float64(unit), float64(maxRetryAfter)))
	}
	if n, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return bounded(n, time.Millisecond)
	}
	value := h.Get("Retry-After")
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		return bounded(n, time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), maxRetryAfter)
	}
	return 0
}
