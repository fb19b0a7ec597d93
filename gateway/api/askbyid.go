package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// maxWait bounds, in seconds, how long a call waits for the end of a question.
const maxWait = 300

// showClarification shows one, at its end if the caller waits for that.
func (h Clarifications) showClarification(r *request) error {
	if s, given := r.query("wait"); given {
		return ownPages(func(r *request) error { return h.showEnded(r, s) })(r)
	}
	c, err := findClarification(r)
	if err != nil {
		return err
	}
	return r.json(kept(r, &c))
}

// showEnded shows a clarification when it ends, or after so many seconds.
func (h Clarifications) showEnded(r *request, wait string) error {
	c, err := findClarification(r)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseUint(wait, 10, 31)
	if err != nil || seconds > maxWait {
		return &fault{code: chat.CodeInvalidRequest, detail: "query_wait", field: "wait", params: map[string]any{"Max": maxWait}}
	}
	if err := dropBody(r.response(), r.http()); err != nil {
		return err
	}
	if c, err = await(r, c, time.Duration(seconds)*time.Second); err != nil {
		return err
	}
	return r.json(kept(r, &c))
}

// answerOne takes the answer to a clarification, in whichever chat it waits.
func (h Clarifications) answerOne(r *request) error {
	c, err := toAnswer(r)
	if err != nil {
		return err
	}
	if err := r.admit(); err != nil {
		return err
	}
	data, read, err := r.bodyOf()
	defer read()
	if err != nil {
		return err
	}
	answer, err := decodeBareAnswer(data)
	switch {
	case err != nil:
		return err
	case answer.ClarificationID != "" && answer.ClarificationID != c.ID:
		return invalid("another_question", "clarificationId")
	case answer.ToolCallID != "" && answer.ToolCallID != c.ToolCallID:
		return invalid("another_question", "toolCallId")
	}
	if c, err = answered(r, c.ID, *answer, chat.ChannelAPI); err != nil {
		return err
	}
	return r.json(kept(r, &c))
}

// withdraw closes a question of the caller's asking.
func (h Clarifications) withdraw(r *request) error {
	c, err := toWithdraw(r)
	if err != nil {
		return err
	}
	if err := r.allowed(); err != nil {
		return err
	}
	if err := h.Engine.Withdraw(turn.WithLog(r.ctx(), r.logger()), c.ID, r.whoever(chat.ActorProgram)); err != nil {
		return err
	}
	if c, err = r.host.Store.Clarification(r.ctx(), c.ID); err != nil {
		return err
	}
	return r.json(kept(r, &c))
}

// line is what a program said, as its chat keeps it.
type line struct {
	chat.AskerMessage
	App string `json:"app"`
}

// tell has the caller's program say something where its question is.
func (h Clarifications) tell(r *request) error {
	c, err := toWithdraw(r)
	if err != nil {
		return err
	}
	if err := r.admit(); err != nil {
		return err
	}
	data, read, err := r.bodyOf()
	defer read()
	if err != nil {
		return err
	}
	b, err := decodeLine(data)
	r.locale = r.localeFor(b.Locale)
	if err != nil {
		return err
	}
	by := tools.Asker{Kind: tools.AskerProgram, Name: r.caller.Subject}
	if c.Question.AskedBy != nil {
		by = *c.Question.AskedBy
	}
	m, err := r.host.Engine.Tell(turn.WithLog(r.ctx(), r.logger()), r.setup(), c.Ref, r.caller.Subject, by, *b.Message)
	if err != nil {
		return err
	}
	said, _ := chat.NewAskerMessage(c.ChatID, &m).Data.(chat.AskerMessage)
	_ = r.write(http.StatusCreated, typeJSON, line{said, c.App})
	return nil
}

// seen notes that a screen has shown the question to one who may answer.
func (h Clarifications) seen(r *request) error {
	c, err := toAnswer(r)
	if err != nil {
		return err
	}
	if err := r.oftenAsTyping(scopeDrafts); err != nil {
		return err
	}
	if err := h.Engine.Seen(r.ctx(), c); err != nil {
		return err
	}
	return r.noContent()
}
