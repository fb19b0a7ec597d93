package sqldb

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Each transaction writes a mark with its commit, so that a commit whose reply is lost can be
// looked up, also on a standby that was promoted meanwhile: the mark is there if and only if all
// the rest is. Transaction ids would not do: a promoted standby, or a server that lost lazy
// commits in a crash, assigns them again.
const (
	writeMark = `INSERT INTO commits (mark, made) VALUES ($1, true)`
	// takeMark waits for a transaction that has written the mark and not ended. If none has written
	// it, a later commit with it fails, since its mark is taken.
	takeMark  = `INSERT INTO commits (mark, made) VALUES ($1, false) ON CONFLICT (mark) DO UPDATE SET mark = excluded.mark RETURNING made`
	dropMarks = `DELETE FROM commits WHERE at < ` + postgresClock + ` - $1`
)

const (
	// outcomeWait is how long a store that went away may take to come back and report the outcome of
	// a commit: a failover takes seconds, and the caller waits.
	outcomeWait = 10 * time.Second
	// outcomePause is the time between two attempts to ask for it.
	outcomePause = 100 * time.Millisecond
	// markLife is how long marks are kept, by the server's clock. A mark is looked up for half as
	// long, by the node's clock.
	markLife = 10 * time.Minute
)

var (
	// errUnknown means that the outcome of a commit is unknown.
	errUnknown = errors.New("the connection was lost during a commit, which may have been made")
	// errNotMade means that a commit is known not to have been made.
	errNotMade = errors.New("the connection was lost during a commit, which was not made")
)

// outcome looks up the outcome of a session's commit whose reply was lost, for as long as the
// caller waits, and at most outcomeWait. If the server has not answered by then, it returns the
// error of the commit.
func (p *postgres) outcome(s *postgresSession) (made bool, err error) {
	ctx, cancel := context.WithTimeout(s.user, p.outcomeWait)
	defer cancel()
	p.pool.Reset() // the other connections will be dead, too
	for {
		if time.Since(s.sent) > markLife/2 { // the process was paused: the mark may be gone
			return false, s.err
		}
		err := p.pool.QueryRow(ctx, takeMark, s.mark).Scan(&made)
		switch {
		case err == nil:
			return made, nil
		case p.closed.Load():
			return false, s.err
		}
		select {
		case <-time.After(outcomePause):
		case <-ctx.Done():
			return false, fmt.Errorf("%w; %w", s.err, notTheCallers(err))
		}
	}
}

// tidy drops the marks that will not be looked up any more.
func (p *postgres) tidy(ctx context.Context) error {
	return p.reading(ctx, func(s *postgresSession) error {
		_, err := s.exec(dropMarks, markLife.Milliseconds())
		return err
	})
}
