package front

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/smallstack"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Command is exactly one of the things that a client can send: a message, an answer, a fork, or a
// request to resume or to stream a run again.
type Command struct {
	Message *string
	Answer  *turn.Answer
	Resume  bool
	// Place is the place of the message in the request, for refusals; "" for "message".
	Place string `json:"-"`
	// Instructions are sent to the model by the client's program with the message (Instructed).
	Instructions string `json:"-"` // the same message may come again with other instructions
	// Files come with the message.
	Files []host.File `json:",omitempty"`
	// Fork begins a branch of the chat; the request is then in that branch.
	Fork *Fork `json:",omitempty"`
	// Again streams the newest run of the chat's newest turn again, without asking a model.
	Again bool `json:",omitempty"`
	// ID is the client's own id of the message or the fork, by which Branches finds it; "" for none.
	ID string `json:",omitempty"`
	// Key makes a repeated command the same run; "" for none. It is the client's own id of what it
	// sent, up to 200 characters, and unique within the chat.
	Key string
	// Said is the message by which Answer was given, if it was more than the answer: the same
	// message again, with its Key, is the same command.
	Said *string `json:"-"`
	// ClarificationID names the question that a message is about. Waited says that the question was
	// pending when the front looked: an answer that comes too late is then refused, and does not
	// become a new message.
	ClarificationID string
	Waited          bool `json:"-"`
	// Channel is how the answer came, "" for an answer like any other.
	Channel chat.Channel `json:"-"`
	// Ephemeral deletes the chat, which must be new or already ephemeral, when its turn is over.
	Ephemeral bool
	// Lasting marks an ephemeral chat that the client has a name for: it is kept for chat.LastingFor
	// after its last turn, and appears in no list.
	Lasting bool `json:",omitempty"`
	// Unattended means that no one can answer a question of the turn that the message begins.
	Unattended bool `json:"Nobody,omitempty"` // the name is part of the hashes of stored requests
	// UsedWith is the client's own id of its chat, in the form of chat.ClientMark. The chat keeps
	// the first one.
	UsedWith string `json:",omitempty"`
}

// Fork is the point at which a branch leaves the chat: a message from the person, which is said
// again or differently, or a question, which is answered differently.
type Fork struct {
	MessageID, ClarificationID string        // exactly one
	Message                    *string       // nil: the one at the point is said again
	Answer                     *tools.Answer // with ClarificationID
}

// ClassOf returns a function that says how the app handles a call of a tool. It may be used after
// the request.
func ClassOf(r *host.Request) func(tool string) Class {
	conf, app, brings := r.Setup().Config, r.App.ID, r.App.ClientTools == config.ClientToolsOn
	return func(tool string) Class {
		t, ok := conf.Tool(app, tool)
		switch {
		case !ok && brings && tool != AskUser: // the client brought it, or it does not exist
			return Client
		case tool == AskUser, ok && t.Type == config.TypeAskUser:
			return Asks
		case ok && t.RequiresUserInput:
			return Client
		}
		return Server
	}
}

// Typed returns the answer that a text typed in reply to a clarification means, if it is one by
// the rules of plain messages.
func Typed(r *host.Request, of *chat.Clarification, text string) (turn.Answer, bool) {
	resumer := r.Setup().Catalog.Resumer(of.App, of.ToolName, of.Question.Kind)
	if resumer == nil {
		return turn.Answer{}, false
	}
	a, ok := resumer.Read(of.Question, text, r.Language())
	return turn.Answer{ClarificationID: of.ID, Answer: a}, ok
}

// Unanswered counts a result of a question's call that was not an answer, and makes the question
// be asked in words from now on: see InWords.
func Unanswered(r *host.Request, of *chat.Clarification, why Reason) error {
	return host.Unanswered(r, of, string(why))
}

// Retry reports whether the client's library repeats the request automatically.
func Retry(r *host.Request) bool {
	n, err := strconv.Atoi(r.HTTP().Header.Get("X-Stainless-Retry-Count"))
	return err == nil && n > 0
}

// Stream takes a command and streams its run to the end.
func Stream(r *host.Request, cmd Command, t Encoder) error {
	begun, err := begin(r, &cmd)
	if err != nil {
		return err
	}
	defer host.Begins(r)()
	return streamRun(r, begun, t)
}

