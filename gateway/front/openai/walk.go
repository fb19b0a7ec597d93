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

// found says how a history and a chat fit together. At the place of the new message, the chat has
// something else, or the same, or nothing yet.
type found struct {
	fits    bool // the history is the chat's as far as it goes
	partial bool // the client has only the beginning of an answer
	place   place
}

// place is where a history leads to in a chat that has more: a message from the person, or an
// answer. The zero place means that the chat has nothing there yet.
type place struct {
	message *chat.Message
	asked   *chat.Clarification
	part    int            // of asked that the new message answers; -1: the whole question, sent as a call
	before  []string       // the history's answers to the earlier parts
	given   []tools.Answer // the stored answers to them, if there is no history
	same    bool           // the message says the same
}

func (p *place) none() bool { return p.message == nil && p.asked == nil }

// fits compares the history with a chat. The chat may have gone on after the end of the history.
func (h history) fits(view *store.View) found {
	w := walk{lines: h, parts: newShownParts(view), of: view.Clarifications, messages: view.Messages}
	asks := map[string][]int{} // the questions, by call
	for i := range w.of {
		asks[w.of[i].ToolCallID] = append(asks[w.of[i].ToolCallID], i)
	}
	for i := range view.Messages {
		m := &view.Messages[i]
		text := squeeze(m.Content)
		if m.Role == chat.RoleUser {
			if !w.user(m, text) {
				return found{}
			}
		} else if text != "" && !w.spoken(text) {
			return found{}
		}
		for _, call := range m.ToolCalls {
			for _, j := range asks[call.ID] {
				if w.of[j].TurnID == m.TurnID && w.place.none() {
					w.m = i
					w.asked(j, m.Fence)
				}
			}
		}
		if w.other {
			return found{}
		}
		if !w.place.none() {
			return found{fits: true, partial: w.partial, place: w.place}
		}
	}
	return found{fits: w.over(), partial: w.partial}
}

// walk follows a history along a chat.
type walk struct {
	lines    history
	of       []chat.Clarification
	parts    *shownParts
	messages []chat.Message
	m        int      // the message that asked
	i        int      // the line
	k        int      // of a user's line: its texts that were found, or skipped
	rest     string   // of an assistant's line
	before   []string // the answers to the form being asked, part by part
	partial  bool
	other    bool // the client shows another chat's question
	place    place
}

func (w *walk) at() *line { return &w.lines[w.i] }

// next goes to the next line; it returns false if the history ends here.
func (w *walk) next() bool {
	if w.i+1 >= len(w.lines) {
		return false
	}
	w.i, w.k, w.rest = w.i+1, 0, ""
	if !w.at().user && !w.at().refers() {
		w.cut(w.at().texts[0])
	}
	return true
}

// cut removes that text from an assistant's line.
func (w *walk) cut(rest string) { w.rest = strings.TrimLeft(rest, " "+resulted) }

// closed skips a question that the client also showed as a call, and answered by a result of that
// call.
func (w *walk) closed() bool {
	_, behind, ok := strings.Cut(w.rest, resulted)
	w.cut(behind)
	return ok
}

// last reports whether the assistant says nothing more in the history.
func (w *walk) last() bool { return w.i+2 >= len(w.lines) }

// new reports whether the walk is at the line that ends with the new message.
func (w *walk) new() bool { return w.at().user && w.i == len(w.lines)-1 }

// user finds a message of the chat.
func (w *walk) user(m *chat.Message, text string) bool {
	if w.rest != "" || !w.at().user && !w.next() {
		return false
	}
	texts := w.at().texts
	for k := w.k; k < len(texts); k++ {
		if texts[k] == text {
			if w.k = k + 1; w.new() && w.k == len(texts) {
				w.place = place{message: m, same: true}
			}
			return true
		}
	}
	if !w.new() || w.k == len(texts) {
		return false
	}
	w.place = place{message: m}
	return true
}

// spoken finds a text of the assistant's.
func (w *walk) spoken(text string) bool {
	if w.at().user {
		if w.k < len(w.at().texts) || !w.next() {
			return true // of an answer that the client does not have
		}
	}
	if w.at().refers() {
		return true // the client refers to it without repeating it
	}
	switch {
	case strings.HasPrefix(w.rest, text):
		w.cut(w.rest[len(text):])
		return true
	case strings.HasPrefix(text, w.rest): // the client left
		w.partial, w.rest = w.partial || w.rest != "" || !w.last(), ""
		return true
	}
	// A question that is sent without a run comes without the text before it.
	for j := range w.of {
		if _, ok := w.poses(j, w.i, w.rest); ok {
			return true
		}
	}
	return false
}

