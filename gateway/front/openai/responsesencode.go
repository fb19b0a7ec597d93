package openai

import (
	"encoding/json"
	"strconv"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/tools"
)

// responseEncoder encodes a run as the events of a response. Its items go out one after the
// other, each complete before the next begins. A call of a tool waits for its result, because
// until then it may turn out to need approval.
type responseEncoder struct {
	ending
	head      responseHead
	begins    []byte // of the response object: everything that does not change
	app, chat string
	of        func() chat.Ref     // the chat, once its run begins: that may be in a branch
	fence     int64               // of the run
	nonce     string              // makes ids of items unique: part of each of them
	calls     map[string]madeCall // by id, including those of earlier runs

	seq     int
	next    int    // index of the next item
	output  []byte // the items, without the brackets; the last one may still grow
	step    int    // where the present step begins in output
	failure *chat.Failure
	final   []byte // the response object, once the run is over: a part of the frames

	// These describe the growing item, if there is one. Its text is only in the output, and copied
	// only into frames.
	open                   *growing
	openID                 string
	prefix                 []byte // the beginning of the frames of its pieces
	itemAt, partAt, textAt int    // where they begin in the output
}

// madeCall is a call of one of the app's tools.
type madeCall struct {
	arguments string
	approval  string // the request for approval that it waited for, "" for none
}

// These are the statuses of responses and items.
const (
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
	statusFailed     = "failed"
	statusCancelled  = "cancelled"
)

// responseEnd is how a response reports that its run is over.
type responseEnd struct{ event, status, reason string }

var responseEnds = map[chat.FinishReason]responseEnd{
	chat.FinishStop:          {"response.completed", statusCompleted, ""},
	chat.FinishMaxSteps:      {"response.completed", statusCompleted, ""}, // the last message explains it
	chat.FinishClarification: {"response.completed", statusCompleted, ""},
	chat.FinishLength:        {"response.incomplete", statusIncomplete, "max_output_tokens"},
	chat.FinishContentFilter: {"response.incomplete", statusIncomplete, "content_filter"},
	chat.FinishCancelled:     {"response.incomplete", statusCancelled, ""}, // there is no event for it
	chat.FinishError:         {"response.failed", statusFailed, ""},
}

// Run implements front.Numbered.
func (t *responseEncoder) Run(fence int64) {
	if t.of != nil {
		t.in(t.of().ChatID)
	}
	t.head.id, t.fence = responseID(t.chat, fence, 0), fence
}

// in returns the chat that the run is in.
func (t *responseEncoder) in(chatID string) {
	if t.chat = chatID; front.ChatID(t.head.conversation) != chatID {
		t.head.conversation = chatID
	}
}

func (t *responseEncoder) Start(dst []byte, _ chat.TurnStart) []byte {
	t.begins = t.head.append(nil)
	dst = t.lifecycle(dst, responseEnd{event: "response.created", status: statusInProgress}, nil)
	return t.lifecycle(dst, responseEnd{event: "response.in_progress", status: statusInProgress}, nil)
}

// Message writes nothing, since the client sent it.
func (t *responseEncoder) Message(dst []byte, _ chat.UserMessage) []byte { return dst }

// Resolved writes nothing, since the format has no place for it. Arguments that a person changed
// are those that run.
func (t *responseEncoder) Resolved(dst []byte, r chat.Resolved) []byte {
	if r.Answer != nil && r.Answer.Arguments != nil {
		made := t.calls[r.ToolCallID]
		made.arguments = string(r.Answer.Arguments)
		t.calls[r.ToolCallID] = made
	}
	return dst
}

func (t *responseEncoder) Step(dst []byte) []byte {
	dst = t.finish(dst, statusCompleted)
	t.step = len(t.output)
	return dst
}

func (t *responseEncoder) Text(dst, text []byte) []byte {
	if t.open != messageItem {
		dst = t.begin(t.finish(dst, statusCompleted), messageItem)
	}
	return t.piece(dst, text)
}

func (t *responseEncoder) Thinking(dst, text []byte) []byte {
	if t.open != reasoningItem {
		dst = t.begin(t.finish(dst, statusCompleted), reasoningItem)
	}
	return t.piece(dst, text)
}

