package aisdk

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Front implements front.Front.
type Front struct{}

var _ front.Front = Front{}

func (Front) Name() string { return "ai-sdk" }

// Routes implements front.Front. The routes are those that the default transport uses.
func (f Front) Routes() []host.Route {
	return []host.Route{
		{Method: http.MethodPost, Path: "/v1/apps/:app/ai-sdk", Serve: f.post, In: (*host.Request).InApp},
		{Method: http.MethodGet, Path: "/v1/apps/:app/ai-sdk/:id/stream", Serve: f.resume, In: (*host.Request).InApp, OwnPages: true, NoHead: true},
	}
}

// version tells readers other than useChat how to read a stream.
const version = "X-Vercel-Ai-Ui-Message-Stream"

// Refuse implements front.Front. Clients show the whole body to the person.
func (Front) Refuse(h http.Header, p host.Problem) (contentType string, body []byte) {
	h.Del(version)
	h.Set("X-Error-Code", string(p.Code))
	return "text/plain; charset=utf-8", []byte(p.Message)
}

// post takes what useChat sends: a message, or the assistant's message with results of its calls.
func (f Front) post(c *host.Request) error {
	body, err := front.ReadBody(c, true)
	if err != nil {
		return err
	}
	settings(c, body.Data)
	r, err := read(body.Data)
	c.Speak(r.locale)
	if err != nil {
		return err
	}
	if err := front.Bring(c, r.tools); err != nil {
		return err
	}
	if err := front.In(c).Enter(r.chat, "id"); err != nil {
		return err
	}
	if err := front.Known(front.In(c)); err != nil {
		return err
	}
	c.Header().Set(version, "v1")
	instructions, err := r.instructed.For(c.App)
	if err != nil {
		return err
	}
	if r.reply != nil {
		return f.answer(c, r.reply)
	}
	files, err := body.Files(c.App, r.said.parts)
	if err != nil {
		return err
	}
	return f.say(c, r.said, files, instructions)
}

// say submits a message to the chat that its history belongs to. If the chat already has the
// message, it begins a branch: an edit, or the wish for another reply.
func (Front) say(c *host.Request, s *said, files []host.File, instructions string) error {
	sent := front.Sent{ID: s.id, Text: s.text, Files: files, Before: s.before, Again: s.again}
	m, err := sent.Read(front.In(c))
	if err != nil {
		return err
	}
	if m.Chat != nil {
		if err := front.In(c).Go(m.Chat.ChatID); err != nil {
			return err
		}
	}
	cmd := front.Command{Message: &s.text, Files: files, Instructions: instructions, ID: s.id, Key: sent.Key(c)}
	if m.Fork != nil {
		return front.Stream(c, front.Command{Fork: m.Fork, Files: files, ID: s.id, Instructions: instructions, Key: m.Key(c, cmd.Key)}, newEncoder(c, nil, nil))
	}
	asked := s.about != "" || s.answered != "" || strings.HasPrefix(s.behind, "clr_")
	var view *store.View
	if asked || m.Repeat {
		if view, err = front.In(c).View(); err != nil {
			return err
		}
	}
	if m.Repeat {
		return front.Stream(c, front.Command{Again: true}, newEncoder(c, view, nil))
	}
	if of := front.Find(view, s.about, front.ByQuestion); of != nil { // even if it is closed, because the text is not meant for another question
		cmd.ClarificationID, cmd.Waited = of.ID, of.State == tools.StatePending
	} else if of := front.WaitsInWords(view); of != nil && asked && len(files) == 0 {
		whole, next, ok, err := front.AnswerInWords(c, of, s.behind, s.id, s.text)
		switch {
		case err != nil:
			return err
		case whole != nil:
			t := newEncoder(c, nil, nil)
			t.id, t.fresh = front.WordsID(of, len(of.Question.Parts)), true
			return front.Stream(c, front.Command{Answer: whole, Channel: chat.ChannelMessage, Said: &s.text, ID: s.id, Key: cmd.Key}, t)
		case ok:
			return writeWords(c, newEncoder(c, view, nil), of, next, true)
		}
		cmd.ClarificationID, cmd.Waited = of.ID, true
	}
	return front.Stream(c, cmd, newEncoder(c, nil, nil))
}

