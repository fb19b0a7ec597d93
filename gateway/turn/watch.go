package turn

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
// something and telling it.
const (
	lookEvery  = time.Second
	lookSeldom = 5 * time.Second
)

// maxMissedRuns bounds how many runs are told again from the store; a viewer that
// missed more begins anew, with a snapshot.
const maxMissedRuns = 50

// errLook says that nothing came from the hub for so long.
var errLook = errors.New("turn: time to look into the store")

// listen waits for events of the hub. doubt says that the store was seen to have more.
func (e *Engine) listen(ctx context.Context, f stream.Follower, doubt bool) (stream.Batch, error) {
	wait := lookEvery
	if e.Hub.Complete() && !doubt {
		if !e.Shared {
			return f.Next(ctx)
		}
		wait = lookSeldom
	}
	soon, cancel := context.WithTimeoutCause(ctx, wait, errLook)
	defer cancel()
	return f.Next(soon)
}

// reaches says whether the hub has everything after from up to a stored event, and
// goes there: the node that stored it may have died before it told it.
func (e *Engine) reaches(ctx context.Context, f stream.Follower, from, stored chat.EventID) bool {
	if !f.Seek(from) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, lookEvery) // it may be on its way
	defer cancel()
	for at := from; at.Less(stored); {
		batch, err := f.Next(ctx)
		if err != nil {
			return false
		}
		at = batch.Last
	}
	return f.Seek(from)
}

// watcher shows the events of a chat from a place on: those of the hub as they come,
// and, where it does not have them, those that the store tells when a step or run of
// another node has ended.
type watcher struct {
	engine   *Engine
	ref      chat.Ref
	follower stream.Follower
	at       chat.EventID // the last event told
	// told is what the viewer knew at that place: nil where it came from the hub, in
	// the middle of a run.
	told *told
	// behind says that the store has more.
	behind bool
	// ahead is what the store had at the last look, and the hub did not tell. It is
	// believed at the second look: between a commit and its events there is a moment.
	ahead chat.EventID
}

// told is what of a chat a viewer knows.
type told struct {
	through int64       // the events of all runs up to this fence
	view    *store.View // and what was stored then; nil: nothing more
}

// next is what comes after what it returned before. ErrGap says that only a snapshot
// can tell how it goes on.
func (w *watcher) next(ctx context.Context) (stream.Batch, error) {
	for {
		if w.behind {
			return w.catchUp(ctx)
		}
		batch, err := w.engine.listen(ctx, w.follower, w.ahead != chat.EventID{})
		switch {
		case err == nil:
			w.at, w.told, w.ahead = batch.Last, nil, chat.EventID{}
			if batch.End {
				w.told = &told{through: batch.Last.Fence}
			}
			return batch, nil
		case errors.Is(err, stream.ErrGap):
			if w.follower.Seek(w.at) {
				continue
			}
		case !errors.Is(err, errLook):
			return stream.Batch{}, err
		}
		if batch, err := w.look(ctx, err); err != nil || len(batch.Frames) > 0 {
			return batch, err
		}
	}
}

// look asks the store for what the hub did not tell; no frames where there is nothing.
func (w *watcher) look(ctx context.Context, why error) (stream.Batch, error) {
	head, _, err := w.engine.Store.Conversation(ctx, w.ref)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return stream.Batch{}, stream.ErrErased
	case errors.Is(err, store.ErrUnavailable):
		return stream.Batch{}, nil // it will be back
	case err != nil:
		return stream.Batch{}, err
	}
	switch {
	case !w.at.Less(head.LastEvent):
		w.ahead = chat.EventID{}
		return stream.Batch{}, nil
	case w.ahead != head.LastEvent && errors.Is(why, errLook):
		w.ahead = head.LastEvent
		return stream.Batch{}, nil
	case w.told == nil || head.LastEvent.Fence-w.told.through > maxMissedRuns:
		return stream.Batch{}, stream.ErrGap
	}
	return w.catchUp(ctx)
}

// catchUp tells what is stored and the viewer does not know, up to the end of a run.
func (w *watcher) catchUp(ctx context.Context) (stream.Batch, error) {
	view, err := w.engine.Store.View(ctx, w.ref)
	if errors.Is(err, store.ErrNotFound) {
		return stream.Batch{}, stream.ErrErased
	} else if err != nil {
		return stream.Batch{}, err
	}
	last := view.Conversation.LastEvent
	batch := stream.Batch{First: w.at, Last: last}
	for fence := w.told.through + 1; fence <= last.Fence && !batch.End; fence++ {
		record, err := w.engine.Store.Run(ctx, view.Conversation.ID, fence)
		if errors.Is(err, store.ErrNotFound) {
			record, err = unfinished(view, fence), nil
		}
		if err != nil {
			return stream.Batch{}, err
		}
		batch.Frames = append(batch.Frames, replay(view, record, w.told.view)...)
		if record.FinishReason != "" {
			batch.Last, batch.End = chat.EventID{Fence: fence, Seq: record.LastSeq}, true
		}
		if batch.End || fence < last.Fence { // of a run that died nothing more comes
			w.told.through = fence
		}
	}
	w.at, w.behind = batch.Last, batch.Last.Less(last)
	if !w.behind {
		w.told.view = view
		w.follower.Seek(last)
	}
	return batch, nil
}
