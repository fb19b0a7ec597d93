package sqldb

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// scanner reads one row into pointers.
type scanner func(dest ...any) error

// toMillis is the stored form of a time: milliseconds since 1970, 0 for none.
func toMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// toJSON does not escape <, > and &, so that raw values come back byte for byte.
func toJSON(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", fmt.Errorf("store: cannot be kept as JSON: %w", err)
	}
	return b.String(), nil
}

// refBefore reads a row that begins with refColumns.
func refBefore(scan scanner, r *chat.Ref) scanner {
	return func(dest ...any) error {
		return scan(append([]any{&r.Tenant, &r.Subject, &r.App, &r.ChatID}, dest...)...)
	}
}

// scanConversation reads headColumns, and more columns after them.
func scanConversation(scan scanner, c *chat.Conversation, more ...any) error {
	var created, updated, written int64
	var fork string
	dest := append(make([]any, 0, 32), &c.ID, &c.Language, &c.Fence,
		&c.LastEvent.Fence, &c.LastEvent.Seq, &created, &updated, &c.Passing, &c.Asking, &c.Untold, &fork,
		&c.Title, &c.TitleBy, &c.Root, &written, &c.UsedWith, &c.Coded, &c.Lasting)
	if err := scan(append(dest, more...)...); err != nil {
		return err
	}
	c.CreatedAt, c.UpdatedAt, c.WrittenAt = fromMillis(created), fromMillis(updated), fromMillis(written)
	if err := scanFork(fork, &c.Fork); err != nil {
		return &unreadable{"conversations", c.ID, c.ID, err}
	}
	return nil
}

// scanHead reads a row of q.head.
func scanHead(scan scanner, h *headRow) error {
	t := &h.turn
	var started, ended int64
	failed := scanConversation(scan, &h.Conversation, &h.queued, &t.ID, &t.State, &t.Language, &t.Interactive, &t.Steps,
		&t.FinishReason, &t.Usage.InputTokens, &t.Usage.OutputTokens, &t.Usage.CachedInputTokens, &t.Usage.ReasoningTokens, &t.LeaseOwner, &started, &ended)
	if _, lost := failed.(*unreadable); failed != nil && !lost { //nolint:errorlint // it is not wrapped here
		return failed
	}
	if t.ID != "" {
		t.ConversationID = h.ID
		t.StartedAt, t.EndedAt = fromMillis(started), fromMillis(ended)
		if err := known("turn's state", t.State, chat.TurnRunning, chat.TurnPaused, chat.TurnEnded); err != nil {
			return &unreadable{"conversations", h.ID, h.ID, err}
		}
	}
	return failed
}

// newest is a copy of the newest turn, nil before the first.
func (h *headRow) newest() *chat.Turn {
	if h.turn.ID == "" {
		return nil
	}
	t := h.turn
	return &t
}

// values is the columns of a head in the order of q.insertHead and q.updateHead.
func (h *headRow) values() []any {
	t := &h.turn
	return append(make([]any, 0, 36), h.Language, h.Fence, h.LastEvent.Fence, h.LastEvent.Seq, toMillis(h.CreatedAt),
		toMillis(h.UpdatedAt), h.Passing, h.Asking, h.Untold, h.Title, string(h.TitleBy), toMillis(h.WrittenAt), h.UsedWith, h.Coded, h.Lasting, h.queued, t.ID, string(t.State), t.Language, t.Interactive, t.Steps, string(t.FinishReason),
		t.Usage.InputTokens, t.Usage.OutputTokens, t.Usage.CachedInputTokens, t.Usage.ReasoningTokens, t.LeaseOwner, toMillis(t.StartedAt), toMillis(t.EndedAt),
		h.Tenant, h.Subject, h.App, h.ChatID)
}

// scanRun reads a row of q.run, and more columns before it.
func scanRun(scan scanner, r *chat.Run, before ...any) error {
	var failure sql.NullString
	var started, ended int64
	if err := scan(append(before, &r.TurnID, &r.Resumed, &r.Discards, &r.FinishReason, &failure, &r.Usage.InputTokens, &r.Usage.OutputTokens,
		&r.Usage.CachedInputTokens, &r.Usage.ReasoningTokens, &r.LastSeq, &started, &ended, &r.Delivered)...); err != nil {
		return err
	}
	if failure.Valid {
		if err := json.Unmarshal([]byte(failure.String), &r.Failure); err != nil {
			return &unreadable{"runs", fmt.Sprintf("%s/%d", r.ConversationID, r.Fence), r.ConversationID, fmt.Errorf("its failure: %w", err)}
		}
	}
	r.StartedAt, r.EndedAt = fromMillis(started), fromMillis(ended)
	return nil
}

// scanMessage reads messageColumns, and more columns after them.
func scanMessage(scan scanner, position *int64, m *chat.Message, more ...any) error {
	var created int64
	var asker, files string
	dest := append(make([]any, 0, 12), position, &m.ID, &m.TurnID, &m.Fence, &m.Role, &m.Content, &created, &asker, &m.ClarificationID, &files)
	if err := scan(append(dest, more...)...); err != nil {
		return err
	}
	m.CreatedAt = fromMillis(created)
	err := errors.Join(scanFiles(files, m.ID, &m.Files), scanAsker(asker, m), known("role", m.Role, chat.RoleUser, chat.RoleAssistant))
	if err != nil {
		return &unreadable{"messages", m.ID, "", err}
	}
	return nil
}

// askerValue is the stored form of who sent a message without a model; "" for none.
func askerValue(by *tools.Asker) (string, error) {
	if by == nil {
		return "", nil
	}
	return toJSON(by)
}

