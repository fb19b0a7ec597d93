package channels

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// Sender is a channel as configured. It is safe for concurrent use.
type Sender interface {
	// Send tells a person of a question, or reminds of it, and returns how the channel refers to the
	// message. If the person cannot be told at all, the error is a *RefusedError. Errors contain neither
	// addresses and secrets nor what a server answered in its own words.
	Send(ctx context.Context, m *Message) (ref string, err error)
	// End updates what Send has sent, once the question has ended. A channel that cannot returns nil.
	End(ctx context.Context, ref string, m *Message) error
	// Close closes idle connections.
	Close()
}

// Type makes the sender of a channel.
type Type func(config.Channel) (Sender, error)

// RefusedError means that a person cannot be told by the channel, however often it is tried.
type RefusedError struct {
	Why string // without addresses
}

func (e *RefusedError) Error() string { return e.Why }

// WaitError means that a server takes no more messages for a while.
type WaitError struct {
	Why string // without addresses
	For time.Duration
}

func (e *WaitError) Error() string { return e.Why }

// errNoAddress is for people whose email address is not known.
var errNoAddress = &RefusedError{`no email address is known for the person; write "email" under "people"`}

// Refused reports whether an error is a *RefusedError.
func Refused(err error) bool {
	_, ok := errors.AsType[*RefusedError](err)
	return ok
}

// Message is what a person is told. Each attempt at the same message has the same.
type Message struct {
	ID       string // of this message
	Thread   string // the same for all messages of a chat to this person
	Reminder int    // 0: the question is new; n: the nth reminder
	Ref      string // how the channel refers to what was sent of the question before; "": nothing was
	Email    string // of the person
	Language string // the person's, or that of the chat
	App      string // the name of the app
	Asker    string // the title of the program that asks, or the name of the app; one line of up to 200 characters
	Link     string // where the person answers
	// Personal says that the link answers for this person without signing in. Otherwise it leads to
	// the inbox.
	Personal bool
	Role     string // whose holders are asked, this person among them; "": the owner of the chat is
	// C is the question. Its texts may be sent only if Texts is set.
	C     *chat.Clarification
	Texts bool
	// Text returns a text of the gateway in Language.
	Text func(id string, params map[string]any) string
}

// Open reports whether the question still waits.
func (m *Message) Open() bool { return m.C.State == tools.StatePending }

// NewMessage returns what a channel says of a question, in a language, the same to everyone. It has
// no address and no link.
func NewMessage(snap *config.Snapshot, channel *config.Channel, c *chat.Clarification, language string, text func(language, id string, params map[string]any) string) *Message {
	m := &Message{
		Language: language, App: c.App, C: c, Role: c.For, Texts: channel.Texts,
		Text: func(id string, params map[string]any) string { return text(language, id, params) },
	}
	if app, ok := snap.App(c.App); ok {
		m.App = cmp.Or(app.Name.In(language), app.ID)
	}
	m.Asker = OneLine(m.App)
	if by := c.Question.AskedBy; by != nil && (by.Kind == tools.AskerProgram || by.Kind == tools.AskerServer) { // else a model or tool of the app
		m.Asker = OneLine(cmp.Or(by.Title, by.Name, m.App))
	}
	return m
}

// messageID names a message: its question, its person's notice and its stage.
func messageID(seq int64, stage int) string {
	return strconv.FormatInt(seq, 10) + "." + strconv.Itoa(stage)
}
