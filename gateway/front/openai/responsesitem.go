package openai

import (
	"github.com/askgate/askgate/gateway/chat"
)

// mcpCall is a call of a tool of the app's, or the request to approve one.
type mcpCall struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	Label     string  `json:"server_label"`
	Name      string  `json:"name"`
	Arguments string  `json:"arguments"`
	Approval  string  `json:"approval_request_id,omitempty"`
	Output    *string `json:"output,omitempty"`
	Error     *string `json:"error,omitempty"`
	Status    string  `json:"status,omitempty"`
}

// functionCall is a call that the client answers.
type functionCall struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Status    string `json:"status"`
}

// responseUsage counts the tokens of a run.
type responseUsage struct {
	Input  int64 `json:"input_tokens"`
	Cached struct {
		Tokens int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output    int64 `json:"output_tokens"`
	Reasoning struct {
		Tokens int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int64 `json:"total_tokens"`
}

func newResponseUsage(u *chat.Usage) *responseUsage {
	if u == nil {
		return nil
	}
	return &responseUsage{Input: u.InputTokens, Output: u.OutputTokens, Total: u.InputTokens + u.OutputTokens}
}

// growing is a kind of item that comes in pieces: how its JSON and its events are made.
type growing struct {
	id                       string // how ids begin
	begin, status, end       string // of the item: before its id, its status, and behind its part
	partBegin, partEnd       string // of its one part, around the text
	added, piece, text, part string // events
	place                    string // where the part is
	more                     string // fields of the events that have text
}

var (
	messageItem = &growing{
		id: "msg_", begin: `{"type":"message","role":"assistant","id":"`, status: `","content":[`, end: `]}`,
		partBegin: `{"type":"output_text","annotations":[],"logprobs":[],"text":"`, partEnd: `"}`,
		added: "response.content_part.added", piece: "response.output_text.delta", text: "response.output_text.done", part: "response.content_part.done",
		place: `,"content_index":0`, more: `,"logprobs":[]`,
	}
	reasoningItem = &growing{
		id: "rs_", begin: `{"type":"reasoning","id":"`, status: `","summary":[`, end: `]}`,
		partBegin: `{"type":"summary_text","text":"`, partEnd: `"}`,
		added: "response.reasoning_summary_part.added", piece: "response.reasoning_summary_text.delta",
		text: "response.reasoning_summary_text.done", part: "response.reasoning_summary_part.done",
		place: `,"summary_index":0`,
	}
)

// begin adds an item that grows.
func (t *responseTeller) begin(dst []byte, kind *growing) []byte {
	t.open, t.openID, t.text = kind, t.itemID(kind.id), t.text[:0]
	index := t.index()
	dst = t.item(dst, "response.output_item.added", index, t.grown(statusInProgress, false))
	dst = append(t.about(dst, kind.added, t.openID, index), kind.place+`,"part":`+kind.partBegin+kind.partEnd...)
	dst = end(dst)
	t.prefix = append(t.prefix[:0], "event: "+kind.piece+"\ndata: {\"type\":\""+kind.piece+"\",\"item_id\":\""+t.openID+"\",\"output_index\":"...)
	t.prefix = append(append(t.prefix, asJSON(index)...), kind.place+kind.more+`,"sequence_number":`...)
	return dst
}

// piece is a piece of the item's text, a JSON string. It is the path of every chunk.
func (t *responseTeller) piece(dst, text []byte) []byte {
	t.text = append(t.text, text[1:len(text)-1]...)
	dst = t.number(append(dst, t.prefix...))
	dst = append(append(dst, `,"delta":`...), text...)
	return end(dst)
}

// finish ends the item that grows, if there is one.
func (t *responseTeller) finish(dst []byte, status string) []byte {
	kind, index := t.open, t.next-1
	if kind == nil {
		return dst
	}
	dst = append(t.about(dst, kind.text, t.openID, index), kind.place+kind.more+`,"text":"`...)
	dst = end(append(append(dst, t.text...), '"'))
	dst = append(t.about(dst, kind.part, t.openID, index), kind.place+`,"part":`...)
	dst = end(t.grownPart(dst))
	item := t.grown(status, true)
	t.open = nil
	return t.done(dst, index, item)
}

// grown is the item as it is by now.
func (t *responseTeller) grown(status string, withPart bool) []byte {
	item := []byte(t.open.begin + t.openID + `","status":"` + status + t.open.status)
	if withPart {
		item = t.grownPart(item)
	}
	return append(item, t.open.end...)
}

func (t *responseTeller) grownPart(dst []byte) []byte {
	dst = append(dst, t.open.partBegin...)
	return append(append(dst, t.text...), t.open.partEnd...)
}
