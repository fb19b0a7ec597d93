package turn

import (
	"errors"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// unmatched is the error of a transaction that needs an answer matched first. Matching may take
// seconds and must not block the store.
type unmatched struct {
	c    *chat.Clarification
	read func(tools.Question)
}

func (u *unmatched) Error() string { return "turn: an answer to " + u.c.ID + " was not matched" }

// matched reads an answer to c. If c has patterns, the answer must have been read once outside of
// the transaction; until then, the error is an *unmatched.
func (j *judge) matched(c *chat.Clarification, read func(tools.Question)) error {
	q := c.Question
	if q.HasPattern() {
		known, ok := j.matches[c.ID]
		if !ok {
			return &unmatched{c, read}
		}
		q.Matches = known
	}
	read(q)
	return nil
}

// matching calls try, and calls it again after each question that has to be matched first.
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
