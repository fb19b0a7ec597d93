package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// These bound the search for a chat by what was said so far.
const (
	maxListed     = 1000    // chats that are examined, the last changed first
	maxCandidates = 50      // of these are read
	listedAtOnce  = 100     // per page
	maxMessages   = 1000    // of a candidate
	maxRead       = 4 << 20 // bytes of a candidate
	maxReadAll    = 16 << 20
	maxIDs        = 16 // ids of ours that are looked up, newest first
)

// asking goes to the chat that asked one of these calls, and returns it, or nil if there is none.
// Of the branches of a chat that the client named, it is the first.
func (s *sought) asking(calls []string) (*store.View, error) {
	if !s.named {
		return s.askingByID(calls)
	}
	chats, err := s.branches()
	for _, branch := range chats {
		view, err := s.Recent(branch, store.Part{Limit: 1})
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(calls, func(call string) bool { return front.Find(view, call, callID) != nil }) {
			return view, s.Go(branch)
		}
	}
	return nil, err
}

// askingByID is asking if only the calls' ids say which chat it is. The chat must be of the app.
func (s *sought) askingByID(calls []string) (*store.View, error) {
	app := s.c.App.ID
	for _, call := range calls {
		of, err := s.Clarification(call)
		switch {
		case errors.Is(err, store.ErrNotFound):
			continue
		case err == nil && of.App != app:
			return nil, store.ErrNotFound
		case err != nil:
			return nil, err
		}
		return s.View()
	}
	return nil, nil //nolint:nilnil // a nil chat is one that does not exist
}

// candidate is a chat that a request may belong to.
type candidate struct {
	view *store.View
	found
}

// decision says what a request is about.
type decision struct {
	view  *store.View // of the chat; nil: a new one
	place place       // where it is forked; none: the message follows
	again bool        // what is there is shown again
	seen  shown       // the question that the person has seen last
	waits []listed    // it may be any of these
}

// which finds the chat of a message, and the place in it.
func (s *sought) which() (decision, error) {
	all, err := s.candidates()
	if err != nil {
		return decision{}, err
	}
	d := s.decide(all)
	if s.named && d.view == nil && d.waits == nil {
		if d, err = s.follow(); err != nil {
			return d, err
		}
	}
	if d.view != nil && d.seen.Clarification == nil {
		d.seen = cmp.Or(s.said.answer(), s.opening).shown(d.view)
	}
	return d, nil
}

// decide takes one of the chats that fit, the last changed first.
func (s *sought) decide(all []candidate) decision {
	if code := s.said.code(); code != "" {
		if d, ok := s.coded(all, code); ok {
			return d
		}
	}
	var whole, partial, more *candidate // the first of each; more is the last that says the same
	for i := range all {
		c := &all[i]
		switch first := func(at **candidate) {
			if *at == nil {
				*at = c
			}
		}; {
		case !c.place.none():
			if first(&more); c.after(more) {
				more = c
			}
		case c.partial:
			first(&partial)
		default:
			first(&whole)
		}
	}
	again := s.again(all)
	if again == nil && more != nil {
		if d := s.askedAgain(more); d != nil {
			return *d
		}
		if s.repeats(more) {
			again = more
		}
	}
	if len(all) > 1 {
		if waits := s.waits(all); waits != nil {
			return decision{waits: waits}
		}
	}
	switch {
	case again != nil:
		return decision{view: again.view, place: again.place, again: true}
	case whole != nil:
		return decision{view: whole.view}
	case partial != nil:
		return decision{view: partial.view}
	case more != nil:
		return decision{view: more.view, place: more.place}
	}
	return decision{}
}

// after reports whether a candidate says the same as the message and the other one does not, or
// did so earlier.
func (c *candidate) after(o *candidate) bool {
	if !c.place.same || !o.place.same {
		return c.place.same
	}
	at, was := &c.view.Conversation, &o.view.Conversation
	return cmp.Or(at.UpdatedAt.Compare(was.UpdatedAt), cmp.Compare(at.Fence, was.Fence)) > 0
}

// follow returns the branch of the chat that was written to last, when the history says nothing,
// or not enough. The last thing said there is not said again.
func (s *sought) follow() (decision, error) {
	chats, err := s.branches()
	if err != nil || len(chats) == 0 {
		return decision{}, err
	}
	view, err := s.Recent(chats[0], store.Part{Limit: recentMessages, Bytes: recentBytes})
	if view == nil || err != nil {
		return decision{}, err
	}
	c := candidate{view: view, found: found{place: newest(view)}}
	c.place.same = s.same(&c.place) && !s.said.beyond(view, &c.place)
	if !c.place.none() && (s.again([]candidate{c}) != nil || s.repeats(&c)) {
		return decision{view: view, place: c.place, again: true}, nil
	}
	return decision{view: view}, nil
}

// These bound what is read of a chat if the client does not send its history.
const (
	recentMessages = 50
	recentBytes    = 1 << 20
)

