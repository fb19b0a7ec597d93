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

// unreadable is why a row cannot be read by this version: it is damaged, or a newer version wrote it.
// The row is left out, or shown as one that cannot be shown; all others are read.
type unreadable struct {
	table, id string
	chat      string // id of the conversation; "": of none
	err       error
}

// ReadTables are the tables whose rows may be unreadable.
var ReadTables = []string{"conversations", "runs", "messages", "tool_calls", "clarifications", "queue", "deferred_messages", "memory", "audit"}

func (u *unreadable) Error() string { return fmt.Sprintf("a row of %s, %s: %v", u.table, u.id, u.err) }

// Unwrap is what those who need the row are told.
func (u *unreadable) Unwrap() error { return store.ErrUnreadable }

// maxUnreadable bounds the rows that are known to be unreadable: of more, some are logged again.
const maxUnreadable = 10_000

// unreadables are the rows that were found. Safe for concurrent use.
type unreadables struct {
	logger *slog.Logger
	found  func(table string) // called for each; may be nil

	mu    sync.Mutex
	rows  map[[3]string]struct{} // by table, conversation and id: calls of several may have the same one
	chats map[string]struct{}    // whose they are, by the conversation's id
}

// first says that a row was not found before.
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

// of says that such a row of the conversation was found.
func (u *unreadables) of(conversationID string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, found := u.chats[conversationID]
	return found
}

// spared takes the error of reading a row for one that the row alone costs: it is logged and counted
// once. lost reports that it was taken for one.
func (u *unreadables) spared(err error) (lost bool, rest error) {
	row, ok := errors.AsType[*unreadable](err)
	if !ok {
		return false, err
	}
	if u.first(row) {
		u.logger.Error("a row cannot be read by this version, and is left out", "table", row.table, "id", row.id, "error", row.err)
		if u.found != nil {
			u.found(row.table)
		}
	}
	return true, nil
}

// in says of which conversation a row is that cannot be read.
func in(conversationID string, err error) error {
	if u, ok := errors.AsType[*unreadable](err); ok {
		u.chat = conversationID
	}
	return err
}

// needed is the error of reading a row that the caller cannot do without.
func (u *unreadables) needed(err error) error {
	if lost, err := u.spared(err); !lost {
		return err
	}
	return store.ErrUnreadable
}

// readable is appendTo without the rows that cannot be read.
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

// knownArguments refuses arguments of a call that are not valid JSON: whatever shows them would be invalid, too.
func knownArguments(arguments string) error {
	if arguments == "" || json.Valid([]byte(arguments)) {
		return nil
	}
	return errors.New("its arguments are not valid JSON")
}

// knownClarification refuses what no build up to this one writes.
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
		if err := known("input type", c.Question.Parts[i].InputType, "", tools.Text, tools.Select, tools.Multiselect, tools.Confirm,
			tools.Number, tools.Date, tools.File); err != nil {
			return err
		}
	}
	return nil
}
