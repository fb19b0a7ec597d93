package sqldb

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// tx is a store.Tx. The head, which holds the newest turn, is written once, at the end.
type tx struct {
	chatTx
	recorder *recorder // of the audit

	inserted bool // the row of a new conversation is written or queued
	saved    headRow
	turn     *chat.Turn // the newest; nil before the first
	news     int        // number of news
	erases   bool       // whether it deletes what must leave no trace
	stored   *int64     // bytes that the chat's owner has; nil: not read

	// These parts keep track of what was done with them.
	keys  txKeys
	asked txClarifications
}

func newTx(d *handle, s session, r *recorder) *tx {
	t := &tx{chatTx: chatTx{db: d, w: statements{db: d, s: s}}, recorder: r}
	t.keys.chatTx, t.asked.chatTx = &t.chatTx, &t.chatTx
	return t
}

func (t *tx) Clarifications() store.ClarificationTx { return &t.asked }

func (t *tx) Keys() store.KeyTx { return &t.keys }

func (t *chatTx) Files() store.FileTx { return txFiles{t} }

func (t *chatTx) Forks() store.Forks { return txForks{t} }

func (t *tx) Answers() store.AnswerTx { return txAnswers{t} }

func (t *tx) Meters() store.Meters { return txMeters{&t.chatTx} }

func (t *tx) load(ref chat.Ref) error {
	found := false
	t.saved.Ref = ref
	all := []query{rows(func(scan scanner) error {
		found = true
		return t.db.markHead(scanHead(scan, &t.saved), &t.saved)
	}, q.lockHead, ref.Tenant, ref.Subject, ref.App, ref.ChatID)}
	if t.db.database.remote() { // saves a round trip
		t.stored = new(int64)
		all = append(all, rows(func(scan scanner) error { return scan(t.stored) }, q.stored, ref.Tenant, ref.Owner()))
	}
	if err := t.w.fail(t.w.s.each(all...)); err != nil {
		return err
	}
	if !found {
		now := t.db.Now().UTC()
		t.isNew, t.w.ahead = true, t.insertHead
		t.saved.Conversation = chat.Conversation{ID: newConversationID(now), Ref: ref, CreatedAt: now, UpdatedAt: now}
	}
	t.head = t.saved
	t.turn = t.head.newest()
	return nil
}

// orFenced are statements of hold for PostgreSQL. If they find no row to write, they divide by zero,
// which ends the transaction with store.ErrFenced (see postgresSession.failed). So hold need not wait
// for how many rows it has written.
var orFenced = map[string]string{
	q.updateStep: `WITH held AS (` + q.updateStep + ` RETURNING 1) SELECT 1 / count(*) FROM held`,
	q.updateHeld: `WITH held AS (` + q.updateHeld + ` RETURNING 1) SELECT 1 / count(*) FROM held`,
}

// hold writes what a run holds, provided that it still has the turn and the chat is as it left
// it. While the run goes on, that changes no column of an index: PostgreSQL then writes no entry of any
// index (a HOT update), and SQLite looks at none.
func (t *tx) hold(h *store.Held) error {
	t.head.ID, t.head.Ref = h.ConversationID, h.Ref
	turn, ref, query := &h.Turn, &h.Ref, q.updateStep
	args := append(make([]any, 0, 20), h.LastEvent.Fence, h.LastEvent.Seq, turn.Steps, string(turn.FinishReason),
		turn.Usage.InputTokens, turn.Usage.OutputTokens, turn.Usage.CachedInputTokens, turn.Usage.ReasoningTokens)
	if !h.GoesOn {
		query, args = q.updateHeld, append(args, toMillis(h.UpdatedAt), string(turn.State), turn.LeaseOwner, toMillis(turn.EndedAt))
	}
	args = append(args, ref.Tenant, ref.Subject, ref.App, ref.ChatID, h.ConversationID, h.Fence, h.Known.Fence, h.Known.Seq)
	if t.db.database.remote() { // saves a round trip
		return t.w.later(orFenced[query], args...)
	}
	n, err := t.w.exec(query, args...)
	if err == nil && n == 0 {
		return store.ErrFenced
	}
	return err
}

