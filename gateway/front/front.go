package front

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
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
	// Changes says that what is sent there counts in the limit of changes; what of it is a
	// request, Serve has counted by Admit.
	Changes bool
	// Files says that messages with files are sent there: see Call.Body.
	Files bool
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
	// caller is known before it is read, and the request counted in the limits of the app
	// that was entered; where the body names the app, Enter counts it. On a route of Files it may
	// be larger by the files of messages, which do not stand in it any more: Files knows them.
	Body() ([]byte, error)
	// Files are those that stand in a message, as far as the app takes them as attachments.
	Files(parts []Part) ([]File, error)
	// Locale asks for a language, BCP 47; Accept-Language counts where there are no texts in it.
	Locale(tag string)
	// Text is a text of the gateway's in the language that the caller reads.
	Text(id string, params map[string]any) string
	// Now is the time by the store's clock, which says what has expired.
	Now() time.Time
	// Apps are those that the caller may use.
	Apps() ([]*config.App, error)
	// Enter goes into an app, which must be the caller's to use.
	Enter(app string) error
	// App is the one that was entered.
	App() *config.App
	// Chat goes to a chat of the caller's in the app, by any id that a client has for it, up
	// to 200 bytes (see ChatID), and tells it in X-Chat-Id. There need not be one. A refusal names
	// field, the place in the request where the id stands.
	Chat(id, field string) error
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
	// ChatOf is the chat of one of the caller's clarifications in the app, by its own id; it is not
	// entered.
	ChatOf(clarificationID string) (string, error)
	// Known says that a command with that key was taken in a chat of the caller's in the app.
	Known(chatID, key string) (bool, error)
	// Coded keeps that a question of the chat went out with a code, chat.CodeLength letters.
	Coded(of *chat.Clarification, code string) error
	// Branches are the chats that the name of the chat stands for: the chat, and the branches that
	// clients made of it or it is one of, the one that was written to last first. In each, lines
	// of a client's history are looked for. See store.BranchReader.
	Branches(lines ...store.Line) ([]store.Branch, error)
	// Go goes to another chat of the caller's in the app, by its own id, and tells it in X-Chat-Id.
	Go(chatID string) error
	// Retry says that the client's library sends the request again by itself.
	Retry() bool
	// Delivered says that the newest run of a chat's newest turn is known to have reached a client
	// whole, as it began or as it was told again.
	Delivered(of *chat.Conversation, turn *chat.Turn) (bool, error)
	// Bring says which tools the request has, in the client's order: where the app takes them,
	// its command's turn has them from now on. It is told in IgnoredHeader whether any is not
	// used, and called once, also where there are none.
	Bring(brought []Tool) error
	// Class is what the app's tool with that name does with a call.
	Class(tool string) Class
	// Typed is the answer that a text typed to a clarification stands for, if it is one, by
	// the rules of plain messages.
	Typed(c *chat.Clarification, text string) (answer turn.Answer, ok bool)
	// NoAnswer counts a result of a question's call that was no answer, and has the question
	// asked in words from now on: see InWords.
	NoAnswer(of *chat.Clarification, why Reason) error
	// Stream takes a command and streams its run to the end.
	Stream(cmd Command, t Teller) error
	// Collect takes a command and tells its run without a response: the front writes it by
	// JSON when the run is over. A run that failed is the error.
	Collect(cmd Command, t Teller) error
	// Watch streams the run that goes on in the chat, from its start. False: none does, and
	// nothing was written.
	Watch(t Teller) (bool, error)
	// Admit counts, on a route of changes, what is a request.
	Admit() error
	// Draft keeps what was answered so far with a question of the chat that waits.
	Draft(of *chat.Clarification, draft json.RawMessage) error
	// Frames writes a stream that belongs to no run.
	Frames(frames []byte)
	// JSON writes a whole response.
	JSON(status int, body any)
	// Send writes a whole response of another type.
	Send(status int, contentType string, body []byte)
	// Nothing writes a response without a body.
	Nothing()
}

// Tool is a tool of a client's request. Its definition has no name where it is of a kind that the
// gateway has no use for; Field is its place in the request.
type Tool struct {
	Field string
	tools.Definition
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

// Command is what a client sent: a message, an answer, a fork, or a wish to resume or to be told
// again, exactly one.
type Command struct {
	Message *string
	Answer  *turn.Answer
	Resume  bool
	// Place is where in the request the message stands, which a refusal names; "" for "message".
	Place string `json:"-"`
	// Instructions are what the client's program says to the model with the message (Instructed).
	Instructions string `json:"-"` // the same message may come again with others
	// Files come with the message.
	Files []File `json:",omitempty"`
	// Fork begins a branch of the chat, which the call then is in.
	Fork *Fork `json:",omitempty"`
	// Again: the newest run of the chat's newest turn is told again, and no model is asked.
	Again bool `json:",omitempty"`
	// ID is the client's own id of the message, or that of the fork, by which Branches finds it; ""
	// for none.
	ID string `json:",omitempty"`
	// Key makes a repeated command the same run, "" for none. It is the client's own id of
	// what it sent, up to 200 characters, and unique within the chat.
	Key string
	// Said is the message that Answer was given by, where it was more than that: the message again,
	// with its Key, is the same command.
	Said *string `json:"-"`
	// ClarificationID names the question that a message is about; Waited says that it waited when the front
	// looked: an answer to it that comes too late is refused, and does not become a new message.
	ClarificationID string
	Waited          bool `json:"-"`
	// Channel is how the answer came, "" for an answer like any other.
	Channel chat.Channel `json:"-"`
	// Passing: the chat, which must be new or passing already, is deleted when its turn is over.
	Passing bool
	// Lasting, of a passing chat: its client has a name for it, so it is kept for chat.LastingFor
	// behind its last turn, in no list.
	Lasting bool `json:",omitempty"`
	// Nobody can answer a question of the turn that the message begins.
	Nobody bool `json:",omitempty"`
	// UsedWith is the client's own id of its chat, as chat.ClientMark has it: the chat keeps the
	// first one.
	UsedWith string `json:",omitempty"`
}

// Fork is where a branch leaves the chat: at a message of the person's, which is said again or
// otherwise, or at a question, which is answered otherwise.
type Fork struct {
	MessageID, ClarificationID string        // exactly one
	Message                    *string       // nil: the one at the point is said again
	Answer                     *tools.Answer // with ClarificationID
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
