package front

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
)

// Native is the label of the gateway's own protocol beside the fronts' names.
const Native = "native"

// Front is one wire format. It is safe for concurrent use.
type Front interface {
	// Name is the label of metrics: "ai-sdk".
	Name() string
	Routes() []Route
	// Refuse is the body of a response that refuses a request, in the format's own shape; it
	// may set headers, but not the type and length, and not those that the host has set.
	Refuse(h http.Header, p Problem) (contentType string, body []byte)
}

// Route is one address of a front. Path has parameters as ":app".
type Route struct {
	Method, Path string
	Serve        func(Call) error
}

// Problem is why a request is refused.
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

// Call is one request, for one goroutine. An error that a method returns is the refusal: a
// handler returns it as it is.
type Call interface {
	Programs
	Context() context.Context
	Request() *http.Request
	// Header is the response's; it goes out with the first byte.
	Header() http.Header
	// Param is a parameter of the route.
	Param(name string) string
	// Body is the request's JSON: at most 1 MiB of UTF-8, not deeper than 64 levels. The
	// caller is known before it is read.
	Body() ([]byte, error)
	// Locale asks for a language, BCP 47; Accept-Language counts where there are no texts in it.
	Locale(tag string)
	// Text is a text of the gateway's in the language that the caller reads.
	Text(id string, params map[string]any) string
	// Apps are those that the caller may use.
	Apps() ([]*config.App, error)
	// Enter goes into an app, which must be the caller's to use.
	Enter(app string) error
	// App is the one that was entered.
	App() *config.App
	// Chat goes to a chat of the caller's in the app, by any id that a client has for it, up
	// to 200 bytes (see ChatID), and tells it in X-Chat-Id. There need not be one.
	Chat(id string) error
	// Ref names the chat.
	Ref() chat.Ref
	// View is the chat with its newest message and all its clarifications; nil where there is
	// no such chat yet.
	View() (*store.View, error)
	// Recent is another chat of the caller's in the app, by its own id, with its newest
	// messages; nil where there is none.
	Recent(chat string, part store.Part) (*store.View, error)
	// Chats lists the caller's chats in the app, the last changed first.
	Chats(page store.Page) ([]store.Listed, string, error)
	// Clarification is one of the caller's, by its own id, and enters its app and chat.
	Clarification(id string) (chat.Clarification, error)
	// Class is what the app's tool with that name does with a call.
	Class(tool string) Class
	// Typed is the answer that a text typed to a clarification stands for, if it is one, by
	// the rules of plain messages.
	Typed(c *chat.Clarification, text string) (answer turn.Answer, ok bool)
	// Stream takes a command and streams its run to the end.
	Stream(cmd Command, t Teller) error
	// Collect takes a command and tells its run without a response: the front writes it by
	// JSON when the run is over. A run that failed is the error.
	Collect(cmd Command, t Teller) error
	// Watch streams the run that goes on in the chat, from its start. False: none does, and
	// nothing was written.
	Watch(t Teller) (bool, error)
	// Admit counts a request that begins no run as one that does: some are answered without.
	Admit() error
	// Draft keeps what was answered so far with a question of the chat that waits.
	Draft(of *chat.Clarification, draft json.RawMessage) error
	// Frames writes a stream that is no run's.
	Frames(frames []byte)
	// JSON writes a whole response.
	JSON(status int, body any)
	// Send writes a whole response of another type.
	Send(status int, contentType string, body []byte)
	// Nothing writes a response without a body.
	Nothing()
}

// Class is what becomes of a call of a tool.
type Class int

// The classes: the gateway runs the call, it is a question to the person, or the client
// runs it.
const (
	Server Class = iota
	Asks
	Client
)

// Command is what a client sent: a message, an answer or a wish to resume, exactly one.
type Command struct {
	Message *string
	Answer  *turn.Answer
	Resume  bool
	// Key makes a repeated command the same run, "" for none. It is the client's own id of
	// what it sent, up to 200 characters, and unique within the chat.
	Key string
	// ClarificationID names the question that a message is about, where several wait.
	ClarificationID string
	// Passing: the chat, which must be new or such a one already, is deleted when its turn is over.
	Passing bool
}

// Invalid refuses a request because of a field of it; text is the id of the text that says
// why, without "detail.".
func Invalid(text, field string, params map[string]any) error {
	all := map[string]any{"Field": field}
	for k, v := range params {
		all[k] = v
	}
	return &chat.Error{Code: chat.CodeInvalidRequest, Detail: text, Params: all}
}
