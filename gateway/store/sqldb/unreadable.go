package sqldb

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// unreadable is the reason why this version cannot read a row: it is damaged, or a newer version
// wrote it. The row is left out, or shown as unreadable; all others are read.
type unreadable struct {
	table, id string
	chat      string // id of the conversation; "" if none
	err       error
}

// ReadTables are the tables whose rows may be unreadable.
var ReadTables = []string{"conversations", "runs", "messages", "tool_calls", "clarifications", "queue", "deferred_messages", "memory", "audit"}

func (u *unreadable) Error() string { return fmt.Sprintf("a row of %s, %s: %v", u.table, u.id, u.err) }

// Unwrap returns the error for callers that need the row.
func (u *unreadable) Unwrap() error { return store.ErrUnreadable }

// maxUnreadable bounds the known unreadable rows; beyond it, some are logged again.
const maxUnreadable = 10_000

// unreadables are the unreadable rows found so far. Safe for concurrent use.
type unreadables struct {
	logger *slog.Logger
	found  func(table string) // called for each; may be nil

	mu    sync.Mutex
	rows  map[[3]string]struct{} // by table, conversation and id: calls of several conversations may have the same id
	chats map[string]struct{}    // those with unreadable rows, by the conversation's id
}

// first reports whether a row is found for the first time.
func (u *unreadables) first(row *unreadable) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	at := [3]string{row.table, row.chat, row.id}
	if _, known := u.rows[at]; known {
		return false
	}
	if u.rows == nil || len(u.rows) >= maxUnreadable {
		u.rows, u.chats = map[[3]string]struct{}{}, map[string]struct{}{}
	}
	u.rows[at], u.chats[row.chat] = struct{}{}, struct{}{}
	return true
}

// of reports whether the conversation has such a row.
func (u *unreadables) of(conversationID string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, found := u.chats[conversationID]
	return found
}

// spared treats the error of an unreadable row as the loss of this row only: it is logged and
// counted once. lost reports that err was such an error.
func (u *unreadables) spared(err error) (lost bool, rest error) {
	row, ok := errors.AsType[*unreadable](err)
	if !ok {
		return false, err
	}
	if u.first(row) {
		u.logger.Error("this version cannot read a row, which is left out", "table", row.table, "id", row.id, "error", row.err)
		if u.found != nil {
			u.found(row.table)
		}
	}
	return true, nil
}

// in adds the conversation to the error of an unreadable row.
func in(conversationID string, err error) error {
	if u, ok := errors.AsType[*unreadable](err); ok {
		u.chat = conversationID
	}
	return err
}

// needed returns the error of reading a row that the caller cannot do without.
func (u *unreadables) needed(err error) error {
	if lost, err := u.spared(err); !lost {
		return err
	}
	return store.ErrUnreadable
}

// readable is appendTo without unreadable rows.
func readable[T any](u *unreadables, items *[]T, row func(scan scanner, item *T) error) func(scan scanner) error {
	return func(scan scanner) error {
		var item T
		lost, err := u.spared(row(scan, &item))
		if err == nil && !lost {
			*items = append(*items, item)
		}
		return err
	}
}

// known refuses a value that no build up to this one writes.
func known[T ~string](what string, v T, all ...T) error {
	if slices.Contains(all, v) {
		return nil
	}
	return fmt.Errorf("its %s is not one that this version knows", what)
}

// knownArguments refuses arguments of a call that are not valid JSON, which would make the JSON
// that shows them invalid, too.
func knownArguments(arguments string) error {
	if arguments == "" || json.Valid([]byte(arguments)) {
		return nil
	}
	return errors.New("its arguments are not valid JSON")
}

// knownClarification refuses values that no build up to this one writes.
func knownClarification(c *chat.Clarification) error {
	err := known("state", c.State, tools.StatePending, tools.StateAnswered, tools.StateSkipped, tools.StateDeclined,
		tools.StateExpired, tools.StateSuperseded, tools.StateCancelled, tools.StateRemembered)
	if err != nil || c.Question.Kind == tools.KindInput {
		return err
	}
	if err := known("kind", c.Question.Kind, "", tools.KindQuestion, tools.KindApproval); err != nil {
		return err
	}
	for i := range c.Question.Parts {
		if t := c.Question.Parts[i].InputType; t != "" && !t.Known() {
			return known("input type", t) // none is known to be it
		}
	}
	return nil
}