func streamRun(r *host.Request, begun host.Begun, t Encoder) error {
	return begun.Stream(func(w *sse.Writer) host.Outlet { return NewSink(w, t, ClassOf(r)) })
}

// Collect takes a command and encodes its run without writing a response; the front writes it as
// JSON when the run is over. If the run failed, Collect returns its error.
func Collect(r *host.Request, cmd Command, t Encoder) error {
	begun, err := begin(r, &cmd)
	if err != nil {
		return err
	}
	return begun.Collect(NewSink(nil, t, ClassOf(r)))
}

// Watch streams the run that is under way in the chat, from its start. It returns false, and
// writes nothing, if there is none.
func Watch(r *host.Request, t Encoder) (bool, error) {
	begun, goesOn, err := host.Running(r)
	if !goesOn || err != nil {
		return false, err
	}
	return true, streamRun(r, begun, t)
}

// Frames writes a stream that belongs to no run.
func Frames(r *host.Request, frames []byte) {
	r.AsStream()
	w := sse.NewWriter(r.Response(), r.Host.Stream)
	defer w.Close()
	_ = w.Write(sse.Escape(frames, 0)) // only the client loses by it
}

// begin makes the engine take what the client sent.
func begin(r *host.Request, cmd *Command) (b host.Begun, err error) {
	if cmd.Again {
		return host.Again(r)
	}
	said := cmd.Message
	if cmd.Fork != nil {
		said = cmd.Fork.Message
	}
	if err := host.CheckMessage(said, cmp.Or(cmd.Place, "message")); err != nil {
		return b, err
	}
	native := turn.Command{
		Message: cmd.Message, Answer: cmd.Answer, Resume: cmd.Resume, ClarificationID: cmd.ClarificationID, Waited: cmd.Waited,
		Instructions: cmd.Instructions, Channel: cmd.Channel, ClientID: chat.ClientID(cmd.ID),
		Hash: cmd.hash(), Interactive: !cmd.Unattended, Ephemeral: cmd.Ephemeral, Lasting: cmd.Lasting, UsedWith: cmd.UsedWith,
	}
	if cmd.Instructions != "" && cmd.Message != nil && r.App.ClientInstructions == config.InstructionsAppend {
		for _, name := range Instructing {
			Used(r.Header(), name)
		}
	}
	if cmd.Key != "" {
		native.IdempotencyKey = keyOf(r, cmd.Key)
	}
	files := cmd.Files
	of := r.Ref.ChatID
	if f := cmd.Fork; f != nil {
		native.Fork = &turn.Fork{
			From:    chat.Fork{ChatID: of, MessageID: f.MessageID, ClarificationID: f.ClarificationID},
			Message: f.Message, Answer: f.Answer, Branch: true,
		}
		id, err := branchID(r, native.IdempotencyKey)
		if err != nil {
			return b, err
		}
		Chats{r}.at(id)
		if f.Message == nil { // it is said again, with the same files
			files = nil
		}
	}
	smallstack.Run(func() { b, err = r.Begin(native, files) })
	if err != nil && r.Ref.ChatID != of { // the branch did not begin
		Chats{r}.at(of)
	}
	return b, err
}

// hash is equal for commands that say the same.
func (cmd *Command) hash() string {
	same := *cmd
	same.ClarificationID, same.ID, same.UsedWith = "", "", "" // fronts may derive these from the chat's state, which the command changes
	if same.Said != nil {
		same.Message, same.Answer = same.Said, nil
	}
	if same.Fork != nil { // likewise the point, which a branch has too
		point := *same.Fork
		point.MessageID, point.ClarificationID = "", ""
		same.Fork = &point
	}
	data, err := json.Marshal(&same)
	if err != nil { // values of our own types marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// branchID returns the chat that a branch of the request's chat becomes; for one key, it is the
// same in the whole family.
func branchID(r *host.Request, key string) (string, error) {
	of, _, err := r.Host.Store.Conversation(r.Context(), r.Ref)
	if errors.Is(err, store.ErrNotFound) || key == "" {
		return host.BranchID(r.Ref.ChatID, key), nil
	} else if err != nil {
		return "", err
	}
	return host.BranchID(of.KnownAs(), key), nil
}