func scanAsker(stored string, m *chat.Message) error {
	if stored == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(stored), &m.AskedBy); err != nil {
		return fmt.Errorf("who sent message %s is damaged: %w", m.ID, err)
	}
	return nil
}

// resultValues is the columns of a call's result, of which fence is nil where there is none.
func resultValues(r *chat.ToolResult) ([]any, error) {
	if r == nil {
		return []any{nil, "", nil, "", "", ""}, nil
	}
	values := []any{r.Fence, r.Content, nil, "", "", ""}
	if e := r.Error; e != nil {
		values[2], values[3], values[4] = e.Code, e.Message, e.Reason
	}
	if len(r.Shown) == 0 {
		return values, nil
	}
	shown, err := toJSON(r.Shown)
	values[5] = shown
	return values, err
}

func scanCall(scan scanner, message *int64, position *int, c *chat.ToolCall) error {
	var fence sql.NullInt64
	var content, errMessage, errReason, shown string
	var errCode sql.NullString
	if err := scan(message, position, &c.ID, &c.Name, &c.Arguments, &c.Spoiled, &c.Started, &fence, &content, &errCode, &errMessage, &errReason, &shown); err != nil {
		return err
	}
	if err := knownArguments(c.Arguments); err != nil {
		return &unreadable{"tool_calls", c.ID, "", err}
	}
	if !fence.Valid {
		return nil
	}
	c.Result = &chat.ToolResult{Content: content, Fence: fence.Int64}
	if shown != "" {
		if err := json.Unmarshal([]byte(shown), &c.Result.Shown); err != nil {
			return &unreadable{"tool_calls", c.ID, "", fmt.Errorf("what its result shows: %w", err)}
		}
	}
	if errCode.Valid {
		c.Result.Error = &tools.Error{Code: errCode.String, Message: errMessage, Reason: errReason}
	}
	return nil
}

// jsonValue is the stored form of an optional value: JSON, or null for nil.
func jsonValue[T any](v *T) (any, error) {
	if v == nil {
		return nil, nil
	}
	return toJSON(v)
}

// byValues is the columns of who closed a clarification, null and ” where nobody did.
func byValues(by *chat.By) (subject, via any, as string) {
	if by == nil {
		return nil, nil, ""
	}
	return by.Subject, string(by.Channel), by.ClientID
}

// keptClarification is one as the store keeps it: genuine if its seal fits.
type keptClarification struct {
	chat.Clarification
	genuine bool
	lost    bool // not genuine, because this version cannot read it
}

// scanClarification reads clarificationColumns. Of what is not genuine, texts are not read.
func (d *handle) scanClarification(scan scanner, k *keptClarification) error {
	c := &k.Clarification
	var question, as string
	var answer, by, via, draft sql.NullString
	var asked, answered, expires, seen, marks int64
	err := scan(&c.ID, &c.ConversationID, &c.Tenant, &c.Subject, &c.App, &c.ChatID, &c.TurnID, &c.ToolCallID, &c.ToolName,
		&c.Arguments, &question, &c.Number, &c.Max, &c.State, &answer, &c.Remembered, &c.AskedFence, &c.DoneFence, &asked, &answered, &expires,
		&by, &via, &draft, &c.Asker, &c.For, &seen, &c.Model, &marks, &as)
	if err != nil {
		return err
	}
	c.AskedAt, c.AnsweredAt, c.ExpiresAt = fromMillis(asked), fromMillis(answered), fromMillis(expires)
	c.SeenAt, c.Copied, c.InWords = fromMillis(seen), marks&marksCopied != 0, marks&marksInWords != 0
	if k.genuine = d.fits(c, question); !k.genuine {
		return nil
	}
	if via.Valid {
		c.AnsweredBy = &chat.By{Subject: by.String, Channel: chat.Channel(via.String), ClientID: as}
	}
	if draft.Valid && json.Valid([]byte(draft.String)) { // a damaged one is as good as none
		c.Draft = json.RawMessage(draft.String)
	}
	if err := readClarification(c, question, answer); err != nil {
		k.genuine = false
		k.lost, err = d.spared(&unreadable{"clarifications", c.ID, c.ConversationID, err})
		return err
	}
	return nil
}

// readClarification reads the texts of a clarification.
func readClarification(c *chat.Clarification, question string, answer sql.NullString) error {
	if err := knownArguments(c.Arguments); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(question), &c.Question); err != nil {
		return fmt.Errorf("its question: %w", err)
	}
	if answer.Valid {
		c.Answer = new(tools.Answer)
		if err := json.Unmarshal([]byte(answer.String), c.Answer); err != nil {
			return fmt.Errorf("its answer: %w", err)
		}
	}
	return knownClarification(c)
}

// scanQueuedIn reads a message of a conversation's queue.
func scanQueuedIn(conversationID string) func(scan scanner, m *chat.Queued) error {
	return func(scan scanner, m *chat.Queued) error { return in(conversationID, scanQueued(scan, m)) }
}

func scanQueued(scan scanner, m *chat.Queued) error {
	var created int64
	var files string
	if err := scan(&m.ID, &m.Content, &m.Language, &m.Interactive, &m.IdempotencyKey, &created, &files, &m.ClientID); err != nil {
		return err
	}
	m.CreatedAt = fromMillis(created)
	if err := scanFiles(files, m.ID, &m.Files); err != nil {
		return &unreadable{"queue", m.ID, "", err}
	}
	return nil
}

func scanRef(scan scanner, r *chat.Ref) error { return scan(&r.Tenant, &r.Subject, &r.App, &r.ChatID) }
