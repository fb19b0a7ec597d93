package stream

import (
	"slices"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
)

// Recorder numbers and encodes the events of one run and passes them on. It is for use by one
// goroutine, the run's.
type Recorder struct {
	log       Log
	sink      Sink   // nil without a client, or after it failed
	head      []byte // the JSON before a piece's text
	events    Events // events that the sink does not have yet
	published int    // how many of them the log has
	last      chat.EventID
	flushed   chat.EventID // the newest that the sink has
	line      []byte       // the line with the id of last, in room
	room      [64]byte     // more than any id takes
}

// NewRecorder records a run with that fence in the chat with that public id. Close closes log; sink
// may be nil.
func NewRecorder(log Log, sink Sink, chatID string, fence int64) *Recorder {
	r := &Recorder{log: log, sink: sink, head: textHead(chatID)}
	r.at(chat.EventID{Fence: fence})
	r.flushed = r.last
	return r
}

// at makes the next id follow id.
func (r *Recorder) at(id chat.EventID) {
	r.last = id
	r.line = append(id.Append(append(r.room[:0], "id: "...)), '\n')
}

// take takes that many numbers. It counts in the line, which costs a third of writing all digits.
func (r *Recorder) take(n int) {
	r.last.Seq += int64(n)
	for i := len(r.line) - len("9\n"); n > 0; i-- {
		n += int(r.line[i] - '0')
		r.line[i] = byte('0' + n%10)
		n /= 10
	}
}

// Chunk records a piece of text, the most frequent event. It does not allocate once the buffer has
// grown. The piece takes a number for each byte.
func (r *Recorder) Chunk(typ chat.EventType, text []byte) {
	r.take(len(text))
	begin := len(r.events.Frames)
	r.events.Frames = appendHead(append(r.events.Frames, r.line...), nil, typ)
	r.events.text(begin, r.last, typ, r.head, text)
}

// Event records any other event.
func (r *Recorder) Event(ev chat.Event) {
	r.take(1)
	r.events.Add(r.last, ev)
}

// Emit records events that already have ids.
func (r *Recorder) Emit(events ...chat.Emitted) {
	for _, ev := range events {
		r.at(ev.ID)
		r.events.Add(ev.ID, ev.Event)
	}
}

// Pass records an event without an id. Viewers who are present when it is published get it in its
// place among the others.
func (r *Recorder) Pass(ev chat.Event) { r.events.AddAs("", ev) }

// Last returns the id of the newest recorded event.
func (r *Recorder) Last() chat.EventID { return r.last }

// Mark is a position to rewind to. Events that announce something durable are recorded first, so
// that their ids can be stored with it, and published after.
type Mark struct {
	last   chat.EventID
	events int
}

// Mark returns the present position.
func (r *Recorder) Mark() Mark { return Mark{r.last, r.events.Len()} }

// Rewind drops what was recorded since m. None of it may have been published.
func (r *Recorder) Rewind(m Mark) {
	r.at(m.last)
	r.events.cut(m.events)
}

// Publish passes to the log what it does not have yet. end says that the last event is the run's
// done event.
func (r *Recorder) Publish(end bool) {
	for from := r.published; from < r.events.Len(); from = r.published {
		to := from
		for to < r.events.Len() && r.events.marks[to].id != (chat.EventID{}) {
			to++
		}
		if to == from {
			r.pass(from)
			continue
		}
		of := r.events.marks[from:to]
		r.log.Append(Batch{First: of[0].id, Last: of[to-from-1].id, After: r.before(from), Events: r.events.part(from, to), End: end && to == r.events.Len()})
		r.published = to
	}
}

// pass publishes the i-th event, which has no id.
func (r *Recorder) pass(i int) {
	after := r.before(i)
	r.log.Append(Batch{First: after, Last: after, Events: r.events.part(i, i+1), Transient: true})
	r.published++
}

// before returns the id of the newest event before the i-th that has one.
func (r *Recorder) before(i int) chat.EventID {
	for _, m := range slices.Backward(r.events.marks[:i]) {
		if m.id != (chat.EventID{}) {
			return m.id
		}
	}
	return r.flushed
}

// Flush publishes the events, and writes them to the sink in one write.
func (r *Recorder) Flush() {
	r.Publish(false)
	if r.sink != nil && r.events.Len() > 0 {
		if err := r.sink.Write(r.events); err != nil {
			r.sink = nil // the client left; the run goes on
		}
	}
	if len(r.events.data) > 0 {
		r.events = Events{Frames: make([]byte, 0, usualPiece)} // what follows is mostly shorter, and may be long in coming
	} else {
		r.events.cut(0)
	}
	r.published, r.flushed = 0, r.last
}

// usualPiece is room for the frame of a piece of text of ten words, in bytes.
const usualPiece = 192

// Confide writes what was recorded since the last Flush to the sink only. It is not stored, so other
// viewers must not see it.
func (r *Recorder) Confide() {
	r.published = r.events.Len()
	r.Flush()
}

// Pending returns how many bytes wait for a Flush.
func (r *Recorder) Pending() int { return len(r.events.Frames) }

// Close ends the recording.
func (r *Recorder) Close() { r.log.Close() }

// plain marks the ASCII bytes that need no escape in a JSON string.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// appendText appends text as the inside of a JSON string. Bytes that are not UTF-8 become U+FFFD,
// and what sse.Escape escapes is escaped.
func appendText(b, text []byte) []byte {
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if plain[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(text[i:])
			switch {
			case r == utf8.RuneError && n == 1:
				b = append(append(b, text[start:i]...), "\ufffd"...)
				start = i + 1
			case sse.EndsLine(r):
				b = sse.AppendEscaped(append(b, text[start:i]...), r)
				start = i + n
			}
			i += n
			continue
		}
		b = append(b, text[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = sse.AppendEscaped(b, rune(c))
		}
		i++
		start = i
	}
	return append(b, text[start:]...)
}
