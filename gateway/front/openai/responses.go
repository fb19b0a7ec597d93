package openai

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Responses is the front for clients of the Responses API.
type Responses struct{}

func (Responses) Name() string { return "openai-responses" }

// Routes implements front.Front.
func (Responses) Routes() []host.Route {
	return []host.Route{{Method: http.MethodPost, Path: "/v1/responses", Serve: respond}}
}

// Refuse implements front.Front.
func (Responses) Refuse(h http.Header, p host.Problem) (string, []byte) { return refuse(h, p) }

// responding is a request that is being handled.
type responding struct {
	sought
	*response
	list  bool // it follows a list of questions
	lasts bool // its client has a name for the chat
}

// respond takes a request for a response.
func respond(c *host.Request) error {
	body, err := front.ReadBody(c, true)
	if err != nil {
		return err
	}
	if err := settings(c, body.Data, responseFields, responseCannot); err != nil {
		return err
	}
	r, err := readResponse(body.Data)
	if err != nil {
		return err
	}
	r.body = body
	s, err := seek(c, &r.requested)
	if err != nil {
		return err
	}
	x := responding{s, r, false, false}
	if err := x.enter(); err != nil {
		return err
	}
	if len(r.answers) > 0 {
		if done, err := x.answer(); done || err != nil {
			return err
		}
	}
	return x.say()
}

// enter goes to the chat that the request names, if it names one.
func (x *responding) enter() error {
	name := x.clientName()
	if x.conversation != "" {
		if h := x.c.HTTP().Header.Get("X-Chat-Id"); h != "" && front.ChatID(h) != front.ChatID(x.conversation) {
			return front.Invalid("responses_chats", "conversation", nil)
		}
		name = chatName{x.conversation, "conversation"}
	}
	if x.previous != "" {
		of, fence, _, ok := readResponseID(x.previous)
		if !ok {
			return noResponse()
		}
		if x.list = fence == 0; x.list {
			return nil
		}
		if name.id != "" {
			if same, err := x.isBranch(of, name); err != nil {
				return err
			} else if !same {
				return front.Invalid("responses_chats", "previous_response_id", nil)
			}
		}
		name = chatName{of, "previous_response_id"}
	}
	if name.id == "" {
		return nil
	}
	x.named, x.lasts = true, x.previous == ""
	return x.Enter(name.id, name.field)
}

// isBranch reports whether a chat is the one with that name, or a branch of it.
func (x *responding) isBranch(of string, name chatName) (bool, error) {
	if front.ChatID(name.id) == of {
		return true, nil
	}
	if err := x.Enter(name.id, name.field); err != nil {
		return false, err
	}
	chats, err := x.branches()
	return slices.Contains(chats, of), err
}

// answer takes the outputs and approvals. It returns false if none is of a pending call and a
// message follows them.
func (x *responding) answer() (done bool, err error) {
	view, err := x.asking([]string{x.answers[len(x.answers)-1].call})
	if x.named && view == nil && err == nil {
		view, err = x.View()
	}
	switch {
	case err != nil:
		return false, err
	case view != nil:
	case x.previous != "":
		return false, noResponse()
	case !x.named && x.response.message != nil:
		return false, nil
	case !x.named:
		return false, store.ErrNotFound
	}
	if view != nil {
		front.Used(x.c.Header(), front.IgnoredHistory)
	}
	x.tools.in(view)
	answers, err := x.commands(x.c, view)
	switch {
	case err != nil:
		return false, err
	case len(answers) == 0 && x.response.message != nil:
		return false, nil
	case len(answers) == 0:
		return true, x.tell(view, step{tell: x.failed, part: len(front.Kept(x.failed)), how: again}, "")
	}
	last := len(answers) - 1
	answers[last].Key = x.key
	for _, earlier := range answers[:last] { // the last one is still open, so nothing runs yet
		if err := front.Collect(x.c, earlier, x.encoder(view)); err != nil {
			return false, err
		}
	}
	return true, x.run(view, answers[last])
}

