package front

import (
	"net/http"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Programs is what a Call does for programs that ask people: without a turn, and by the code
// that POST /v1/apps/{app}/clarifications and its neighbours go by. The app has been entered.
type Programs interface {
	// Offer is what programs may ask in the app, in the caller's language.
	Offer() Offer
	// Whom reads who is asked from JSON, as POST /v1/apps/{app}/clarifications reads "to".
	Whom(to []byte) (To, error)
	// Ask stores a question, or refuses it; a *tools.Error says what is wrong with its fields.
	// Faults call the fields of Asking.By "name" and "title".
	Ask(q Asking) (chat.Clarification, error)
	// Asked is a question that the caller's program asked, when it is closed or after that
	// time, whatever comes first: at once where this node ends or holds too much already.
	Asked(id string, wait time.Duration) (chat.Clarification, error)
	// Reply answers a question that the caller is asked, by a form of the program that asked, and
	// is it as it is stored then.
	Reply(a turn.Answer) (chat.Clarification, error)
	// Say adds a line to the chat that the program's questions are in.
	Say(to To, by tools.Asker, text string) error
	// Result is how a question ended, as a model reads it.
	Result(c *chat.Clarification) (string, error)
	// Problem says what an error means to the caller, as a refusal would.
	Problem(err error) Problem
	// Sealed makes a text that a client keeps for the gateway, and Unsealed opens it, also on
	// other nodes where they have a secret for it (auth.session.secret).
	Sealed(data []byte) (string, error)
	Unsealed(text string) (data []byte, ok bool)
	// Library has a library write the whole response. An event stream gets heartbeats, and
	// may be written to by several goroutines, whole events each.
	Library(h http.Handler)
}

// Offer is what programs may ask.
type Offer struct {
	tools.Definition // of ask_user, within the limits in force
	Templates        []Template
	// Others says that the caller may ask somebody else.
	Others bool
}

// Template is a question that an admin wrote.
type Template struct {
	Name        string
	Description string
	Values      []string // that must be given
}

// Asking is a program's question.
type Asking struct {
	To        To
	By        tools.Asker
	Arguments string // of ask_user, as the program wrote them
	// Session is the program's, "" for none: a question that is equal to one that it waits for in
	// the same session is that one.
	Session string `json:"-"`
}

// To is who is asked: a subject, or a role; the caller where both are "".
type To struct{ Subject, Role string }
