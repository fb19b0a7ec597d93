package sqldb

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// maxForked bounds, in bytes, the questions of a chat that is forked and the arguments of the
// calls that are left behind, because an update reads them.
const maxForked = 4 * store.MaxOpen

// txForks is a store.Forks.
type txForks struct{ *chatTx }

func (t txForks) Origin(at chat.Fork) (*store.Origin, error) {
	ref := t.head.Ref
	if at.ChatID == ref.ChatID {
		return nil, store.ErrNotFound // the chat only begins now
	}
	ref.ChatID = at.ChatID
	h := headRow{Conversation: chat.Conversation{Ref: ref}}
	if err := must(t.w.one(func(scan scanner) error { return t.db.needed(scanHead(scan, &h)) },
		q.lockHead, ref.Tenant, ref.Subject, ref.App, ref.ChatID)); err != nil {
		return nil, err
	}
	o := &store.Origin{Conversation: h.Conversation, Turn: h.newest()}
	if bytes, err := t.w.sum(q.turnsBytes, h.ID); err != nil || bytes > maxForked {
		return nil, cmp.Or(err, store.ErrTooLarge)
	}
	var kept []keptClarification
	if err := t.w.each(appendTo(&kept, t.db.scanClarification), q.clarificationsOfTurns, h.ID); err != nil {
		return nil, err
	}
	if anyLost(kept) {
		return nil, store.ErrUnreadable
	}
	o.Asked = inOrder(genuine(kept))
	if err := t.point(o, at); err != nil {
		return nil, err
	}
	if o.Open != "" {
		l := messageList{db: t.db, chat: h.ID, messages: []chat.Message{o.Message}, positions: []int64{o.Through}}
		if err := t.w.each(l.call, q.callsFrom, h.ID, o.Through, o.Through+1); err != nil {
			return nil, err
		}
		if l.lost {
			return nil, store.ErrUnreadable
		}
		o.Message = l.joined()[0]
	}
	for _, text := range []string{q.messagesBytes, q.callsBytes} {
		bytes, err := t.w.sum(text, h.ID, o.Through)
		if err != nil {
			return nil, err
		}
		o.Bytes += bytes
	}
	held, err := t.w.sum(q.contentSize, h.ID) // of the whole chat, so it includes what the calls behind the point hold
	if err != nil {
		return nil, err
	}
	o.Bytes += held
	if bytes, err := t.w.sum(q.bytesBehind, h.ID, o.Through); err != nil || bytes > maxForked {
		return nil, cmp.Or(err, store.ErrTooLarge)
	}
	if err := t.w.each(appendTo(&o.Behind, func(scan scanner, c *chat.ToolCall) error {
		return scan(&c.ID, &c.Name, &c.Arguments, &c.Started)
	}), q.callsBehind, h.ID, o.Through); err != nil {
		return nil, err
	}
	return o, t.w.each(appendTo(&o.Ran, scanRan), q.ran, h.ID)
}

// point finds the point of the chat at which the fork begins.
func (t txForks) point(o *store.Origin, at chat.Fork) error {
	query, args := q.message, []any{o.ID, at.MessageID}
	if at.ClarificationID != "" {
		for i := range o.Asked {
			if o.Asked[i].ID == at.ClarificationID {
				o.Open, o.Same = o.Asked[i].ToolCallID, o.Asked[i].Question.Waiting
			}
		}
		query, args = q.forkedMessage, []any{o.ID, o.ID, o.Open}
	}
	err := must(t.w.one(func(scan scanner) error { return t.db.needed(in(o.ID, scanMessage(scan, &o.Through, &o.Message))) }, query, args...))
	if at.ClarificationID != "" || err != nil {
		return err
	}
	o.Through--
	_, err = t.w.one(func(scan scanner) error { return scan(&o.Message.Instructions) }, q.instructions, o.ID, o.Message.ID)
	return err
}

func (t txForks) Copy(o *store.Origin, turnID string) error {
	if !t.isNew {
		return errors.New("store: refused: only a new conversation can begin as a copy")
	}
	// What programs asked and said is left out, and later positions move up.
	var standing []int64
	if err := t.w.each(appendTo(&standing, func(scan scanner, at *int64) error { return scan(at) }), q.standing, o.ID, o.Through); err != nil {
		return err
	}
	behind := int64(0)
	for out, end := range append(standing, o.Through+1) {
		if err := t.w.later(q.copyMessages, t.head.ID, out, o.Message.TurnID, turnID, o.ID, behind, end); err != nil {
			return err
		}
		if err := t.w.later(q.copyCalls, t.head.ID, out, o.ID, behind, end); err != nil {
			return err
		}
		behind = end
	}
	through := o.Through
	if err := t.w.later(q.copyFits, t.head.ID, through, through+1, o.ID, through, o.ID); err != nil {
		return err
	}
	for _, call := range append(slices.Clone(o.Same), o.Open) { // of neither, of a message
		if err := t.w.later(q.dropResult, t.head.ID, call); err != nil {
			return err
		}
	}
	if err := t.w.later(q.copySent, t.head.ID, o.ID, o.ID, o.Through); err != nil {
		return err
	}
	if err := t.w.later(q.copyInstructions, t.head.ID, o.ID, o.ID, o.Through); err != nil {
		return err
	}
	var shown []string // of results
	if err := t.w.each(appendTo(&shown, func(scan scanner, s *string) error { return scan(s) }), q.shownUpTo, o.ID, o.Through); err != nil {
		return err
	}
	for _, s := range shown {
		var parts []tools.Content
		if err := json.Unmarshal([]byte(s), &parts); err != nil {
			return fmt.Errorf("the parts of a result are damaged: %w", err)
		}
		for i := range parts {
			if parts[i].ID == "" {
				continue
			}
			if err := t.w.later(q.copyContent, t.head.ID, o.ID, parts[i].ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t txForks) CopyFiles(o *store.Origin, of, to string) error {
	return t.w.later(q.copyFiles, t.head.ID, to, o.ID, of)
}

func (t txForks) SaveRan(ran []chat.Ran) error {
	for _, r := range ran {
		if err := t.w.later(q.insertRan, t.head.ID, r.Tool, r.Digest); err != nil {
			return err
		}
	}
	return nil
}

func scanRan(scan scanner, r *chat.Ran) error { return scan(&r.Tool, &r.Digest) }
