package front

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// Repeats says that a message which a client sent again, behind the same history, is the same
// request, and not the wish for another reply: its library sends it again by itself, its run still
// goes on, or it is not known that the reply before reached the client whole. Then the chat's newest
// run is told again (Command.Again). Idempotency keys are the engine's.
func Repeats(c Call, of *chat.Conversation, newest *chat.Turn) (bool, error) {
	if c.Retry() || newest != nil && newest.State == chat.TurnRunning {
		return true, nil
	}
	whole, err := c.Delivered(of, newest)
	return !whole, err
}

// Line is a message in a client's history: one of the person's, by its ClientID, or one of the
// assistant's, by its TurnID, or by Told where the client's id of it has less than that.
type Line struct {
	store.Line
	Told func(turnID string) bool // it tells this turn; nil: TurnID says
}

// ownKey is the idempotency key that the request has itself, "" for none.
func ownKey(c Call) string {
	if key := c.Request().Header.Get("Idempotency-Key"); key != "" {
		return "own " + key
	}
	return ""
}

// Key is the idempotency key of a message: the request's own, else one of the message. One that was
// edited keeps its id, and is another.
func (s *Sent) Key(c Call) string {
	if key := ownKey(c); key != "" || s.ID == "" {
		return key
	}
	sum := sha256.Sum256([]byte(Saying(s.Text, s.Files)))
	return s.ID + " " + hex.EncodeToString(sum[:16])
}

// Key is the idempotency key of a branch that begins: the request's own, else that of an edit. The
// wish for another reply has no key.
func (m *Meant) Key(c Call, ofEdit string) string {
	if m.Fork.Message != nil {
		return ofEdit
	}
	return ownKey(c)
}

// Reanswer finds out whether a message that is sent again, or edited, was the answer to a question
// in the chat of the call: then a branch answers that question again.
func (m *Meant) Reanswer(c Call, view *store.View, of *chat.Clarification, text string, again bool) error {
	if !again || of.State == tools.StatePending || of.AnsweredBy == nil || of.AnsweredBy.Channel != chat.ChannelMessage {
		return nil
	}
	if len(of.Question.Parts) > 1 {
		return &chat.Error{Code: chat.CodeNotForkable} // nothing would keep what is answered of it
	}
	a, ok := c.Typed(of, text)
	if !ok {
		return nil
	}
	m.Fork, m.Repeat = &Fork{ClarificationID: of.ID, Answer: &a.Answer}, false
	if view.Turn == nil || view.Turn.ID != of.TurnID || of.Answer == nil || !sameAnswer(of.Answer, &a.Answer) {
		return nil
	}
	repeats, err := Repeats(c, &view.Conversation, view.Turn)
	if repeats {
		m.Fork, m.Repeat = nil, true
	}
	return err
}

func sameAnswer(a, b *tools.Answer) bool {
	one, _ := json.Marshal(a) // answers always encode
	two, _ := json.Marshal(b)
	return bytes.Equal(one, two)
}

// Sent is a message of the person's, with what a client's history has before it.
type Sent struct {
	ID, Text string
	Files    []File // with Text
	Before   []Line // the newest first
	// Again: where the chat has the message as its newest, another reply is wanted; else it is a
	// repeat.
	Again bool
}

// Meant is what a message comes to.
type Meant struct {
	Chat   *store.Branch // nil: a new one
	Fork   *Fork         // it begins a branch of Chat
	Repeat bool          // the newest run of Chat is told again
}

// Read finds out by the ids in a client's history what a message means: that it follows, and in
// which chat of the family, or that it is sent again or edited, and where.
func (s *Sent) Read(c Call) (Meant, error) {
	lines := append([]Line{{Line: store.Line{ClientID: chat.ClientID(s.ID), Text: s.Text}}}, s.Before...)
	lines = lines[:min(len(lines), store.MaxLines)]
	family, err := c.Branches(stored(lines)...)
	if err != nil || len(family) == 0 {
		return Meant{}, err
	}
	if at := follows(family, lines); at != nil {
		return Meant{Chat: at}, nil
	}
	for i := range family { // with other files, it says something else
		p := &family[i].Lines[0]
		p.Same = p.Same && SameFiles(p.Files, s.Files)
	}
	if at := s.found(family, lines); at != nil {
		return s.again(c, at)
	}
	for i := range lines[1:] { // it follows something older
		for j := range family {
			if p := &family[j].Lines[i+1]; p.Next != "" && (p.Same || lines[i+1].TurnID != "") {
				return Meant{Chat: &family[j], Fork: &Fork{MessageID: p.Next, Message: &s.Text}}, nil
			}
		}
	}
	return Meant{Chat: byName(c, family)}, nil
}