// say takes the message.
func (x *responding) say() error {
	d, err := x.whose()
	if err != nil {
		return err
	}
	s, err := x.act(d)
	switch {
	case err != nil:
		return err
	case s.list != nil:
		return x.tell(d.view, s, list(x.c, x.Now(), s.list))
	case s.tell != nil:
		return x.tell(d.view, s, "")
	}
	s.cmd.Key = cmp.Or(x.key, s.cmd.Key)
	s.cmd.Ephemeral, s.cmd.Lasting = s.cmd.Ephemeral || x.ephemeral, x.ephemeral && x.lasts
	return x.run(d.view, s.cmd)
}

// first returns the question that the client's person has seen: the first pending one, unless it
// was asked after the run that the client knows (0 if the client names none). told is the part of
// a form that this run asked.
func (x *responding) first(view *store.View, fence int64, told int) shown {
	x.tools.in(view)
	open := waiting(view, x.Now())
	switch {
	case len(open) == 0, fence > 0 && open[0].AskedFence > fence:
		return shown{}
	case fence == 0 && open[0].Question.Kind == tools.KindApproval: // nothing shows that it was seen
		return shown{}
	}
	part := -1
	if !x.tools.call(front.NewQuestion(chat.NewAsked(&open[0]))) {
		if part = len(front.Kept(&open[0])); fence == open[0].AskedFence {
			part = min(told, part) // a message that is sent again answers the same part again
		}
	}
	return shown{&open[0], part}
}

func (x *responding) run(view *store.View, cmd front.Command) error {
	t := x.encoder(view)
	if x.stream {
		return front.Stream(x.c, cmd, t)
	}
	if err := front.Collect(x.c, cmd, t); err != nil {
		return err
	}
	return x.c.JSON(json.RawMessage(t.final))
}

// tell asks a pending question, or sends a text, without a run.
func (x *responding) tell(view *store.View, s step, text string) error {
	t := x.encoder(view)
	if s.tell != nil {
		t.head.id, t.fence = responseID(t.chat, s.tell.AskedFence, s.part), s.tell.AskedFence
		t.part, t.asked, t.how = s.part, []front.Question{front.NewQuestion(chat.NewAsked(s.tell))}, s.how
	} else {
		t.in(s.list[0].of.ChatID) // it is one of them
		t.head.id, t.look = responseID(t.chat, 0, 0), nil
	}
	done := chat.Done{FinishReason: chat.FinishClarification}
	frames := t.Start(nil, chat.TurnStart{})
	if text != "" {
		frames, done.FinishReason = t.Text(frames, quotedText(text)), chat.FinishStop
	}
	frames = t.Done(frames, done)
	if x.stream {
		front.Frames(x.c, frames)
		return nil
	}
	return x.c.JSON(json.RawMessage(t.final))
}

