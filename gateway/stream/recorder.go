package stream

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
)

// Recorder numbers and encodes the events of one run and hands them on. It is
// for one goroutine, the run's.
type Recorder struct {
	log       Log
	sink      Sink   // nil without a client, or after it failed
	content   []byte // the JSON before a chunk's text
	buf       []byte // encoded frames that the sink does not have
	published int    // bytes of buf that the log has
	first     chat.EventID
	last      chat.EventID
	passing   []passage // in buf, in order
}

// passage is where a passing event stands in the buffer.
type passage struct {
	from, to int
	after    chat.EventID // the event before it
}

// NewRecorder records a run with this fence of the chat with this public id.
// log is closed by Close; sink may be nil.
func NewRecorder(log Log, sink Sink, chatID string, fence int64) *Recorder {
	id, _ := json.Marshal(chatID)
	return &Recorder{
		log: log, sink: sink,
		content: fmt.Appendf(nil, `{"chatId":%s,"content":"`, id),
		first:   chat.EventID{Fence: fence, Seq: 1},
		last:    chat.EventID{Fence: fence},
	}
}

// Chunk records a piece of text, the most frequent event: it allocates nothing once the
// buffer has grown.
func (r *Recorder) Chunk(typ chat.EventType, text []byte) {
	r.last.Seq++
	b := append(r.buf, "id: "...)
	b = r.last.Append(b)
	b = append(b, "\nevent: "...)
	b = append(b, typ...)
	b = append(b, "\ndata: "...)
	b = append(b, r.content...)
	b = appendText(b, text)
	r.buf = append(b, "\"}\n\n"...)
}

// Event records any other event.
func (r *Recorder) Event(ev chat.Event) {
	r.last.Seq++
	r.buf = AppendEvent(r.buf, r.last, ev)
}

// Pass records an event without an id, which viewers get in its place among the others, if
// they look on when it is published.
func (r *Recorder) Pass(ev chat.Event) {
	from := len(r.buf)
	r.buf = AppendUnnumbered(r.buf, ev)
	r.passing = append(r.passing, passage{from, len(r.buf), r.last})
}

// AppendEvent appends the frame of an event.
func AppendEvent(dst []byte, id chat.EventID, ev chat.Event) []byte {
	return appendEvent(dst, id.String(), ev)
}

// AppendEventBetween appends the frame of the n-th event behind another that is not
// numbered as one of its run.
func AppendEventBetween(dst []byte, before chat.EventID, n int, ev chat.Event) []byte {
	return appendEvent(dst, fmt.Sprintf("%s.%08d", before, n), ev)
}

// AppendUnnumbered appends the frame of an event without an id: one that the chat's stream has
// later, or never.
func AppendUnnumbered(dst []byte, ev chat.Event) []byte { return appendEvent(dst, "", ev) }

func appendEvent(dst []byte, id string, ev chat.Event) []byte {
	data, err := json.Marshal(ev.Data)
	if err != nil { // the wire types hold nothing that cannot be written
		panic(fmt.Sprintf("stream: event %s: %v", ev.Type, err))
	}
	return sse.AppendEvent(dst, id, string(ev.Type), data)
}

// Last is the id of the newest event recorded.
func (r *Recorder) Last() chat.EventID { return r.last }

// Mark is a place to rewind to: events that announce something durable are
// recorded first, so that their ids can be stored with it, and published after.
type Mark struct {
	last chat.EventID
	size int
}

// Mark notes the present place.
func (r *Recorder) Mark() Mark { return Mark{r.last, len(r.buf)} }

// Rewind forgets what was recorded since m, none of which may have been published.
func (r *Recorder) Rewind(m Mark) {
	r.last, r.buf = m.last, r.buf[:m.size]
	for n := len(r.passing); n > 0 && r.passing[n-1].to > m.size; n-- {
		r.passing = r.passing[:n-1]
	}
}

// Publish gives the log what it does not have yet. end says that the last event is
// the run's done.
func (r *Recorder) Publish(end bool) {
	for _, p := range r.passing {
		if p.from < r.published {
			continue
		}
		r.publish(p.from, p.after, false)
		r.log.Append(Batch{First: p.after, Last: p.after, Frames: r.buf[p.from:p.to], Passing: true})
		r.published = p.to
	}
	r.publish(len(r.buf), r.last, end)
}

// publish gives the log the numbered events up to a place in the buffer, of which last is the
// last.
func (r *Recorder) publish(to int, last chat.EventID, end bool) {
	if r.published == to {
		return
	}
	r.log.Append(Batch{First: r.first, Last: last, Frames: r.buf[r.published:to], End: end})
	r.published = to
	r.first = chat.EventID{Fence: last.Fence, Seq: last.Seq + 1}
}

// Flush publishes and writes to the sink, in one write.
func (r *Recorder) Flush() {
	r.Publish(false)
	if r.sink != nil && len(r.buf) > 0 {
		if err := r.sink.Write(r.buf); err != nil {
			r.sink = nil // the client left; the run goes on
		}
	}
	r.buf, r.published, r.passing = r.buf[:0], 0, r.passing[:0]
}

// Confide writes what was recorded since the last Flush to the sink, and to nobody else: it
// is not stored, so that other viewers must not hear of it.
func (r *Recorder) Confide() {
	r.published = len(r.buf)
	r.Flush()
}

// Pending says how many bytes wait for a Flush.
func (r *Recorder) Pending() int { return len(r.buf) }

// Close ends the recording.
func (r *Recorder) Close() { r.log.Close() }

// plain marks the ASCII bytes that stand for themselves in a JSON string.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// appendText appends text as the inside of a JSON string. Bytes that are no
// UTF-8 become U+FFFD, and what sse.Escape escapes is escaped.
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
