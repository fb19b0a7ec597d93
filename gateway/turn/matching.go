package turn

import (
	"errors"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// matches are what the patterns of questions say to what a command says, by the ids of the
// clarifications.
type matches map[string]tools.Matches

// unmatched says that a question's patterns must be asked about an answer first: that may take
// seconds, in which nothing may wait for the store.
type unmatched struct {
	c    *chat.Clarification
	read func(tools.Question)
}

func (u *unmatched) Error() string { return "turn: an answer to " + u.c.ID + " was not matched" }

// matched reads an answer to c, which has been done outside of the transaction before if c has
// patterns.
func (t *transition) matched(c *chat.Clarification, read func(tools.Question)) error {
	q := c.Question
	if q.HasPattern() {
		known, ok := t.matches[c.ID]
		if !ok {
			return &unmatched{c, read}
		}
		q.Matches = known
	}
	read(q)
	return nil
}

// matching makes a transition, again after each question whose patterns it needs.
func matching(try func(matches) (Accepted, error)) (Accepted, error) {
	known := matches{}
	for {
		accepted, err := try(known)
		next, ok := errors.AsType[*unmatched](err)
		if !ok {
			return accepted, err
		}
		q := next.c.Question
		q.Matches = tools.Matches{}
		next.read(q)
		known[next.c.ID] = q.Matches
	}
}
