package openai

import (
	"cmp"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// Bounds of the search for a chat by what was said so far.
const (
	maxListed     = 1000    // chats that are looked at, the last changed ones
	maxCandidates = 50      // of them that are read
	listedAtOnce  = 100     // per page
	maxMessages   = 1000    // of a candidate
	maxRead       = 4 << 20 // bytes of a candidate
	maxReadAll    = 16 << 20
)

// same finds the chat that a history is of: among the caller's whose first message begins
// as the history does, the last changed one that says the same. nil: there is none.
func (h history) same(c front.Call) (*store.View, error) {
	if h.answer() == nil {
		return nil, nil //nolint:nilnil // a conversation that begins has no chat yet
	}
	var cut *store.View    // says the same as far as the client has seen
	var closed *store.View // says the same, but what is said now is not what its question was answered with
	page := store.Page{Limit: listedAtOnce}
	for listed, read, bytes := 0, 0, int64(0); listed < maxListed; {
		list, next, err := c.Chats(page)
		if err != nil {
			return nil, err
		}
		for i := range list {
			if !h.begins(list[i].Beginning) {
				continue
			}
			if read++; read > maxCandidates || bytes > maxReadAll {
				return cmp.Or(closed, cut), nil
			}
			view, err := c.Recent(list[i].ChatID, store.Part{Limit: maxMessages, Bytes: maxRead})
			if err != nil {
				return nil, err
			}
			if view == nil || view.More {
				continue
			}
			bytes += view.Size()
			switch fits, whole := h.fits(view); {
			case fits && whole && !h.differs(c, view):
				return view, nil
			case fits && whole:
				closed = cmp.Or(closed, view)
			case fits && cut == nil:
				cut = view
			}
		}
		if listed += len(list); next == "" {
			break
		}
		page.Cursor = next
	}
	return cmp.Or(closed, cut), nil
}

// differs says that the history ends with another answer than the one that closed the
// question before it: it may be meant for a chat of the same words, where that still waits.
func (h history) differs(c front.Call, view *store.View) bool {
	l, seen := &h[len(h)-1], h.shown(view)
	if !l.user || seen.Clarification == nil || seen.State == tools.StatePending {
		return false
	}
	return !byPerson(seen.Clarification) || !says(c, seen, l.texts[len(l.texts)-1])
}

// begins says that a chat with that beginning may be the history's.
func (h history) begins(beginning string) bool {
	beginning = squeeze(beginning)
	for _, text := range h[0].texts {
		if strings.HasPrefix(text, beginning) {
			return true
		}
	}
	return false
}

// fits says that a chat is what the history tells; whole that the client has seen all that
// it was told, and not only how an answer begins. The chat may have gone on where the
// person has not said anything else.
func (h history) fits(view *store.View) (fits, whole bool) {
	w := walk{lines: h, of: view.Clarifications}
	for i := range view.Messages {
		m := &view.Messages[i]
		text := squeeze(m.Content)
		if m.Role == chat.RoleUser {
			if !w.user(text) {
				return false, false
			}
			continue
		}
		if text != "" && !w.spoken(text) {
			return false, false
		}
		for _, call := range m.ToolCalls {
			for j := range view.Clarifications {
				if c := &view.Clarifications[j]; c.ToolCallID == call.ID && c.TurnID == m.TurnID {
					w.asked(c)
				}
			}
		}
	}
	return w.over(), !w.partial
}

// walk goes through a history along a chat.
type walk struct {
	lines   history
	of      []chat.Clarification
	i       int    // the line
	k       int    // of a user's: its texts that were found, or passed
	rest    string // of an assistant's
	partial bool
}

func (w *walk) at() *line { return &w.lines[w.i] }

// next goes to the next line; false: there is none.
func (w *walk) next() bool {
	if w.i+1 >= len(w.lines) {
		return false
	}
	w.i, w.k, w.rest = w.i+1, 0, ""
	if !w.at().user {
		w.rest = w.at().texts[0]
	}
	return true
}

// last says that the assistant says nothing more in the history.
func (w *walk) last() bool { return w.i+2 >= len(w.lines) }

// user finds a message of the chat.
func (w *walk) user(text string) bool {
	if w.rest != "" || !w.at().user && !w.next() {
		return false
	}
	for texts := w.at().texts; w.k < len(texts); {
		if w.k++; texts[w.k-1] == text {
			return true
		}
	}
	return false
}

// spoken finds a text of the assistant's.
func (w *walk) spoken(text string) bool {
	if w.at().user {
		if w.k < len(w.at().texts) || !w.next() {
			return true // of an answer that the client does not have
		}
	}
	w.rest = strings.TrimLeft(w.rest, " ")
	switch {
	case strings.HasPrefix(w.rest, text):
		w.rest = w.rest[len(text):]
		return true
	case strings.HasPrefix(text, w.rest): // the client left
		w.partial, w.rest = w.partial || w.rest != "" || !w.last(), ""
		return true
	}
	// A question that is told without a run comes without what was said before it.
	return slices.ContainsFunc(w.of, func(c chat.Clarification) bool {
		_, _, ok := within(&c, w.rest, false)
		return ok
	})
}

// asked passes a question, and what was answered to it, where it was a text. A question may
// be told more than once, and a form is told in several texts.
func (w *walk) asked(c *chat.Clarification) {
	for {
		if w.at().user {
			if w.k < len(w.at().texts) || w.i+1 >= len(w.lines) {
				return
			}
			if _, _, ok := within(c, w.lines[w.i+1].texts[0], false); !ok && w.lines[w.i+1].texts[0] != "" {
				return
			}
			w.next() // to the question, or to a call without words
		}
		if _, _, ok := within(c, strings.TrimLeft(w.rest, " "), false); ok {
			w.rest = ""
			if !w.answered(c) {
				return
			}
		} else if w.rest == "" && w.typed(c) && w.next() {
			w.k = 1
		} else {
			return
		}
	}
}

// answered passes the answer to a question that was told; false: the next thing that the
// person says is a message of the chat.
func (w *walk) answered(c *chat.Clarification) bool {
	again := false
	if w.i+2 < len(w.lines) {
		_, _, again = within(c, w.lines[w.i+2].texts[0], false)
	}
	if !again && !byPerson(c) && c.State != tools.StatePending || !w.next() {
		return false
	}
	w.k = 1
	return true
}

// typed says that the next line answers a question that was told as a call.
func (w *walk) typed(c *chat.Clarification) bool {
	if w.i+1 >= len(w.lines) || !byPerson(c) {
		return false
	}
	text := w.lines[w.i+1].texts[0]
	return c.AnsweredBy != nil && c.AnsweredBy.Channel == chat.ChannelMessage || c.Answer != nil && text != "" && squeeze(c.Answer.Note) == text
}

func byPerson(c *chat.Clarification) bool {
	return c.State == tools.StateAnswered || c.State == tools.StateSkipped || c.State == tools.StateDeclined
}

// over says that all of the history was found, but for what is new.
func (w *walk) over() bool {
	if w.rest != "" {
		return false
	}
	if w.at().user {
		return w.i == len(w.lines)-1
	}
	return w.i >= len(w.lines)-2
}

// within finds a question, as it is told, where a text begins, or anywhere near its end.
// part is the one that was found, at its place in the text.
func within(c *chat.Clarification, text string, end bool) (part, at int, ok bool) {
	q := chat.NewAsked(c)
	longest := 0
	for i := range q.Questions {
		core := squeeze(asked(&q, i))
		found := 0
		if end {
			found = strings.LastIndex(text, core)
		} else if !strings.HasPrefix(text, core) {
			found = -1
		}
		if found >= 0 && len(core) > longest && len(text)-found-len(core) <= maxHint {
			part, at, ok, longest = i, found, true, len(core)
		}
	}
	return part, at, ok
}

// shown is the question that a client's person has seen last.
type shown struct {
	*chat.Clarification
	part int // told as a text, -1: as a call
}

// shown is the question of a chat that the assistant's last line asks; its clarification is
// nil where that is none. Of several that read the same it is the newest.
func (h history) shown(view *store.View) shown {
	l := h.answer()
	if l == nil || view == nil {
		return shown{}
	}
	for i := len(l.calls) - 1; i >= 0; i-- {
		if c := front.Find(view, l.calls[i]); c != nil {
			return shown{c, -1}
		}
	}
	var found shown
	last := -1
	for i := range view.Clarifications {
		c := &view.Clarifications[i]
		if part, at, ok := within(c, l.texts[0], true); ok && at >= last {
			found, last = shown{c, part}, at
		}
	}
	return found
}
