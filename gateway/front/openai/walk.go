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

// found is how a history and a chat belong together. At the place of the new message, the
// chat has something else, or the same, or nothing yet.
type found struct {
	fits    bool // the history is the chat's as far as it goes
	partial bool // of an answer the client has only the beginning
	place   place
}

// place is where a history leads to in a chat that has more: a message of the person's, or an
// answer. The zero place: the chat has nothing there yet.
type place struct {
	message *chat.Message
	asked   *chat.Clarification
	part    int            // of asked that the new message answers, -1: the whole, told as a call
	before  []string       // what the history answers to the parts before it
	given   []tools.Answer // what was answered to them, where there is no history
	same    bool           // the message says the same
}

func (p *place) none() bool { return p.message == nil && p.asked == nil }

// fits compares the history with a chat. It may have gone on where the history ends.
func (h history) fits(view *store.View) found {
	w := walk{lines: h, told: newTold(view), of: view.Clarifications, messages: view.Messages}
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

// walk goes through a history along a chat.
type walk struct {
	lines    history
	of       []chat.Clarification
	told     *toldParts
	messages []chat.Message
	m        int      // the message that asked
	i        int      // the line
	k        int      // of a user's: its texts that were found, or passed
	rest     string   // of an assistant's
	before   []string // what was answered to the form that is told, part by part
	partial  bool
	other    bool // the client shows another chat's question
	place    place
}

func (w *walk) at() *line { return &w.lines[w.i] }

// next goes to the next line; false: the history ends here.
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

// cut leaves that text of an assistant's line.
func (w *walk) cut(rest string) { w.rest = strings.TrimLeft(rest, " "+resulted) }

// closed passes a question that the client showed as a call, too, and answered by a result of it.
func (w *walk) closed() bool {
	_, behind, ok := strings.Cut(w.rest, resulted)
	w.cut(behind)
	return ok
}

// last says that the assistant says nothing more in the history.
func (w *walk) last() bool { return w.i+2 >= len(w.lines) }

// new says that the walk is at the line whose end is the new message.
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
		return true // the client names it, and does not say it
	}
	switch {
	case strings.HasPrefix(w.rest, text):
		w.cut(w.rest[len(text):])
		return true
	case strings.HasPrefix(text, w.rest): // the client left
		w.partial, w.rest = w.partial || w.rest != "" || !w.last(), ""
		return true
	}
	// A question that is told without a run comes without what was said before it.
	for j := range w.of {
		if _, ok := w.tells(j, w.i, w.rest); ok {
			return true
		}
	}
	return false
}

// asked passes a question, and what was answered to it, where it was a text. A question may
// be told more than once, and a form is told in several texts. step is the run that called: a branch
// with another answer has asked again, and its client knows of the first time alone.
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
			_, told := w.tells(j, w.i+1, next.texts[0])
			if !next.silent() && !told || next.refers() && !next.tells(toldIn(c)) && !next.tells(step) {
				return
			}
			w.next() // to the question, or to a call without words
		}
		part, told := w.tells(j, w.i, w.rest)
		if !told && w.rest == "" && (w.at().asks(toldIn(c), other) || w.at().asks(step, other)) {
			part, told = min(len(w.before), len(c.Question.Parts)-1), true
		}
		if told && w.closed() {
			continue
		}
		switch {
		case told:
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

// tells says which part of a question a text at a line asks. Where it is asked again at once, it was asked
// in the chat that this one is a branch of: it had another code, or none, and its call another id.
func (w *walk) tells(j, at int, text string) (part int, ok bool) {
	if part, ok = w.told.begins(j, head(text)); ok && !w.foreign(&w.of[j], &w.lines[at]) {
		return part, true
	}
	if part, _, ok = w.told.within(j, head(text), false, true); ok {
		ok = w.asks(j, at+2)
	}
	return part, ok
}

// asks says that a line asks a question of the chat's: by its call, or in its words.
func (w *walk) asks(j, at int) bool {
	if at >= len(w.lines) {
		return false
	}
	l, c := &w.lines[at], &w.of[j]
	_, told := w.told.begins(j, l.head())
	return told && !w.foreign(c, l) || l.names(func(call string) bool { return call == c.ID })
}

// foreign says that a line shows calls of ours, and none of them is of this chat. Those of a question that was
// copied are of the chat that it was copied from.
func (w *walk) foreign(c *chat.Clarification, l *line) bool {
	here := func(call string) bool {
		return slices.ContainsFunc(w.of, func(q chat.Clarification) bool { return q.ID == call })
	}
	return !c.Copied && l.names(func(call string) bool { return strings.HasPrefix(call, questionID) }) && !l.names(here)
}

// toldIn is the run that told a question, -1 if none did: a branch that begins with another answer
// asks and is answered at once.
func toldIn(c *chat.Clarification) int64 {
	if c.AskedFence == c.DoneFence {
		return -1
	}
	return c.AskedFence
}

// another says that a call is of one of the other questions.
func another(of []chat.Clarification, c *chat.Clarification) func(call string) bool {
	return func(call string) bool {
		return call != c.ID && slices.ContainsFunc(of, func(q chat.Clarification) bool { return q.ID == call })
	}
}

// later says that what the client is asked last is a later question, in the same words.
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

// answered passes the answer to a question that was told; false: the next thing that the
// person says is a message of the chat.
func (w *walk) answered(j, part int) bool {
	c := &w.of[j]
	if !byPerson(c) && c.State != tools.StatePending && !w.again(j) {
		return false
	}
	if w.i+1 < len(w.lines) {
		if said := w.lines[w.i+1].code; said != "" && said != codeIn(w.told.in, c) {
			return false
		}
	}
	if !w.next() {
		return false
	}
	w.answer(c, part)
	return true
}

// again says that the next thing that the assistant says is a question once more.
func (w *walk) again(j int) bool {
	c := &w.of[j]
	return w.asks(j, w.i+2) && (byPerson(c) || c.State == tools.StatePending || !w.left())
}

// left says that the next thing that the person says is the message that left a question open.
func (w *walk) left() bool {
	next := slices.IndexFunc(w.messages[w.m:], func(m chat.Message) bool { return m.Role == chat.RoleUser && m.AskedBy == nil })
	return next >= 0 && squeeze(w.messages[w.m+next].Content) == w.lines[w.i+1].texts[0]
}

// answer takes what the person says now as the answer to a part of a question, -1: to all.
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
		w.before = w.before[:part+1] // one that is told again is answered again, and what follows it
		w.before[part] = texts[0]
	}
}

