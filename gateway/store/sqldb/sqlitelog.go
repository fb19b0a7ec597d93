package sqldb

import (
	"context"
	"sync/atomic"
	"time"
)

// moveEvery is how many commits the log gathers before it is moved: some 1800 pages of new chats,
// many of them repeated, which are moved once. SQLite alone would move it at 1000 pages, within a
// commit, so that its writer and all those that queue would wait for two more syncs.
const moveEvery = 192

// syncWithin is how long a lazy commit may be only in the system's memory. PostgreSQL's limit is
// three times wal_writer_delay, 600 ms by default.
const syncWithin = 500 * time.Millisecond

// logMover moves committed pages from the log to the file while others write, in one goroutine
// with one connection.
type logMover struct {
	sessions *sessions
	commits  atomic.Int64
	due      chan struct{}
	waiting  atomic.Bool // the timer late runs, for a lazy commit
	late     *time.Timer
	done     chan struct{}
}

func startLogMover(d *sqliteDB) *logMover {
	m := &logMover{sessions: newSessions(d.pool, 1), due: make(chan struct{}, 1), done: make(chan struct{})}
	m.late = time.NewTimer(syncWithin)
	m.late.Stop()
	go func() {
		defer close(m.done)
		for {
			select {
			case _, more := <-m.due:
				if !more {
					return
				}
			case <-m.late.C:
			}
			m.waiting.Store(false)
			d.moveLog(context.Background(), m.sessions, "PRAGMA wal_checkpoint(PASSIVE)") // which syncs the log first
		}
	}()
	return m
}

// committed counts a commit.
func (m *logMover) committed() {
	if m.commits.Add(1)%moveEvery == 0 {
		select {
		case m.due <- struct{}{}:
		default: // already due
		}
	}
}

// soon ensures that the log is synced within syncWithin.
func (m *logMover) soon() {
	if !m.waiting.Swap(true) {
		m.late.Reset(syncWithin)
	}
}

// moveLog runs a checkpoint. Failing is harmless: the log grows until the next one.
func (d *sqliteDB) moveLog(ctx context.Context, p *sessions, checkpoint string) {
	var busy, logged, moved int64
	err := p.use(ctx, func(s *sqliteSession) error {
		d.commit(s) // a checkpoint within a transaction would fail
		_, err := one(s, func(scan scanner) error { return scan(&busy, &logged, &moved) }, checkpoint)
		return err
	})
	if err != nil || busy != 0 {
		d.logger.Debug("store: cannot checkpoint the write-ahead log; it grows until the next checkpoint", "error", err, "pages", logged, "moved", moved)
	}
}

// close ends the goroutine. No commits may follow.
func (m *logMover) close() error {
	m.late.Stop()
	close(m.due)
	<-m.done
	return m.sessions.close(func(*sqliteSession) {})
}