// save queues the head, if it changed, before the other writes, since the rows of a new
// conversation refer to it.
func (t *tx) save() error {
	if err := t.w.usable(); err != nil {
		return err
	}
	if t.head.ID != t.saved.ID || t.head.Ref != t.saved.Ref || t.head.Fence < t.saved.Fence {
		return fmt.Errorf("store: refused: a conversation's id and ref cannot change, and its fence cannot fall (from %d to %d)",
			t.saved.Fence, t.head.Fence)
	}
	if t.turn != nil {
		t.head.turn = *t.turn
		for _, id := range t.asked.forged {
			if t.turn.State != chat.TurnPaused { // the turn goes on without them, and they must not come back
				t.w.s.later(q.dropForged, t.head.Fence, toMillis(t.db.Now()), id, t.head.ID)
			}
		}
	}
	if t.isNew && !t.inserted {
		return t.insertHead()
	}
	if t.inserted && (t.head.Fork != t.saved.Fork || t.head.Root != t.saved.Root) { // it turned out to be a fork
		fork, err := forkValue(t.head.Fork)
		if err != nil {
			return err
		}
		t.w.s.first(q.saveOrigin, fork, t.head.Root, t.head.ID)
	}
	if t.head != t.saved {
		t.w.s.first(q.updateHead, t.head.values()...)
	}
	return nil
}

// insertHead queues the row of a new conversation, before all others.
func (t *tx) insertHead() error {
	fork, err := forkValue(t.head.Fork)
	if err != nil {
		return err
	}
	t.inserted, t.saved, t.w.ahead = true, t.head, nil
	t.w.s.first(q.insertHead, append(t.head.values(), t.head.ID, fork, t.head.Root)...)
	return nil
}

// Stored is read together with the head if that saves a round trip, and otherwise on demand.
func (t *tx) Stored(subject string) (bytes int64, err error) {
	if t.stored != nil && subject == t.head.Owner() {
		return *t.stored, t.w.usable()
	}
	return t.w.sum(q.stored, t.head.Tenant, subject)
}

func (t *tx) Conversation() *chat.Conversation { return &t.head.Conversation }

func (t *tx) Turn() *chat.Turn { return t.turn }

func (t *tx) BeginTurn(turn chat.Turn) error {
	if turn.ID == "" {
		return errors.New("store: refused: a turn needs an id")
	}
	turn.ConversationID = t.head.ID
	t.turn = &turn
	return t.w.usable()
}

func (t *tx) SaveRun(r chat.Run) error {
	failure, err := jsonValue(r.Failure)
	if err != nil {
		return err
	}
	args := []any{
		t.head.ID, r.Fence, r.TurnID, r.Resumed, r.Discards, string(r.FinishReason), failure,
		r.Usage.InputTokens, r.Usage.OutputTokens, r.Usage.CachedInputTokens, r.Usage.ReasoningTokens, r.LastSeq, toMillis(r.StartedAt), toMillis(r.EndedAt),
	}
	if r.TurnID == "" || r.FinishReason == "" {
		return t.w.later(q.saveRun, args...)
	}
	t.news++
	return t.w.later(q.endRun, t.db.atNow(append(args, t.news-1)...)...)
}

func (t *tx) Run(fence int64) (chat.Run, error) {
	r := chat.Run{ConversationID: t.head.ID, Fence: fence}
	if err := must(t.w.one(func(scan scanner) error { return t.db.needed(scanRun(scan, &r)) }, q.run, t.head.ID, fence)); err != nil {
		return chat.Run{}, err
	}
	return r, nil
}

