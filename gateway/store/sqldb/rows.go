package sqldb

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

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
		&c.LastEvent.Fence, &c.LastEvent.Seq, &created, &updated, &c.Ephemeral, &c.Asking, &c.Unpublished, &fork,
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

// spansValue returns the stored form of how a step's texts came; "" for the usual way.
func spansValue(spans []int) (string, error) {
	if spans == nil {
		return "", nil
	}
	return toJSON(spans)
}

func readSpans(stored string, m *chat.Message) error {
	if stored == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(stored), &m.Spans); err != nil {
		return &unreadable{"messages", m.ID, "", fmt.Errorf("the spans of its texts: %w", err)}
	}
	return nil
}

// askerValue returns the stored form of the sender of a message without a model; "" for none.
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
		return fmt.Errorf("the sender of message %s is damaged: %w", m.ID, err)
	}
	return nil
}

// resultValues returns the columns of a call's result; fence is nil if there is no result.
func resultValues(r *chat.ToolResult) ([]any, error) {
	if r == nil {
		return []any{nil, 0, "", nil, "", "", ""}, nil
	}
	values := []any{r.Fence, r.Seq, r.Content, nil, "", "", ""}
	if e := r.Error; e != nil {
		values[3], values[4], values[5] = e.Code, e.Message, e.Reason
	}
	if len(r.Shown) == 0 {
		return values, nil
	}
	shown, err := toJSON(r.Shown)
	values[6] = shown
	return values, err
}

func scanCall(scan scanner, message *int64, position *int, c *chat.ToolCall) error {
	var fence sql.NullInt64
	var seq int64
	var content, errMessage, errReason, shown string
	var errCode sql.NullString
	if err := scan(message, position, &c.ID, &c.Name, &c.Arguments, &c.Spoiled, &c.Started, &fence, &seq, &content, &errCode, &errMessage, &errReason, &shown); err != nil {
		return err
	}
	if err := knownArguments(c.Arguments); err != nil {
		return &unreadable{"tool_calls", c.ID, "", err}
	}
	if !fence.Valid {
		return nil
	}
	c.Result = &chat.ToolResult{Content: content, Fence: fence.Int64, Seq: seq}
	if shown != "" {
		if err := json.Unmarshal([]byte(shown), &c.Result.Shown); err != nil {
			return &unreadable{"tool_calls", c.ID, "", fmt.Errorf("the parts of its result: %w", err)}
		}
	}
	if errCode.Valid {
		c.Result.Error = &tools.Error{Code: errCode.String, Message: errMessage, Reason: errReason}
	}
	return nil
}

// byValues returns the columns of who closed a clarification; null and ” if no one did.
func byValues(by *chat.By) (subject, via any, as string) {
	if by == nil {
		return nil, nil, ""
	}
	return by.Subject, string(by.Channel), by.ClientID
}

// keptClarification is a clarification as stored: genuine if its seal fits.
type keptClarification struct {
	chat.Clarification
	genuine bool
	lost    bool // not genuine because this version cannot read it
}

