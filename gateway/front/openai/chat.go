package openai

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Chat is the front for clients of Chat Completions.
type Chat struct{}

// Name implements front.Front.
func (Chat) Name() string { return "openai-chat" }

// Routes implements front.Front.
func (Chat) Routes() []front.Route {
	return []front.Route{
		{Method: http.MethodPost, Path: "/v1/chat/completions", Serve: complete},
		{Method: http.MethodGet, Path: "/v1/models", Serve: models},
		{Method: http.MethodGet, Path: "/v1/models/:model", Serve: oneModel},
	}
}

// Refuse implements front.Front.
func (Chat) Refuse(h http.Header, p front.Problem) (string, []byte) { return refuse(h, p) }

// model is an app as clients list it.
type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"` // 0: nobody knows
	OwnedBy string `json:"owned_by"`
}

func newModel(app *config.App) model {
	return model{ID: app.ID, Object: "model", OwnedBy: "askgate"}
}

func models(c front.Call) error {
	apps, err := c.Apps()
	if err != nil {
		return err
	}
	list := make([]model, len(apps))
	for i, app := range apps {
		list[i] = newModel(app)
	}
	c.JSON(http.StatusOK, map[string]any{"object": "list", "data": list})
	return nil
}

func oneModel(c front.Call) error {
	if err := c.Enter(c.Param("model")); err != nil {
		return err
	}
	c.JSON(http.StatusOK, newModel(c.App()))
	return nil
}

// Bounds of what is read of a chat that is known, to tell what a message means there.
const (
	recentMessages = 50
	recentBytes    = 1 << 20
	maxOutputs     = 100 // of calls, in one request
)

// exchange is a request on its way.
type exchange struct {
	front.Call
	*request
	chat string // as the request names it, "" where it does not
	key  string // by which it can be sent again, likewise
}

func complete(c front.Call) error {
	data, err := c.Body()
	if err != nil {
		return err
	}
	r, err := read(data)
	if err != nil {
		return err
	}
	if err := c.Enter(r.model); err != nil {
		return err
	}
	key, err := idempotencyKey(c)
	if err != nil {
		return err
	}
	x := exchange{c, r, c.Request().Header.Get("X-Chat-Id"), key}
	if x.chat != "" {
		if err := c.Chat(x.chat); err != nil {
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

// answer takes the outputs of calls. False: none is of a call that waits, and there is a
// message behind them.
func (x exchange) answer() (done bool, err error) {
	if len(x.outputs) > maxOutputs {
		return false, front.Invalid("entries", "messages", map[string]any{"Max": maxOutputs})
	}
	var answers []turn.Answer
	var closed *chat.Clarification
	var unknown error
	at := x.chat
	for _, o := range x.outputs {
		of, err := find(x, at, o.call)
		if errors.Is(err, store.ErrNotFound) {
			unknown = err
			continue
		} else if err != nil {
			return false, err
		}
		if of.App != x.model {
			return false, store.ErrNotFound
		}
		at = x.Ref().ChatID // the others are of the same chat
		if of.State != tools.StatePending {
			closed = of
			continue
		}
		a, err := front.ReadAnswer(output(of, o.text), of, func(text string) (turn.Answer, bool) { return x.Typed(of, text) })
		if err != nil {
			return false, err
		}
		answers = append(answers, a)
	}
	switch {
	case len(answers) == 0 && x.message != nil:
		return false, nil
	case len(answers) == 0 && closed == nil:
		return false, unknown
	case len(answers) == 0: // the engine says how it ended
		answers = []turn.Answer{{ClarificationID: closed.ID}}
	}
	last := len(answers) - 1
	if x.message != nil && answers[last].Result == nil && answers[last].Note == "" {
		answers[last].Note = *x.message
	}
	for _, a := range answers[:last] { // which only closes a question
		if err := x.Collect(front.Command{Answer: &a}, new(whole)); err != nil {
			return false, err
		}
	}
	return true, x.run(front.Command{Answer: &answers[last]})
}

// say takes the message.
func (x exchange) say() error {
	view, err := x.goToChat()
	if err != nil {
		return err
	}
	seen := x.said.shown(view)
	s, err := heed(x, view, *x.message, seen, !x.tools[front.AskUser], repeats(view, x.said, *x.message))
	if err != nil {
		return err
	}
	if s.tell != nil {
		return x.tell(s.tell, s.part)
	}
	return x.run(s.cmd)
}

// goToChat goes to the chat of a message, and returns what of it is needed to understand
// the message, nil where it is a new one.
func (x exchange) goToChat() (*store.View, error) {
	if id := x.Ref().ChatID; id != "" {
		return x.Recent(id, store.Part{Limit: recentMessages, Bytes: recentBytes})
	}
	view, err := x.said.same(x)
	if err != nil {
		return nil, err
	}
	id := newChat(x.key)
	if view != nil {
		id = view.Conversation.ChatID
	}
	return view, x.Chat(id)
}

// run has a command run.
func (x exchange) run(cmd front.Command) error {
	cmd.Key = cmp.Or(x.key, cmd.Key)
	e := ending{tools: x.tools, texts: x, waits: func() []chat.Clarification {
		view, err := x.View()
		if err != nil || view == nil {
			return nil // the client's loss only
		}
		return waiting(view)
	}}
	if x.stream {
		return x.Stream(cmd, newStreamed(x.App().ID, e, x.usage))
	}
	w := &whole{ending: e}
	if err := x.Collect(cmd, w); err != nil {
		return err
	}
	x.JSON(http.StatusOK, w.completion(x.App().ID))
	return nil
}

// tell asks a question that waits, without a run.
func (x exchange) tell(of *chat.Clarification, part int) error {
	if err := x.Admit(); err != nil {
		return err
	}
	e := ending{tools: x.tools, texts: x, part: part, asked: []front.Question{front.NewQuestion(chat.NewAsked(of))}}
	done := chat.Done{FinishReason: chat.FinishClarification}
	if x.stream {
		t := newStreamed(x.App().ID, e, x.usage)
		x.Frames(t.Done(t.Start(nil, chat.TurnStart{}), done))
		return nil
	}
	w := &whole{ending: e}
	w.Done(nil, done)
	x.JSON(http.StatusOK, w.completion(x.App().ID))
	return nil
}
