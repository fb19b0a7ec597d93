package follow

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// lookEvery is how often the store is asked for what other nodes did, while the hub
// does not tell; and lookSeldom, while it does: a node may die between storing
// something and publishing it.
const (
	lookEvery  = time.Second
	lookSeldom = 5 * time.Second
)

// maxMissedRuns bounds how many runs are made again from the store; a viewer that
// missed more starts over with a snapshot.
const maxMissedRuns = 50

// errLook says that nothing came from the hub for so long.
var errLook = errors.New("follow: time to look into the store")

// listen waits for events of the hub. Transient events put no look into the store off: quiet is
// since when nothing else has come.
func (r *Reader) listen(ctx context.Context, f stream.Follower, quiet time.Time) (stream.Batch, error) {
	wait := lookEvery
	if r.Hub.Complete() {
		if !r.Shared {
			return f.Next(ctx)
		}
		wait = lookSeldom
	}
	soon, cancel := context.WithDeadlineCause(ctx, quiet.Add(wait), errLook)
	defer cancel()
	return f.Next(soon)
}

// watch shows the events of a chat from a position on: those of the hub as they come,
// and, where it does not have them, those that the store shows when a step or run of
// another node has ended.
type watch struct {
	reader   *Reader
	ref      chat.Ref
	follower stream.Follower
	at       position
	quiet    time.Time // since when nothing but transient events has come; zero: since now
}

// position is how far a viewer of a chat has come.
type position struct {
	last   chat.EventID // the newest event shown
	runs   int64        // all runs up to this fence were shown to their end
	behind bool         // the store was read, or has to be, and not all of it was shown
}

// at is the position right after an event.
func at(id chat.EventID) position { return position{last: id, runs: id.Fence - 1} }

// next is what comes after what it returned before. stream.ErrGap says that only a
// snapshot can tell how it goes on.
func (w *watch) next(ctx context.Context) (stream.Batch, error) {
	for {
		if w.at.behind {
			if batch, err := w.catchUp(ctx); err != nil || batch.Len() > 0 {
				return batch, err
			}
			continue
		}
		if w.quiet.IsZero() {
			w.quiet = time.Now()
		}
		batch, err := w.reader.listen(ctx, w.follower, w.quiet)
		if err == nil && batch.Transient {
			return batch, nil
		}
		w.quiet = time.Time{}
		switch {
		case err == nil:
			w.at = at(batch.Last)
			return batch, nil
		case errors.Is(err, stream.ErrGap):
			if w.follower.Seek(w.at.last) {
				continue
			}
		case !errors.Is(err, errLook):
			return stream.Batch{}, err
		}
		if lookErr := w.look(ctx); lookErr != nil {
			return stream.Batch{}, lookErr
		}
		if errors.Is(err, stream.ErrGap) && !w.at.behind { // what is missing is not stored yet
			if err := pause(ctx, lookEvery); err != nil {
				return stream.Batch{}, err
			}
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// hubReaches says whether the hub has everything after from up to a stored event, and
// goes there: the node that stored it may have died before it published it.
func (w *watch) hubReaches(ctx context.Context, from, stored chat.EventID) bool {
	if !w.follower.Seek(from) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, lookEvery) // it may be on its way
	defer cancel()
	for at := from; at.Less(stored); {
		batch, err := w.follower.Next(ctx)
		if err != nil {
			return false
		}
		at = batch.Last
	}
	return w.follower.Seek(from)
}

// storeReaches says whether the store tells what comes after the viewer's position, or will.
func (w *watch) storeReaches(ctx context.Context, view *store.View) bool {
	last := view.Conversation.LastEvent
	w.follower.Seek(w.at.last)
	switch {
	case w.at.last == last:
		return true
	case last.Less(w.at.last): // in the middle of a text
		return w.at.last.Fence == last.Fence && chat.StatusOf(view.Turn) == chat.StatusRunning
	case last.Fence-w.at.runs > maxMissedRuns:
		return false
	}
	w.at.behind = true
	_, err := w.missed(ctx)
	return err == nil
}

// look asks whether the store has what the hub did not publish.
func (w *watch) look(ctx context.Context) error {
	head, _, err := w.reader.Store.Conversation(ctx, w.ref)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return stream.ErrErased
	case errors.Is(err, store.ErrUnavailable):
		return nil // it will be back
	case err != nil:
		return err
	}
	if w.at.behind = w.at.last.Less(head.LastEvent); w.at.behind && head.LastEvent.Fence-w.at.runs > maxMissedRuns {
		return stream.ErrGap
	}
	return nil
}

// maxReplay bounds in bytes what is made again from the store at a time. A viewer that missed more
// starts over with a snapshot.
const maxReplay = maxText

// missed reads the runs that the viewer has not seen, up to the first whose end is stored.
func (w *watch) missed(ctx context.Context) (*store.View, error) {
	head, _, err := w.reader.Store.Conversation(ctx, w.ref)
	if err != nil {
		return nil, err
	}
	through, err := w.reader.Store.NextEnd(ctx, head.ID, w.at.runs)
	if err != nil {
		return nil, err
	}
	view, err := w.reader.Store.ViewRuns(ctx, w.ref, w.at.runs, through, maxReplay)
	if err != nil {
		return nil, err
	}
	return view, w.reader.show(ctx, view, w.at.runs)
}

// catchUp shows what is stored and the viewer has not seen, up to the end of a run.
func (w *watch) catchUp(ctx context.Context) (stream.Batch, error) {
	view, err := w.missed(ctx)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return stream.Batch{}, stream.ErrErased
	case errors.Is(err, store.ErrTooLarge):
		return stream.Batch{}, stream.ErrGap
	case err != nil:
		return stream.Batch{}, err
	}
	at, last := &w.at, view.Conversation.LastEvent
	batch := stream.Batch{First: at.last, Last: last}
	for fence := at.runs + 1; fence <= last.Fence && !batch.End; fence++ {
		record, err := w.reader.Store.Run(ctx, view.Conversation.ID, fence)
		ended := chat.EventID{Fence: fence, Seq: record.LastSeq}
		switch {
		case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrUnreadable):
			record, err = unfinished(view, fence), nil
		case err == nil && last.Less(ended): // after the view was read: how it began counts
			record = chat.Run{Fence: fence, TurnID: record.TurnID, Resumed: record.Resumed, Discards: record.Discards}
		}
		if err != nil {
			return stream.Batch{}, err
		}
		for _, ev := range rows(view, &record).After(at.last) {
			batch.Add(ev.ID, ev.Event)
		}
		if record.FinishReason != "" {
			batch.Last, batch.End = ended, true
		}
		if batch.End || fence < last.Fence { // of a run that died nothing more comes
			at.runs = fence
		}
	}
	at.last, at.behind = batch.Last, batch.Last.Less(last)
	if !at.behind {
		w.follower.Seek(last)
	}
	return batch, nil
}
