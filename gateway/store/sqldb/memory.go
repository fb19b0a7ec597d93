package sqldb

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

func scanMemory(scan scanner, m *chat.Memory) error {
	var answer sql.NullString
	var updated, expires int64
	if err := scan(&m.ID, &m.Tenant, &m.Subject, &m.App, &m.Key, &m.Of, &m.Text, &m.Said, &answer, &m.Silent, &updated, &expires); err != nil {
		return err
	}
	m.UpdatedAt, m.ExpiresAt = fromMillis(updated), fromMillis(expires)
	if answer.Valid {
		m.Answer = new(chat.RememberedAnswer)
		if err := json.Unmarshal([]byte(answer.String), m.Answer); err != nil {
			return &unreadable{"memory", m.ID, "", fmt.Errorf("its answer: %w", err)}
		}
	}
	return nil
}

func memoryValues(m *chat.Memory) ([]any, error) {
	answer, err := jsonValue(m.Answer)
	return []any{m.ID, m.Tenant, m.Subject, m.App, m.Key, m.Of, m.Text, m.Said, answer, m.Silent, toMillis(m.UpdatedAt), toMillis(m.ExpiresAt), m.Answer == nil}, err
}

// Memories implements store.Keeper.
func (d *Memory) Memories(ctx context.Context, tenant, subject, app string) ([]chat.Memory, error) {
	var list []chat.Memory
	err := d.h.read(ctx, func(s session) error {
		list = nil
		return s.each(rows(readable(&d.h.unreadables, &list, scanMemory), q.memories, tenant, subject, app, toMillis(d.h.Now())))
	})
	return list, err
}

// MemoryPage implements store.Keeper. A page has 1 to maxPage items, whatever Limit says.
func (d *Memory) MemoryPage(ctx context.Context, tenant, subject, app string, page store.Page) ([]chat.Memory, string, error) {
	return paged(ctx, d.h, cursorList("memory", tenant, subject, app), page, scanMemory, func(after *place) listed {
		args := []any{tenant, subject, app == "", app, toMillis(d.h.Now())}
		if after == nil {
			return listed{q.memoryPage, q.memoryPageSizes, args}
		}
		return listed{q.memoryPageAfter, q.memoryPageAfterSizes, append(args, after.millis, after.id)}
	}, func(m *chat.Memory) place { return place{millis: toMillis(m.UpdatedAt), id: m.ID} })
}

// SaveMemory implements store.Keeper.
func (d *Memory) SaveMemory(ctx context.Context, m chat.Memory, most int) error {
	if m.Answer != nil || m.Of != "" {
		return fmt.Errorf("store: refused: memory %q is an answer, not words", m.Key)
	}
	values, err := memoryValues(&m)
	if err != nil {
		return err
	}
	return d.h.write(ctx, false, func(s session) error {
		if m.ConversationID != "" { // keeps the chat until this commits: otherwise an erasure of the person could miss what is saved here
			if err := must(one(s, func(scan scanner) error { return scan(new(string)) }, q.lockChat, m.ConversationID)); err != nil {
				return d.h.fail(err)
			}
		}
		// Lock what the person has, so that two concurrent additions do not both see room.
		err := s.each(rows(func(scan scanner) error { return scan(new(string)) }, q.lockMemories, m.Tenant, m.Subject, m.App))
		if err == nil {
			_, err = s.exec(q.saveMemory, values...)
		}
		kept := 0
		if err == nil {
			_, err = one(s, func(scan scanner) error { return scan(&kept) }, q.countMemories, m.Tenant, m.Subject, m.App)
		}
		if err == nil && kept > most {
			return store.ErrFull
		}
		return d.h.fail(err)
	})
}

