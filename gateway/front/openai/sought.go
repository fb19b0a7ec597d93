package openai

import (
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
)

// sought has everything that a request says about the chat that it belongs to.
type sought struct {
	c *host.Request
	callersChats
	said    history
	opening *line    // the assistant's, if a history that was cut begins with it
	ids     []string // of calls and approvals, anywhere in the history: at most maxIDs, newest first
	made    []string // chats that ids of items name
	mark    string   // of the client's own chat, as in chat.ClientMark
	named   bool     // the chat is already entered, by a name of the client's
	key     string   // the key by which it can be sent again; "" if it has none

	message string   // the person's newest
	place   string   // of the request's messages
	offered *tooling // of the client

	files        []host.File // of the message
	instructions string      // with it
}

// callersChats are the caller's chats; front.Chats implements it.
type callersChats interface {
	Enter(id, field string) error
	Go(id string) error
	Ref() chat.Ref
	View() (*store.View, error)
	Recent(id string, part store.Part) (*store.View, error)
	List(page store.Page) ([]store.Listed, string, error)
	Branches(lines ...store.Line) ([]store.Branch, error)
	Clarification(id string) (chat.Clarification, error)
	ChatOf(clarificationID string) (string, error)
	Known(chatID, key string) (bool, error)
	Coded(of *chat.Clarification, code string) error
	Now() time.Time
}

// saying returns a command with everything that comes with the message.
func (s *sought) saying(cmd front.Command) front.Command {
	cmd.Files, cmd.Instructions, cmd.UsedWith, cmd.Place = s.files, s.instructions, s.mark, s.place
	return cmd
}

// requested is the part of a request that both APIs use.
type requested struct {
	model      string
	stream     bool
	tools      tooling
	brought    []front.Tool
	instructed front.Instructed
	said       history
	opening    *line        // the assistant's, if said has none
	message    *string      // the person's newest, if the assistant said nothing after it
	place      string       // the member of the body that has the messages
	parts      []front.Part // of the message, in addition to its text
	body       *front.Body
	ids        []string // of calls and items, anywhere
}

// seek enters the app, and finds out what a request says about its chat.
func seek(c *host.Request, r *requested) (s sought, err error) {
	if err := enter(c, r.model); err != nil {
		return s, err
	}
	if err := front.Bring(c, r.brought); err != nil {
		return s, err
	}
	key, err := idempotencyKey(c)
	if err != nil {
		return s, err
	}
	s = sought{c: c, callersChats: front.In(c), offered: &r.tools, said: r.said, opening: r.opening, key: key, place: r.place, mark: chat.ClientMark(c.HTTP().Header.Get("X-OpenWebUI-Chat-Id"))}
	s.identify(r.ids)
	if r.message != nil {
		s.message = *r.message
	}
	if s.files, err = r.body.Files(c.App, r.parts); err != nil {
		return s, err
	}
	s.instructions, err = r.instructed.For(c.App)
	return s, err
}

// identify sorts the ids in a request by what they refer to.
func (s *sought) identify(ids []string) {
	for _, id := range slices.Backward(ids) {
		if of, _, ok := readItemID(id); ok {
			s.made = append(s.made, of)
		} else if len(s.ids) < maxIDs && strings.HasPrefix(id, questionID) && !slices.Contains(s.ids, id) {
			s.ids = append(s.ids, id)
		}
	}
	slices.Sort(s.made)
	s.made = slices.Compact(s.made)
}

// questionID begins the ids of questions.
const questionID = "clr_"

// chatName is a client's name for its chat, and the place of the name in the request.
type chatName struct{ id, field string }

// clientName returns the client's name for its chat, from the headers. Codex sends with each
// thread its own id, and that of the session in which it was begun: a review is a thread, and so
// is a subagent.
func (s *sought) clientName() chatName {
	if s.task() {
		return chatName{}
	}
	h, names := s.c.HTTP().Header, []string{"X-Chat-Id"}
	if strings.HasPrefix(h.Get("Originator"), "codex") {
		names = append(names, "Thread-Id", "Session-Id", "Session_id")
	}
	for _, name := range names {
		if id := h.Get(name); id != "" {
			return chatName{id, name}
		}
	}
	return chatName{}
}
