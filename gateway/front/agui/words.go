package agui

import (
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/tools"
)

// ask asks a part of a question in words, in a run of its own in which nothing else happens.
func (t *encoder) ask(c *host.Request, of *chat.Clarification, part int) []byte {
	asked := chat.NewAsked(of)
	t.waits = nil // for the client, its call is over
	dst := t.Step(t.begin(nil))
	t.message = front.WordsID(of, part)
	dst = t.Text(dst, quoted(front.Words(c, &asked, part)))
	return t.Done(dst, chat.Done{FinishReason: chat.FinishStop})
}

// inWords takes a message as the answer to a question that its client was asked in words, if the
// engine does not: a form, part by part. done reports that the response is written.
func (p *planned) inWords() (done bool, err error) {
	of, err := p.askedInWords()
	if of == nil || err != nil {
		return false, err
	}
	whole, next, ok, err := front.AnswerInWords(p.c, of, p.behind, p.said.id, p.said.text)
	switch {
	case err != nil:
		return false, err
	case whole != nil:
		return true, front.Stream(p.c, front.Command{Answer: whole, Channel: chat.ChannelMessage, Said: &p.said.text, ID: p.said.id, Key: p.key()}, p.t)
	case ok:
		front.Frames(p.c, p.t.ask(p.c, of, next))
		return true, nil
	}
	p.about = of.ID
	return false, nil
}

// askedInWords returns the first pending question that the client was asked in words, or nil. It
// looks at the chat only if there may be one: clients do not send a message while they know of an
// interrupt.
func (p *planned) askedInWords() (*chat.Clarification, error) {
	if !p.t.interrupt && !p.answered && !p.limited {
		return nil, nil //nolint:nilnil // nothing was asked
	}
	view, err := front.In(p.c).View()
	if err != nil || view == nil {
		return nil, err
	}
	if of := front.WaitsInWords(view); of != nil || p.t.interrupt {
		return of, nil
	}
	for _, of := range view.Asked() {
		if !p.takes(front.NewQuestion(chat.NewAsked(&of))) {
			return &of, nil
		}
	}
	return nil, nil //nolint:nilnil // likewise
}

// aboutShown makes a message be about the pending question whose call the client shows last; of
// several, the approval. A yes to a question that was never shown allows nothing.
func (p *planned) aboutShown() error {
	if p.about != "" || len(p.calls) == 0 {
		return nil
	}
	view, err := front.In(p.c).View()
	if err != nil || view == nil {
		return err
	}
	shown := slices.DeleteFunc(view.Asked(), func(of chat.Clarification) bool { return !p.calls[front.NewQuestion(chat.NewAsked(&of)).ID] })
	approval := slices.IndexFunc(shown, func(of chat.Clarification) bool { return of.Question.Kind == tools.KindApproval })
	switch {
	case approval >= 0:
		p.about = shown[approval].ID
	case len(shown) == 1:
		p.about = shown[0].ID
	}
	return nil
}
