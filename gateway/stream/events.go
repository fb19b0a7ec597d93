package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
)

// Events are events in the order in which they happen, each encoded once for all native clients. The
// zero value is empty. Parts of it share its memory.
type Events struct {
	Frames []byte // as native clients read them
	marks  []mark // one for each event
	base   int64  // the offset, as marks count, at which Frames begins
	data   []any  // the values that the first events were encoded from; where nil or missing, the data is only in the frames
}

// mark is the position of an event in the frames. It has no pointers, because logs have many.
type mark struct {
	id   chat.EventID
	end  int64  // end of its frame, in bytes from an origin that all marks of a log share
	body uint32 // bytes of its frame before its data or, for a piece of text, before the text
	typ  kind
	done bool // it ends its run
}

// markSize is the size of a mark, in bytes.
const markSize = 32

// kind is the index of a type. The first two are pieces of text.
type kind int8

var types = [...]chat.EventType{
	chat.EventChunk, chat.EventThinking, chat.EventTurnStart, chat.EventUserMessage, chat.EventToolCallStart,
	chat.EventToolCallProgress, chat.EventToolCallEnd, chat.EventClarification, chat.EventClarificationResolved, chat.EventClarificationDecided,
	chat.EventClarificationEscalated, chat.EventAskerMessage, chat.EventTitle, chat.EventQueue, chat.EventStepRestart, chat.EventSnapshot, chat.EventTurnError, chat.EventError, chat.EventDone,
}

// kindOf finds a type by its name. It returns -1 if there is none.
func kindOf[T string | chat.EventType | []byte](name T) kind {
	for i, typ := range types {
		if string(typ) == string(name) {
			return kind(i)
		}
	}
	return -1
}

func (k kind) isText() bool { return k == 0 || k == 1 }

// Event is any event other than a piece of text.
type Event struct {
	ID         chat.EventID // zero if a viewer cannot come back with it
	chat.Event              // Data is nil if it cannot be read
}

// Len returns the number of events.
func (e *Events) Len() int { return len(e.marks) }

// At returns the i-th event, which must not be a piece of text.
func (e *Events) At(i int) Event {
	m := &e.marks[i]
	ev := Event{m.id, chat.Event{Type: types[m.typ]}}
	if i < len(e.data) && e.data[i] != nil {
		ev.Data = e.data[i]
	} else if read := decode[ev.Type]; read != nil {
		ev.Data = read(e.body(i))
	}
	return ev
}

// Text returns the text of the i-th event, chunk or thinking, as a JSON string that is valid as long
// as the events are. It returns nil for any other event.
func (e *Events) Text(i int) ([]byte, chat.EventType) {
	typ := e.marks[i].typ
	if !typ.isText() {
		return nil, types[typ]
	}
	data := e.body(i)
	return data[:len(data)-len("}")], types[typ]
}

// body returns the i-th frame from the mark's body on, without its end.
func (e *Events) body(i int) []byte {
	m := &e.marks[i]
	return e.Frames[e.start(i)-e.base+int64(m.body) : m.end-e.base-int64(len("\n\n"))]
}

// Add appends an event of a run.
func (e *Events) Add(id chat.EventID, ev chat.Event) { e.AddAs(id.String(), ev) }

// AddAs appends an event with an id that need not be an EventID; "" is none.
func (e *Events) AddAs(id string, ev chat.Event) {
	begin := len(e.Frames)
	at, _ := chat.ParseEventID(id) // otherwise no viewer can come back with it
	if piece, ok := ev.Data.(chat.Chunk); ok {
		e.Frames = appendHead(e.Frames, []byte(id), ev.Type)
		e.text(begin, at, ev.Type, textHead(piece.ChatID), []byte(piece.Content))
		return
	}
	data, err := json.Marshal(ev.Data)
	if err != nil { // the wire types hold nothing that cannot be encoded
		panic(fmt.Sprintf("stream: event %s: %v", ev.Type, err))
	}
	e.Frames = appendHead(e.Frames, []byte(id), ev.Type)
	body := len(e.Frames)
	e.Frames = append(sse.Escape(append(e.Frames, data...), body), "\n\n"...)
	e.data = append(slices.Grow(e.data, len(e.marks)+1)[:len(e.marks)], ev.Data)
	e.marks = append(e.marks, mark{id: at, typ: kindOf(ev.Type), end: e.end(), body: uint32(body - begin)})
}

// One returns a single event, as AddAs appends it.
func One(id string, ev chat.Event) (e Events) {
	e.AddAs(id, ev)
	return e
}

// appendHead begins a frame.
func appendHead(dst, id []byte, typ chat.EventType) []byte {
	if len(id) > 0 {
		dst = append(append(append(dst, "id: "...), id...), '\n')
	}
	return append(append(append(dst, "event: "...), typ...), "\ndata: "...)
}

// textHead returns the JSON before the text of a piece.
func textHead(chatID string) []byte {
	id, _ := json.Marshal(chatID) // a string always encodes
	return fmt.Appendf(nil, `{"chatId":%s,"content":`, id)
}

// text ends the frame of a piece of text that starts at begin. It does not allocate if there is
// room.
func (e *Events) text(begin int, id chat.EventID, typ chat.EventType, head, text []byte) {
	b := append(e.Frames, head...)
	body := len(b)
	b = appendText(append(b, '"'), text)
	e.Frames = append(b, "\"}\n\n"...)
	e.marks = append(e.marks, mark{id: id, typ: kindOf(typ), end: e.end(), body: uint32(body - begin)})
}

// end returns the offset behind the newest event, as marks count.
func (e *Events) end() int64 { return e.base + int64(len(e.Frames)) }