// follows is the chat whose newest turn is the line before the message, as the client has it.
func follows(family []store.Branch, lines []Line) *store.Branch {
	for i := range lines[1:] {
		l, known := &lines[i+1], false
		for j := range family {
			b := &family[j]
			p := &b.Lines[i+1]
			switch {
			case l.newest(b, p):
				return b
			case p.TurnID != "", l.Told != nil && toldBefore(b, i+1, l.Told):
				known = true
			}
		}
		if known {
			return nil
		}
	}
	return nil
}

// toldBefore says that a line is of a turn which a chat has: of one that a line before it began.
func toldBefore(b *store.Branch, at int, told func(turnID string) bool) bool {
	return slices.ContainsFunc(b.Lines[at+1:], func(p store.Place) bool { return p.TurnID != "" && told(p.TurnID) })
}

// newest says that the line is of the newest turn of a chat, which has it at p.
func (l *Line) newest(b *store.Branch, p *store.Place) bool {
	switch {
	case b.Turn == nil:
		return false
	case l.Told != nil:
		return l.Told(b.Turn.ID)
	}
	return p.TurnID == b.Turn.ID && (p.Same || l.TurnID != "")
}

func stored(lines []Line) []store.Line {
	list := make([]store.Line, len(lines))
	for i := range lines {
		list[i] = lines[i].Line
	}
	return list
}

// found is the chat that has the message already: of several, one that has its text, and the lines
// before it; then the one that was written to last.
func (s *Sent) found(family []store.Branch, lines []Line) *store.Branch {
	var all []*store.Branch
	for i := range family {
		if family[i].Lines[0].MessageID != "" {
			all = append(all, &family[i])
		}
	}
	for i := range lines {
		some := slices.Collect(func(yield func(*store.Branch) bool) {
			for _, b := range all {
				if p := &b.Lines[i]; (p.Same || lines[i].TurnID != "" && p.TurnID != "") && !yield(b) {
					return
				}
			}
		})
		if len(some) > 0 {
			all = some
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// again is what a message means that the chat has.
func (s *Sent) again(c Call, at *store.Branch) (Meant, error) {
	p := &at.Lines[0]
	m := Meant{Chat: at, Fork: &Fork{MessageID: p.MessageID}}
	if !p.Same {
		m.Fork.Message = &s.Text
		return m, nil
	}
	if at.Turn == nil || at.Turn.ID != p.TurnID {
		return m, nil
	}
	repeats := !s.Again
	if s.Again {
		if err := c.Go(at.ChatID); err != nil {
			return m, err
		}
		var err error
		if key := ownKey(c); key != "" {
			repeats, err = c.Known(at.ChatID, key)
		}
		if err == nil && !repeats {
			repeats, err = Repeats(c, &at.Conversation, at.Turn)
		}
		if err != nil {
			return m, err
		}
	}
	if repeats {
		m.Fork, m.Repeat = nil, true
	}
	return m, nil
}

// byName is the chat that a name means where a history does not say which: a branch by its own
// name, else the one of the family that was written to last.
func byName(c Call, family []store.Branch) *store.Branch {
	for i := range family {
		if b := &family[i]; b.ChatID == c.Ref().ChatID && b.Root != "" {
			return b
		}
	}
	return &family[0]
}

// Asked goes to the chat of the family in which the assistant's newest message asked, and returns it: the
// one whose newest turn that is of; else the one that the name means; else, where that has not asked what
// is answered, the first that has. nil: the family has no chat yet.
func Asked(c Call, lines []Line, has func(view *store.View) bool) (*store.View, error) {
	lines = append([]Line{{}}, lines...)
	lines = lines[:min(len(lines), store.MaxLines)]
	family, err := c.Branches(stored(lines)...)
	if err != nil || len(family) == 0 {
		return nil, err
	}
	first := follows(family, lines)
	if first == nil {
		first = byName(c, family)
	}
	var at *store.View
	for _, id := range others(family, first.ChatID) {
		if err := c.Go(id); err != nil {
			return nil, err
		}
		view, err := c.View()
		if err != nil || view != nil && has(view) {
			return view, err
		}
		if at == nil {
			at = view
		}
	}
	return at, c.Go(first.ChatID)
}

// maxAsked is how many chats are looked through for what is answered.
const maxAsked = 8

// others are ids of a family's chats, one of them first.
func others(family []store.Branch, first string) []string {
	ids := []string{first}
	for i := range family {
		if id := family[i].ChatID; id != first && len(ids) < maxAsked {
			ids = append(ids, id)
		}
	}
	return ids
}

// Newest goes to the chat that the name of the call's means without a history.
func Newest(c Call) error {
	family, err := c.Branches()
	if err != nil || len(family) == 0 {
		return err
	}
	return c.Go(byName(c, family).ChatID)
}
