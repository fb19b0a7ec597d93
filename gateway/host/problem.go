package host

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/tools"
)

// Codes that only HTTP knows.
const (
	CodeMethodNotAllowed chat.Code = "method_not_allowed"
	CodeNotAcceptable    chat.Code = "not_acceptable"
	codeModelError       chat.Code = "model_error"
	codeAuthUnavailable  chat.Code = "auth_unavailable"
	codeMisdirected      chat.Code = "misdirected_request"
	codeInvalidQuestion  chat.Code = "invalid_clarification"
	codeInvalidFiles     chat.Code = "invalid_files"
)

// statuses is the one table from codes to status codes (contract 4).
var statuses = map[chat.Code]int{
	chat.CodeInvalidRequest:       http.StatusBadRequest,
	chat.CodeUnsupportedPart:      http.StatusBadRequest,
	chat.CodeAttachmentsOff:       http.StatusBadRequest,
	chat.CodeInstructionsOff:      http.StatusBadRequest,
	chat.CodeUnauthenticated:      http.StatusUnauthorized,
	chat.CodeForbidden:            http.StatusForbidden,
	chat.CodeNotFound:             http.StatusNotFound,
	chat.CodeModelNotFound:        http.StatusNotFound,
	CodeMethodNotAllowed:          http.StatusMethodNotAllowed,
	CodeNotAcceptable:             http.StatusNotAcceptable,
	chat.CodeTurnInProgress:       http.StatusConflict,
	chat.CodeNothingToResume:      http.StatusConflict,
	chat.CodeChatExists:           http.StatusConflict,
	chat.CodeNotReadable:          http.StatusConflict,
	chat.CodeStorageFull:          http.StatusRequestEntityTooLarge,
	chat.CodeNotForkable:          http.StatusUnprocessableEntity,
	chat.CodeClarificationPending: http.StatusConflict,
	chat.CodeApprovalChanged:      http.StatusConflict,
	chat.CodeAlreadyAnswered:      http.StatusConflict,
	chat.CodeIdempotencyConflict:  http.StatusConflict,
	chat.CodeStaleOption:          http.StatusConflict,
	chat.CodeNoFileWanted:         http.StatusConflict,
	chat.CodeClarificationClosed:  http.StatusGone,
	chat.CodeTooLarge:             http.StatusRequestEntityTooLarge,
	chat.CodeUnsupportedMedia:     http.StatusUnsupportedMediaType,
	codeMisdirected:               http.StatusMisdirectedRequest,
	chat.CodeInvalidAnswer:        http.StatusUnprocessableEntity,
	codeInvalidFiles:              http.StatusUnprocessableEntity,
	codeInvalidQuestion:           http.StatusUnprocessableEntity,
	chat.CodeRateLimited:          http.StatusTooManyRequests,
	chat.CodeClarificationLimit:   http.StatusTooManyRequests,
	chat.CodeInternal:             http.StatusInternalServerError,
	codeModelError:                http.StatusBadGateway,
	chat.CodeDraining:             http.StatusServiceUnavailable,
	chat.CodeOverloaded:           http.StatusServiceUnavailable,
	chat.CodeStoreUnavailable:     http.StatusServiceUnavailable,
	chat.CodeOptionsUnavailable:   http.StatusServiceUnavailable,
	chat.CodeFilesUnavailable:     http.StatusServiceUnavailable,
	codeAuthUnavailable:           http.StatusServiceUnavailable,
}

// restartWait is what a caller refused by a draining node, an unusable store or one with
// too much in flight is told to wait: about what a restart takes.
const restartWait = 2 * time.Second

