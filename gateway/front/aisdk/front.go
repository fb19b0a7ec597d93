package aisdk

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Front implements front.Front.
type Front struct{}

var _ front.Front = Front{}

// Name implements front.Front.
func (Front) Name() string { return "ai-sdk" }

// Routes implements front.Front: what the default transport asks for.
func (f Front) Routes() []front.Route {
	return []front.Route{
		{Method: http.MethodPost, Path: "/v1/apps/:app/ai-sdk", Serve: f.post},
		{Method: http.MethodGet, Path: "/v1/apps/:app/ai-sdk/:id/stream", Serve: f.resume},
	}
}

// version is by what other readers than useChat choose how to read a stream.
const version = "X-Vercel-Ai-Ui-Message-Stream"

// Refuse implements front.Front: clients show the whole body to the person.
func (Front) Refuse(h http.Header, p front.Problem) (contentType string, body []byte) {
	h.Del(version)
	h.Set("X-Error-Code", string(p.Code))
	return "text/plain; charset=utf-8", []byte(p.Message)
}

// post takes what useChat sends: a message, or the assistant's with what came of its calls.
func (f Front) post(c front.Call) error {
	if err := c.Enter(c.Param("app")); err != nil {
		return err
	}
	data, err := c.Body()
	if err != nil {
		return err
	}
	r, err := read(data)
	c.Locale(r.locale)
	if err != nil {
		return err
	}
	if err := c.Chat(r.chat); err != nil {
		return err
	}
	c.Header().Set(version, "v1")
	if r.reply != nil {
		return f.answer(c, r.reply)
	}
	return f.say(c, r.said)
}

// say has a message taken. One that was edited keeps its id, and is another.
func (Front) say(c front.Call, s *said) error {
	sum := sha256.Sum256([]byte(s.text))
	cmd := front.Command{Message: &s.text, Key: s.id + " " + hex.EncodeToString(sum[:16])}
	if s.about != "" {
		view, err := c.View()
		if err != nil {
			return err
		}
		if of := front.FindAsked(view, s.about); of != nil { // one that is closed, too: the text is meant for no other
			cmd.ClarificationID = of.ID
		}
	}
	return c.Stream(cmd, newTeller(c, nil, nil))
}

// answer has all answers taken that are new; the last one's run is streamed. A client waits
// until it has all of a step.
func (Front) answer(c front.Call, r *reply) error {
	view, err := c.View()
	if err != nil {
		return err
	}
	answers, err := answers(c, view, r)
	if err != nil {
		return err
	}
	last := len(answers) - 1
	t := newTeller(c, view, r)
	for i := range answers {
		cmd := front.Command{Answer: &answers[i]}
		if i == last {
			return c.Stream(cmd, t)
		}
		quiet := newTeller(c, view, r) // while another waits, there is nothing to tell
		quiet.refused = t.refused
		if err := c.Collect(cmd, quiet); err != nil {
			return err
		}
	}
	return nil
}

// answers are those to what waits. Where nothing of what was sent waits, it is the newest
// one, for the engine to say what became of its question.
func answers(c front.Call, view *store.View, r *reply) ([]turn.Answer, error) {
	var open []turn.Answer
	var closed *chat.Clarification
	taken := map[string]bool{}
	for i := range r.outputs {
		o := &r.outputs[i]
		of := front.FindAsked(view, o.id)
		if of == nil {
			continue
		}
		if of.State != tools.StatePending {
			closed = of
			continue
		}
		if taken[of.ID] {
			continue
		}
		taken[of.ID] = true
		a, err := o.answer(c, of)
		if err != nil {
			return nil, err
		}
		open = append(open, a)
	}
	switch {
	case open != nil:
		return open, nil
	case closed != nil:
		return []turn.Answer{{ClarificationID: closed.ID}}, nil
	case len(r.outputs) > 0:
		return nil, &chat.Error{Code: chat.CodeNotFound, Detail: "no_pending"}
	}
	return nil, &chat.Error{Code: chat.CodeNothingToResume, Detail: "nothing_new"}
}

// answer is the output as the answer to a question.
func (o *output) answer(c front.Call, of *chat.Clarification) (turn.Answer, error) {
	if !o.failed {
		return front.ReadAnswer(o.data, of, func(text string) (turn.Answer, bool) { return c.Typed(of, text) })
	}
	a := turn.Answer{ClarificationID: of.ID}
	if of.Question.Kind != tools.KindInput {
		a.Declined, a.Note = true, o.why
		return a, nil
	}
	if a.Error = o.why; tools.Blank(o.why) {
		a.Error = "The tool failed."
	}
	return a, nil
}

// resume streams the run that goes on, from its start, to a client that comes back.
func (Front) resume(c front.Call) error {
	if err := c.Enter(c.Param("app")); err != nil {
		return err
	}
	if err := c.Chat(c.Param("id")); err != nil {
		return err
	}
	view, err := c.View()
	if err != nil {
		return err
	}
	if view != nil {
		c.Header().Set(version, "v1")
		if told, err := c.Watch(newTeller(c, view, nil)); told || err != nil {
			return err
		}
		c.Header().Del(version)
	}
	c.Nothing()
	return nil
}
