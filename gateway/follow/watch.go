package follow

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// maxMissedRuns bounds how many runs are read from the store. A viewer that missed more starts over
// with a snapshot.
const maxMissedRuns = 50

// watch shows the events of a chat from a position on: those of the hub as they come and, if the hub
// does not have them, those in the store whenever a step or run of another node has ended.
type watch struct {
	reader   *Reader
	ref      chat.Ref
	id       string // of the conversation
	follower stream.Follower
	seat     *seat
	at       position
}

// watch opens a view of a chat. It must be closed.
func (r *Reader) watch(ref chat.Ref, id string) watch {
	return watch{reader: r, ref: ref, id: id, follower: r.Hub.Follow(id), seat: r.sit(ref, id)}
}

// close ends the view.
func (w *watch) close() {
	w.follower.Close()
	w.seat.leaves()
}

// listen waits for events of the hub. The error errLook says that the store may have others.
func (w *watch) listen(ctx context.Context) (stream.Batch, error) {
	for {
		batch, err := w.follower.Next(w.seat.watching(ctx, w.at.last))
		if !errors.Is(err, errLook) || w.seat.isDue(w.at.last) {
			return batch, err
		}
	}
}

// position is how far a viewer of a chat has come.
type position struct {
	last   chat.EventID // the newest event shown
	runs   int64        // all runs up to this fence have been shown to their end
	behind bool         // the store was read, or has to be, and not all of it has been shown
}

// at returns the position right after an event.
func at(id chat.EventID) position { return position{last: id, runs: id.Fence - 1} }

// next returns what follows the events that it returned before. The error stream.ErrGap says that
// only a snapshot can show how the chat goes on.
func (w *watch) next(ctx context.Context) (stream.Batch, error) {
	for {
		if w.at.behind {
			if batch, err := w.catchUp(ctx); err != nil || batch.Len() > 0 {
				return batch, err
			}
			continue
		}
		batch, err := w.listen(ctx)
		switch {
		case err == nil && batch.Transient:
			return batch, nil
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

// hubReaches reports whether the hub has everything between from and a stored event, and seeks from.
// The hub may lack events because the node that stored them died before it published them.
func (w *watch) hubReaches(ctx context.Context, from, stored chat.EventID) bool {
	if !w.follower.Seek(from) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, lookEvery) // the event may be on its way
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

// reaches reports whether the hub or the store has what comes after the viewer's position. For a
// viewer who has all that is stored, or gets the rest from the hub, only the head is read.
func (w *watch) reaches(ctx context.Context) (bool, error) {
	head, newest, err := w.reader.Store.Conversation(ctx, w.ref)
	if err != nil {
		return false, err
	}
	from := w.at.last
	return from != head.LastEvent && w.hubReaches(ctx, from, head.LastEvent) || w.storeReaches(ctx, head, newest), nil
}

// storeReaches reports whether the store has what comes after the viewer's position, or will have
// it.
func (w *watch) storeReaches(ctx context.Context, head *chat.Conversation, newest *chat.Turn) bool {
	last := head.LastEvent
	w.follower.Seek(w.at.last)
	switch {
	case w.at.last == last:
		return true
	case last.Less(w.at.last): // in the middle of a text
		return w.at.last.Fence == last.Fence && chat.StatusOf(newest) == chat.StatusRunning
	case last.Fence-w.at.runs > maxMissedRuns:
		return false
	}
	w.at.behind = true
	_, err := w.missed(ctx)
	return err == nil
}

// look checks whether the store has events that the hub has not published.
func (w *watch) look(ctx context.Context) error {
	head, _, err := w.reader.Store.Conversation(ctx, w.ref)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return stream.ErrErased
	case errors.Is(err, store.ErrUnavailable):
		return nil // the store will be back
	case err != nil:
		return err
	case head.ID != w.id: // another one has its name now
		return stream.ErrErased
	}
	if w.at.behind = w.at.last.Less(head.LastEvent); w.at.behind && head.LastEvent.Fence-w.at.runs > maxMissedRuns {
		return stream.ErrGap
	}
	return nil
}

// maxReplay bounds how many bytes are read from the store at a time. A viewer that missed more
// starts over with a snapshot.
const maxReplay = maxText

// missed reads the runs that the viewer has not seen, up to the first one whose end is stored.
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

// catchUp returns the stored events that the viewer has not seen, up to the end of a run.
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
		case err == nil && last.Less(ended): // it ended after the view was read: use only how it began
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
		if batch.End || fence < last.Fence { // a run that died has no further events
			at.runs = fence
		}
	}
	at.last, at.behind = batch.Last, batch.Last.Less(last)
	if !at.behind {
		w.follower.Seek(last)
	}
	return batch, nil
}
