package native

import (
	"net/http"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// maxWait bounds, in seconds, how long a call waits for the end of a question.
const maxWait = 300

// Show shows a clarification, when it has ended if the caller waits for that.
func (h Clarifications) Show(r *host.Request) error {
	if s, given := r.Query("wait"); given {
		return host.OwnPages(func(r *host.Request) error { return h.showEnded(r, s) })(r)
	}
	c, err := host.Find(r)
	if err != nil {
		return err
	}
	return r.JSON(host.Kept(r, &c))
}

// showEnded shows a clarification when it ends, or after so many seconds.
func (h Clarifications) showEnded(r *host.Request, wait string) error {
	c, err := host.Find(r)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseUint(wait, 10, 31)
	if err != nil || seconds > maxWait {
		return &host.Fault{Code: chat.CodeInvalidRequest, Detail: "query_wait", Field: "wait", Params: map[string]any{"Max": maxWait}}
	}
	if err := host.DropBody(r.Response(), r.HTTP()); err != nil {
		return err
	}
	if c, err = host.Await(r, c, time.Duration(seconds)*time.Second); err != nil {
		return err
	}
	return r.JSON(host.Kept(r, &c))
}

// Answer takes the answer to a clarification, in any chat.
func (h Clarifications) Answer(r *host.Request) error {
	c, err := host.ToAnswer(r)
	if err != nil {
		return err
	}
	if err := r.Admit(); err != nil {
		return err
	}
	data, err := r.Body()
	if err != nil {
		return err
	}
	answer, err := decodeBareAnswer(data)
	switch {
	case err != nil:
		return err
	case answer.ClarificationID != "" && answer.ClarificationID != c.ID:
		return host.Invalid("another_question", "clarificationId")
	case answer.ToolCallID != "" && answer.ToolCallID != c.ToolCallID:
		return host.Invalid("another_question", "toolCallId")
	}
	if c, err = host.Answered(r, c.ID, *answer, chat.ChannelAPI); err != nil {
		return err
	}
	return r.JSON(host.Kept(r, &c))
}

// DeleteAnswer deletes the answer that the caller gave to a clarification.
func (h Clarifications) DeleteAnswer(r *host.Request) error {
	c, err := host.ToDelete(r)
	if err != nil {
		return err
	}
	if err := h.Engine.DeleteAnswer(turn.WithLog(r.Context(), r.Logger()), r.Setup(), c.ID, host.Actor(r, chat.ActorCaller)); err != nil {
		return err
	}
	return r.Nothing()
}

// Withdraw closes a question that the caller asked.
func (h Clarifications) Withdraw(r *host.Request) error {
	c, err := host.ToWithdraw(r)
	if err != nil {
		return err
	}
	if err := r.Allowed(); err != nil {
		return err
	}
	if err := h.Engine.Withdraw(turn.WithLog(r.Context(), r.Logger()), c.ID, host.Actor(r, chat.ActorProgram)); err != nil {
		return err
	}
	if c, err = r.Host.Store.Clarification(r.Context(), c.ID); err != nil {
		return err
	}
	return r.JSON(host.Kept(r, &c))
}

// line is a program's message, in the form in which the chat stores it.
type line struct {
	chat.AskerMessage
	App string `json:"app"`
}

// PostMessage adds a line from the caller's program to the chat of its question.
func (h Clarifications) PostMessage(r *host.Request) error {
	c, err := host.ToWithdraw(r)
	if err != nil {
		return err
	}
	if err := r.Admit(); err != nil {
		return err
	}
	data, err := r.Body()
	if err != nil {
		return err
	}
	b, err := decodeLine(data)
	r.Speak(b.Locale)
	if err != nil {
		return err
	}
	by := tools.Asker{Kind: tools.AskerProgram, Name: r.Caller.Subject}
	if c.Question.AskedBy != nil {
		by = *c.Question.AskedBy
	}
	m, err := r.Host.Engine.PostMessage(turn.WithLog(r.Context(), r.Logger()), r.Setup(), c.Ref, r.Caller.Subject, by, *b.Message)
	if err != nil {
		return err
	}
	said, _ := chat.NewAskerMessage(c.ChatID, &m).Data.(chat.AskerMessage)
	_ = r.Write(http.StatusCreated, host.TypeJSON, line{said, c.App})
	return nil
}

// Seen notes that a screen has shown the question to a person who may answer.
func (h Clarifications) Seen(r *host.Request) error {
	c, err := host.ToAnswer(r)
	if err != nil {
		return err
	}
	if err := host.OftenAsTyping(r, host.ScopeDrafts); err != nil {
		return err
	}
	if err := h.Engine.Seen(r.Context(), c); err != nil {
		return err
	}
	return r.Nothing()
}
