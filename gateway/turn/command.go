package turn

import (
	"errors"
	"github.com/askgate/askgate/gateway/stream"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn/run"
	"github.com/askgate/askgate/tools"
)

// Command is what a client sent: a message, an answer, several answers, or a wish to resume or to
// fork, exactly one of them.
type Command struct {
	// Setup is the configuration that the request began with; nil: the one in force.
	Setup   *Setup
	Ref     chat.Ref
	Message *string
	Files   []string // ids of uploads that come with the message
	Sums    []string // chat.SentFile.Sum of each of Files; nil: of none
	// Bringing: files are to come with the message. Where nothing speaks against it, it is refused
	// with ErrBring, to be sent again with them.
	Bringing bool
	// Instructions are what the client's program says to the model with the message.
	Instructions string
	Answer       *Answer
	Answers      []Answer // taken together or not at all; each names its clarification
	Resume       bool     // the newest turn, which ended without a whole answer, goes on
	Fork         *Fork
	// IdempotencyKey makes a repeated command the same run; "" for none. Hash
	// identifies the body: the same key with another hash is a conflict.
	IdempotencyKey string
	Hash           string
	// Language of the caller where one was asked for and there are texts, else "":
	// the chat's own is kept.
	Language string
	// Interactive is false where nobody can answer questions, by the message or its sender;
	// an app may say so, too.
	Interactive bool
	// TraceParent is the caller's header of that name, as it came; "" for none.
	TraceParent string
	// RequestID names the request in the log; "": there is none.
	RequestID string
	// LastEventID is the newest event of the chat that the sender has seen, as it said; "":
	// it did not. ClarificationID names the question that a message is about.
	LastEventID     string
	ClarificationID string
	// Waited: the question that a message is about waited when its sender's request was read. An answer to
	// it that comes too late is refused as one, and begins no turn.
	Waited bool
	// Ephemeral: the chat is deleted when its turn is over. It begins with this, or is such a
	// one already; an answer changes nothing.
	// Lasting, of an ephemeral chat: it is kept for chat.LastingFor behind its last turn.
	Ephemeral, Lasting bool
	// UsedWith is the client's own id of its chat, as chat.ClientMark has it, "" for none: the chat
	// keeps the first one.
	UsedWith string
	// ClientID is what the client knows the message by, or that of a fork, as chat.ClientID has it;
	// "": by nothing.
	ClientID string
	// ClientTools are those that the client brought, and runs: the turn has them from now on, in place
	// of those that it had. nil: it has what it had.
	ClientTools []tools.Definition
	// Channel is how an answer came; "": by the API.
	Channel chat.Channel
	// By is who sent it, for the audit; zero: the chat's owner.
	By chat.Actor

	sent      []chat.SentFile // the message's already
	messageID string          // of a message that was queued; "" to mint one
	via       chat.Channel    // of an answer by its id alone, by somebody who may; "": it is the owner's
}

// ErrBring refuses a command that is Bringing files, and could be taken with them.
var ErrBring = errors.New("turn: the files are to come with the message")

// bearing says that a message comes with files.
func (c *Command) bearing() bool { return len(c.Files) > 0 || c.Bringing }

// answers are those of the command, one or several.
func (c *Command) answers() []*Answer {
	if c.Answer != nil {
		return []*Answer{c.Answer}
	}
	list := make([]*Answer, len(c.Answers))
	for i := range c.Answers {
		list[i] = &c.Answers[i]
	}
	return list
}

// persons says that it is what a person sent, and not what has become due.
func (c *Command) persons() bool {
	if c.By.Subject != "" && c.By.Subject != c.Ref.Subject { // who decides for them
		return false
	}
	return c.Message != nil || c.Answer != nil || c.Answers != nil || c.Resume || c.Fork != nil
}

// about is the one of several clarifications that a message may answer: the only one, or
// the one that it names. nil: it could be meant for any.
func (c *Command) about(pending []chat.Clarification) *chat.Clarification {
	if len(pending) == 1 {
		return &pending[0]
	}
	if i := slices.IndexFunc(pending, func(p chat.Clarification) bool { return p.ID == c.ClarificationID }); i >= 0 {
		return &pending[i]
	}
	return nil
}

// Fork begins the chat of its command with all that another chat has before a point.
type Fork struct {
	From    chat.Fork
	Message *string       `json:",omitempty"` // in place of the one at the point; nil: that is said again
	Answer  *tools.Answer `json:",omitempty"` // to the question at the point
	// Branch: the chat is one of the branches of the chat that it leaves, see chat.Conversation.Root.
	Branch bool `json:",omitempty"`
}

// Answer closes a clarification, named by its call, by its own id, or by being
// the only pending one.
type Answer struct {
	ToolCallID      string
	ClarificationID string
	Digest          string `json:",omitempty"` // of the approval that it decides; "" where its sender did not say
	tools.Answer
}

// Accepted is what became of a command: a Begun to drive, or one of Repeated, Queued and
// Over, of which nothing is left to do but to show them (gateway/follow does).
type Accepted interface{ accepted() }

// Begun is a run, to be driven.
type Begun struct{ *run.Run }

// Repeated is a command that was sent before: its run is to be shown again.
type Repeated struct {
	Conversation chat.Conversation
	Fence        int64 // of the run
}

// Queued is a message that waits for its turn.
type Queued struct {
	Conversation chat.Conversation
	MessageID    string
}

// Over is a run that was over as it began: an answer, while other questions of the same
// step are still open, or to a program's question.
type Over struct {
	Events stream.Events // all
	Result chat.Result
}

func (Begun) accepted()    {}
func (Repeated) accepted() {}
func (Queued) accepted()   {}
func (Over) accepted()     {}