// scanClarification reads clarificationColumns. It does not read the texts of one that is not
// genuine.
func (d *handle) scanClarification(scan scanner, k *keptClarification) error {
	c := &k.Clarification
	var question, as, untold string
	var answer, by, via, draft, decisions, escalated sql.NullString
	var asked, answered, expires, seen, marks, decided, waited, after, escalates int64
	err := scan(&c.ID, &c.ConversationID, &c.Tenant, &c.Subject, &c.App, &c.ChatID, &c.TurnID, &c.ToolCallID, &c.ToolName,
		&c.Arguments, &question, &c.Number, &c.Max, &c.State, &answer, &c.Remembered, &c.AskedFence, &c.DoneFence, &asked, &answered, &expires,
		&by, &via, &draft, &c.Asker, &c.For, &seen, &c.Model, &marks, &as, &decisions, &decided, &waited, &after, &untold, &escalated, &escalates, &c.DeletedFence)
	if err != nil {
		return err
	}
	c.AskedAt, c.AnsweredAt, c.ExpiresAt = fromMillis(asked), fromMillis(answered), fromMillis(expires)
	c.WaitedAt, c.WithdrawAfter = fromMillis(waited), time.Duration(after)*time.Millisecond
	if untold != "" {
		c.NotTold = strings.Fields(untold)
	}
	c.EscalatesAt = fromMillis(escalates)
	c.SeenAt, c.Copied, c.InWords = fromMillis(seen), marks&marksCopied != 0, marks&marksInWords != 0
	if k.genuine = d.fits(c, question); !k.genuine {
		return nil
	}
	if via.Valid {
		c.AnsweredBy = &chat.By{Subject: by.String, Channel: chat.Channel(via.String), ClientID: as}
	}
	if draft.Valid && json.Valid([]byte(draft.String)) { // a damaged draft counts as none
		c.Draft = json.RawMessage(draft.String)
	}
	if err := cmp.Or(readClarification(c, question, answer), scanDecisions(decisions.String, &c.Decisions), scanEscalated(escalated.String, &c.Escalated)); err != nil {
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

// only returns the clarification that was read by its id.
func only(kept []keptClarification, err error) (chat.Clarification, error) {
	switch {
	case err != nil:
		return chat.Clarification{}, err
	case len(kept) > 0 && kept[0].lost:
		return chat.Clarification{}, store.ErrUnreadable
	case len(genuine(kept)) == 0:
		return chat.Clarification{}, store.ErrNotFound
	}
	return kept[0].Clarification, nil
}

// anyLost reports whether this version cannot read some of them.
func anyLost(kept []keptClarification) bool {
	return slices.ContainsFunc(kept, func(k keptClarification) bool { return k.lost })
}

// genuine returns those whose seal fits.
func genuine(kept []keptClarification) []chat.Clarification {
	var list []chat.Clarification
	for i := range kept {
		if kept[i].genuine {
			list = append(list, kept[i].Clarification)
		}
	}
	return list
}

// scanDue is scanClarification without the texts, since many may be due at once.
func (d *handle) scanDue(scan scanner, k *keptClarification) error {
	err := d.scanClarification(scan, k)
	k.Arguments, k.Question, k.Answer, k.Draft = "", tools.Question{Kind: k.Question.Kind}, nil, nil
	return err
}

// inOrder returns the clarifications in the chat's order, each once.
func inOrder(list []chat.Clarification) []chat.Clarification {
	slices.SortFunc(list, func(a, b chat.Clarification) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.ID, b.ID))
	})
	return slices.CompactFunc(list, func(a, b chat.Clarification) bool { return a.ID == b.ID })
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

// filesValue returns the stored form of a message's files; "" for none.
func filesValue(files []chat.SentFile) (string, error) {
	if len(files) == 0 {
		return "", nil
	}
	kept := make([]keptFile, len(files))
	for i, f := range files {
		kept[i] = keptFile{f, f.Sum}
	}
	return toJSON(kept)
}

// keptFile is the stored form of a message's file.
type keptFile struct {
	chat.SentFile
	Sum string `json:"sum,omitempty"`
}

func scanFiles(stored, messageID string, files *[]chat.SentFile) error {
	if stored == "" {
		return nil
	}
	var kept []keptFile
	if err := json.Unmarshal([]byte(stored), &kept); err != nil {
		return fmt.Errorf("the files of message %s are damaged: %w", messageID, err)
	}
	for _, f := range kept {
		f.SentFile.Sum = f.Sum
		*files = append(*files, f.SentFile)
	}
	return nil
}

// keptFork is the stored form of a fork.
type keptFork struct {
	chat.Fork
	TurnID string `json:"turnId"`
	Own    string `json:"own,omitempty"`
	Known  string `json:"known,omitempty"`
}

// forkValue returns the stored form of a fork; "" for none.
func forkValue(f chat.Fork) (string, error) {
	if f == (chat.Fork{}) {
		return "", nil
	}
	return toJSON(keptFork{f, f.TurnID, f.Own, f.Known})
}

func scanFork(stored string, f *chat.Fork) error {
	if stored == "" {
		return nil
	}
	var kept keptFork
	if err := json.Unmarshal([]byte(stored), &kept); err != nil {
		return fmt.Errorf("the fork point of a chat is damaged: %w", err)
	}
	*f, f.TurnID, f.Own, f.Known = kept.Fork, kept.TurnID, kept.Own, kept.Known
	return nil
}