// EditMemory implements store.Keeper.
func (d *Memory) EditMemory(ctx context.Context, tenant, subject, id, text string, at time.Time) (m chat.Memory, err error) {
	err = d.h.write(ctx, false, func(s session) error {
		n, err := s.exec(q.editMemory, text, text, toMillis(at), id, tenant, subject, toMillis(d.h.Now()))
		if err == nil && n == 0 {
			return store.ErrNotFound
		}
		if err == nil {
			err = must(one(s, func(scan scanner) error { return d.h.needed(scanMemory(scan, &m)) }, q.memory, id))
		}
		return d.h.fail(err)
	})
	return m, err
}

// DeleteMemory implements store.Keeper.
func (d *Memory) DeleteMemory(ctx context.Context, tenant, subject, id string) error {
	n, err := d.h.deleted(ctx, q.deleteMemory, id, tenant, subject)
	return must(n > 0, err)
}

// DeleteMemories implements store.Keeper.
func (d *Memory) DeleteMemories(ctx context.Context, tenant, subject, app string) (int64, error) {
	return d.h.deleted(ctx, q.deleteMemories, tenant, subject, app == "", app)
}

// ForgetKey implements store.Keeper.
func (d *Memory) ForgetKey(ctx context.Context, tenant, subject, app, key string) (int64, error) {
	return d.h.deleted(ctx, q.forgetKey, tenant, subject, app, key)
}

// deleted runs a statement that deletes without leaving traces.
func (d *handle) deleted(ctx context.Context, query string, args ...any) (n int64, err error) {
	err = d.write(ctx, false, func(s session) error {
		n, err = s.exec(query, args...)
		return d.fail(err)
	})
	if err == nil && n > 0 {
		d.database.erased(ctx)
	}
	return n, err
}

// DropMemories implements store.Keeper.
func (d *Memory) DropMemories(ctx context.Context, before time.Time) error {
	return d.h.write(ctx, true, func(s session) error {
		_, err := s.exec(q.dropMemories, toMillis(before))
		return d.h.fail(err)
	})
}

// ChatsOf implements store.Eraser.
func (d *Memory) ChatsOf(ctx context.Context, tenant, subject string, limit int) ([]chat.Ref, error) {
	return list(ctx, d.h, scanRef, q.chatsOf, tenant, subject, pageLimit(limit))
}

// EraseTraces implements store.Eraser.
func (d *Memory) EraseTraces(ctx context.Context, tenant, subject string) (memories int64, err error) {
	err = d.h.write(ctx, false, func(s session) error {
		memories, err = s.exec(q.deleteMemories, tenant, subject, true, "")
		if err == nil {
			_, err = s.exec(q.eraseMeters, store.Principal(tenant, subject))
		}
		if err == nil {
			_, err = s.exec(q.eraseNews, tenant, subject)
		}
		if err == nil {
			_, err = s.exec(q.eraseUnsent, tenant, chat.UnsentSubject(subject))
		}
		if err == nil {
			_, err = s.exec(q.eraseCallers, tenant, subject)
		}
		if err == nil {
			_, err = s.exec(q.eraseNotices, subject, tenant)
		}
		if err == nil {
			_, err = s.exec(q.dropAddress, tenant, subject)
		}
		if err == nil {
			_, err = s.exec(q.eraseStored, tenant, subject, tenant, subject)
		}
		return d.h.fail(err)
	})
	if err == nil {
		d.h.database.erased(ctx)
	}
	return memories, err
}

func (t *tx) Remember(m chat.Memory) error {
	if m.Answer == nil || m.Of == "" {
		return fmt.Errorf("store: refused: memory %q is not an answer", m.Key)
	}
	ref := &t.head.Ref
	m.Tenant, m.Subject, m.App = ref.Tenant, ref.Subject, ref.App
	values, err := memoryValues(&m)
	if err != nil {
		return err
	}
	if err := t.w.later(q.saveMemory, values...); err != nil {
		return err
	}
	return t.w.later(q.trimMemories, ref.Tenant, ref.Subject, ref.App, chat.MaxMemories)
}
