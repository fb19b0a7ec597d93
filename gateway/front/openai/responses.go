package openai

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Responses is the front for clients of the Responses API.
type Responses struct{}

// Name implements front.Front.
func (Responses) Name() string { return "openai-responses" }

// Routes implements front.Front.
func (Responses) Routes() []front.Route {
	return []front.Route{{Method: http.MethodPost, Path: "/v1/responses", Serve: respond}}
}

// Refuse implements front.Front.
func (Responses) Refuse(h http.Header, p front.Problem) (string, []byte) { return refuse(h, p) }

// respond takes a request for a response.
func respond(c front.Call) error {
	body, err := c.Body()
	if err != nil {
		return err
	}
	r, err := readResponse(body)
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
	view, err := r.goToChat(c, key)
	if err != nil {
		return err
	}
	answers, err := r.commands(c, view)
	if err != nil {
		return err
	}
	if len(answers) == 0 {
		return r.say(c, view, key)
	}
	last := len(answers) - 1
	answers[last].Key = key
	for _, earlier := range answers[:last] { // the last one is still open: nothing runs yet
		if err := c.Collect(earlier, r.teller(c, view)); err != nil {
			return err
		}
	}
	return r.run(c, view, answers[last])
}

// say takes the message.
func (r *response) say(c front.Call, view *store.View, key string) error {
	seen := r.seen(view)
	s, err := heed(c, view, *r.message, seen, !r.tools[front.AskUser], false)
	switch {
	case err != nil:
		return err
	case s.tell != nil:
		return r.tell(c, view, s)
	}
	s.cmd.Passing, s.cmd.Key = r.passing, key
	if failed := view != nil && view.Turn != nil && view.Turn.Resumable(); key == "" && r.previous != "" && !failed && s.cmd.Message != nil {
		sum := sha256.Sum256([]byte(r.previous + "\x00" + *r.message)) // the same behind the same response: the connection was lost
		s.cmd.Key = hex.EncodeToString(sum[:])
	}
	return r.run(c, view, s.cmd)
}

// seen is the question that the client's person has seen: the first that waits, unless it
// was asked after the response that the client knows.
func (r *response) seen(view *store.View) shown {
	if view == nil {
		return shown{}
	}
	open := waiting(view)
	_, fence, ok := readResponseID(r.previous)
	switch {
	case len(open) == 0, ok && open[0].AskedFence > fence:
		return shown{}
	case !ok && open[0].Question.Kind == tools.KindApproval: // nothing shows that it was seen
		return shown{}
	}
	part := -1
	if !r.tools[front.AskUser] {
		part = len(kept(&open[0]))
	}
	return shown{&open[0], part}
}

func (r *response) run(c front.Call, view *store.View, cmd front.Command) error {
	t := r.teller(c, view)
	if r.stream {
		return c.Stream(cmd, t)
	}
	if err := c.Collect(cmd, t); err != nil {
		return err
	}
	c.JSON(http.StatusOK, json.RawMessage(t.final))
	return nil
}

// tell asks a question that waits, without a run.
func (r *response) tell(c front.Call, view *store.View, s step) error {
	if err := c.Admit(); err != nil {
		return err
	}
	t := r.teller(c, view)
	t.head.id = responseID(t.chat, s.tell.AskedFence, s.part)
	t.part, t.asked = s.part, []front.Question{front.NewQuestion(chat.NewAsked(s.tell))}
	frames := t.Done(t.Start(nil, chat.TurnStart{}), chat.Done{FinishReason: chat.FinishClarification})
	if r.stream {
		c.Frames(frames)
		return nil
	}
	c.JSON(http.StatusOK, json.RawMessage(t.final))
	return nil
}

// goToChat finds the chat: the one that is named, that of the call which is answered, or a
// new one.
func (r *response) goToChat(c front.Call, key string) (*store.View, error) {
	named := c.Request().Header.Get("X-Chat-Id")
	if r.conversation != "" {
		if named != "" && front.ChatID(named) != front.ChatID(r.conversation) {
			return nil, front.Invalid("responses_chats", "conversation", nil)
		}
		named = r.conversation
	}
	if r.previous != "" {
		of, _, ok := readResponseID(r.previous)
		if !ok {
			return nil, noResponse()
		}
		if named != "" && front.ChatID(named) != of {
			return nil, front.Invalid("responses_chats", "previous_response_id", nil)
		}
		named = of
	}
	if n := len(r.answers); named == "" && n > 0 {
		of, err := c.Clarification(r.answers[n-1].call)
		switch {
		case err == nil && of.App != r.model:
			return nil, store.ErrNotFound
		case err == nil:
			return c.View()
		case r.message == nil || !errors.Is(err, store.ErrNotFound):
			return nil, err
		}
	}
	if named == "" && key == "" { // there is none yet to look at
		return nil, c.Chat(newChat(""))
	}
	if named == "" {
		named = newChat(key)
	}
	if err := c.Chat(named); err != nil {
		return nil, err
	}
	view, err := c.View()
	if err == nil && view == nil && r.previous != "" {
		err = noResponse()
	}
	return view, err
}

