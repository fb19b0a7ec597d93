package sqldb

import "errors"

// statements are those of a transaction. After a failed one, nothing more is sent.
type statements struct {
	db     *handle
	s      session
	err    error // the first failure
	over   bool  // the transaction's function has returned
	putOff bool  // a statement is queued
	// ahead queues the row of a new conversation before the queued statements, once, since triggers
	// look up its owner there. nil: the row exists.
	ahead func() error
}

var errOver = errors.New("store: a transaction was used after its function had returned")

// usable returns why no more can be sent.
func (w *statements) usable() error {
	if w.over {
		return errOver
	}
	return w.err
}

// fail records a failure, after which nothing may be written.
func (w *statements) fail(err error) error {
	if err == nil {
		return nil
	}
	w.err = w.db.fail(err)
	return w.err
}

// ready is usable before a statement that is waited for; the queued statements are sent with it.
func (w *statements) ready() error {
	if err := w.usable(); err != nil || w.ahead == nil || !w.putOff {
		return err
	}
	return w.ahead()
}

// later queues a write whose outcome fn need not know. It is sent before the next statement that
// fn waits for, or with the commit.
func (w *statements) later(query string, args ...any) error {
	if err := w.usable(); err != nil {
		return err
	}
	w.putOff = true
	w.s.later(query, args...)
	return nil
}

func (w *statements) exec(query string, args ...any) (int64, error) {
	if err := w.ready(); err != nil {
		return 0, err
	}
	n, err := w.s.exec(query, args...)
	return n, w.fail(err)
}

// change is exec of a statement that must find its row.
func (w *statements) change(query string, args ...any) error {
	n, err := w.exec(query, args...)
	return must(n > 0, err)
}

func (w *statements) each(row func(scan scanner) error, query string, args ...any) error {
	if err := w.ready(); err != nil {
		return err
	}
	return w.fail(w.s.each(rows(row, query, args...)))
}

func (w *statements) one(row func(scan scanner) error, query string, args ...any) (found bool, err error) {
	if err := w.ready(); err != nil {
		return false, err
	}
	found, err = one(w.s, row, query, args...)
	return found, w.fail(err)
}

// sum reads one number.
func (w *statements) sum(query string, args ...any) (n int64, err error) {
	_, err = w.one(func(scan scanner) error { return scan(&n) }, query, args...)
	return n, err
}

// chatTx is shared by the parts of a transaction on a chat.
type chatTx struct {
	db    *handle
	w     statements
	head  headRow
	isNew bool // the conversation, and with it all its rows, is new
}
