package turn

import (
	"errors"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn/run"
	"github.com/askgate/askgate/tools"
)

// Command is a client's request: exactly one of a message, an answer, several answers, a resumption
// and a fork.
type Command struct {
	// Setup is the configuration with which the request began; nil: the current one.
	Setup   *Setup
	Ref     chat.Ref
	Message *string
	Files   []string // ids of uploads that belong to the message
	Sums    []string // chat.SentFile.Sum of each of Files; nil if none is known
	// Bringing announces that files will come with the message. If the command could be taken, it is
	// refused with ErrBring, to be sent again with the files.
	Bringing bool
	// Queue: the message waits while a turn runs or waits for a person, and answers no question, unless the
	// admin has set that such messages are refused.
	Queue bool
	// Instructions are added to the message by the client's program, for the model.
	Instructions string
	Answer       *Answer
	Answers      []Answer // all are taken, or none; each names its clarification
	Resume       bool     // go on with the newest turn, which ended without a complete answer
	Fork         *Fork
	// IdempotencyKey makes a repeated command the same run; "" for none. Hash identifies the body: the
	// same key with another hash is a conflict.
	IdempotencyKey string
	Hash           string
	// Language is the caller's, if the caller asked for one that there are texts for. If it is "", the
	// chat keeps its own.
	Language string
	// Interactive is false if no one can answer questions, according to the message or its sender. An
	// app may rule them out, too.
	Interactive bool
	// TraceParent is the caller's traceparent header, unparsed; "" for none.
	TraceParent string
	// RequestID names the request in the log; "" if there is none.
	RequestID string
	// LastEventID is the chat's newest event that the sender says it has seen; "" if it does not say.
	// ClarificationID names the question that a message is about.
	LastEventID     string
	ClarificationID string
	// Waited: the question that a message is about still waited when the sender's request was read. If
	// it is closed by now, a message that answers it is refused as a late answer, and begins no turn.
	Waited bool
	// Ephemeral: the chat is deleted when its turn is over. Either the chat begins with this command, or
	// it is ephemeral already; an answer does not change that. Lasting keeps an ephemeral chat for
	// chat.LastingFor after its last turn.
	Ephemeral, Lasting bool
	// UsedWith is the client's own id of its chat, in the form of chat.ClientMark; "" for none. The chat
	// keeps the first one.
	UsedWith string
	// ClientID is the client's own id of the message or fork, in the form of chat.ClientID; "" if it has
	// none.
	ClientID string
	// ClientTools are the tools that the client brought and runs itself. From now on, the turn has them
	// in place of those that it had; nil leaves it those.
	ClientTools []tools.Definition
	// Claims are the claims of the sender's token that the app's tools need, see tools.Caller. A turn
	// that the command begins or resumes has them until it ends; others keep their own.
	Claims map[string]string
	// Channel says how an answer came; "" is the API.
	Channel chat.Channel
	// By is the sender, for the audit; zero is the chat's owner.
	By chat.Actor

	sent      []chat.SentFile // files that are the message's already
	messageID string          // of a message that was queued; "" to mint one
	via       chat.Channel    // of an answer by its id alone, from someone who may give it; "": it is the owner's
}

// ErrBring refuses a command that is Bringing files and can be taken: send it again with them.
var ErrBring = errors.New("turn: send the command again, with its files")

// bearing reports whether a message comes with files.
func (c *Command) bearing() bool { return len(c.Files) > 0 || c.Bringing }

// answers returns the command's answers, one or several.
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

// persons reports whether a person sent the command, as opposed to something that became due.
func (c *Command) persons() bool {
	if c.By.Subject != "" && c.By.Subject != c.Ref.Subject { // someone who decides for the person
		return false
	}
	return c.Message != nil || c.Answer != nil || c.Answers != nil || c.Resume || c.Fork != nil
}

// about returns the one of several clarifications that a message may answer: the only one, or the
// one that it names. It returns nil if the message could be meant for any of them.
func (c *Command) about(pending []chat.Clarification) *chat.Clarification {
	if len(pending) == 1 {
		return &pending[0]
	}
	if i := slices.IndexFunc(pending, func(p chat.Clarification) bool { return p.ID == c.ClarificationID }); i >= 0 {
		return &pending[i]
	}
	return nil
}

// Fork begins the command's chat with everything that another chat has before a point.
type Fork struct {
	From    chat.Fork
	Message *string       `json:",omitempty"` // in place of the message at the point; nil repeats that one
	Answer  *tools.Answer `json:",omitempty"` // to the question at the point
	// Branch: a client of another wire format forks, and knows the new chat by the name of the other
	// one, see chat.Conversation.KnownAs.
	Branch bool `json:",omitempty"`
	// Stop ends the turn that runs in the other chat, once nothing else speaks against the fork.
	Stop bool `json:",omitempty"`

	stopped string // the turn that was stopped for it
}

// Answer closes a clarification. It names it by its call or by its own id; without either, it is for
// the only pending one.
type Answer struct {
	ToolCallID      string
	ClarificationID string
	Digest          string `json:",omitempty"` // of the approval that it decides; "" if the sender did not say
	tools.Answer
}

// Accepted is the result of a command: a Begun to be driven, or one of Repeated, Queued and Over,
// which only have to be shown (gateway/follow does).
type Accepted interface{ accepted() }

// Begun is a run, to be driven.
type Begun struct{ *run.Run }

// Repeated is a command that was sent before: show its run again.
type Repeated struct {
	Conversation chat.Conversation
	Fence        int64 // of the run
}

// Queued is a message that waits for a turn.
type Queued struct {
	Conversation chat.Conversation
	MessageID    string
}

// Over is a run that was over as soon as it began: an answer to a program's question, or one while
// other questions of the same step are still open.
type Over struct {
	Events stream.Events // all
	Result chat.Result
}

func (Begun) accepted()    {}
func (Repeated) accepted() {}
func (Queued) accepted()   {}
func (Over) accepted()     {}