func (t *tx) AppendMessage(m chat.Message) error {
	by, err := askerValue(m.AskedBy)
	if err != nil {
		return err
	}
	files, err := filesValue(m.Files)
	if err != nil {
		return err
	}
	spans, err := spansValue(m.Spans)
	if err != nil {
		return err
	}
	err = t.w.later(q.insertMessage, t.head.ID, t.head.ID, m.ID, m.TurnID, m.Fence, string(m.Role), m.Content, toMillis(m.CreatedAt),
		by, m.ClarificationID, files, m.Thinking, m.Seq, spans, m.MadeBy, string(m.State), m.ClientID)
	if err != nil {
		return err
	}
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		values, err := resultValues(c.Result)
		if err != nil {
			return err
		}
		if err := t.w.later(q.insertCall, append([]any{t.head.ID, t.head.ID, i, c.ID, c.Name, c.Arguments, c.Spoiled, c.Started}, values...)...); err != nil {
			return err
		}
		if c.Result != nil {
			if err := t.keepContents(c.Result.Shown); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tx) DropState(but string) error { return t.w.later(q.dropState, t.head.ID, but) }

func (t *tx) DropText(fence int64) (bool, error) {
	n, err := t.w.exec(q.dropText, t.head.ID, fence, t.head.ID, t.head.ID)
	return n > 0, err
}

func (t *tx) StartCall(callID string, fence int64) error {
	return t.w.change(q.startCall, fence, t.head.ID, callID)
}

func (t *tx) SetResult(callID string, r chat.ToolResult) error {
	values, err := resultValues(&r)
	if err != nil {
		return err
	}
	n, err := t.w.exec(q.setResult, append(values, t.head.ID, callID)...)
	if err != nil {
		return err
	} else if n > 0 {
		return t.keepContents(r.Shown)
	}
	var calls int
	if _, err := t.w.one(func(scan scanner) error { return scan(&calls) }, q.callHas, t.head.ID, callID); err != nil {
		return err
	}
	if calls == 0 {
		return store.ErrNotFound
	}
	return fmt.Errorf("store: refused: call %q already has its result", callID)
}

func (t *tx) AddClarification(c chat.Clarification) error {
	question, err := toJSON(c.Question)
	if err != nil {
		return err
	}
	answer, err := jsonValue(c.Answer)
	if err != nil {
		return err
	}
	ref := &t.head.Ref
	c.ConversationID, c.Ref = t.head.ID, *ref
	decisions, err := decisionsValue(c.Decisions)
	if err != nil {
		return err
	}
	escalated, err := escalatedValue(c.Escalated)
	if err != nil {
		return err
	}
	by, via, as := byValues(c.AnsweredBy)
	question = t.db.seal(&c, question)
	d := describe(&c)
	err = t.w.later(q.insertClarification, c.ID, t.head.ID, ref.Tenant, ref.Subject, ref.App, ref.ChatID, c.TurnID,
		c.ToolCallID, c.ToolName, c.Arguments, question, c.Number, c.Max, string(c.State), answer, c.Remembered,
		c.AskedFence, c.DoneFence, toMillis(c.AskedAt), toMillis(c.AnsweredAt), toMillis(c.ExpiresAt), by, via, nil,
		c.Asker, c.For, toMillis(c.SeenAt), c.Model, d.marks, as, decisions, amendedFence(&c),
		toMillis(c.WaitedAt), c.WithdrawAfter.Milliseconds(), strings.Join(c.NotTold, " "), escalated, escalateAt(&c), 0, string(c.Question.Kind), d.template, d.shape, d.took, d.choice)
	if err != nil || c.State != tools.StatePending {
		return err
	}
	return t.asked.alsoAsk(&c)
}

func (t *tx) Remembered() ([]chat.Clarification, error) {
	var all []keptClarification
	err := t.w.each(appendTo(&all, t.db.scanClarification), q.remembered, t.head.ID)
	return inOrder(genuine(all)), err
}

func (t *tx) SaveFit(w chat.Fit) error {
	return t.w.later(q.saveFit, t.head.ID, w.Model, w.Settings, w.From, w.MaxBytes, w.PerMille, w.StateFrom, w.Prefix)
}

func (t *tx) Queue() ([]chat.Queued, error) {
	if t.head.queued == 0 {
		return nil, t.w.usable()
	}
	var list []chat.Queued
	if err := t.w.each(readable(&t.db.unreadables, &list, scanQueuedIn(t.head.ID)), q.queue, t.head.ID); err != nil {
		return nil, err
	}
	return list, nil
}

func (t *tx) Enqueue(m chat.Queued) error {
	files, err := filesValue(m.Files)
	if err != nil {
		return err
	}
	t.head.queued++
	return t.w.later(q.enqueue, t.head.ID, t.head.ID, m.ID, m.Content, m.Language, m.Interactive, m.IdempotencyKey,
		toMillis(m.CreatedAt), files, m.ClientID)
}

func (t *tx) Dequeue(messageID string) error {
	err := t.w.change(q.dequeue, t.head.ID, messageID)
	if err == nil {
		t.head.queued--
	}
	return err
}

func (t *tx) PutFirst(messageID string) error {
	return t.w.change(q.putFirst, t.head.ID, t.head.ID, messageID)
}

// newConversationID begins with the time, so that the rows of new chats, which are ordered by it,
// go to the same few pages. It is short because each row of a chat has it; 50 random bits are
// enough for the chats of one millisecond.
func newConversationID(now time.Time) string {
	return fmt.Sprintf("cnv_%012x%s", now.UnixMilli(), strings.ToLower(rand.Text()[:10]))
}
