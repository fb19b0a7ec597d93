package openai

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
)

// whose finds the chat of a message, and the place in it: behind the response that it names, or
// else by everything that it says.
func (x *responding) whose() (decision, error) {
	if x.list {
		return x.ofList()
	}
	if x.previous == "" {
		d, err := x.which()
		if err == nil && d.view != nil && d.seen.Clarification == nil && x.sought.said.answer() == nil && d.place.none() {
			d.seen = x.first(d.view, 0, 0)
		}
		return d, err
	}
	view, err := x.Recent(x.Ref().ChatID, store.Part{Limit: maxMessages, Bytes: maxRead})
	if err != nil {
		return decision{}, err
	}
	if view == nil {
		return decision{}, noResponse()
	}
	_, fence, part, _ := readResponseID(x.previous)
	d := decision{view: view, place: behind(view, fence, part)}
	if c := d.place.asked; c != nil && x.tools.call(front.NewQuestion(chat.NewAsked(c))) {
		d.place.part = -1
	}
	if d.place.none() {
		d.seen = x.first(view, fence, part)
		return d, nil
	}
	if err := x.newestBranch(&d, fence, part); err != nil {
		return d, err
	}
	c := candidate{view: d.view, found: found{place: d.place}}
	if d.again = x.again([]candidate{c}) != nil; !d.again {
		if of := x.askedAgain(&c); of != nil {
			return *of, nil
		}
		d.again = x.repeats(&c)
	}
	if c := d.place.asked; c != nil && !d.again && d.place.part >= 0 && d.place.part < len(c.Question.Parts)-1 {
		return d, &chat.Error{Code: chat.CodeNotForkable} // its answers could not be kept
	}
	return d, nil
}

// newestBranch goes on from the branch that says the same at the place of the message and was
// written to last, because the message may be sent again.
func (x *responding) newestBranch(d *decision, fence int64, part int) error {
	chats, err := x.branches()
	if err != nil {
		return err
	}
	var all []candidate
	for _, id := range chats {
		if id == d.view.Conversation.ChatID {
			continue
		}
		view, err := x.Recent(id, store.Part{Limit: maxMessages, Bytes: maxRead})
		if err != nil || view == nil {
			return err
		}
		all = append(all, candidate{view: view})
	}
	d.place.in(all, fence, part)
	last := candidate{d.view, found{place: d.place}}
	last.place.same = x.same(&d.place)
	for _, c := range all {
		if c.place.same = x.same(&c.place); c.after(&last) {
			last = c
		}
	}
	d.view, d.place = last.view, last.place
	return nil
}

// in finds a place in the branches that begin there, and in their branches in turn.
func (p *place) in(all []candidate, fence int64, part int) {
	for i := range all {
		c := &all[i]
		from := &c.view.Conversation.Fork
		switch {
		case !c.place.none():
			continue
		case p.message != nil && from.MessageID == p.message.ID:
			c.place = behind(c.view, fence, part)
		case p.asked != nil && from.ClarificationID == p.asked.ID:
			c.place = copyOf(c.view, p.asked, part)
		}
		if !c.place.none() {
			c.place.in(all, fence, part)
		}
	}
}

// give adds to a place the answers to its question.
func (p *place) give() {
	if p.asked.Answer != nil {
		p.given = append(p.given, p.asked.Answer.Answers...)
	}
}

// copyOf returns the place of a question in a branch that has answered it differently: there,
// it was asked later.
func copyOf(branch *store.View, of *chat.Clarification, part int) (p place) {
	for i := range branch.Clarifications {
		if c := &branch.Clarifications[i]; c.Copied && byPerson(c) && c.ToolCallID == of.ToolCallID && c.TurnID == branch.Conversation.Fork.TurnID {
			p = place{asked: c, part: part}
			p.give()
		}
	}
	return p
}

// ofList returns the question of a list that the message names, or else the list again.
func (x *responding) ofList() (decision, error) {
	of, _, _, _ := readResponseID(x.previous)
	var all []candidate
	err := x.alike(of, nil, func(view *store.View) bool {
		all = append(all, candidate{view: view})
		return true
	})
	if err != nil {
		return decision{}, err
	}
	if len(all) == 0 {
		return decision{}, noResponse()
	}
	if named, rest, ok := leadingCode(x.sought.message); ok {
		x.sought.message = rest
		x.sought.said = history{line{user: true, texts: []string{squeeze(rest)}, code: named}}
		if d, ok := x.coded(all, named); ok {
			return d, nil
		}
	}
	return decision{waits: x.waits(all)}, nil
}

// behind returns what the person said behind a run: behind the part of a form that the run asked.
func behind(view *store.View, fence int64, part int) (p place) {
	for i := range view.Messages {
		if m := &view.Messages[i]; m.Role == chat.RoleUser && m.AskedBy == nil && m.Fence > fence {
			p.message = m
			break
		}
	}
	for i := range view.Clarifications {
		c := &view.Clarifications[i]
		first := p.asked == nil || c.DoneFence < p.asked.DoneFence
		if byPerson(c) && c.Asker == "" && c.For == "" && c.AskedFence <= fence && c.DoneFence > fence && first && (p.message == nil || c.DoneFence < p.message.Fence) {
			p.asked, p.part = c, part
		}
	}
	if p.asked != nil {
		p.message = nil
		p.give()
	}
	return p
}
