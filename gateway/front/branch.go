package front

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// Repeats reports whether a message that a client sent again, behind the same history, is the
// same request rather than a wish for another reply: its library repeats it automatically, its
// run still goes on, or it is not known whether the previous reply reached the client whole. Then
// the chat's newest run is streamed again (Command.Again). The engine handles idempotency keys.
func Repeats(c Chats, of *chat.Conversation, newest *chat.Turn) (bool, error) {
	if Retry(c.R) || newest != nil && newest.State == chat.TurnRunning {
		return true, nil
	}
	whole, err := host.Delivered(c.R, of, newest)
	return !whole, err
}

// Line is a message in a client's history: one from the person, by its ClientID, or one from the
// assistant, by its TurnID, or by InTurn if the client's id has only part of that.
type Line struct {
	store.Line
	InTurn func(turnID string) bool // reports whether the line is of this turn; nil: by TurnID
}

// ownKey returns the idempotency key of the request itself, or "".
func ownKey(r *host.Request) string {
	if key := r.HTTP().Header.Get("Idempotency-Key"); key != "" {
		return "own " + key
	}
	return ""
}

// Key returns the idempotency key of a message: the request's own, or else one made of the
// message. An edited message keeps its id, but gets another key.
func (s *Sent) Key(r *host.Request) string {
	if key := ownKey(r); key != "" || s.ID == "" {
		return key
	}
	sum := sha256.Sum256([]byte(Saying(s.Text, s.Files)))
	return s.ID + " " + hex.EncodeToString(sum[:16])
}

// Key returns the idempotency key of a branch that begins: the request's own, or else that of an
// edit. The wish for another reply has no key.
func (m *Meant) Key(r *host.Request, ofEdit string) string {
	if m.edit {
		return ofEdit
	}
	return ownKey(r)
}

func sameAnswer(a, b *tools.Answer) bool {
	one, _ := json.Marshal(a) // answers always encode
	two, _ := json.Marshal(b)
	return bytes.Equal(one, two)
}

// Sent is a message from the person, with what precedes it in the client's history.
type Sent struct {
	ID, Text string
	Files    []host.File // with Text
	Before   []Line      // newest first
	// Again means that, if the message is the newest of the chat, another reply is wanted; otherwise
	// it is a repeat.
	Again bool
}

// Meant is the meaning of a message.
type Meant struct {
	Chat   *store.Branch // nil: a new one
	Fork   *Fork         // it begins a branch of Chat
	Repeat bool          // the newest run of Chat is streamed again
	edit   bool          // the branch says something other than Chat
}

// Read uses the ids in a client's history to find out what a message means: it follows, and in
// which chat of the family, or it is sent again or edited, and where.
func (s *Sent) Read(c Chats) (Meant, error) {
	lines := append([]Line{{Line: store.Line{ClientID: chat.ClientID(s.ID), Text: s.Text, Answers: true}}}, s.Before...)
	lines = lines[:min(len(lines), store.MaxLines)]
	family, err := c.Branches(stored(lines)...)
	if err != nil || len(family) == 0 {
		return Meant{}, err
	}
	at := follows(family, lines)
	if at != nil && at.Lines[0].Answered == nil { // an answer also comes after the newest turn: within it
		return Meant{Chat: at}, nil
	}
	for i := range family {
		p := &family[i].Lines[0]
		p.Same = s.same(c, p)
	}
	if at := found(family, lines); at != nil {
		return s.again(c, family, at)
	}
	for i := range lines[1:] { // it follows something older
		for j := range family {
			if p := &family[j].Lines[i+1]; p.Next != "" && (p.Same || lines[i+1].TurnID != "") {
				return Meant{Chat: &family[j], Fork: &Fork{MessageID: p.Next, Message: &s.Text}, edit: true}, nil
			}
		}
	}
	return Meant{Chat: byName(c, family)}, nil
}

// same reports whether a chat has the same message at a place. A message with other files is not
// the same.
func (s *Sent) same(c Chats, p *store.Place) bool {
	if p.Answered == nil {
		return p.Same && SameFiles(p.Files, s.Files)
	}
	of, given := p.Answered, p.Answered.Answer
	if given == nil || len(s.Files) > 0 {
		return false
	}
	if len(of.Question.Parts) > 1 { // the message is the last of the form's answers
		last := len(of.Question.Parts) - 1
		for last > 0 && !of.Question.Applies(given.Answers)[last] {
			last--
		}
		if last >= len(given.Answers) {
			return false
		}
		of, given = Only(of, last), &given.Answers[last]
	}
	a, ok := Typed(c.R, of, s.Text)
	return ok && sameAnswer(given, &a.Answer)
}

// follows returns the chat whose newest turn is the line before the message, as the client has
// it.
func follows(family []store.Branch, lines []Line) *store.Branch {
	for i := range lines[1:] {
		l, known := &lines[i+1], false
		for j := range family {
			b := &family[j]
			p := &b.Lines[i+1]
			switch {
			case l.newest(b, p):
				return b
			case p.TurnID != "", l.InTurn != nil && inEarlierTurn(b, i+1, l.InTurn):
				known = true
			}
		}
		if known {
			return nil
		}
	}
	return nil
}

// inEarlierTurn reports whether a line is of a turn that a chat has, namely one begun by an earlier
// line.
func inEarlierTurn(b *store.Branch, at int, of func(turnID string) bool) bool {
	return slices.ContainsFunc(b.Lines[at+1:], func(p store.Place) bool { return p.TurnID != "" && of(p.TurnID) })
}