// commands are the answers that count: those to calls which wait, else the newest, which
// the engine refuses. A message behind them is what their person adds.
func (r *response) commands(c front.Call, view *store.View) ([]front.Command, error) {
	if len(r.answers) > maxOutputs {
		return nil, front.Invalid("entries", "input", map[string]any{"Max": maxOutputs})
	}
	var open []front.Command
	for i, o := range r.answers {
		of := front.Find(view, o.call)
		if of == nil || of.State != tools.StatePending {
			if last := i == len(r.answers)-1; !last || r.message != nil || len(open) > 0 {
				continue // an old one
			}
			if of == nil {
				return nil, store.ErrNotFound
			}
		}
		answer, err := front.ReadAnswer(outputOf(of, o.data), of, func(text string) (turn.Answer, bool) { return c.Typed(of, text) })
		if err != nil {
			return nil, err
		}
		open = append(open, front.Command{Answer: &answer})
	}
	if n := len(open); n > 0 && r.message != nil {
		if a := open[n-1].Answer; a.Result == nil && a.Note == "" {
			a.Note = *r.message
		}
	}
	return open, nil
}

// outputOf is an output as front.ReadAnswer takes it.
func outputOf(of *chat.Clarification, data []byte) []byte {
	var text string
	if json.Unmarshal(data, &text) == nil && data[0] == '"' {
		return output(of, text)
	}
	return data
}

// maxKey is how many characters a key may have by which a request is sent again.
const maxKey = 200

func idempotencyKey(c front.Call) (string, error) {
	const name = "Idempotency-Key"
	key := c.Request().Header.Get(name)
	if !utf8.ValidString(key) || utf8.RuneCountInString(key) > maxKey {
		return "", front.Invalid("idempotency_key", name, map[string]any{"Max": maxKey})
	}
	return key, nil
}

// responseID is the id of what a run told, or of a question of its that is asked again
// from a part on. readResponseID has the chat and the run of it: nothing is kept for it.
func responseID(chatID string, fence int64, part int) string {
	id := "resp_" + chatID + "_" + strconv.FormatInt(fence, 10)
	if part > 0 {
		id += "-" + strconv.Itoa(part)
	}
	return id
}

func readResponseID(id string) (chatID string, fence int64, ok bool) {
	rest, ok := strings.CutPrefix(id, "resp_")
	i := strings.LastIndexByte(rest, '_')
	if !ok || i < 1 || front.ChatID(rest[:i]) != rest[:i] {
		return "", 0, false
	}
	number, _, _ := strings.Cut(rest[i+1:], "-")
	fence, err := strconv.ParseInt(number, 10, 64)
	return rest[:i], fence, err == nil
}

// noResponse says that there is no response with that id, or none of the caller's.
func noResponse() error {
	return &chat.Error{Code: chat.CodeNotFound, Detail: "responses_previous", Params: map[string]any{"Field": "previous_response_id"}}
}

// newChat is an id for a new chat; a request that is sent again with its key is for the same.
func newChat(key string) string {
	if key == "" {
		return "chat-" + rand.Text()
	}
	sum := sha256.Sum256([]byte(key))
	return "chat-" + hex.EncodeToString(sum[:16])
}

// teller tells the run that the request begins.
func (r *response) teller(c front.Call, view *store.View) *responseTeller {
	ref := c.Ref()
	t := &responseTeller{
		ending: ending{tools: r.tools, texts: c, waits: func() []chat.Clarification {
			view, err := c.View()
			if err != nil || view == nil {
				return nil // the client's loss only
			}
			return waiting(view)
		}},
		app: ref.App, chat: ref.ChatID, nonce: strings.ToLower(rand.Text()[:12]), calls: map[string]madeCall{},
	}
	if view != nil {
		for i := range view.Clarifications {
			if of := &view.Clarifications[i]; of.Question.Kind == tools.KindApproval {
				t.calls[of.ToolCallID] = madeCall{arguments: of.Arguments, approval: of.ID}
			}
		}
	}
	t.head = responseHead{
		createdAt: time.Now().Unix(), model: r.model, previous: r.previous, conversation: cmp.Or(r.conversation, ref.ChatID), stored: !r.passing,
	}
	return t
}

// responseHead is of a response object what differs, and does not change while its run
// goes on.
type responseHead struct {
	id, model, previous, conversation string // previous: "" for none
	createdAt                         int64  // seconds since 1970
	stored                            bool
}

// append appends the object up to its status. Each run tells it three times, and encodes it
// once, by hand: a third of what a short turn cost here beyond the native protocol.
func (h *responseHead) append(dst []byte) []byte {
	dst = append(append(dst, `{"id":`...), asJSON(h.id)...)
	dst = append(dst, `,"object":"response","created_at":`...)
	dst = append(strconv.AppendInt(dst, h.createdAt, 10), `,"model":`...)
	dst = append(append(dst, asJSON(h.model)...), `,"previous_response_id":`...)
	if h.previous == "" {
		dst = append(dst, "null"...)
	} else {
		dst = append(dst, asJSON(h.previous)...)
	}
	dst = append(append(dst, `,"conversation":{"id":`...), asJSON(h.conversation)...)
	dst = strconv.AppendBool(append(dst, `},"store":`...), h.stored)
	return append(dst, `,"background":false,"instructions":null,"max_output_tokens":null,"parallel_tool_calls":true,"temperature":null,"top_p":null,`+
		`"tool_choice":"auto","tools":[],"text":{"format":{"type":"text"}},"truncation":"disabled","metadata":{}`...)
}