// asked skips a question, and the answers to it, if it was asked as text. A question may be asked
// more than once, and a form is asked in several texts. step is the run that called: a branch
// with a different answer has asked again, and its client knows only the first time.
func (w *walk) asked(j int, step int64) {
	c := &w.of[j]
	other := another(w.of, c)
	for w.before = nil; w.place.none(); {
		if len(w.before) > 0 && c.State != tools.StatePending && w.later(j) {
			return
		}
		if w.at().user {
			if w.k < len(w.at().texts) || w.i+1 >= len(w.lines) {
				return
			}
			next := &w.lines[w.i+1]
			_, posed := w.poses(j, w.i+1, next.texts[0])
			if !next.silent() && !posed || next.refers() && !next.isOf(runAsking(c)) && !next.isOf(step) {
				return
			}
			w.next() // to the question, or to a call without words
		}
		part, posed := w.poses(j, w.i, w.rest)
		if !posed && w.rest == "" && (w.at().asks(runAsking(c), other) || w.at().asks(step, other)) {
			part, posed = min(len(w.before), len(c.Question.Parts)-1), true
		}
		if posed && w.closed() {
			continue
		}
		switch {
		case posed:
			if !w.answered(j, part) {
				return
			}
		case w.rest != "":
			return
		case w.again(j), w.typed(c) && !w.foreign(c, w.at()):
			if !w.next() {
				return
			}
			w.answer(c, -1)
		default:
			w.other = w.foreign(c, w.at())
			return
		}
	}
}

// poses returns which part of a question a text at a line asks. If the question is asked again at
// once, it was first asked in the chat that this one is a branch of: with another code, or none,
// and another call id.
func (w *walk) poses(j, at int, text string) (part int, ok bool) {
	if part, ok = w.parts.begins(j, head(text)); ok && !w.foreign(&w.of[j], &w.lines[at]) {
		return part, true
	}
	if part, _, ok = w.parts.within(j, head(text), false, true); ok {
		ok = w.asks(j, at+2)
	}
	return part, ok
}

// asks reports whether a line asks a question of the chat's: by its call, or in its words.
func (w *walk) asks(j, at int) bool {
	if at >= len(w.lines) {
		return false
	}
	l, c := &w.lines[at], &w.of[j]
	_, posed := w.parts.begins(j, l.head())
	return posed && !w.foreign(c, l) || l.names(func(call string) bool { return call == c.ID })
}

// foreign reports whether a line shows calls of ours, none of which is of this chat. Calls of a
// copied question count as those of the chat that it was copied from.
func (w *walk) foreign(c *chat.Clarification, l *line) bool {
	here := func(call string) bool {
		return slices.ContainsFunc(w.of, func(q chat.Clarification) bool { return q.ID == call })
	}
	return !c.Copied && l.names(func(call string) bool { return strings.HasPrefix(call, questionID) }) && !l.names(here)
}

// runAsking returns the run that asked a question, or -1 if none did: in a branch that begins with
// another answer, the question is asked and answered at once.
func runAsking(c *chat.Clarification) int64 {
	if c.AskedFence == c.DoneFence {
		return -1
	}
	return c.AskedFence
}

// another reports whether a call is of one of the other questions.
func another(of []chat.Clarification, c *chat.Clarification) func(call string) bool {
	return func(call string) bool {
		return call != c.ID && slices.ContainsFunc(of, func(q chat.Clarification) bool { return q.ID == call })
	}
}

// later reports whether the last thing that the client is asked is a later question, in the same
// words.
func (w *walk) later(j int) bool {
	if !w.at().user || w.i+3 != len(w.lines) {
		return false
	}
	for k := range w.of {
		if cmp.Or(cmp.Compare(w.of[k].AskedFence, w.of[j].AskedFence), cmp.Compare(k, j)) > 0 && w.asks(k, w.i+1) {
			return true
		}
	}
	return false
}

// answered skips the answer to a question that was asked. It returns false if the next thing that
// the person says is a message of the chat.
func (w *walk) answered(j, part int) bool {
	c := &w.of[j]
	if !byPerson(c) && c.State != tools.StatePending && !w.again(j) {
		return false
	}
	if w.i+1 < len(w.lines) {
		if said := w.lines[w.i+1].code; said != "" && said != codeIn(w.parts.in, c) {
			return false
		}
	}
	if !w.next() {
		return false
	}
	w.answer(c, part)
	return true
}

// again reports whether the next thing that the assistant says is a question once more.
func (w *walk) again(j int) bool {
	c := &w.of[j]
	return w.asks(j, w.i+2) && (byPerson(c) || c.State == tools.StatePending || !w.left())
}

// left reports whether the next thing that the person says is the message that left a question
// open.
func (w *walk) left() bool {
	next := slices.IndexFunc(w.messages[w.m:], func(m chat.Message) bool { return m.Role == chat.RoleUser && m.AskedBy == nil })
	return next >= 0 && squeeze(w.messages[w.m+next].Content) == w.lines[w.i+1].texts[0]
}

