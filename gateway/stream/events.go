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

// Events are events in the order in which they happen, each encoded once for all native
// clients. The zero value has none. Parts of it share its memory.
type Events struct {
	Frames []byte // as native clients read them
	marks  []mark // one for each
	data   []any  // what the first of them were made of; nil, or shorter: it is in the frames alone
	base   int64  // what marks count where Frames begin
}

// mark is where an event stands in the frames. It has no pointers: logs have many.
type mark struct {
	id   chat.EventID
	end  int64  // of its frame: bytes from a place that all marks of a log have in common
	body uint32 // bytes of its frame before its data; of a piece of text: before the text
	typ  kind
	done bool // it ends its run
}

// markSize is what a mark takes, in bytes.
const markSize = 32

// kind is the index of a type; the first two are pieces of text.
type kind int8

var types = [...]chat.EventType{
	chat.EventChunk, chat.EventThinking, chat.EventTurnStart, chat.EventUserMessage, chat.EventToolCallStart,
	chat.EventToolCallProgress, chat.EventToolCallEnd, chat.EventClarification, chat.EventClarificationResolved,
	chat.EventAskerMessage, chat.EventTitle, chat.EventStepRestart, chat.EventSnapshot, chat.EventTurnError, chat.EventError, chat.EventDone,
}

// kindOf finds a type; -1: there is none of that name.
func kindOf[T string | chat.EventType | []byte](name T) kind {
	for i, typ := range types {
		if string(typ) == string(name) {
			return kind(i)
		}
	}
	return -1
}

func (k kind) isText() bool { return k == 0 || k == 1 }

// Event is any event but a piece of text.
type Event struct {
	ID         chat.EventID // zero where it is none that a viewer could come back with
	chat.Event              // Data is nil where it cannot be read
}

// Len is the number of events.
func (e *Events) Len() int { return len(e.marks) }

// At is the i-th event, unless that is a piece of text.
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

// Text is the text of the i-th event, chunk or thinking, as a JSON string that is valid as long as
// the events are; nil where it is another.
func (e *Events) Text(i int) ([]byte, chat.EventType) {
	typ := e.marks[i].typ
	if !typ.isText() {
		return nil, types[typ]
	}
	data := e.body(i)
	return data[:len(data)-len("}")], types[typ]
}

// body is the i-th frame from the mark's body on, without its end.
func (e *Events) body(i int) []byte {
	m := &e.marks[i]
	return e.Frames[e.start(i)-e.base+int64(m.body) : m.end-e.base-int64(len("\n\n"))]
}

// Add appends an event of a run.
func (e *Events) Add(id chat.EventID, ev chat.Event) { e.AddAs(id.String(), ev) }

// AddAs appends an event with an id that need not be a place in a run; "": it has none.
func (e *Events) AddAs(id string, ev chat.Event) {
	begin := len(e.Frames)
	at, _ := chat.ParseEventID(id) // else it is none to come back with
	if piece, ok := ev.Data.(chat.Chunk); ok {
		e.Frames = appendHead(e.Frames, []byte(id), ev.Type)
		e.text(begin, at, ev.Type, textHead(piece.ChatID), []byte(piece.Content))
		return
	}
	data, err := json.Marshal(ev.Data)
	if err != nil { // the wire types hold nothing that cannot be written
		panic(fmt.Sprintf("stream: event %s: %v", ev.Type, err))
	}
	e.Frames = appendHead(e.Frames, []byte(id), ev.Type)
	body := len(e.Frames)
	e.Frames = append(sse.Escape(append(e.Frames, data...), body), "\n\n"...)
	e.data = append(slices.Grow(e.data, len(e.marks)+1)[:len(e.marks)], ev.Data)
	e.marks = append(e.marks, mark{id: at, typ: kindOf(ev.Type), end: e.end(), body: uint32(body - begin)})
}

// One is one event, as AddAs appends it.
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

// textHead is the JSON before the text of a piece.
func textHead(chatID string) []byte {
	id, _ := json.Marshal(chatID) // a string always encodes
	return fmt.Appendf(nil, `{"chatId":%s,"content":`, id)
}

// text ends the frame of a piece of text that begins there. It allocates nothing where there is
// room.
func (e *Events) text(begin int, id chat.EventID, typ chat.EventType, head, text []byte) {
	b := append(e.Frames, head...)
	body := len(b)
	b = appendText(append(b, '"'), text)
	e.Frames = append(b, "\"}\n\n"...)
	e.marks = append(e.marks, mark{id: id, typ: kindOf(typ), end: e.end(), body: uint32(body - begin)})
}

// end is what marks count behind the newest event.
func (e *Events) end() int64 { return e.base + int64(len(e.Frames)) }

// start is what they count before the i-th.
func (e *Events) start(i int) int64 {
	if i == 0 {
		return e.base
	}
	return e.marks[i-1].end
}

// part are the events from one index up to another.
func (e *Events) part(from, to int) Events {
	start, end := e.start(from), e.start(to)
	p := Events{Frames: e.Frames[start-e.base : end-e.base], marks: e.marks[from:to], base: start}
	if len(e.data) > from {
		p.data = e.data[from:min(to, len(e.data))]
	}
	return p
}

// behind is the index of the first event after another, in a log.
func (e *Events) behind(id chat.EventID) int {
	return sort.Search(len(e.marks), func(i int) bool { return id.Less(e.marks[i].id) })
}

// append copies events, but for what they were made of.
func (e *Events) append(o Events) {
	shift := e.end() - o.base
	e.Frames = append(e.Frames, o.Frames...)
	for _, m := range o.marks {
		m.end += shift
		e.marks = append(e.marks, m)
	}
}

// Write implements Sink: it keeps them.
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

// drop drops the first n events. Marks that were handed out stay as they are.
func (e *Events) drop(n int) {
	start := e.start(n)
	e.Frames = append(e.Frames[:0], e.Frames[start-e.base:]...)
	e.marks = append(make([]mark, 0, cap(e.marks)), e.marks[n:]...)
	e.base = start
}

// Has says that one of the events is of one of the types.
func (e *Events) Has(of ...chat.EventType) bool {
	return slices.ContainsFunc(e.marks, func(m mark) bool { return slices.Contains(of, types[m.typ]) })
}

// Without are the events but those of a type.
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

// Read reads the frames of events that another node encoded, which it keeps: nothing else may
// stand in them.
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
		if m.typ.isText() { // the text is the last member, behind the chat's id, in which this cannot stand
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

// decode reads the data of the events that fronts tell, as chat.Event has it; nil where it cannot
// be read.
var decode = map[chat.EventType]func(data []byte) any{
	chat.EventTurnStart:             into[chat.TurnStart],
	chat.EventUserMessage:           into[chat.UserMessage],
	chat.EventToolCallStart:         into[chat.ToolCallStart],
	chat.EventToolCallProgress:      into[chat.ToolCallProgress],
	chat.EventToolCallEnd:           into[chat.ToolCallEnd],
	chat.EventClarification:         into[chat.Asked],
	chat.EventClarificationResolved: into[chat.Resolved],
	chat.EventStepRestart:           into[chat.StepRestart],
	chat.EventError:                 into[*chat.Failure],
	chat.EventDone:                  into[chat.Done],
}

func into[T any](data []byte) any {
	var v T
	if json.Unmarshal(data, &v) != nil {
		return nil
	}
	return v
}
