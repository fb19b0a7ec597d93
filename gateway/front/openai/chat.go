package openai

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Chat is the front for clients of Chat Completions.
type Chat struct{}

func (Chat) Name() string { return "openai-chat" }

// Routes implements front.Front.
func (Chat) Routes() []host.Route {
	return []host.Route{
		{Method: http.MethodPost, Path: "/v1/chat/completions", Serve: complete},
		{Method: http.MethodGet, Path: "/v1/models", Serve: models, OwnPages: true, NoHead: true},
		{Method: http.MethodGet, Path: "/v1/models/:model", Serve: oneModel, OwnPages: true, NoHead: true},
	}
}

// Refuse implements front.Front.
func (Chat) Refuse(h http.Header, p host.Problem) (string, []byte) { return refuse(h, p) }

// model is an app in the list of models.
type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"` // 0: unknown
	OwnedBy string `json:"owned_by"`
}

func newModel(app *config.App) model {
	return model{ID: app.ID, Object: "model", OwnedBy: "askgate"}
}

func models(c *host.Request) error {
	if err := c.SignIn(); err != nil {
		return err
	}
	apps := c.Apps()
	list := make([]model, len(apps))
	for i, app := range apps {
		list[i] = newModel(app)
	}
	return c.JSON(map[string]any{"object": "list", "data": list})
}

func oneModel(c *host.Request) error {
	if err := enter(c, c.Param("model")); err != nil {
		return err
	}
	return c.JSON(newModel(c.App))
}

// maxOutputs is how many calls one request may answer.
const maxOutputs = 100

// exchange is a request that is being handled.
type exchange struct {
	sought
	*request
}

func complete(c *host.Request) error {
	body, err := front.ReadBody(c, true)
	if err != nil {
		return err
	}
	if err := settings(c, body.Data, chatFields, chatCannot); err != nil {
		return err
	}
	r, err := read(body.Data)
	if err != nil {
		return err
	}
	r.body = body
	s, err := seek(c, &r.requested)
	if err != nil {
		return err
	}
	x := exchange{s, r}
	if name := x.clientName(); name.id != "" {
		x.named = true
		if err := front.In(c).Enter(name.id, name.field); err != nil {
			return err
		}
	}
	if len(r.outputs) > 0 {
		if done, err := x.answer(); done || err != nil {
			return err
		}
	}
	return x.say()
}

// answer takes the outputs of calls. It returns false if none is of a pending call and a message
// follows them.
func (x exchange) answer() (done bool, err error) {
	if len(x.outputs) > maxOutputs {
		return false, front.Invalid("entries", "messages", map[string]any{"Max": maxOutputs})
	}
	calls := make([]string, len(x.outputs))
	for i := range x.outputs {
		calls[i] = x.outputs[i].call
	}
	view, err := x.asking(calls)
	switch {
	case err != nil:
		return false, err
	case view == nil && x.request.message != nil:
		return false, nil
	case view == nil:
		return false, store.ErrNotFound
	}
	front.Used(x.c.Header(), front.IgnoredHistory)
	var answers []turn.Answer
	var closed turn.Answer         // the last answer to a question already closed
	var failed *chat.Clarification // with a result that did not answer it
	sent := false                  // it came again, with the message
	for _, o := range x.outputs {
		of := front.Find(view, o.call, callID)
		if of == nil {
			continue
		}
		a, err := front.ReadResult(output(of, o.text), of, func(text string) (turn.Answer, bool) { return front.Typed(x.c, of, text) })
		if of.State != tools.StatePending {
			if closed = a; err != nil {
				closed = turn.Answer{ClarificationID: of.ID}
			}
			sent = noted(of, x.request.message)
			continue
		}
		if none, is := errors.AsType[*front.NoAnswer](err); is {
			if err := x.tools.unanswered(x.c, of, none); err != nil {
				return false, err
			}
			failed = cmp.Or(failed, of)
			continue
		}
		if err != nil {
			return false, err
		}
		answers = append(answers, a)
	}
	switch {
	case len(answers) == 0 && x.request.message != nil && !sent:
		return false, nil
	case len(answers) == 0 && failed != nil:
		return true, x.tell(x.ending(len(front.Kept(failed)), failed, again), "")
	case len(answers) == 0: // the engine says how the question ended
		answers = []turn.Answer{closed}
	}
	if len(x.files) > 0 {
		return false, withAnswer(x.parts)
	}
	last := len(answers) - 1
	if x.request.message != nil && answers[last].Result == nil && answers[last].Note == "" {
		answers[last].Note = *x.request.message
	}
	for _, a := range answers[:last] { // each only closes a question
		if err := front.Collect(x.c, front.Command{Answer: &a}, new(whole)); err != nil {
			return false, err
		}
	}
	return true, x.run(front.Command{Answer: &answers[last]})
}

// say takes the message.
func (x exchange) say() error {
	d, err := x.which()
	if err != nil {
		return err
	}
	s, err := x.act(d)
	switch {
	case err != nil:
		return err
	case s.list != nil:
		return x.tell(ending{}, list(x.c, x.Now(), s.list))
	case s.tell != nil:
		return x.tell(x.ending(s.part, s.tell, s.how), "")
	}
	return x.run(s.cmd)
}

// ending is how a run ends, or a question that is sent without a run.
func (x exchange) ending(part int, of *chat.Clarification, how telling) ending {
	e := ending{tools: x.tools, texts: x.c, look: looking(x.c), now: x.Now, code: x.codeFor, part: part}
	if of != nil {
		e.asked, e.how = []front.Question{front.NewQuestion(chat.NewAsked(of))}, how
	}
	return e
}

// run runs a command.
func (x exchange) run(cmd front.Command) error {
	cmd.Key = cmp.Or(x.key, cmd.Key)
	e := x.ending(0, nil, fresh)
	if x.stream {
		return front.Stream(x.c, cmd, newStreamed(x.c.App.ID, e, x.usage))
	}
	w := &whole{ending: e}
	if err := front.Collect(x.c, cmd, w); err != nil {
		return err
	}
	return x.c.JSON(w.completion(x.c.App.ID))
}

// tell asks a pending question, or sends a text, without a run.
func (x exchange) tell(e ending, text string) error {
	done := chat.Done{FinishReason: chat.FinishClarification}
	if x.stream {
		t := newStreamed(x.c.App.ID, e, x.usage)
		frames := t.Start(nil, chat.TurnStart{})
		if text != "" {
			frames, done.FinishReason = t.Text(frames, quotedText(text)), chat.FinishStop
		}
		front.Frames(x.c, t.Done(frames, done))
		return nil
	}
	w := &whole{ending: e}
	if text != "" {
		w.Text(nil, quotedText(text))
		done.FinishReason = chat.FinishStop
	}
	w.Done(nil, done)
	return x.c.JSON(w.completion(x.c.App.ID))
}
