package sqldb

import "github.com/askgate/askgate/gateway/chat"

// headRow is a row of conversations.
type headRow struct {
	chat.Conversation
	queued int       // number of waiting messages
	turn   chat.Turn // zero before the first; in a tx as loaded, while fn changes a copy
}

// newest returns a copy of the newest turn, or nil before the first.
func (h *headRow) newest() *chat.Turn {
	if h.turn.ID == "" {
		return nil
	}
	t := h.turn
	return &t
}

// values returns the columns of a head in the order of q.insertHead and q.updateHead.
func (h *headRow) values() []any {
	t := &h.turn
	return append(make([]any, 0, 36), h.Language, h.Fence, h.LastEvent.Fence, h.LastEvent.Seq, toMillis(h.CreatedAt),
		toMillis(h.UpdatedAt), h.Ephemeral, h.Asking, h.Unpublished, h.Title, string(h.TitleBy), toMillis(h.WrittenAt), h.UsedWith, h.Coded, h.Lasting, h.queued, t.ID, string(t.State), t.Language, t.Interactive, t.Steps, string(t.FinishReason),
		t.Usage.InputTokens, t.Usage.OutputTokens, t.Usage.CachedInputTokens, t.Usage.ReasoningTokens, t.LeaseOwner, toMillis(t.StartedAt), toMillis(t.EndedAt),
		h.Tenant, h.Subject, h.App, h.ChatID)
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

// loadHead reads the head, or returns store.ErrNotFound.
func (d *handle) loadHead(s session, ref chat.Ref) (*headRow, error) {
	h := &headRow{Conversation: chat.Conversation{Ref: ref}}
	err := must(one(s, func(scan scanner) error { return d.markHead(scanHead(scan, h), h) },
		q.head, ref.Tenant, ref.Subject, ref.App, ref.ChatID))
	return h, err
}

// markHead marks a head that this version cannot read in full, or whose chat has a row that it
// cannot read.
func (d *handle) markHead(err error, h *headRow) error {
	lost, err := d.spared(err)
	h.Unreadable = lost || d.unreadables.of(h.ID)
	return err
}