// answer takes the person's next text as the answer to a part of a question; -1 means all of it.
func (w *walk) answer(c *chat.Clarification, part int) {
	texts := w.at().texts
	if w.k = 1; w.new() {
		if w.k = len(texts); inWords(c) {
			w.place = place{asked: c, part: part, before: w.before}
		}
		return
	}
	if part >= 0 {
		for len(w.before) <= part {
			w.before = append(w.before, "")
		}
		w.before = w.before[:part+1] // if an earlier part was asked again, it is answered again, and so are those that follow
		w.before[part] = texts[0]
	}
}

// typed reports whether the next line answers a question that was asked as a call.
func (w *walk) typed(c *chat.Clarification) bool {
	if w.i+1 >= len(w.lines) || !byPerson(c) {
		return false
	}
	text := w.lines[w.i+1].texts[0]
	return inWords(c) || c.Answer != nil && text != "" && squeeze(c.Answer.Note) == text
}

// inWords reports whether a question was answered in words, so that the message of the client's
// person can replace that answer. An answer given elsewhere stays.
func inWords(c *chat.Clarification) bool {
	return byPerson(c) && c.AnsweredBy != nil && c.AnsweredBy.Channel == chat.ChannelMessage
}

func byPerson(c *chat.Clarification) bool {
	return c.State == tools.StateAnswered || c.State == tools.StateSkipped || c.State == tools.StateDeclined
}

// over reports whether all of the history was found, except what is new.
func (w *walk) over() bool {
	if w.rest != "" {
		return false
	}
	if w.at().user {
		return w.i == len(w.lines)-1
	}
	return w.i >= len(w.lines)-2
}

// shownParts are the questions of a chat as clients see them, part by part. White space is
// ignored.
type shownParts struct {
	of    []chat.Clarification
	in    *chat.Conversation
	parts [][]string // of each, nil until it is looked at
}

func newShownParts(view *store.View) *shownParts {
	return &shownParts{view.Clarifications, &view.Conversation, make([][]string, len(view.Clarifications))}
}

func (t *shownParts) part(j int) []string {
	if t.parts[j] == nil {
		q := chat.NewAsked(&t.of[j])
		t.parts[j] = make([]string, len(q.Questions))
		for i := range t.parts[j] {
			t.parts[j][i] = squeeze(front.AskedWords(&q, i))
		}
	}
	return t.parts[j]
}

// begins returns the part of a question with which a text begins, if not much more follows.
func (t *shownParts) begins(j int, text string) (part int, ok bool) {
	part, _, ok = t.within(j, text, false, false)
	return part, ok
}

// within finds a question, by its parts as clients see them, at the beginning of a text, or near
// its end with at most a code and a hint after it. part is the part that was found, at is its place
// in the text. The question has its own code, or any code.
func (t *shownParts) within(j int, text string, end, anyCode bool) (part, at int, ok bool) {
	longest := 0
	for i, core := range t.part(j) {
		from := max(0, len(text)-len(core)-front.MaxHint) // further back, more than a hint would follow
		found := -1
		switch {
		case end:
			found = strings.LastIndex(text[from:], core)
		case from == 0 && strings.HasPrefix(text, core):
			found = 0
		}
		if found >= 0 && len(core) > longest && (anyCode || t.mayBe(j, text[from+found+len(core):])) {
			part, at, ok, longest = i, from+found, true, len(core)
		}
	}
	return part, at, ok
}

// mayBe reports whether the text after a question's words is consistent with that question: its
// code.
func (t *shownParts) mayBe(j int, behind string) bool {
	if given := codeOf(strings.TrimLeft(behind, " ")); given != "" {
		return given == codeIn(t.in, &t.of[j])
	}
	return t.in.Code(&t.of[j]) == ""
}

// shown is the question that a client's person has seen last.
type shown struct {
	*chat.Clarification
	part int // asked as text; -1: as a call
}

// shown returns the question of a chat that the assistant's last line asks; its clarification is
// nil if the line asks nothing. If several read the same, it is the newest.
func (h history) shown(view *store.View) shown { return h.answer().shown(view) }

func (l *line) shown(view *store.View) shown {
	if l == nil || view == nil {
		return shown{}
	}
	for i := len(l.calls) - 1; i >= 0; i-- {
		if c := front.Find(view, l.calls[i], callID); c != nil {
			return shown{c, -1}
		}
	}
	var found shown
	last := -1
	t, tail := newShownParts(view), l.tail()
	for i := range view.Clarifications {
		c := &view.Clarifications[i]
		if l.silent() && l.asks(runAsking(c), another(view.Clarifications, c)) {
			found = shown{c, max(0, min(len(front.Kept(c)), len(c.Question.Parts)-1))}
		}
		if part, at, ok := t.within(i, tail, true, false); ok && (at > last || at == last && c.AskedFence >= found.AskedFence) {
			found, last = shown{c, part}, at
		}
	}
	return found
}