// beyond reports whether the history has something that came after a place.
func (h history) beyond(view *store.View, p *place) bool {
	l := h.answer()
	if l == nil {
		return false
	}
	from, turn := int64(0), ""
	if p.message != nil {
		from, turn = p.message.Fence, p.message.TurnID
	} else if p.asked != nil {
		from = p.asked.DoneFence
	}
	if c := h.shown(view).Clarification; c != nil && (c.AskedFence >= from || c.TurnID == turn) {
		return true
	}
	for _, m := range view.Messages {
		if told := squeeze(m.Content); m.Role == chat.RoleAssistant && m.Fence >= from && told != "" && strings.Contains(l.texts[0], told) {
			return true
		}
	}
	return false
}

// same reports whether the chat has the same message at a place.
func (s *sought) same(p *place) bool {
	switch {
	case p.message != nil:
		return squeeze(p.message.Content) == squeeze(s.message) && front.SameFiles(p.message.Files, s.files)
	case p.asked == nil || p.asked.Answer == nil:
		return false
	}
	answer, next, ok := s.reads(p)
	if !ok || next >= 0 {
		return false
	}
	one, _ := json.Marshal(answer) // wire types encode
	other, _ := json.Marshal(p.asked.Answer)
	return bytes.Equal(one, other)
}

// again returns the chat in which a request with the same key was taken.
func (s *sought) again(all []candidate) *candidate {
	for i := range all {
		if c := &all[i]; s.key != "" && c.place.same {
			if known, err := s.Known(c.view.Conversation.ChatID, s.key); known || err != nil {
				return c
			}
		}
	}
	return nil
}

// askedAgain returns the branch that has asked for an approval again because of this same
// request, repeated by its library, or nil. A branch never has the decision with which it begins.
func (s *sought) askedAgain(c *candidate) *decision {
	of := c.place.asked
	if of == nil || of.Question.Kind != tools.KindApproval {
		return nil
	}
	family, err := s.reasking(c.view, of)
	if err != nil {
		return nil // the request then fails where it is acted on
	}
	for i := range family {
		b := &family[i]
		if b.Turn.ID != b.Conversation.Fork.TurnID || b.Turn.State != chat.TurnPaused {
			continue
		}
		again, err := s.Known(b.ChatID, s.key)
		if s.key == "" {
			again, err = front.Repeats(front.In(s.c), &b.Conversation, b.Turn)
		}
		if !again || err != nil {
			continue
		}
		if view, err := s.Recent(b.ChatID, store.Part{Limit: maxMessages, Bytes: maxRead}); err == nil && view != nil {
			return &decision{view: view, again: true}
		}
	}
	return nil
}

// reasking returns the branches that have asked again for an approval of a chat, the last changed
// first, except those whose run goes on.
func (s *sought) reasking(view *store.View, of *chat.Clarification) ([]store.Branch, error) {
	from := turnMessage(view, of.TurnID)
	if from == nil {
		return nil, nil
	}
	if err := s.Go(view.Conversation.ChatID); err != nil {
		return nil, err
	}
	family, err := s.Branches()
	return slices.DeleteFunc(family, func(b store.Branch) bool {
		return b.Conversation.Fork.MessageID != from.ID || b.Turn == nil || b.Turn.State == chat.TurnRunning
	}), err
}

// turnMessage returns the person's message that began a turn.
func turnMessage(view *store.View, turn string) *chat.Message {
	for i := range view.Messages {
		if m := &view.Messages[i]; m.Role == chat.RoleUser && m.TurnID == turn {
			return m
		}
	}
	return nil
}

// waits returns what is pending in the chats that the message follows.
func (s *sought) waits(all []candidate) (waits []listed) {
	for i := range all {
		if c := &all[i]; c.place.none() {
			for _, q := range waiting(c.view, s.Now()) {
				waits = append(waits, listed{&q, codeIn(&c.view.Conversation, &q), nameOf(c.view)})
			}
		}
	}
	return waits
}

// coded returns the question that a message names by its code.
func (s *sought) coded(all []candidate, named string) (decision, bool) {
	for i := range all {
		view := all[i].view
		for j := range view.Clarifications {
			if c := &view.Clarifications[j]; codeIn(&view.Conversation, c) == named && c.For == "" && c.Asker == "" {
				return decision{view: view, seen: shown{c, len(front.Kept(c))}, again: s.taken(view, c)}, true
			}
		}
	}
	return decision{}, false
}

// taken reports whether a message that names a question has answered it, and is sent again.
func (s *sought) taken(view *store.View, of *chat.Clarification) bool {
	c := candidate{view, found{place: place{asked: of, part: len(of.Question.Parts) - 1}}}
	c.place.same = byPerson(of) && s.same(&c.place)
	return s.again([]candidate{c}) != nil || s.repeats(&c)
}

// nameOf returns a chat's name, or its beginning.
func nameOf(view *store.View) string {
	if view.Conversation.Title != "" {
		return view.Conversation.Title
	}
	for i := range view.Messages {
		if m := &view.Messages[i]; m.Role == chat.RoleUser {
			return m.Content
		}
	}
	return view.Conversation.ChatID
}

