package agui

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// maxHistory is how many bytes of a client's messages are kept while its stream is open. If a
// client sends more, no text is taken back.
const maxHistory = 64 << 10

// history holds the messages that the client shows. The only way to take back a text is to send the client all
// its messages except that one. The history is never stored, and no model reads it.
type history struct {
	known    bool
	sent     []byte // messages of the client's request, JSON with commas between
	upTo     int    // end of the person's newest message in them
	newest   string // its text
	finished []byte // messages that the run has finished
	text     []byte // of the present step, as JSON has it between its quotes
	calls    []byte // of the present step
	whole    bool   // it has more than what is new; a client that sends only what is new shows more
	another  bool   // the client reconnects: it may already show a part of the run
}

// shared are the roles of messages that a snapshot has. Clients keep messages of other roles.
var shared = []string{"developer", "system", "user", "assistant", "tool"}

// newHistory keeps the messages of a request, unless they are too large.
func newHistory(messages []json.RawMessage) history {
	size := 0
	for _, m := range messages {
		size += len(m)
	}
	if size > maxHistory {
		return history{}
	}
	h := history{known: true}
	var sent bytes.Buffer
	for _, raw := range messages {
		var m struct {
			ID      json.RawMessage `json:"id"`
			Role    json.RawMessage `json:"role"`
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(raw, &m) != nil || text(m.ID) == "" || !slices.Contains(shared, text(m.Role)) {
			continue
		}
		if sent.Len() > 0 {
			sent.WriteByte(',')
		}
		_ = json.Compact(&sent, raw) // it was read before
		switch text(m.Role) {
		case "user":
			h.upTo, h.newest = sent.Len(), content(m.Content)
		case "assistant":
			h.whole = true
		}
	}
	h.sent = sent.Bytes()
	return h
}

// say notes a piece of the present step's text, a JSON string.
func (h *history) say(piece []byte) {
	if h.known {
		h.text = append(h.text, piece[1:len(piece)-1]...)
	}
}

// call notes a call of the present step.
func (h *history) call(id, tool string, arguments json.RawMessage) {
	if !h.known {
		return
	}
	h.calls = comma(h.calls)
	h.calls = append(h.calls, `{"id":`...)
	h.calls = append(h.calls, quoted(id)...)
	h.calls = append(h.calls, `,"type":"function","function":{"name":`...)
	h.calls = append(h.calls, quoted(tool)...)
	h.calls = append(h.calls, `,"arguments":`...)
	h.calls = append(h.calls, quoted(string(arguments))...)
	h.calls = append(h.calls, "}}"...)
}

// result notes the result of a call.
func (h *history) result(r toolCallResult) {
	if !h.known {
		return
	}
	data, _ := json.Marshal(map[string]string{"id": r.MessageID, "role": "tool", "toolCallId": r.ToolCallID, "content": r.Content})
	h.finished = append(comma(h.finished), data...)
}

// step ends the present step.
func (h *history) step(message string) {
	if len(h.text)+len(h.calls) > 0 {
		h.finished = append(comma(h.finished), `{"id":`...)
		h.finished = strconv.AppendQuote(h.finished, message) // an id of our own
		h.finished = append(h.finished, `,"role":"assistant","content":"`...)
		h.finished = append(h.finished, h.text...)
		h.finished = append(h.finished, '"')
		if len(h.calls) > 0 {
			h.finished = append(h.finished, `,"toolCalls":[`...)
			h.finished = append(h.finished, h.calls...)
			h.finished = append(h.finished, ']')
		}
		h.finished = append(h.finished, '}')
	}
	h.text, h.calls = h.text[:0], h.calls[:0]
}

// takeBack appends an event that removes the present step's text from the client. first says
// whether the text is the first of its chat.
func (h *history) takeBack(dst []byte, first func() bool) []byte {
	if len(h.text) == 0 {
		return dst
	}
	h.text, h.calls = h.text[:0], h.calls[:0]
	if !h.whole && !first() {
		return dst
	}
	return appendSnapshot(dst, h.sent, h.finished)
}

// before appends an event that removes from a reconnecting client everything of the run that is
// streamed again, which began with what the person said.
func (h *history) before(dst []byte, said string) []byte {
	if !h.another || !h.known || h.upTo == len(h.sent) || said != h.newest {
		return dst
	}
	h.sent = h.sent[:h.upTo]
	return appendSnapshot(dst, h.sent, nil)
}

func appendSnapshot(dst, sent, finished []byte) []byte {
	dst = append(dst, `data: {"type":"MESSAGES_SNAPSHOT","messages":[`...)
	dst = append(dst, sent...)
	if len(sent) > 0 && len(finished) > 0 {
		dst = append(dst, ',')
	}
	dst = append(dst, finished...)
	return append(dst, "]}\n\n"...)
}

func comma(list []byte) []byte {
	if len(list) > 0 {
		return append(list, ',')
	}
	return list
}
