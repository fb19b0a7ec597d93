package turn

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn/prompt"
	"github.com/askgate/askgate/tools"
)

// MaxAnswers is how many answers may be sent together: as many as one step may ask.
const MaxAnswers = prompt.MaxCalls

// AnswersError refuses several answers that were sent together. It lists those that do not fit, in
// the order in which they were sent. Nothing is closed.
type AnswersError struct{ Refused []RefusedAnswer }

// RefusedAnswer is an answer that does not fit the question that it names.
type RefusedAnswer struct {
	ToolCallID      string
	ClarificationID string
	Err             *tools.AnswerError
}

func (e *AnswersError) Error() string {
	return fmt.Sprintf("%d answers: %v", len(e.Refused), e.Unwrap())
}

// Unwrap returns the first refusal, for callers that handle only single answers.
func (e *AnswersError) Unwrap() error { return e.Refused[0].Err }

// accepted is one of several answers that were sent together, and what it closes.
type accepted struct {
	closes int // index of the clarification, in the store's order
	answer tools.Answer
}

// takeAnswers closes several of the questions that the turn waits for, all or none. If these were
// the last, the turn goes on. The events are in the store's order, whatever the order of the
// answers.
func (in *incoming) takeAnswers(list []Answer) error {
	all, err := in.judge.namedAll(list)
	if err != nil {
		return err
	}
	taken, err := in.judge.acceptAll(all, list)
	if err != nil {
		return err
	}
	slices.SortFunc(taken, func(a, b accepted) int { return a.closes - b.closes })
	for _, a := range taken {
		if err := in.next.conclude(&all[a.closes], a.answer, in.channel(chat.ChannelAPI)); err != nil {
			return err
		}
	}
	return in.next.goOn()
}

// namedAll returns the clarifications that several answers may be for, in the store's order: those
// that the turn waits for, and others that the answers name.
func (j *judge) namedAll(list []Answer) ([]chat.Clarification, error) {
	all, err := j.tx.Clarifications().Pending()
	if err != nil {
		return nil, err
	}
	for i := range list {
		a := &list[i]
		if slices.ContainsFunc(all, func(c chat.Clarification) bool {
			return c.ID == a.ClarificationID || c.ToolCallID == a.ToolCallID
		}) {
			continue
		}
		named, err := j.named(a)
		if chat.CodeOf(err) == chat.CodeNotFound {
			continue // pick reports it, with its index
		} else if err != nil {
			return nil, err
		}
		all = append(all, named...)
	}
	slices.SortFunc(all, func(a, b chat.Clarification) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.ID, b.ID))
	})
	return slices.CompactFunc(all, func(a, b chat.Clarification) bool { return a.ID == b.ID }), nil
}

// acceptAll checks answers. A refusal that is not about a field is the error for all of them;
// otherwise the error lists each field of each answer that does not fit.
func (j *judge) acceptAll(all []chat.Clarification, list []Answer) ([]accepted, error) {
	var taken []accepted
	var refused []RefusedAnswer
	named := map[string]bool{}
	for i := range list {
		a := &list[i]
		c, err := pick(all, a)
		if err != nil {
			return nil, inAnswers(err, i)
		}
		switch {
		case named[c.ID]:
			return nil, inAnswers(&chat.Error{Code: chat.CodeInvalidRequest, Detail: "answered_twice"}, i)
		case c.Asker != "":
			return nil, inAnswers(&chat.Error{Code: chat.CodeInvalidRequest, Detail: "answers_of_turn"}, i)
		}
		named[c.ID] = true
		checked, err := j.accept(a, c)
		if wrong, ok := errors.AsType[*tools.AnswerError](err); ok {
			refused = append(refused, RefusedAnswer{c.ToolCallID, c.ID, wrong})
			continue
		}
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(all, func(of chat.Clarification) bool { return of.ID == c.ID })
		taken = append(taken, accepted{at, checked})
	}
	if refused != nil {
		return nil, &AnswersError{refused}
	}
	return taken, nil
}

// inAnswers adds to an error which of several answers it is about.
func inAnswers(err error, i int) error {
	e, ok := errors.AsType[*chat.Error](err)
	if !ok {
		return err
	}
	in := *e
	in.Params = map[string]any{"Field": fmt.Sprintf("answers[%d]", i)}
	return &in
}
