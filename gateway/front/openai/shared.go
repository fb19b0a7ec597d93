package openai

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// failure is the body of a refusal, and the last frame of a stream that fails.
type failure struct {
	Error fault `json:"error"`
}

type fault struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Code    string  `json:"code"`
	Param   *string `json:"param"`
}

// faultTypes are OpenAI's names for the meaning of a status.
var faultTypes = map[int]string{
	http.StatusUnauthorized:    "authentication_error",
	http.StatusForbidden:       "permission_error",
	http.StatusNotFound:        "not_found_error",
	http.StatusTooManyRequests: "rate_limit_error",
}

func newFailure(status int, code, message, field string) failure {
	f := fault{Message: message, Code: code, Type: faultTypes[status]}
	switch {
	case f.Type != "":
	case status >= http.StatusInternalServerError:
		f.Type = "server_error"
	default:
		f.Type = "invalid_request_error"
	}
	if field != "" {
		f.Param = &field
	}
	return failure{f}
}

// refuse implements front.Front's Refuse. The clients automatically repeat requests with status
// 409 or 5xx, unless told not to.
func refuse(h http.Header, p host.Problem) (string, []byte) {
	if p.Taken || p.Status < http.StatusInternalServerError && p.Status != http.StatusTooManyRequests {
		h.Set("X-Should-Retry", "false")
	}
	body, _ := json.Marshal(newFailure(p.Status, string(p.Code), p.Message, p.Field)) // strings always encode
	return "application/json", body
}

// elsewhere are the first segments of OpenAI's addresses after /v1: a client of another part of
// that API can read its refusal, too.
var elsewhere = []string{
	"assistants", "audio", "batches", "chat", "completions", "containers", "conversations", "embeddings", "engines", "evals", "files",
	"fine_tuning", "images", "models", "moderations", "realtime", "responses", "threads", "uploads", "vector_stores", "videos",
}

// Elsewhere reports whether a request is for an address of OpenAI's API.
func (Chat) Elsewhere(r *http.Request) bool {
	segment, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	return slices.Contains(elsewhere, segment)
}

// failed returns the data of a frame that ends a stream: the run failed, or goes on elsewhere.
func failed(code, message string) []byte {
	data, _ := json.Marshal(newFailure(http.StatusInternalServerError, code, message, ""))
	return data
}

// callID returns the id of the call that a question goes out as. Clients send it back without
// saying which chat it belongs to, so it is the clarification's own.
func callID(q front.Question) string { return front.ByClarification(q) }

// output returns a client's output of a call in the form that front.ReadAnswer takes: JSON for a
// tool of the client's own, or else a text, which may be JSON. The text null is that JSON value.
func output(of *chat.Clarification, text string) []byte {
	if of.Question.Kind == tools.KindInput || strings.TrimSpace(text) == "null" {
		return []byte(text)
	}
	data, _ := json.Marshal(text) // a string always encodes
	return data
}

// noted reports whether a message is the note of an answer to a question: both are sent again
// together.
func noted(of *chat.Clarification, message *string) bool {
	return of != nil && of.Answer != nil && message != nil && squeeze(of.Answer.Note) == squeeze(*message)
}

// squeeze normalizes the white space of a text, which does not count.
func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

// looking returns the function by which an ending loads the chat of a call.
func looking(c *host.Request) func() *store.View {
	return func() *store.View {
		view, err := front.In(c).View()
		if err != nil {
			return nil // only the client loses by it
		}
		return view
	}
}