// Refusal is the body of every refusal: RFC 9457, with members of our own.
type Refusal struct {
	Title  string    `json:"title"`
	Status int       `json:"status"`
	Detail string    `json:"detail"`
	Code   chat.Code `json:"code"`
	// Field is the JSON path or the parameter that a 400 is about.
	Field  string        `json:"field,omitempty"`
	Errors []answerFault `json:"errors,omitempty"` // 422
	Scope  string        `json:"scope,omitempty"`  // 429
	// What the refusal says about a clarification: 409 and 410.
	ClarificationID string        `json:"clarificationId,omitempty"`
	ToolCallID      string        `json:"toolCallId,omitempty"`
	Outcome         tools.State   `json:"outcome,omitempty"`
	Answer          *tools.Answer `json:"answer,omitempty"`
	AnsweredAt      *chat.Time    `json:"answeredAt,omitempty"`
	AnsweredBy      *chat.By      `json:"answeredBy,omitempty"`
	State           tools.State   `json:"state,omitempty"`
	// What waits, as its event has it: 409 clarification_pending and approval_changed.
	Clarification *chat.Asked `json:"clarification,omitempty"`
	// What there is in place of an option that is gone, for the question with that index: 409.
	Question     *int           `json:"question,omitempty"`
	Gone         []string       `json:"gone,omitempty"`
	Options      []tools.Option `json:"options,omitzero"`
	OptionsTotal int            `json:"optionsTotal,omitempty"`
	// How the run of JSON mode failed: 502.
	TurnID string        `json:"turnId,omitempty"`
	Error  *chat.Failure `json:"error,omitempty"`
	// taken says that what was sent was taken nevertheless. Fronts tell clients that would
	// send it again by themselves.
	taken bool
}

// Problem is why a request is refused, as formats tell it.
type Problem struct {
	Status  int
	Code    chat.Code
	Message string // for a person, in the caller's language
	Field   string // the place in the request, "" where it is not about one
	// Question names the clarification that an answer was refused for, "" where there is none.
	Question string
	// Taken says that what was sent was taken nevertheless, and must not be sent again.
	Taken bool
}

// told is the problem for formats: clients of theirs show the message as it
// is, so it says what is wrong with an answer.
func (p *Refusal) told() Problem {
	f := Problem{Status: p.Status, Code: p.Code, Message: p.Detail, Field: p.Field, Question: p.ClarificationID, Taken: p.taken}
	for i, e := range p.Errors {
		if i == 0 || e.Message != p.Errors[i-1].Message {
			f.Message += " " + e.Message
		}
	}
	return f
}