// commands are the answers that count: those to pending calls, or else the newest, which the
// engine refuses. A message that follows them is the person's addition.
func (r *response) commands(c *host.Request, view *store.View) ([]front.Command, error) {
	var open []front.Command
	for i, o := range r.answers {
		of := front.Find(view, o.call, callID)
		if of == nil || of.State != tools.StatePending {
			if last := i == len(r.answers)-1; !last || len(open) > 0 || r.message != nil && !noted(of, r.message) {
				continue // an old one
			}
			if of == nil {
				return nil, store.ErrNotFound
			}
		}
		answer, err := front.ReadResult(outputOf(of, o.data), of, func(text string) (turn.Answer, bool) { return front.Typed(c, of, text) })
		if none, is := errors.AsType[*front.NoAnswer](err); is {
			if err := r.tools.unanswered(c, of, none); err != nil {
				return nil, err
			}
			r.failed = cmp.Or(r.failed, of)
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(open) == maxOutputs {
			return nil, front.Invalid("entries", "input", map[string]any{"Max": maxOutputs})
		}
		open = append(open, front.Command{Answer: &answer})
	}
	if n := len(open); n > 0 && r.message != nil {
		if len(r.parts) > 0 {
			return nil, withAnswer(r.parts)
		}
		if a := open[n-1].Answer; a.Result == nil && a.Note == "" {
			a.Note = *r.message
		}
	}
	return open, nil
}

// outputOf returns an output in the form that front.ReadAnswer takes.
func outputOf(of *chat.Clarification, data []byte) []byte {
	var text string
	if json.Unmarshal(data, &text) == nil && data[0] == '"' {
		return output(of, text)
	}
	return data
}

// maxKey is the maximum length, in characters, of a key by which a request is sent again.
const maxKey = 200

func idempotencyKey(c *host.Request) (string, error) {
	const name = "Idempotency-Key"
	key := c.HTTP().Header.Get(name)
	if !utf8.ValidString(key) || utf8.RuneCountInString(key) > maxKey {
		return "", front.Invalid("idempotency_key", name, map[string]any{"Max": maxKey})
	}
	return key, nil
}

// responseID returns the id of a run's response, or of a question of the run that is asked again
// from a part on. readResponseID gets the chat and the run from it, so nothing is stored for it.
func responseID(chatID string, fence int64, part int) string {
	id := "resp_" + chatID + "_" + strconv.FormatInt(fence, 10)
	if part > 0 {
		id += "-" + strconv.Itoa(part)
	}
	return id
}

func readResponseID(id string) (chatID string, fence int64, part int, ok bool) {
	rest, ok := strings.CutPrefix(id, "resp_")
	if i := strings.LastIndexByte(rest, '_'); i > 0 {
		if number, told, is := strings.Cut(rest[i:], "-"); is {
			rest = rest[:i] + number
			part, _ = strconv.Atoi(told) // a malformed part counts as the first
		}
	}
	chatID, fence, whole := readRun(rest)
	return chatID, fence, part, ok && whole
}

// readRun reads a chat and the number of a run in it, as they appear in ids.
func readRun(text string) (chatID string, fence int64, ok bool) {
	i := strings.LastIndexByte(text, '_')
	if i < 1 || front.ChatID(text[:i]) != text[:i] {
		return "", 0, false
	}
	fence, err := strconv.ParseInt(text[i+1:], 10, 64)
	return text[:i], fence, err == nil
}

// noResponse means that the caller has no response with that id.
func noResponse() error {
	return &chat.Error{Code: chat.CodeNotFound, Detail: "responses_previous", Params: map[string]any{"Field": "previous_response_id"}}
}

// newChat returns an id for a new chat; a request that is sent again with its key gets the same
// id.
func newChat(key string) string {
	if key == "" {
		return "chat-" + rand.Text()
	}
	sum := sha256.Sum256([]byte(key))
	return "chat-" + hex.EncodeToString(sum[:16])
}

// encoder returns the encoder for the run that the request begins.
func (x *responding) encoder(view *store.View) *responseEncoder {
	r, ref := x.response, x.Ref()
	t := &responseEncoder{
		ending: ending{tools: r.tools, texts: x.c, look: looking(x.c), now: x.Now, code: x.codeFor},
		app:    x.c.App.ID, chat: ref.ChatID, of: x.Ref, nonce: strings.ToLower(rand.Text()[:nonceLength]), calls: map[string]madeCall{},
	}
	if view != nil {
		for i := range view.Clarifications {
			if of := &view.Clarifications[i]; of.Question.Kind == tools.KindApproval {
				t.calls[of.ToolCallID] = madeCall{arguments: of.Arguments, approval: of.ID}
			}
		}
	}
	t.head = responseHead{
		createdAt: time.Now().Unix(), model: r.model, previous: r.previous, conversation: r.conversation, stored: !r.ephemeral,
	}
	t.in(ref.ChatID)
	return t
}

// responseHead has the fields of a response object that vary, but do not change while its run
// goes on.
type responseHead struct {
	id, model, previous, conversation string // previous: "" for none
	createdAt                         int64  // seconds since 1970
	stored                            bool
}

// append appends the object up to its status. Each run sends it three times, and encodes it once,
// by hand, which saves a third of what a short turn cost here beyond the native protocol.
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
