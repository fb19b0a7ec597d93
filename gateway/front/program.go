package front

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Program is a request of a program that asks people. It has no turn, and uses the same code as
// POST /v1/apps/{app}/clarifications and its neighbours. The app has been entered.
type Program struct{ R *host.Request }

// Offer returns what programs may ask in the app, in the caller's language.
func (c Program) Offer() Offer {
	lang := c.R.Language()
	def, templates := c.R.Setup().Catalog.AskUser(c.R.App.ID, lang)
	o := Offer{Definition: def, Others: len(c.R.Caller.Asks) > 0}
	for _, t := range templates {
		o.Templates = append(o.Templates, Template(t))
	}
	return o
}

// Whom reads from JSON who is asked, as POST /v1/apps/{app}/clarifications reads "to".
func (c Program) Whom(to []byte) (host.Whom, error) {
	a := new(host.Asking)
	err := readAs("to", to, a.ReadTo)
	return a.To, err
}

// WithdrawWhenGone reads from JSON how long no one may wait for a question before it is withdrawn, as
// POST /v1/apps/{app}/clarifications reads "withdrawWhenGone".
func (c Program) WithdrawWhenGone(after []byte) (time.Duration, error) {
	a := new(host.Asking)
	err := readAs("withdrawWhenGone", after, a.ReadWithdraw)
	return a.Withdraw, err
}

// Escalate reads from JSON whose holders may answer later, too, as POST /v1/apps/{app}/clarifications reads
// "escalate".
func (c Program) Escalate(steps []byte) ([]tools.Escalation, error) {
	a := new(host.Asking)
	err := readAs("escalate", steps, a.ReadEscalate)
	return a.Escalate, err
}

// readAs reads a JSON value as the field of that name.
func readAs(name string, value []byte, field host.Field) error {
	d, err := host.OpenJSON(slices.Concat([]byte(`{"`+name+`":`), value, []byte(`}`)))
	if err != nil {
		return err
	}
	return host.Object(d, map[string]host.Field{name: field})
}

// Ask stores a question, or refuses it; a *tools.Error says what is wrong with its fields. Errors
// call the fields of Asking.By "name" and "title".
func (c Program) Ask(q Asking) (chat.Clarification, error) {
	defer c.R.Release()
	key, err := host.IdempotencyKey(c.R, "")
	if err != nil {
		return chat.Clarification{}, err
	}
	whole, err := json.Marshal(q)
	if err != nil {
		return chat.Clarification{}, err
	}
	asked, _, err := host.Ask(c.R, &host.Asking{
		To: q.To, By: q.By, Arguments: []byte(q.Arguments), Key: key, Hash: host.SameBody(whole, ""), Join: c.joins(&q), Withdraw: q.Withdraw, Escalate: q.Escalate,
	})
	return asked, err
}

// joins returns an id for what is asked in a program's session, and how; "" if there is no
// session.
func (c Program) joins(q *Asking) string {
	if q.Session == "" {
		return ""
	}
	parts := []any{c.R.FormatName(), c.R.Caller.Key, q.Session, q.To, q.By, host.SameBody([]byte(q.Arguments), "")}
	if len(q.Escalate) > 0 {
		parts = append(parts, q.Escalate)
	}
	whole, _ := json.Marshal(parts) // texts can be written
	sum := sha256.Sum256(whole)
	return hex.EncodeToString(sum[:])
}

// Asked returns a question that the caller's program asked, when it is closed or after wait,
// whichever is first. It returns at once if this node is shutting down or already holds too many.
func (c Program) Asked(id string, wait time.Duration) (chat.Clarification, error) {
	c.R.Release()
	found, err := c.asked(id)
	if err != nil {
		return found, err
	}
	now, err := host.Await(c.R, found, wait)
	if f, ok := errors.AsType[*host.Fault](err); ok && f.Limited != nil {
		return found, nil // too many wait: the question is stored, and another call may wait
	}
	return now, err
}