func (t *responseEncoder) Call(dst []byte, c chat.ToolCallStart) []byte {
	t.calls[c.ToolCallID] = madeCall{arguments: string(c.Arguments)}
	return t.finish(dst, statusCompleted)
}

func (t *responseEncoder) Result(dst []byte, r chat.ToolCallEnd) []byte {
	dst = t.finish(dst, statusCompleted)
	made := t.calls[r.ToolCallID]
	item := mcpCall{
		Type: "mcp_call", ID: t.itemID(serverItem), Label: t.app, Name: r.ToolName, Status: statusInProgress, Approval: made.approval,
	}
	index := t.index()
	dst = t.item(dst, "response.output_item.added", index, asJSON(item))
	dst = t.about(dst, "response.mcp_call.in_progress", item.ID, index)
	dst = end(dst)
	item.Arguments = made.arguments
	if item.Arguments == "" {
		item.Arguments = "{}" // those of a run that died are not known
	}
	dst = t.arguments(dst, "response.mcp_call_arguments", item.ID, index, "", item.Arguments)
	event := "response.mcp_call.completed"
	item.Status, item.Output = statusCompleted, r.Result
	if r.Error != nil {
		event = "response.mcp_call.failed"
		item.Status, item.Error = statusFailed, &r.Error.Message
	}
	dst = end(t.about(dst, event, item.ID, index))
	return t.done(dst, index, asJSON(item))
}

// Progress writes nothing: a call's item comes with its result, and its events have no field for
// a number or a text before that.
func (t *responseEncoder) Progress(dst []byte, _ front.Progress) []byte { return dst }

// ask writes what the client is asked: requests for approval, calls of its functions, or a
// question as a text.
func (t *responseEncoder) ask(dst []byte, d chat.Done) []byte {
	_, text := t.contents(d)
	if text != "" && (t.asked[0].Asked.Kind != tools.KindApproval || !t.tools.names[approves]) {
		if t.open == messageItem && len(t.output) > t.textAt {
			text = "\n\n" + text
		}
		dst = t.Text(dst, asJSON(text))
	}
	for _, q := range t.asked {
		switch {
		case q.Asked.Kind == tools.KindApproval:
			dst = t.finish(dst, statusCompleted)
			item := asJSON(mcpCall{
				Type: "mcp_approval_request", ID: callID(q), Label: t.app, Name: q.Asked.ToolName, Arguments: arguments(q.Asked),
			})
			index := t.index()
			dst = t.done(t.item(dst, "response.output_item.added", index, item), index, item)
		case t.tools.call(q):
			dst = t.finish(dst, statusCompleted)
			call := functionCall{Type: "function_call", ID: t.itemID(callItem), CallID: callID(q), Name: q.Tool, Status: statusInProgress}
			index := t.index()
			dst = t.item(dst, "response.output_item.added", index, asJSON(call))
			call.Arguments, call.Status = string(q.Input), statusCompleted
			dst = t.arguments(dst, "response.function_call_arguments", call.ID, index, call.Name, call.Arguments)
			dst = t.done(dst, index, asJSON(call))
		}
	}
	return dst
}

// arguments returns those of a call that waits for approval, in a readable form.
func arguments(a chat.Asked) string {
	if a.ArgumentsText != "" {
		return a.ArgumentsText
	}
	return string(a.Arguments)
}

// Restart ends the text that is void, and leaves it out of the response.
func (t *responseEncoder) Restart(dst []byte) []byte {
	dst = t.finish(dst, statusIncomplete)
	t.output = t.output[:min(t.step, len(t.output))]
	return dst
}

func (t *responseEncoder) Failed(dst []byte, f chat.Failure) []byte {
	t.failure = &f
	return dst
}

func (t *responseEncoder) Done(dst []byte, d chat.Done) []byte {
	dst = t.ask(dst, d)
	how, ok := responseEnds[d.FinishReason]
	if !ok {
		how = responseEnds[chat.FinishStop]
	}
	status := statusCompleted
	if how.status != statusCompleted {
		status = statusIncomplete
	}
	dst = t.lifecycle(t.finish(dst, status), how, &d.Usage)
	if how.status == statusFailed && t.failure != nil { // some clients stop at one, some at the other
		dst = t.thrown(dst, t.failure.Code, t.failure.Message)
	}
	return dst
}

func (t *responseEncoder) Left(dst []byte, message string) []byte {
	return t.thrown(t.finish(dst, statusIncomplete), "stream_ended", message)
}

