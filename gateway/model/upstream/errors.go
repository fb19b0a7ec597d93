package upstream

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/askgate/askgate/gateway/model"
)

// maxRetryAfter bounds the wait that a server asks for, so that arithmetic cannot overflow.
const maxRetryAfter = 24 * time.Hour

// StatusOverloaded is the status "overloaded" of Anthropic and its proxies.
const StatusOverloaded = 529

// Retried reports whether another attempt may succeed after this status.
func Retried(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout, StatusOverloaded:
		return true
	}
	return false
}

// statusError returns the error of an answer with a status other than 2xx. Its detail has the code
// and type of the body, if they are plain words, and the server's reason if that is about the key,
// the account or the model.
func statusError(status int, header http.Header, body []byte, reason string) *model.Error {
	e := &model.Error{Kind: KindOf(status), Status: status, RetryAfter: retryAfter(header, time.Now()), Reason: reason}
	e.Detail = "the server answered " + strconv.Itoa(status)
	if w := ErrorIn(body); w != nil {
		e.Detail += w.Words()
	}
	classify(e, body)
	switch {
	case e.Fault == model.FaultFunds || e.Fault == model.FaultKey || e.Fault == model.FaultModel:
		e.Detail += quoted(reason) + "; " + fixes[e.Fault]
	case e.Fault != "":
		e.Detail += "; " + fixes[e.Fault]
	case status >= 300 && status < 400:
		e.Fault = model.FaultModel
		e.Detail += ", a redirect; set baseUrl to its target"
	}
	return e
}

// fixes says how an operator fixes each fault.
var fixes = map[model.Fault]string{
	model.FaultFunds:     "check the account at the provider",
	model.FaultKey:       "check the key (apiKey)",
	model.FaultModel:     "check baseUrl and model",
	model.FaultTools:     "choose a model that supports tools",
	model.FaultFlag:      "start the model server with its flags for tools",
	model.FaultParameter: "change the model's setting that the server refuses",
}

// KindOf returns the kind of error of a status.
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

// classify sets the kind and the fault of an error from the server's report.
func classify(e *model.Error, body []byte) {
	if got, most, is := tooLong(e.Status, body); is {
		e.Kind, e.Tokens, e.MaxTokens = model.KindTooLong, got, most
		e.Detail += ": the request is too long for the model"
		return
	}
	switch e.Fault = fault(e.Status, body, e.Reason); e.Fault {
	case model.FaultFunds, model.FaultFlag, model.FaultTools: // unlike a rate limit or a busy server, these do not pass
		e.Kind = model.KindError
	}
}

// Failed returns the error for an error object within a stream. line is the whole line. The error
// must be passed through Answer.Error or Tries.Wait, which set its Reason.
func Failed(kind model.ErrorKind, status int, w *ServerError, line []byte) *model.Error {
	e := &model.Error{Kind: kind, Status: status, Detail: "the server reported an error within the stream" + w.Words()}
	classify(e, line)
	e.Err = &within{bytes.Clone(line[:min(len(line), maxErrorBody)])}
	return e
}

// In bytes: the shortest part of a key that reveals something about it, and the shortest key that
// is not just an ordinary part of words.
const minSecret, minWord = 8, 4

const redacted = "[key]"

// hide removes secrets from an error, in case the server has sent one back.
func (s *Server) hide(err error) error {
	var e *model.Error
	if !errors.As(err, &e) {
		return err
	}
	detail, cause := e.Detail, ""
	if e.Err != nil {
		cause = e.Err.Error()
	}
	shown := cause
	for _, secret := range s.o.secrets() {
		detail, shown = withoutSecret(detail, secret), withoutSecret(shown, secret)
	}
	if detail == e.Detail && shown == cause {
		return err
	}
	hidden := *e
	hidden.Detail = detail
	if e.Err != nil {
		hidden.Err = errors.New(shown)
	}
	return &hidden
}

// withoutSecret removes the words that share a part with the secret. That includes the whole
// secret, escaped or in a different case, and one that is partly masked.
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
		for at := 0; at+minSecret <= len(folded); at++ {
			if strings.Contains(secret, folded[at:at+minSecret]) {
				text = strings.ReplaceAll(text, word, redacted)
				break
			}
		}
	}
	return text
}

// transportError returns the error of a request without an answer. It leaves out the URL, because
// that of a proxy may contain a password.
func transportError(err error) *model.Error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return &model.Error{Kind: model.KindUnavailable, Detail: "the server cannot be reached; check baseUrl", Err: err}
}

// retryAfter returns the wait of Retry-After (seconds or an HTTP date) or of OpenAI's
// retry-after-ms, or 0 without one.
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