// start returns the offset before the i-th event, as marks count.
func (e *Events) start(i int) int64 {
	if i == 0 {
		return e.base
	}
	return e.marks[i-1].end
}

// part returns the events from one index up to another.
func (e *Events) part(from, to int) Events {
	start, end := e.start(from), e.start(to)
	p := Events{Frames: e.Frames[start-e.base : end-e.base], marks: e.marks[from:to], base: start}
	if len(e.data) > from {
		p.data = e.data[from:min(to, len(e.data))]
	}
	return p
}

// behind returns the index of the first event after another, in a log.
func (e *Events) behind(id chat.EventID) int {
	return sort.Search(len(e.marks), func(i int) bool { return id.Less(e.marks[i].id) })
}

// maxDoubled is the capacity in bytes up to which the frames of a log are doubled when they are full.
const maxDoubled = 64 << 10

// append copies events without the values that they were encoded from.
func (e *Events) append(o Events) {
	shift := e.end() - o.base
	if n := len(o.Frames); cap(e.Frames)-len(e.Frames) < n && cap(e.Frames) < maxDoubled {
		e.Frames = slices.Grow(e.Frames, max(n, cap(e.Frames))) // append would copy it five times until it has this size
	}
	e.Frames = append(e.Frames, o.Frames...)
	for _, m := range o.marks {
		m.end += shift
		e.marks = append(e.marks, m)
	}
}

// Write implements Sink: it keeps the events.
func (e *Events) Write(o Events) error {
	e.data = append(slices.Grow(e.data, e.Len())[:e.Len()], o.data...)
	e.append(o)
	return nil
}

// cut drops the events from the n-th on. Their memory is used again.
func (e *Events) cut(n int) {
	e.Frames = e.Frames[:e.start(n)-e.base]
	e.marks = e.marks[:n]
	if len(e.data) > n {
		clear(e.data[n:])
		e.data = e.data[:n]
	}
}

// drop drops the first n events. Marks that were handed out stay unchanged.
func (e *Events) drop(n int) {
	start := e.start(n)
	e.Frames = append(e.Frames[:0], e.Frames[start-e.base:]...)
	e.marks = append(make([]mark, 0, cap(e.marks)), e.marks[n:]...)
	e.base = start
}

// Has reports whether any of the events is of one of the types.
func (e *Events) Has(of ...chat.EventType) bool {
	return slices.ContainsFunc(e.marks, func(m mark) bool { return slices.Contains(of, types[m.typ]) })
}

// OnlyText reports whether all of the events are pieces of text.
func (e *Events) OnlyText() bool {
	return !slices.ContainsFunc(e.marks, func(m mark) bool { return !m.typ.isText() })
}

// Without returns the events except those of a type.
func (e *Events) Without(typ chat.EventType) Events {
	var kept Events
	for i, from := 0, 0; i <= len(e.marks); i++ {
		switch {
		case i < len(e.marks) && types[e.marks[i].typ] != typ:
			continue
		case i == len(e.marks) && from == 0:
			return *e
		}
		kept.append(e.part(from, i))
		from = i + 1
	}
	return kept
}

var errFrames = errors.New("stream: no frames of events")

// Read reads the frames of events that another node encoded, and keeps them. They must not contain
// anything else.
func Read(frames []byte) (e Events, err error) {
	e.Frames = frames
	for rest := frames; len(rest) > 0; {
		frame, after, ok := bytes.Cut(rest, []byte("\n\n"))
		m := mark{}
		line, body, _ := bytes.Cut(frame, []byte("\n"))
		if id, has := bytes.CutPrefix(line, []byte("id: ")); has {
			if m.id, err = chat.ParseEventID(string(id)); err != nil {
				return e, errFrames
			}
			line, body, _ = bytes.Cut(body, []byte("\n"))
		}
		typ, named := bytes.CutPrefix(line, []byte("event: "))
		data, has := bytes.CutPrefix(body, []byte("data: "))
		if !ok || !named || !has || bytes.IndexByte(frame, '\r') >= 0 || bytes.IndexByte(data, '\n') >= 0 || kindOf(typ) < 0 {
			return e, errFrames
		}
		m.typ, m.body = kindOf(typ), uint32(len(frame)-len(data))
		if m.typ.isText() { // the text is the last member, behind the chat's id, which cannot contain this
			i := bytes.Index(data, []byte(`"content":"`))
			if i < 0 || !bytes.HasSuffix(data, []byte(`"}`)) || len(data)-i < len(`"content":""}`) {
				return e, errFrames
			}
			m.body += uint32(i + len(`"content":`))
		}
		m.end = int64(len(frames) - len(after))
		e.marks, rest = append(e.marks, m), after
	}
	return e, nil
}

// decode reads the data of the events that fronts report, in the types of chat.Event. It returns nil
// if the data cannot be read.
var decode = map[chat.EventType]func(data []byte) any{
	chat.EventTurnStart:              into[chat.TurnStart],
	chat.EventUserMessage:            into[chat.UserMessage],
	chat.EventToolCallStart:          into[chat.ToolCallStart],
	chat.EventToolCallProgress:       into[chat.ToolCallProgress],
	chat.EventToolCallEnd:            into[chat.ToolCallEnd],
	chat.EventClarification:          into[chat.Asked],
	chat.EventClarificationResolved:  into[chat.Resolved],
	chat.EventClarificationDecided:   into[chat.Decided],
	chat.EventClarificationEscalated: into[chat.EscalatedTo],
	chat.EventStepRestart:            into[chat.StepRestart],
	chat.EventError:                  into[*chat.Failure],
	chat.EventDone:                   into[chat.Done],
}

func into[T any](data []byte) any {
	var v T
	if json.Unmarshal(data, &v) != nil {
		return nil
	}
	return v
}
