package turn

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// attendEvery is how often it is stored that an asker waits: three times within the minute in which
// it counts as waiting. A question that is withdrawn sooner is stored more often.
const attendEvery = 20 * time.Second

// Attend stores that the asker of a program's question waits for it, now and from time to time, until
// left is called, which must be. gone says that the wait ended without an answer: left then stores
// when that was. If the store is away, the next time counts.
func (e *Engine) Attend(ctx context.Context, c *chat.Clarification) (left func(gone bool)) {
	id, every := c.ID, attendEvery
	if c.WithdrawAfter > 0 {
		every = min(every, c.WithdrawAfter/4)
	}
	save := func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, every)
		defer cancel()
		_ = e.Store.Due().SaveWaited(ctx, id, e.Store.Now())
	}
	if e.Store.Now().Sub(c.WaitedAt) >= every {
		save(ctx)
	}
	ctx = context.WithoutCancel(ctx) // it is still to be stored when the asker left
	beats, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-beats.Done():
				return
			case <-tick.C:
				save(beats)
			}
		}
	}()
	return func(gone bool) {
		stop()
		<-done
		if gone {
			save(ctx)
		}
	}
}
