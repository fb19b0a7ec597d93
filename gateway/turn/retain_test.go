package turn_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// damaged is a store with chats that cannot be deleted.
type damaged struct{ store.Store }

func (d damaged) Delete(ctx context.Context, ref chat.Ref, before time.Time, records ...chat.AuditRecord) error {
	if strings.HasPrefix(ref.ChatID, "damaged") {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, errors.New("a row cannot be read"))
	}
	return d.Store.Delete(ctx, ref, before, records...)
}

// However many chats cannot be deleted, the retention of the others continues; the log reports them
// once per sweep.
func TestAChatThatCannotBeDeletedDoesNotKeepTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const stuck = 201 // more than are handled in one go
		h := buildApp(t, `"retention": "10m"`, func(s store.Store) store.Store { return damaged{s} })
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for i := range stuck {
			h.model.steps = append(h.model.steps, says("hello"))
			c := h.in(fmt.Sprint("damaged", i))
			c.drive(c.message("hi"))
		}
		time.Sleep(time.Second)
		h.model.steps = append(h.model.steps, says("hello"))
		h.drive(h.message("hi")) // the newest
		time.Sleep(10 * time.Minute)
		go h.engine.Sweep(ctx)
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if _, err := h.store.View(ctx, h.ref); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the chat after them: %v", err)
		}
		if _, err := h.store.View(ctx, h.in("damaged0").ref); err != nil {
			t.Error(err)
		}
		if n := strings.Count(h.log.String(), "cannot delete some old chats"); n != 1 || !strings.Contains(h.log.String(), fmt.Sprint("chats=", stuck)) {
			t.Errorf("logged %d times: %s", n, h.log)
		}
	})
}
