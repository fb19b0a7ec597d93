package openai

import (
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
)

// mcpCall is a call of one of the app's tools, or the request to approve one.
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

// itemID returns the id of the next item. It contains the chat and the run, so that a client that
// sends it back need not name the chat. readItemID reads it.
func (t *responseEncoder) itemID(prefix string) string {
	return prefix + t.chat + "_" + strconv.FormatInt(t.fence, 10) + "_" + t.nonce + "_" + strconv.Itoa(t.next)
}

func readItemID(id string) (chatID string, fence int64, ok bool) {
	kind, rest, _ := strings.Cut(id, "_")
	switch kind + "_" {
	case messageItem.id, reasoningItem.id, callItem, serverItem:
	default:
		return "", 0, false
	}
	for range 2 { // the number of the item, and the nonce
		i := strings.LastIndexByte(rest, '_')
		if i < 0 {
			return "", 0, false
		}
		if n := len(rest) - i - 1; n == 0 || n > nonceLength {
			return "", 0, false
		}
		rest = rest[:i]
	}
	return readRun(rest)
}

// callItem and serverItem begin the ids of calls: of the client's functions, and of the app's
// tools.
const (
	callItem   = "fc_"
	serverItem = "mcp_"
)

// nonceLength is the length of the part that makes the ids of a request's items unique.
const nonceLength = 12

// growing is a kind of item that comes in pieces. It says how the item's JSON and events are
// made.
type growing struct {
	id                       string // the beginning of ids
	begin, parts             string // of the item: before its id, and after it
	partBegin, partEnd       string // of its one part, around the text
	added, piece, text, part string // events
	place                    string // where the part is
	more                     string // additional fields of the events that have text
}

var (
	messageItem = &growing{
		id: "msg_", begin: `{"type":"message","role":"assistant","id":"`, parts: `","content":[`,
		partBegin: `{"type":"output_text","annotations":[],"logprobs":[],"text":"`, partEnd: `"}`,
		added: "response.content_part.added", piece: "response.output_text.delta", text: "response.output_text.done", part: "response.content_part.done",
		place: `,"content_index":0`, more: `,"logprobs":[]`,
	}
	reasoningItem = &growing{
		id: "rs_", begin: `{"type":"reasoning","id":"`, parts: `","summary":[`,
		partBegin: `{"type":"summary_text","text":"`, partEnd: `"}`,
		added: "response.reasoning_summary_part.added", piece: "response.reasoning_summary_text.delta",
		text: "response.reasoning_summary_text.done", part: "response.reasoning_summary_part.done",
		place: `,"summary_index":0`,
	}
)

// begin adds an item that grows. From now on it is at the end of the output.
func (t *responseEncoder) begin(dst []byte, kind *growing) []byte {
	t.open, t.openID = kind, t.itemID(kind.id)
	index := t.index()
	t.separate()
	t.itemAt = len(t.output)
	t.output = append(append(append(t.output, kind.begin...), t.openID...), kind.parts...)
	dst = append(t.itemEvent(dst, "response.output_item.added", index), t.output[t.itemAt:]...)
	dst = end(append(dst, `],"status":"`+statusInProgress+`"}`...))
	dst = append(t.about(dst, kind.added, t.openID, index), kind.place+`,"part":`+kind.partBegin+kind.partEnd...)
	dst = end(dst)
	t.partAt = len(t.output)
	t.output = append(t.output, kind.partBegin...)
	t.textAt = len(t.output)
	t.prefix = append(t.prefix[:0], "event: "+kind.piece+"\ndata: {\"type\":\""+kind.piece+"\",\"item_id\":\""+t.openID+"\",\"output_index\":"...)
	t.prefix = append(strconv.AppendInt(t.prefix, int64(index), 10), kind.place+kind.more+`,"sequence_number":`...)
	return dst
}

// piece writes a piece of the item's text, a JSON string. Every chunk takes this path.
func (t *responseEncoder) piece(dst, text []byte) []byte {
	inner := text[1 : len(text)-1]
	if cap(t.output)-len(t.output) < len(inner) { // append grows by a quarter, and copies a long text five times
		t.output = slices.Grow(t.output, max(len(t.output), len(inner)))
	}
	t.output = append(t.output, inner...)
	dst = t.number(append(dst, t.prefix...))
	dst = append(append(dst, `,"delta":`...), text...)
	return end(dst)
}

// finish ends the growing item, if there is one.
func (t *responseEncoder) finish(dst []byte, status string) []byte {
	kind, index := t.open, t.next-1
	if kind == nil {
		return dst
	}
	t.open = nil
	textEnd := len(t.output)
	t.output = append(t.output, kind.partEnd...)
	partEnd := len(t.output)
	t.output = append(append(append(t.output, `],"status":"`...), status...), `"}`...)
	dst = slices.Grow(dst, 4*len(t.output[t.itemAt:])+room) // three here, and the response, which usually follows
	dst = append(t.about(dst, kind.text, t.openID, index), kind.place+kind.more+`,"text":"`...)
	dst = end(append(append(dst, t.output[t.textAt:textEnd]...), '"'))
	dst = append(t.about(dst, kind.part, t.openID, index), kind.place+`,"part":`...)
	dst = end(append(dst, t.output[t.partAt:partEnd]...))
	return end(append(t.itemEvent(dst, itemDone, index), t.output[t.itemAt:]...))
}

// room is about what the frames at an end take in addition to the text, in bytes.
const room = 2 << 10
