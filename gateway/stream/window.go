package stream

import (
	"sort"

	"github.com/askgate/askgate/gateway/chat"
)

// maxLog is how many bytes one chat's log keeps: some 40,000 chunks. A follower that is further
// behind is dropped.
const maxLog = 4 << 20

// window is the newest events of one chat, without a gap.
type window struct {
	last chat.EventID
	Events
	known bool         // floor and last are set
	floor chat.EventID // all events after this one are here
}

// add appends a batch that follows.
func (w *window) add(b Batch) {
	w.append(b.Events)
	w.marks[len(w.marks)-1].done = b.End
	w.last = b.Last
	if len(w.Frames) > maxLog {
		w.trim()
	}
}

// trim drops the older half.
func (w *window) trim() {
	i := sort.Search(len(w.marks), func(i int) bool { return w.marks[i].end >= w.base+maxLog/2 })
	i = min(i, len(w.marks)-1)
	w.floor = w.marks[i].id
	w.drop(i + 1)
}

// empty drops all events and what they followed.
func (w *window) empty() { *w = window{Events: Events{base: w.end()}} }

// begin drops all events: the next one follows after.
func (w *window) begin(after chat.EventID) {
	*w = window{known: true, floor: after, last: after, Events: Events{base: w.end()}}
}

// fresh returns what is new here in a batch from another node: nothing, all of it, or its end.
// Events of a run that a newer one took over from are not.
func (w *window) fresh(b Batch) (Batch, bool) {
	if !w.known {
		return b, true
	}
	if !w.last.Less(b.Last) || b.First.Fence < w.last.Fence {
		return b, false
	}
	if i := b.behind(w.last); i > 0 {
		b.Events = b.part(i, b.Len())
		b.First, b.After = b.marks[0].id, w.last
	}
	return b, true
}

// follows reports whether a fresh batch leaves no gap.
func (w *window) follows(b Batch) bool { return w.known && !w.last.Less(b.After) }

// batch returns what the window has from an index on, up to the end of a run or until another one
// goes on; to is the index behind it.
func (w *window) batch(from int) (b Batch, to int) {
	b.First, b.After = w.marks[from].id, w.floor
	if from > 0 {
		b.After = w.marks[from-1].id
	}
	for to = from; to < len(w.marks) && w.marks[to].id.Fence == b.First.Fence && !b.End; to++ {
		b.Last, b.End = w.marks[to].id, w.marks[to].done
	}
	b.Events = w.part(from, to)
	return b, to
}

// Whole reports whether the batch has the events that it names, in order, or is a single transient
// event.
func (b *Batch) Whole() bool {
	if b.Transient {
		return b.Len() == 1 && b.marks[0].id == chat.EventID{} && b.First == b.Last
	}
	before := b.After
	for _, m := range b.marks {
		if m.id.Fence != b.First.Fence || !before.Less(m.id) {
			return false
		}
		before = m.id
	}
	return b.Len() > 0 && b.marks[0].id == b.First && before == b.Last
}
