package host

import (
	"net/http"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/tools"
)

// These codes exist only in HTTP.
const (
	CodeMethodNotAllowed chat.Code = "method_not_allowed"
	CodeNotAcceptable    chat.Code = "not_acceptable"
	codeModelError       chat.Code = "model_error"
	codeAuthUnavailable  chat.Code = "auth_unavailable"
	codeMisdirected      chat.Code = "misdirected_request"
	codeInvalidQuestion  chat.Code = "invalid_clarification"
	codeInvalidFiles     chat.Code = "invalid_files"
)

// statuses is the only table from codes to status codes.
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
	chat.CodeNotDeletable:         http.StatusConflict,
	chat.CodeAlreadyBegun:         http.StatusConflict,
	chat.CodeTakenBack:            http.StatusConflict,
	chat.CodeClarificationPending: http.StatusConflict,
	chat.CodeApprovalChanged:      http.StatusConflict,
	chat.CodeAlreadyAnswered:      http.StatusConflict,
	chat.CodeAlreadyDecided:       http.StatusConflict,
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

// bodyLimit is MaxBody for people.
const bodyLimit = "1 MiB"

// restartWait is the time that a caller is asked to wait if a draining node, an unusable store or
// one with too much in flight refuses it: about as long as a restart takes.
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
	// These say what the refusal is about, for a clarification: 409 and 410.
	ClarificationID string        `json:"clarificationId,omitempty"`
	ToolCallID      string        `json:"toolCallId,omitempty"`
	Outcome         tools.State   `json:"outcome,omitempty"`
	Answer          *tools.Answer `json:"answer,omitempty"`
	AnsweredAt      *chat.Time    `json:"answeredAt,omitempty"`
	AnsweredBy      *chat.By      `json:"answeredBy,omitempty"`
	State           tools.State   `json:"state,omitempty"`
	// Clarification is the pending one, in the form of its event: 409 clarification_pending,
	// already_decided and approval_changed.
	Clarification *chat.Asked `json:"clarification,omitempty"`
	// These replace an option that is gone, for the question with that index: 409.
	Question     *int           `json:"question,omitempty"`
	Gone         []string       `json:"gone,omitempty"`
	Options      []tools.Option `json:"options,omitzero"`
	OptionsTotal int            `json:"optionsTotal,omitempty"`
	// These say how the run of JSON mode failed: 502.
	TurnID string        `json:"turnId,omitempty"`
	Error  *chat.Failure `json:"error,omitempty"`
	// taken means that the message or answer was accepted despite the error. Fronts report this to
	// clients that would otherwise send it again automatically.
	taken bool
}

// Problem is the reason why a request is refused, in the form that formats send.
type Problem struct {
	Status  int
	Code    chat.Code
	Message string // for a person, in the caller's language
	Field   string // the place in the request; "" if it is not about one
	// Question names the clarification for which an answer was refused; "" if there is none.
	Question string
	// Taken means that what was sent was taken nevertheless, and must not be sent again.
	Taken bool
}

// told returns the problem for formats. Their clients show the message as it is, so it says what
// is wrong with an answer.
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
	// These say which of several answers in one request it is about.
	ToolCallID      string `json:"toolCallId,omitempty"`
	ClarificationID string `json:"clarificationId,omitempty"`
}

// Fault is a refusal that the API itself decides.
type Fault struct {
	Code   chat.Code
	Detail string         // suffix of the localised detail; "" for the code's own text
	Field  string         // named in the text and in the member of that name
	Params map[string]any // what else the text names
	// At most one of these.
	Limited   *limit.Decision
	failed    *chat.Result
	challenge string // how to authenticate
}

func (f *Fault) Error() string { return string(f.Code) + " " + f.Detail + " " + f.Field }

// NotFound refuses what does not exist for the caller; detail is the suffix of its text.
func NotFound(detail string) error { return &Fault{Code: chat.CodeNotFound, Detail: detail} }

// Invalid refuses a request because of a field; detail is as in Fault.
func Invalid(detail, field string) *Fault {
	return &Fault{Code: chat.CodeInvalidRequest, Detail: detail, Field: field}
}

// OptionalTime returns nil for the zero time.
func OptionalTime(t time.Time) *chat.Time {
	if t.IsZero() {
		return nil
	}
	w := chat.Time(t)
	return &w
}

// detailGoesOn is the text for a request that was taken, but whose end was not seen.
const detailGoesOn = "goes_on"
