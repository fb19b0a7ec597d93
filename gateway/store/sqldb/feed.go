package sqldb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// maxNews is how many news one transaction can have: more than it has calls. Half of them are for the
// further roles of a deleted chat's questions.
const maxNews = 1 << 12

func (t *tx) AddNews(n chat.News) error {
	if t.news == maxNews {
		return fmt.Errorf("store: refused: more than %d news in one update", maxNews)
	}
	if n.Type == chat.EventDone { // SaveRun has numbered the run
		return cmp.Or(t.hooks(&n), storeNotices(t, &n))
	}
	ref := &t.head.Ref
	at := n.At
	if at.IsZero() {
		at = t.db.Now()
	}
	err := t.w.later(q.insertNews, t.db.atNow(t.news, toMillis(at), ref.Tenant, ref.Subject, ref.App, ref.ChatID, t.head.ID,
		n.Role, n.Asker, string(n.Type), n.ClarificationID, n.TurnID, n.MessageID, string(n.FinishReason),
		n.Usage.InputTokens, n.Usage.OutputTokens, n.Usage.CachedInputTokens, n.Usage.ReasoningTokens)...)
	t.news++
	if err != nil {
		return err
	}
	return cmp.Or(t.hooks(&n), storeNotices(t, &n))
}

// scanNews reads id, newsColumns, and more columns after them.
func scanNews(scan scanner, n *chat.News, more ...any) error {
	var at int64
	err := scan(append([]any{&n.ID, &at, &n.Tenant, &n.Subject, &n.App, &n.ChatID, &n.ConversationID, &n.Role, &n.Asker, &n.Type,
		&n.ClarificationID, &n.TurnID, &n.MessageID, &n.FinishReason, &n.Usage.InputTokens, &n.Usage.OutputTokens,
		&n.Usage.CachedInputTokens, &n.Usage.ReasoningTokens}, more...)...)
	n.At = fromMillis(at)
	return err
}

// newsLife is store.NewsLife in ms.
const newsLife = int64(store.NewsLife / time.Millisecond)

// scanEnd reads endColumns, and more columns after them.
func scanEnd(scan scanner, n *chat.News, more ...any) error {
	var at int64
	err := scan(append([]any{&n.ID, &at, &n.Tenant, &n.Subject, &n.App, &n.ChatID, &n.ConversationID, &n.TurnID, &n.FinishReason,
		&n.Usage.InputTokens, &n.Usage.OutputTokens, &n.Usage.CachedInputTokens, &n.Usage.ReasoningTokens}, more...)...)
	n.Type, n.At = chat.EventDone, fromMillis(at)
	return err
}

// News implements store.Feed. It returns 1 to maxPage news, whatever limit says, in one snapshot:
// otherwise the bound could move between two queries, and the first would miss some.
func (d *Feed) News(ctx context.Context, tenant, subject string, roles []string, after int64, limit int) ([]chat.News, error) {
	limit = pageLimit(limit)
	var found []chat.News
	err := d.h.snapshot(ctx, func(s session) error {
		found = nil
		row := appendTo(&found, func(scan scanner, n *chat.News) error { return scanNews(scan, n) })
		queries := []query{
			rows(row, q.newsOfSubject, tenant, subject, after, limit),
			rows(row, q.newsOfAsker, tenant, subject, after, limit),
			rows(appendTo(&found, func(scan scanner, n *chat.News) error { return scanEnd(scan, n) }), q.endsOfSubject,
				d.h.atNow(tenant, subject, newsLife, after, newsLife, limit)...),
		}
		for _, role := range roles {
			queries = append(queries, rows(row, q.newsOfRole, tenant, role, after, limit))
		}
		return s.each(queries...)
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b chat.News) int { return cmp.Compare(a.ID, b.ID) })
	found = slices.CompactFunc(found, func(a, b chat.News) bool { return a.ID == b.ID })
	return found[:min(len(found), limit)], nil
}

// AllNews implements store.Feed. It returns 1 to maxPage news, whatever limit says.
func (d *Feed) AllNews(ctx context.Context, after int64, limit int) (news []chat.News, later bool, err error) {
	limit = pageLimit(limit)
	type item struct {
		chat.News
		settled bool
	}
	var found []item
	err = d.h.snapshot(ctx, func(s session) error {
		found = nil
		return s.each(
			rows(appendTo(&found, func(scan scanner, i *item) error { return scanNews(scan, &i.News, &i.settled) }), q.allNews, after, limit),
			rows(appendTo(&found, func(scan scanner, i *item) error { return scanEnd(scan, &i.News, &i.settled) }), q.allEnds, d.h.atNow(after, newsLife, limit)...),
		)
	})
	if err != nil {
		return nil, false, err
	}
	slices.SortFunc(found, func(a, b item) int { return cmp.Compare(a.ID, b.ID) })
	for _, i := range found[:min(len(found), limit)] {
		if !i.settled {
			return news, true, nil
		}
		news = append(news, i.News)
	}
	return news, false, nil
}

// NewsHead implements store.Feed.
func (d *Feed) NewsHead(ctx context.Context) (head int64, err error) {
	err = d.h.snapshot(ctx, func(s session) error {
		head = 0
		greatest := func(scan scanner) error {
			var id int64
			err := scan(&id)
			head = max(head, id)
			return err
		}
		return s.each(rows(greatest, q.newsHead), rows(greatest, q.lastEnd))
	})
	return head, err
}

// Message implements store.Feed.
func (d *DB) Message(ctx context.Context, conversationID, id string) (m chat.Message, err error) {
	err = d.h.snapshot(ctx, func(s session) error {
		m = chat.Message{}
		var position int64
		said, err := one(s, func(scan scanner) error { return d.h.needed(in(conversationID, scanMessage(scan, &position, &m))) }, q.message, conversationID, id)
		if err != nil || said {
			return err
		}
		return must(one(s, func(scan scanner) error { return d.h.needed(scanDeferred(scan, &m)) }, q.messageDeferred, conversationID, id))
	})
	if err != nil {
		return chat.Message{}, err
	}
	return m, nil
}

// DropNews implements store.Feed. It deletes some at a time, so that others can write meanwhile.
func (d *Feed) DropNews(ctx context.Context, before time.Time) error {
	for {
		var dropped, copied int64
		err := d.h.write(ctx, true, func(s session) (err error) {
			if dropped, err = s.exec(q.dropNews, toMillis(before), maxPage); err == nil {
				copied, err = s.exec(q.dropCopied, toMillis(before), maxPage)
			}
			return d.h.fail(err)
		})
		if err != nil || dropped+copied == 0 {
			return err
		}
	}
}