// asked finds a question that the caller asked in the entered app.
func (c Program) asked(id string) (chat.Clarification, error) {
	app := c.R.App
	found, err := host.Concerning(c.R, id)
	if err == nil && (found.App != app.ID || !host.Asked(c.R, &found)) {
		c.R.App, found, err = app, chat.Clarification{}, store.ErrNotFound
	}
	return found, err
}

// Reply answers a question that the caller is asked, by a form of the program that asked. It
// returns the question as it is stored then.
func (c Program) Reply(answer turn.Answer) (chat.Clarification, error) {
	of, err := c.asked(answer.ClarificationID)
	if err == nil && (!of.MayAnswer(c.R.Caller.Principal) || c.R.Caller.Unattended) {
		err = &host.Fault{Code: chat.CodeForbidden, Detail: "not_asked"}
	}
	if err != nil {
		return chat.Clarification{}, err
	}
	return host.Answered(c.R, of.ID, answer, chat.ChannelForm)
}

// Say adds a line to the chat that has the program's questions.
func (c Program) Say(to host.Whom, by tools.Asker, text string) error {
	c.R.Release()
	q := &host.Asking{To: to, By: by}
	if !c.R.Caller.MayAsk(q.To) {
		return &host.Fault{Code: chat.CodeForbidden, Detail: "may_not_ask"}
	}
	if err := host.CheckMessage(&text, "message"); err != nil {
		return err
	}
	if err := host.CheckNames(c.R, q); err != nil {
		return err
	}
	_, err := c.R.Host.Engine.PostMessage(turn.WithLog(c.R.Context(), c.R.Logger()), c.R.Setup(), host.ChatOf(c.R, q), c.R.Caller.Subject, by, text)
	return err
}

// Result returns how a question ended, as a model reads it.
func (c Program) Result(of *chat.Clarification) (string, error) {
	asker := c.R.Setup().Catalog.Resumer(of.App, of.ToolName, of.Question.Kind)
	if asker == nil {
		return "", host.NotFound("app")
	}
	out, err := asker.Resume(c.R.Context(), tools.Call{}, of.Question, tools.Closing{State: of.State, Answer: of.Answer})
	return out.Result, err
}

// Problem returns what an error means to the caller, as a refusal would.
func (c Program) Problem(err error) host.Problem { return c.R.Problem(err) }

// Sealed makes a text that a client keeps for the gateway, and Unsealed opens it, also on other
// nodes if they have a secret for it (auth.session.secret). It opens only for the same caller.
func (c Program) Sealed(data []byte) (string, error)          { return host.Sealed(c.R, data) }
func (c Program) Unsealed(text string) (data []byte, ok bool) { return host.Unsealed(c.R, text) }

// Library lets a library write the whole response. An event stream gets heartbeats, and several
// goroutines may write to it, each of them whole events.
func (c Program) Library(h http.Handler) { host.Lend(c.R, h) }

// App, HTTP, Header, Now, Admit and Send are those of the request, its host and its app.
func (c Program) App() *config.App    { return c.R.App }
func (c Program) HTTP() *http.Request { return c.R.HTTP() }
func (c Program) Header() http.Header { return c.R.Header() }
func (c Program) Now() time.Time      { return c.R.Host.Store.Now() }
func (c Program) Admit() error        { return c.R.Admit() }
func (c Program) Send(status int, contentType string, body []byte) error {
	return c.R.Send(status, contentType, body)
}

type Offer struct {
	tools.Definition // of ask_user, within the current limits
	Templates        []Template
	// Others reports whether the caller may ask someone else.
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
	To        host.Whom
	By        tools.Asker
	Arguments string // of ask_user, as the program wrote them
	// Withdraw is how long no one may wait until the question is withdrawn; 0: it is never withdrawn.
	Withdraw time.Duration `json:",omitzero"`
	// Escalate says whose holders may answer later, too.
	Escalate []tools.Escalation `json:",omitempty"`
	// Session is the program's session, "" for none. A question that equals one already pending in
	// the same session is that question.
	Session string `json:"-"`
}