// newest reports whether the line is of the newest turn of a chat, which has it at p.
func (l *Line) newest(b *store.Branch, p *store.Place) bool {
	switch {
	case b.Turn == nil:
		return false
	case l.InTurn != nil:
		return l.InTurn(b.Turn.ID)
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

// found returns the chat that already has the message. Of several, it prefers one that has its
// text and the lines before it, then the one that was written to last.
func found(family []store.Branch, lines []Line) *store.Branch {
	var all []*store.Branch
	for i := range family {
		if family[i].Lines[0].MessageID != "" {
			all = append(all, &family[i])
		}
	}
	for i := range lines {
		some := slices.Collect(func(yield func(*store.Branch) bool) {
			for _, b := range all {
				if lines[i].in(family, b, i) && !yield(b) {
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

// in reports whether a chat of the family has the same line at that place. In a branch that
// answers a question differently, the question's turn is a different one.
func (l *Line) in(family []store.Branch, b *store.Branch, at int) bool {
	p := &b.Lines[at]
	if p.Same || l.TurnID != "" && p.TurnID != "" || l.InTurn != nil && inEarlierTurn(b, at, l.InTurn) {
		return true
	}
	of := slices.IndexFunc(family, func(of store.Branch) bool { return of.ChatID == b.Fork.ChatID })
	return b.Fork.ClarificationID != "" && of >= 0 && l.in(family, &family[of], at)
}

// again returns the meaning of a message that the chat already has.
func (s *Sent) again(c Chats, family []store.Branch, at *store.Branch) (m Meant, err error) {
	p := &at.Lines[0]
	if b := askedAgain(family, at); b != nil {
		if again, err := s.repeats(c, b); again || err != nil {
			return Meant{Chat: b, Repeat: true}, err
		}
	}
	m.Chat, m.edit = at, !p.Same
	if p.Same && at.Turn != nil && at.Turn.ID == p.TurnID && (p.Answered == nil || p.Last) {
		if m.Repeat, err = s.repeats(c, at); err != nil || m.Repeat {
			return m, err
		}
	}
	m.Fork, err = s.fork(c, p)
	return m, err
}

// askedAgain returns the branch that asks for an approval again because of the message, which
// decided it in a chat. It returns nil if there is none, or if it has gone on.
func askedAgain(family []store.Branch, at *store.Branch) *store.Branch {
	if at.Lines[0].Answered == nil {
		return nil
	}
	for i := range family {
		b := &family[i]
		p := &b.Lines[0]
		if b.Fork.ChatID == at.ChatID && b.Fork.MessageID == at.Lines[0].MessageID && b.Fork.Own == p.MessageID && b.Turn != nil && b.Turn.ID == p.TurnID {
			return b
		}
	}
	return nil
}

// repeats reports whether the message, which is the newest of the chat, is the same request
// again.
func (s *Sent) repeats(c Chats, at *store.Branch) (bool, error) {
	if !s.Again {
		return true, nil
	}
	if err := c.Go(at.ChatID); err != nil {
		return false, err
	}
	if key := ownKey(c.R); key != "" {
		if known, err := c.Known(at.ChatID, key); known || err != nil {
			return known, err
		}
	}
	return Repeats(c, &at.Conversation, at.Turn)
}

// fork returns the branch that begins at the place of the message. A branch never decides an
// approval: it asks for it again.
func (s *Sent) fork(c Chats, p *store.Place) (*Fork, error) {
	of := p.Answered
	switch {
	case of == nil && p.Same, of != nil && of.Question.Kind == tools.KindApproval:
		return &Fork{MessageID: p.MessageID}, nil
	case of == nil:
		return &Fork{MessageID: p.MessageID, Message: &s.Text}, nil
	case len(of.Question.Parts) > 1, len(s.Files) > 0: // the rest of the form would be lost
		return nil, &chat.Error{Code: chat.CodeNotForkable}
	}
	a, ok := Typed(c.R, of, s.Text)
	if !ok {
		a.Value = quoted(s.Text) // refused by the check
	}
	return &Fork{ClarificationID: of.ID, Answer: &a.Answer}, nil
}

// byName returns the chat that a name means if a history does not say which: a branch by its own
// name, or else the one of the family that was written to last.
func byName(c Chats, family []store.Branch) *store.Branch {
	for i := range family {
		if b := &family[i]; b.ChatID == c.Ref().ChatID && b.KnownAs() != b.ChatID {
			return b
		}
	}
	return &family[0]
}

// Asked goes to the chat of the family in which the assistant's newest message asked, and returns
// it: the chat whose newest turn has that message; or else the one that the name means; or else,
// if that one has not asked what is answered, the first that has. It returns nil if the family
// has no chat yet.
func Asked(c Chats, lines []Line, has func(view *store.View) bool) (*store.View, error) {
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

// maxAsked is how many chats are searched for the question that is answered.
const maxAsked = 8

// others returns ids of a family's chats, a given one first.
func others(family []store.Branch, first string) []string {
	ids := []string{first}
	for i := range family {
		if id := family[i].ChatID; id != first && len(ids) < maxAsked {
			ids = append(ids, id)
		}
	}
	return ids
}

// Newest goes to the chat that the name in the request means without a history.
func Newest(c Chats) error {
	family, err := c.Branches()
	if err != nil || len(family) == 0 {
		return err
	}
	return c.Go(byName(c, family).ChatID)
}