// answerFault is one entry of a 422.
type answerFault struct {
	Question int    `json:"question"`
	Field    string `json:"field"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	// Of several answers that came together, which one it is about.
	ToolCallID      string `json:"toolCallId,omitempty"`
	ClarificationID string `json:"clarificationId,omitempty"`
}

// Fault is a refusal that the API itself decides.
type Fault struct {
	Code   chat.Code
	Detail string         // suffix of the localised detail, "" for the code's own text
	Field  string         // named by the text and by the member of that name
	Params map[string]any // what else the text names
	// At most one of these.
	Limited   *limit.Decision
	failed    *chat.Result
	challenge string // how to authenticate
}

func (f *Fault) Error() string { return string(f.Code) + " " + f.Detail + " " + f.Field }

func NotFound(detail string) error { return &Fault{Code: chat.CodeNotFound, Detail: detail} }

func Invalid(detail, field string) *Fault {
	return &Fault{Code: chat.CodeInvalidRequest, Detail: detail, Field: field}
}

// Refuse turns any error into the response; it is the only place that does.
// After the first byte of a response there is nothing left to say.
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

// Problem says what an error means to the caller, as a refusal would.
func (r *Request) Problem(err error) Problem {
	p, _, _ := explained(r, err)
	return p.told()
}

// explained is the problem of an error in the caller's language. What only the operator can
// mend is logged.
func explained(r *Request, err error) (p Refusal, wait time.Duration, lang string) {
	if errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown) || errors.Is(err, context.DeadlineExceeded) {
		r.ChatKnown = false // a store that did not answer is not asked for the chat's language
	}
	lang = r.Language()
	p, wait = r.Host.Texts.Problem(err, lang)
	if m := r.HTTP().Method; p.Code == chat.CodeStoreUnavailable && (m == http.MethodGet || m == http.MethodHead) {
		p.Detail = r.Host.Texts.text(p.Code, "not_read", nil, lang).Detail // there was nothing to save
	}
	if p.Status >= http.StatusInternalServerError && p.Code != codeModelError && p.Code != chat.CodeDraining && p.Code != chat.CodeOverloaded && !errors.Is(err, context.Canceled) {
		r.Logger().LogAttrs(r.Context(), slog.LevelError, "request failed", slog.String("code", string(p.Code)), slog.Any("error", err))
	}
	return p, wait, lang
}

// texts are what refusals say.
type texts struct{ catalog *locales.Catalog }

// Problem says what err means to the caller, and when trying again makes sense.
func (t texts) Problem(err error, lang string) (Refusal, time.Duration) {
	if f, ok := errors.AsType[*Fault](err); ok {
		return t.faultProblem(f, lang)
	}
	if e, ok := errors.AsType[*turn.AnswersError](err); ok {
		p := t.text(chat.CodeInvalidAnswer, "", nil, lang)
		for _, of := range e.Refused {
			for _, f := range t.answerFaults(of.Err, lang) {
				f.ToolCallID, f.ClarificationID = of.ToolCallID, of.ClarificationID
				p.Errors = append(p.Errors, f)
			}
		}
		return p, 0
	}
	if e, ok := errors.AsType[*tools.AnswerError](err); ok {
		p := t.text(chat.CodeInvalidAnswer, "", nil, lang)
		p.Errors = t.answerFaults(e, lang)
		return p, 0
	}
	if e, ok := errors.AsType[*uploads.FilesError](err); ok {
		p := t.text(codeInvalidFiles, "", nil, lang)
		for _, f := range e.Fields {
			p.Errors = append(p.Errors, answerFault{Field: f.Field, Code: f.Code, Message: t.catalog.Text(lang, "files."+f.Code, f.Params)})
		}
		return p, 0
	}
	if e, ok := errors.AsType[*tools.Error](err); ok && e.Code == tools.CodeInvalidClarification {
		p := t.text(codeInvalidQuestion, "", nil, lang)
		p.Errors = t.questionFaults(e, lang)
		return p, 0
	}
	if e, ok := errors.AsType[*chat.Error](err); ok {
		return t.chatProblem(e, lang)
	}
	switch {
	case errors.Is(err, store.ErrUnknown):
		return t.text(chat.CodeStoreUnavailable, "outcome_unknown", nil, lang), restartWait
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return t.text(chat.CodeStoreUnavailable, "", nil, lang), restartWait
	case errors.Is(err, store.ErrCursor):
		return t.faultProblem(Invalid("query", "cursor"), lang)
	}
	return t.text(chat.CodeInternal, "", nil, lang), 0
}

func (t texts) faultProblem(f *Fault, lang string) (Refusal, time.Duration) {
	params := map[string]any{"Field": f.Field}
	if f.Limited != nil {
		params["Count"] = limit.Seconds(max(f.Limited.RetryAfter, f.Limited.Reset))
	}
	for k, v := range f.Params {
		params[k] = v
	}
	p := t.text(f.Code, f.Detail, params, lang)
	p.Field, p.taken = f.Field, f.failed != nil || f.Detail == detailGoesOn
	var wait time.Duration
	switch {
	case f.Limited != nil:
		p.Scope = f.Limited.Scope
	case f.failed != nil:
		p.TurnID, p.Error = f.failed.TurnID, f.failed.Failure
		if p.Error != nil && p.Error.Message != "" {
			p.Detail = p.Error.Message
		}
		if p.Error != nil && p.Error.RetryAfter != nil { // seconds
			wait = time.Duration(*p.Error.RetryAfter) * time.Second
		}
	case f.Code == chat.CodeDraining || f.Code == chat.CodeStoreUnavailable || f.Code == chat.CodeOverloaded:
		wait = restartWait
	}
	return p, wait
}

func (t texts) chatProblem(e *chat.Error, lang string) (Refusal, time.Duration) {
	params := map[string]any{"Count": limit.Seconds(e.RetryAfter), "Limit": bodyLimit}
	for k, v := range e.Params {
		params[k] = v
	}
	if e.Clarification != nil {
		params["State"] = string(e.Clarification.State)
	}
	p := t.text(e.Code, e.Detail, params, lang)
	p.Field, _ = e.Params["Field"].(string)
	if c := e.Clarification; c != nil {
		p.ClarificationID, p.ToolCallID = c.ID, c.ToolCallID
		switch e.Code {
		case chat.CodeClarificationPending, chat.CodeApprovalChanged:
			pending := chat.NewAsked(c)
			p.Clarification = &pending
		case chat.CodeAlreadyAnswered:
			end := chat.NewResolved(c)
			p.Outcome, p.Answer, p.AnsweredAt, p.AnsweredBy = c.State, c.Answer, end.AnsweredAt, end.By
		case chat.CodeClarificationClosed:
			p.State, p.AnsweredBy = c.State, c.AnsweredBy
			p.AnsweredAt = OptionalTime(c.AnsweredAt)
		}
	}
	if stale, ok := errors.AsType[*tools.StaleError](e); ok {
		p.Question, p.Gone = &stale.Question, stale.Gone
		p.Options, p.OptionsTotal = append([]tools.Option{}, stale.Options...), stale.Total
	}
	wait := e.RetryAfter
	if wait == 0 && p.Status == http.StatusServiceUnavailable {
		wait = restartWait
	}
	return p, wait
}

// text makes a problem of a code, with its texts in a language. A detail or code
// that has no text of its own falls back to the more general one.
func (t texts) text(code chat.Code, detail string, params map[string]any, lang string) Refusal {
	status, ok := statuses[code]
	if !ok {
		code, detail, status = chat.CodeInternal, "", http.StatusInternalServerError
	}
	p := Refusal{Title: t.catalog.Text(lang, "title."+string(code), params), Status: status, Code: code}
	if detail != "" {
		if id := "detail." + detail; t.catalog.Text(lang, id, params) != id {
			p.Detail = t.catalog.Text(lang, id, params)
			return p
		}
	}
	p.Detail = t.catalog.Text(lang, "problem."+string(code), params)
	return p
}

func (t texts) answerFaults(e *tools.AnswerError, lang string) []answerFault {
	faults := make([]answerFault, len(e.Fields))
	for i, f := range e.Fields {
		faults[i] = answerFault{Question: f.Question, Field: f.Field, Code: f.Code, Message: f.Message}
		if f.Message == "" {
			faults[i].Message = t.catalog.Text(lang, "answer."+f.Code, f.Params)
		}
	}
	return faults
}

// questionFaults say what is wrong with a program's question.
func (t texts) questionFaults(e *tools.Error, lang string) []answerFault {
	faults := make([]answerFault, 0, len(e.Fields)+1)
	for _, f := range e.Fields {
		faults = append(faults, answerFault{Question: f.Question, Field: f.Field, Code: f.Code, Message: t.askText(f.Code, f.Params, lang)})
	}
	if len(faults) == 0 { // of a source of options
		faults = append(faults, answerFault{Code: e.Reason, Message: t.askText(e.Reason, nil, lang)})
	}
	return faults
}

// askText is the text of a reason, all of those about patterns being one.
func (t texts) askText(code string, params map[string]any, lang string) string {
	if strings.HasPrefix(code, "pattern_") {
		code = "pattern"
	}
	return t.catalog.Text(lang, "ask."+code, params)
}

// WriteTimeout is how long a client may take to read a response that is no stream.
const WriteTimeout = 30 * time.Second

// Write sends a whole JSON response.
func (r *Request) Write(status int, contentType string, body any) error {
	return r.sent(writeJSON(r.Response(), status, contentType, body))
}

// Send sends a whole response.
func (r *Request) Send(status int, contentType string, body []byte) error {
	return r.sent(send(r.Response(), status, contentType, body))
}

// sent notes that the response with a run was written.
func (r *Request) sent(err error) error {
	if r.told != nil && err == nil {
		delivered(r, r.told.Whole())
	}
	r.told = nil
	return err
}

// writeJSON sends a whole JSON response. The client has writeTimeout to take it.
func writeJSON(w *response, status int, contentType string, body any) error {
	data, err := json.Marshal(body)
	if err != nil { // values of our own types marshal
		panic(err)
	}
	return send(w, status, contentType, data)
}

// send sends a whole response. The client has writeTimeout to take it. An error: it was not taken whole.
func send(w *response, status int, contentType string, data []byte) error {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	h.Set("Cache-Control", "no-store")
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Now().Add(WriteTimeout)) // not supported: no connection to protect
	w.WriteHeader(status)
	_, err := w.Write(data)
	if flushed := rc.Flush(); err == nil && !errors.Is(flushed, http.ErrNotSupported) {
		err = flushed
	}
	_ = rc.SetWriteDeadline(time.Time{}) // the connection may carry the next request
	return err
}

func OptionalTime(t time.Time) *chat.Time {
	if t.IsZero() {
		return nil
	}
	w := chat.Time(t)
	return &w
}