// candidates returns the chats that fit what the request says, the last changed first.
func (s *sought) candidates() ([]candidate, error) {
	if s.said.answer() == nil {
		return nil, nil // a conversation that begins has no chat yet
	}
	list, err := s.list()
	if err != nil {
		return nil, err
	}
	var fit []candidate
	read, bytes := 0, 0
	for _, l := range list {
		if read++; read > maxCandidates || bytes > maxReadAll {
			break
		}
		view, err := s.Recent(l, store.Part{Limit: maxMessages, Bytes: maxRead})
		if err != nil {
			return nil, err
		}
		if view == nil {
			continue
		}
		bytes += int(view.Size())
		if view.More {
			continue
		}
		if f := s.said.fits(view); f.fits {
			if f.place.asked != nil || f.place.same { // with other files, it says something else
				f.place.same = s.same(&f.place)
			}
			fit = append(fit, candidate{view, f})
		}
	}
	return s.usedWith(fit), nil
}

// usedWith keeps the chats that were used with the client's own id, or else those that were used
// with none.
func (s *sought) usedWith(fit []candidate) []candidate {
	if s.mark == "" {
		return fit
	}
	for _, mark := range []string{s.mark, ""} {
		some := slices.DeleteFunc(slices.Clone(fit), func(c candidate) bool { return c.view.Conversation.UsedWith != mark })
		if len(some) > 0 {
			return some
		}
	}
	return nil
}

// list returns the chats that may be the request's, by their beginning and by the ids in the
// request.
func (s *sought) list() ([]string, error) {
	if s.named {
		return s.branches()
	}
	origins, err := s.origins()
	if err != nil {
		return nil, err
	}
	listed, err := s.listed()
	if err != nil {
		return nil, err
	}
	from := make(map[string]string, len(listed))
	for i := range listed {
		from[listed[i].ChatID] = listed[i].Fork.ChatID
	}
	var chats []string
	for i := range listed {
		l := &listed[i]
		if s.said.begins(l.Beginning) && !slices.ContainsFunc(origins, func(of string) bool { return !comesFrom(l.ChatID, of, from) }) {
			chats = append(chats, l.ChatID)
		}
	}
	if len(origins) > 0 && !slices.Contains(chats, origins[0]) && !slices.ContainsFunc(origins, func(of string) bool { return of != origins[0] }) {
		chats = append(chats, origins[0]) // it may have changed long ago
	}
	return chats, nil
}

// listed returns the caller's chats, the last changed first.
func (s *sought) listed() (all []store.Listed, err error) {
	for page := (store.Page{Limit: listedAtOnce}); len(all) < maxListed; {
		list, next, err := s.List(page)
		if err != nil {
			return nil, err
		}
		if all = append(all, list...); next == "" {
			break
		}
		page.Cursor = next
	}
	return all, nil
}

// comesFrom reports whether a chat is another one, or was forked from it, or from a fork of it.
func comesFrom(id, of string, from map[string]string) bool {
	for range len(from) + 1 {
		if id == of {
			return true
		}
		if id = from[id]; id == "" {
			break
		}
	}
	return false
}

// origins returns the chats in which the ids of the request were made. An unknown id, or one of
// another person's, counts as that of a chat that does not exist.
func (s *sought) origins() ([]string, error) {
	chats := slices.Clone(s.made)
	for _, id := range s.ids {
		of, err := s.ChatOf(id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		chats = append(chats, of) // "": of no chat
	}
	slices.Sort(chats)
	return slices.Compact(chats), nil
}

// begins reports whether a chat with that beginning may be the history's.
func (h history) begins(beginning string) bool {
	beginning = squeeze(beginning)
	return slices.ContainsFunc(h[0].texts, func(text string) bool { return len(text) >= len(beginning) && text[:len(beginning)] == beginning })
}

// branches returns the chats that share the client's name: the one that it names itself, if that
// is a branch, then the others, the last written to first.
func (s *sought) branches() ([]string, error) {
	family, err := s.Branches()
	chats := make([]string, 0, len(family))
	for i := range family {
		if b := &family[i]; b.KnownAs() != b.ChatID && b.ChatID == s.Ref().ChatID {
			chats = slices.Insert(chats, 0, b.ChatID)
		} else {
			chats = append(chats, b.ChatID)
		}
	}
	return chats, err
}

// repeats reports whether the reply at a place is shown again, rather than generated again.
func (s *sought) repeats(c *candidate) bool {
	if turn := c.view.Turn; !c.place.same || !c.place.newest(c.view) || turn != nil && turn.FinishReason == chat.FinishError {
		return false // what failed is tried again
	}
	again, err := front.Repeats(front.In(s.c), &c.view.Conversation, c.view.Turn)
	return again || err != nil // it is not known whether the previous response came through
}

// newest reports whether the person has said nothing after the place.
func (p *place) newest(view *store.View) bool {
	last := newest(view)
	return p.message != nil && last.message != nil && last.message.ID == p.message.ID ||
		p.asked != nil && last.asked != nil && last.asked.ID == p.asked.ID
}