// answer submits all new answers and streams the run of the last one. A client sends the answers
// of a step only when it has all of them.
func (Front) answer(c *host.Request, r *reply) error {
	view, err := front.Asked(front.In(c), r.lines, r.answers)
	if err != nil {
		return err
	}
	answers, failed, err := answers(c, view, r)
	if err != nil {
		return err
	}
	t := newEncoder(c, view, r)
	if len(answers) == 0 {
		return writeWords(c, t, failed, len(front.Kept(failed)), false)
	}
	if failed != nil {
		asked := chat.NewAsked(failed)
		t.words = front.Words(c, &asked, len(front.Kept(failed)))
	}
	last := len(answers) - 1
	for i := range answers {
		cmd := front.Command{Answer: &answers[i]}
		if i == last {
			return front.Stream(c, cmd, t)
		}
		quiet := newEncoder(c, view, r) // while another question is pending, there is nothing to send
		quiet.refused = t.refused
		if err := front.Collect(c, cmd, quiet); err != nil {
			return err
		}
	}
	return nil
}

// answers reports whether a chat has asked something that was answered.
func (r *reply) answers(view *store.View) bool {
	return slices.ContainsFunc(r.outputs, func(o output) bool { return front.Find(view, o.id, front.ByQuestion) != nil })
}

// answers returns the answers to what is pending. If none of the questions is pending, it returns
// the newest answer, so that the engine can say what became of its question. If no result is an
// answer, failed is the first question that was to be answered.
func answers(c *host.Request, view *store.View, r *reply) (open []turn.Answer, failed *chat.Clarification, err error) {
	var closed *chat.Clarification
	taken := map[string]bool{}
	for i := range r.outputs {
		o := &r.outputs[i]
		of := front.Find(view, o.id, front.ByQuestion)
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
		if none, is := errors.AsType[*front.NoAnswer](err); is {
			if err := front.Unanswered(c, of, none.Reason); err != nil {
				return nil, nil, err
			}
			failed = cmp.Or(failed, of)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		open = append(open, a)
	}
	switch {
	case open != nil, failed != nil:
		return open, failed, nil
	case closed != nil:
		return []turn.Answer{{ClarificationID: closed.ID}}, nil, nil
	case len(r.outputs) > 0:
		return nil, nil, &chat.Error{Code: chat.CodeNotFound, Detail: "no_pending"}
	}
	return nil, nil, &chat.Error{Code: chat.CodeNothingToResume, Detail: "nothing_new"}
}

// answer reads the output as the answer to a question.
func (o *output) answer(c *host.Request, of *chat.Clarification) (turn.Answer, error) {
	if !o.failed {
		return front.ReadAnswer(o.data, of, func(text string) (turn.Answer, bool) { return front.Typed(c, of, text) })
	}
	a := turn.Answer{ClarificationID: of.ID}
	if of.Question.Kind != tools.KindInput {
		return a, &front.NoAnswer{Reason: front.ReasonError}
	}
	if a.Error = o.why; tools.Blank(o.why) {
		a.Error = "The tool failed."
	}
	return a, nil
}

// resume streams the run that is under way, from its start, to a client that reconnects.
func (Front) resume(c *host.Request) error {
	if err := front.In(c).Enter(c.Param("id"), "id"); err != nil {
		return err
	}
	if err := front.Newest(front.In(c)); err != nil {
		return err
	}
	view, err := front.In(c).View()
	if err != nil {
		return err
	}
	if view != nil {
		c.Header().Set(version, "v1")
		if told, err := front.Watch(c, newEncoder(c, view, nil)); told || err != nil {
			return err
		}
		c.Header().Del(version)
	}
	return c.Nothing()
}
