package front

import (
	"bytes"
	"encoding/json"
)

// event is one event as the engine wrote it.
type event struct {
	id   []byte // a chat.EventID; empty where the event is live only
	kind []byte // a chat.EventType
	data []byte // JSON
}

var (
	endOfFrame = []byte("\n\n")
	idLine     = []byte("id: ")
	eventLine  = []byte("event: ")
	dataLine   = []byte("data: ")
	content    = []byte(`"content":`)
)

// next is the first event of whole frames, and what follows it; without data where that is a
// comment or a retry field.
func next(frames []byte) (e event, rest []byte) {
	frame := frames
	if i := bytes.Index(frames, endOfFrame); i >= 0 {
		frame, rest = frames[:i], frames[i+len(endOfFrame):]
	}
	for len(frame) > 0 {
		line := frame
		if i := bytes.IndexByte(frame, '\n'); i >= 0 {
			line, frame = frame[:i], frame[i+1:]
		} else {
			frame = nil
		}
		switch {
		case bytes.HasPrefix(line, idLine):
			e.id = line[len(idLine):]
		case bytes.HasPrefix(line, eventLine):
			e.kind = line[len(eventLine):]
		case bytes.HasPrefix(line, dataLine):
			e.data = line[len(dataLine):]
		}
	}
	return e, rest
}

// A chunk's frame up to its data: a line of so many bytes with its id, and this.
var chunkHead = []byte("event: chunk\ndata: ")

const chunkID = len("id: ") + 21 + len("\n")

// chunk tells the first event of frames if it is a chunk that looks as all of its run do,
// and returns what follows. Most events are; to take them at a glance
// saves a tenth of what a chunk costs (streambench -fronts -only longflat: 1.20 of the native
// protocol's without, 1.10 with it, for ai-sdk).
func (s *Told) chunk(frames []byte) (rest []byte, ok bool) {
	if len(frames) < chunkID || !bytes.HasPrefix(frames[chunkID:], chunkHead) {
		return frames, false
	}
	data := frames[chunkID+len(chunkHead):]
	end := bytes.IndexByte(data, '\n')
	if end < 1 || !bytes.HasPrefix(data[end:], endOfFrame) {
		return frames, false
	}
	if len(s.before) == 0 || !bytes.HasPrefix(data[:end], s.before) {
		i := bytes.Index(data[:end], content)
		if i < 0 {
			return frames, false
		}
		s.before = append(s.before[:0], data[:i+len(content)]...)
	}
	s.step()
	s.buf = s.teller.Text(s.buf, data[len(s.before):end-1])
	return data[end+len(endOfFrame):], true
}

// text is the JSON string of a chunk's text, as it was encoded for all viewers. It is the
// last member of a chunk, behind the chat's id, in which it cannot stand.
func (e event) text() []byte {
	_, text, _ := bytes.Cut(e.data, content)
	n := len(text) - 1 // without the brace at its end
	if n < 2 || text[0] != '"' || text[n-1] != '"' {
		return []byte(`""`)
	}
	return text[:n]
}

// into reads the data. It is the gateway's own: what cannot be read is a fault of this
// program, and the zero value.
func (e event) into(v any) bool { return json.Unmarshal(e.data, v) == nil }
