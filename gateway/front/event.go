package front

import (
	"bytes"
	"encoding/json"
)

// event is one event as the engine wrote it.
type event struct {
	id   []byte // a chat.EventID
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

// each calls do for the events of whole frames. Comments and retry fields are passed over.
func each(frames []byte, do func(event)) {
	for len(frames) > 0 {
		frame := frames
		if i := bytes.Index(frames, endOfFrame); i >= 0 {
			frame, frames = frames[:i], frames[i+len(endOfFrame):]
		} else {
			frames = nil
		}
		var e event
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
		if e.data != nil {
			do(e)
		}
	}
}

// text is the JSON string of a chunk's text, as it was encoded for all viewers. It is the
// last member of a chunk, behind the chat's id, in which it cannot stand.
func (e event) text() []byte {
	i := bytes.Index(e.data, content)
	if i < 0 {
		return []byte(`""`)
	}
	return e.data[i+len(content) : len(e.data)-1]
}

// into reads the data. It is the gateway's own: what cannot be read is a fault of this
// program, and the zero value.
func (e event) into(v any) bool { return json.Unmarshal(e.data, v) == nil }
