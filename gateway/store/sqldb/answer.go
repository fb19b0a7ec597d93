package sqldb

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// txAnswers is a store.AnswerTx.
type txAnswers struct{ *tx }

func (t txAnswers) Copies(c chat.Clarification) ([]chat.Clarification, error) {
	chats, err := t.family()
	if err != nil {
		return nil, err
	}
	list := []chat.Clarification{c}
	for _, id := range chats {
		of, err := t.asked.read(q.ofCall, id, c.ToolCallID, id, c.ToolCallID)
		if err != nil {
			return nil, err
		}
		list = append(list, slices.DeleteFunc(of, func(o chat.Clarification) bool {
			return o.ID == c.ID || !o.AnsweredAt.Equal(c.AnsweredAt) || o.State == tools.StatePending
		})...)
	}
	return list, nil
}

// family locks all chats of the conversation's family, and returns their ids.
func (t txAnswers) family() (ids []string, err error) {
	ref, root := &t.head.Ref, t.head.Root
	if root == "" {
		root = ref.ChatID
	}
	for before := -1; before < len(ids); { // a fork that was being made while the first ones were locked is there now
		before, ids = len(ids), nil
		add := appendTo(&ids, func(scan scanner, id *string) error { return scan(id) })
		for _, query := range []string{forgets.root, forgets.branch} {
			if err := t.w.each(add, query, ref.Tenant, ref.Subject, ref.App, root); err != nil {
				return nil, err
			}
		}
	}
	return ids, nil
}

func (t txAnswers) Since(at time.Time, visit func(c *chat.Clarification)) error {
	ref := &t.head.Ref
	for open := range 2 {
		err := t.w.each(func(scan scanner) error {
			var k keptClarification
			err := t.db.scanClarification(scan, &k)
			if err == nil && k.genuine {
				visit(&k.Clarification)
			}
			return err
		}, forgets.sinceOfSubject, ref.Tenant, ref.Subject, open, toMillis(at), ref.App)
		if err != nil {
			return err
		}
	}
	return nil
}

func (t txAnswers) Delete(c chat.Clarification) error {
	answer, err := toJSON(tools.Answer{Deleted: true})
	if err != nil {
		return err
	}
	t.erases = true
	if c.ConversationID == t.head.ID {
		t.head.Unpublished = true
	} else if err := t.w.later(forgets.unpublish, c.ConversationID); err != nil {
		return err
	}
	return t.w.later(forgets.deleteAnswer, answer, c.ID)
}

func (t txAnswers) SaveQuestion(c chat.Clarification) error {
	question, err := toJSON(c.Question)
	if err != nil {
		return err
	}
	return t.w.later(forgets.saveQuestion, t.db.seal(&c, question), c.ID)
}

func (t txAnswers) Result(conversationID, callID string) (text string, err error) {
	_, err = t.w.one(func(scan scanner) error { return scan(&text) }, forgets.result, conversationID, callID)
	return text, err
}

func (t txAnswers) SaveResult(conversationID, callID, text string) error {
	return t.w.later(forgets.saveResult, text, conversationID, callID)
}

func (t txAnswers) SaveText(conversationID, callID, text string) error {
	return t.w.later(forgets.saveText, text, conversationID, callID)
}

func (t txAnswers) Replace(conversationID, text, with string) error {
	return t.w.later(forgets.replaceResult, with, conversationID, text)
}

func (t txAnswers) DropBasis(conversationID string) error {
	return t.w.later(q.dropBasis, conversationID)
}

func (t txAnswers) DropFile(c chat.Clarification, id string) error {
	return t.w.later(forgets.dropAnswered, c.ConversationID, id, c.ID)
}

func (t txAnswers) DropMemory(key string, at time.Time) error {
	ref := &t.head.Ref
	return t.w.later(forgets.dropMemory, ref.Tenant, ref.Subject, ref.App, key, toMillis(at))
}

func (t txAnswers) Unannounced() ([]chat.Clarification, error) {
	all, err := t.asked.read(forgets.unannounced, t.head.ID)
	return inOrder(all), err
}

func (t txAnswers) Announced(id string, fence int64) error {
	return t.w.later(forgets.announced, fence, id, t.head.ID)
}

// recordOf is a record of a chat.
type recordOf struct {
	chat.AuditRecord
	conversationID string
}

func (t txAnswers) EraseAudit(conversationIDs []string, without func(r *chat.AuditRecord) bool, erased chat.AuditRecord) error {
	var again []recordOf
	var gone []int64
	seqs := map[string][]int64{}
	for _, of := range conversationIDs {
		err := t.w.each(func(scan scanner) error {
			var id, at, seq int64
			var text, chain string
			if err := scan(&id, &at, &text, &chain, &seq); err != nil {
				return err
			}
			r := recordOf{conversationID: of}
			if err := json.Unmarshal([]byte(text), &r.AuditRecord); err != nil {
				return &unreadable{"audit", strconv.FormatInt(id, 10), of, err}
			}
			r.At = chat.Time(fromMillis(at))
			if !without(&r.AuditRecord) {
				return nil
			}
			if gone, seqs[chain] = append(gone, id), append(seqs[chain], seq); r.What != "" {
				again = append(again, r)
			}
			return nil
		}, forgets.auditOfChat, of)
		if err != nil {
			return err
		}
	}
	if len(gone) == 0 {
		return nil
	}
	for _, id := range gone {
		for _, query := range []string{forgets.leaveHash, forgets.eraseAudit} {
			if err := t.w.later(query, id); err != nil {
				return err
			}
		}
	}
	for _, r := range again {
		if err := t.w.fail(t.recorder.add(t.w.s, r.conversationID, r.AuditRecord)); err != nil {
			return err
		}
	}
	for _, r := range t.db.erasures(t.head.Ref, spansOf(seqs), []chat.AuditRecord{erased}) {
		if err := t.w.fail(t.recorder.add(t.w.s, nil, r)); err != nil {
			return err
		}
	}
	return nil
}

func (t *chatTx) IsDeleted(clarificationID string) (deleted bool, err error) {
	_, err = t.w.one(func(scan scanner) error { return scan(&deleted) }, forgets.isDeleted, clarificationID)
	return deleted, err
}
