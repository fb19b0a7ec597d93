package stream

import (
	"bytes"
	"sort"

	"github.com/askgate/askgate/gateway/chat"
)

// maxLog is what one chat's log keeps, in bytes: some 40,000 chunks. A follower
// that is further behind is dropped.
const maxLog = 4 << 20

// window is the newest events of one chat, without a gap.
type window struct {
	known  bool         // floor and last are set
	floor  chat.EventID // all events after this one are here
	last   chat.EventID
	base   int64 // bytes dropped from the front so far
	frames []byte
	spans  []span
}

// span is one batch of the window.
type span struct {
	first, last chat.EventID
	end         int64 // absolute offset behind it
	done        bool
}

// end is the absolute offset behind the newest event.
func (w *window) end() int64 { return w.base + int64(len(w.frames)) }

// add appends a batch that follows on.
func (w *window) add(b Batch) {
	w.frames = append(w.frames, b.Frames...)
	w.spans = append(w.spans, span{b.First, b.Last, w.end(), b.End})
	w.last = b.Last
	if len(w.frames) > maxLog {
		w.trim()
	}
}

// trim drops the older half.
func (w *window) trim() {
	i := sort.Search(len(w.spans), func(i int) bool { return w.spans[i].end >= w.base+maxLog/2 })
	i = min(i, len(w.spans)-1)
	cut := w.spans[i].end - w.base
	w.floor = w.spans[i].last
	w.frames = append(w.frames[:0], w.frames[cut:]...)
	w.spans = append(w.spans[:0], w.spans[i+1:]...)
	w.base += cut
}

// empty drops all events and forgets what they followed on.
func (w *window) empty() { *w = window{base: w.end()} }

// begin drops all events: the next follows on after.
func (w *window) begin(after chat.EventID) {
	*w = window{known: true, floor: after, last: after, base: w.end()}
}

// fresh says what of a batch from another node is new here: nothing, or all of it, or
// its end. Events of a run that a newer one took over from are not.
func (w *window) fresh(b Batch) (Batch, bool) {
	if !w.known {
		return b, true
	}
	if !w.last.Less(b.Last) || b.First.Fence < w.last.Fence {
		return b, false
	}
	if n := w.last.Seq + 1 - b.First.Seq; b.First.Fence == w.last.Fence && n > 0 {
		b.First.Seq += n
		b.Frames = b.Frames[framesEnd(b.Frames, n):]
	}
	return b, true
}

// follows says whether a fresh batch leaves no gap.
func (w *window) follows(b Batch) bool { return w.known && !w.last.Less(b.before()) }

// batch is the one that became the i-th span.
func (w *window) batch(i int) Batch {
	s, start := w.spans[i], w.base
	if i > 0 {
		start = w.spans[i-1].end
	}
	return Batch{First: s.first, Last: s.last, Frames: w.frames[start-w.base : s.end-w.base], End: s.done}
}

// before is the event that the batch follows on.
func (b *Batch) before() chat.EventID {
	if b.First.Seq <= 1 {
		return b.After
	}
	return chat.EventID{Fence: b.First.Fence, Seq: b.First.Seq - 1}
}

// framesEnd is the offset behind the first n frames.
func framesEnd(frames []byte, n int64) (end int) {
	for ; n > 0; n-- {
		i := bytes.Index(frames[end:], []byte("\n\n")) // data is one line, so a blank line ends a frame
		if i < 0 {
			return len(frames)
		}
		end += i + 2
	}
	return end
}