// typed says that the next line answers a question that was told as a call.
func (w *walk) typed(c *chat.Clarification) bool {
	if w.i+1 >= len(w.lines) || !byPerson(c) {
		return false
	}
	text := w.lines[w.i+1].texts[0]
	return inWords(c) || c.Answer != nil && text != "" && squeeze(c.Answer.Note) == text
}

// inWords says that a question was answered in words: the message of the client's person can take that
// answer's place. What was answered elsewhere stays answered.
func inWords(c *chat.Clarification) bool {
	return byPerson(c) && c.AnsweredBy != nil && c.AnsweredBy.Channel == chat.ChannelMessage
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

// toldParts are the questions of a chat as clients are told them, part by part. White space
// does not count.
type toldParts struct {
	of    []chat.Clarification
	in    *chat.Conversation
	parts [][]string // of each, nil until it is looked at
}

func newTold(view *store.View) *toldParts {
	return &toldParts{view.Clarifications, &view.Conversation, make([][]string, len(view.Clarifications))}
}

func (t *toldParts) part(j int) []string {
	if t.parts[j] == nil {
		q := chat.NewAsked(&t.of[j])
		t.parts[j] = make([]string, len(q.Questions))
		for i := range t.parts[j] {
			t.parts[j][i] = squeeze(front.AskedWords(&q, i))
		}
	}
	return t.parts[j]
}

// begins says which part of a question a text begins with, and has not much more.
func (t *toldParts) begins(j int, text string) (part int, ok bool) {
	part, _, ok = t.within(j, text, false, false)
	return part, ok
}

// within finds a question, by its parts as they are told, where a text begins, or near its
// end, with no more than a code and a hint behind it. part is the one that was found, at its
// place in the text. It has its own code, or any.
func (t *toldParts) within(j int, text string, end, anyCode bool) (part, at int, ok bool) {
	longest := 0
	for i, core := range t.part(j) {
		from := max(0, len(text)-len(core)-front.MaxHint) // before it, more than a hint would follow
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

// mayBe says that what follows a question's words does not make it another one: its code.
func (t *toldParts) mayBe(j int, behind string) bool {
	if told := codeOf(strings.TrimLeft(behind, " ")); told != "" {
		return told == codeIn(t.in, &t.of[j])
	}
	return t.in.Code(&t.of[j]) == ""
}

// shown is the question that a client's person has seen last.
type shown struct {
	*chat.Clarification
	part int // told as a text, -1: as a call
}

// shown is the question of a chat that the assistant's last line asks; its clarification is
// nil where the line asks nothing. Of several that read the same it is the newest.
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
	t, tail := newTold(view), l.tail()
	for i := range view.Clarifications {
		c := &view.Clarifications[i]
		if l.silent() && l.asks(toldIn(c), another(view.Clarifications, c)) {
			found = shown{c, max(0, min(len(front.Kept(c)), len(c.Question.Parts)-1))}
		}
		if part, at, ok := t.within(i, tail, true, false); ok && (at > last || at == last && c.AskedFence >= found.AskedFence) {
			found, last = shown{c, part}, at
		}
	}
	return found
}