// thrown writes the error that clients throw. Some look for it in the event, some in a member of it.
func (t *responseEncoder) thrown(dst []byte, code, message string) []byte {
	dst = t.event(dst, "error")
	dst = append(append(dst, `,"code":`...), asJSON(code)...)
	dst = append(append(dst, `,"message":`...), asJSON(message)...)
	inner := failed(code, message) // {"error":{...}}
	dst = append(append(dst, `,"param":null,`...), inner[1:len(inner)-1]...)
	return end(dst)
}

// event begins the frame of an event, and end ends it.
func (t *responseEncoder) event(dst []byte, kind string) []byte {
	dst = append(dst, "event: "...)
	dst = append(dst, kind...)
	dst = append(dst, "\ndata: {\"type\":\""...)
	dst = append(dst, kind...)
	dst = append(dst, `","sequence_number":`...)
	return t.number(dst)
}

func (t *responseEncoder) number(dst []byte) []byte {
	dst = strconv.AppendInt(dst, int64(t.seq), 10)
	t.seq++
	return dst
}

func end(dst []byte) []byte { return append(dst, "}\n\n"...) }

// lifecycle writes an event that has the response object.
func (t *responseEncoder) lifecycle(dst []byte, how responseEnd, usage *chat.Usage) []byte {
	dst = append(t.event(dst, how.event), `,"response":`...)
	begin := len(dst)
	dst = append(append(append(dst, t.begins...), `,"status":"`...), how.status...)
	dst = append(dst, `","error":`...)
	if t.failure != nil {
		dst = append(dst, asJSON(map[string]string{"code": t.failure.Code, "message": t.failure.Message})...)
	} else {
		dst = append(dst, "null"...)
	}
	if how.reason != "" {
		dst = append(append(append(dst, `,"incomplete_details":{"reason":"`...), how.reason...), `"},"output":[`...)
	} else {
		dst = append(dst, `,"incomplete_details":null,"output":[`...)
	}
	dst = append(append(dst, t.output...), `],"usage":`...)
	dst = append(append(dst, asJSON(newResponseUsage(usage))...), '}')
	t.final = dst[begin:len(dst):len(dst)]
	return end(dst)
}

// about begins an event about an item.
func (t *responseEncoder) about(dst []byte, kind, id string, index int) []byte {
	dst = append(t.event(dst, kind), `,"item_id":"`...)
	dst = append(dst, id...)
	dst = append(dst, `","output_index":`...)
	return strconv.AppendInt(dst, int64(index), 10)
}

// itemEvent begins the event that an item was added, or is done, up to the item.
func (t *responseEncoder) itemEvent(dst []byte, kind string, index int) []byte {
	dst = append(t.event(dst, kind), `,"output_index":`...)
	return append(strconv.AppendInt(dst, int64(index), 10), `,"item":`...)
}

// item writes such an event.
func (t *responseEncoder) item(dst []byte, kind string, index int, item []byte) []byte {
	return end(append(t.itemEvent(dst, kind, index), item...))
}

// done writes the event that an item is done, and from then on the item is in the response.
func (t *responseEncoder) done(dst []byte, index int, item []byte) []byte {
	t.separate()
	t.output = append(t.output, item...)
	return t.item(dst, itemDone, index, item)
}

const itemDone = "response.output_item.done"

// separate writes what precedes an item of the output.
func (t *responseEncoder) separate() {
	if len(t.output) > 0 {
		t.output = append(t.output, ',')
	}
}

// arguments writes the events with a call's arguments, all at once.
func (t *responseEncoder) arguments(dst []byte, kind, id string, index int, name, text string) []byte {
	quoted := asJSON(text)
	dst = append(t.about(dst, kind+".delta", id, index), `,"delta":`...)
	dst = append(t.about(end(append(dst, quoted...)), kind+".done", id, index), `,"arguments":`...)
	dst = append(dst, quoted...)
	if name != "" {
		dst = append(append(dst, `,"name":`...), asJSON(name)...)
	}
	return end(dst)
}

// index gives the next item its place.
func (t *responseEncoder) index() int {
	t.next++
	return t.next - 1
}

// asJSON encodes a value that can always be encoded.
func asJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil { // values of our own types marshal
		panic(err)
	}
	return data
}
