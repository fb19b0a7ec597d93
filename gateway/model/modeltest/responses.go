package modeltest

import (
	"fmt"
	"strconv"
	"strings"
)

// responses writes a response as the Responses API does. Items begin and end automatically: a text,
// a reasoning, and each call that has an id or a name is one.
type responses struct {
	usage    Usage // of the whole response
	number   int   // of events
	open     string
	head     string   // of the open item: its members except the one that grows
	grown    string   // the member that grows
	items    []string // items that have ended
	finish   string
	sayUsage bool
}

func newResponses(response Response) *responses {
	r := &responses{finish: "stop"}
	for _, s := range response {
		if s.Usage != nil {
			r.usage, r.sayUsage = *s.Usage, true
		}
	}
	return r
}

// piece returns the bytes that a step sends.
func (r *responses) piece(s Step) string {
	switch {
	case s.Raw != "":
		return s.Raw
	case s.Usage != nil:
		return ""
	case s.Done:
		return r.start() + r.end() + r.done()
	case s.Finish != "":
		r.finish = s.Finish
		return r.start() + r.end()
	case s.Call != nil:
		return r.call(s.Call)
	case s.Reasoning != "":
		return r.begin("reasoning", "rs", "") + r.grow("response.reasoning_summary_text.delta", `"summary_index":0,`, s.Reasoning)
	default:
		return r.begin("message", "msg", `,"role":"assistant"`) + r.grow("response.output_text.delta", `"content_index":0,"logprobs":[],`, s.Text)
	}
}

func (r *responses) call(f *Fragment) string {
	before := ""
	if f.ID != "" || f.Name != "" {
		before = r.start() + r.end()
	}
	return before + r.begin("function_call", "fc", `,"call_id":`+quote(f.ID)+`,"name":`+quote(f.Name)) +
		r.grow("response.function_call_arguments.delta", "", f.Arguments)
}

// event is one event. Its members are in the order in which OpenAI sent them in 2026: the type
// first, the number last.
func (r *responses) event(kind, fields string) string {
	r.number++
	return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\"," + fields + fmt.Sprintf(`,"sequence_number":%d}`, r.number-1) + "\n\n"
}

// start begins the response, once.
func (r *responses) start() string {
	if r.number > 0 {
		return ""
	}
	return r.event("response.created", r.response("in_progress", ""))
}

func (r *responses) response(status, more string) string {
	return `"response":{"id":"resp_1","object":"response","created_at":1700000000,"model":"scripted","status":` + quote(status) + `,"output":[` + strings.Join(r.items, ",") + `]` + more + `}`
}

// begin begins an item, unless one of that type is open.
func (r *responses) begin(kind, id, fields string) string {
	if r.open == kind {
		return ""
	}
	before := r.start() + r.end()
	r.open, r.grown = kind, ""
	r.head = `"type":` + quote(kind) + `,"id":` + quote(id+"_"+strconv.Itoa(len(r.items))) + fields
	return before + r.event("response.output_item.added", `"item":`+r.item("in_progress")+fmt.Sprintf(`,"output_index":%d`, len(r.items)))
}

// item returns the current state of the open item.
func (r *responses) item(status string) string {
	switch r.open {
	case "reasoning":
		encrypted := `"encrypted_content":"unfinished"`
		if status == "completed" {
			encrypted = `"encrypted_content":` + quote("sealed_"+strconv.Itoa(len(r.items)))
		}
		return `{` + r.head + `,` + encrypted + `,"summary":[{"type":"summary_text","text":` + quote(r.grown) + `}]}`
	case "message":
		return `{` + r.head + `,"status":` + quote(status) + `,"content":[{"type":"output_text","annotations":[],"logprobs":[],"text":` + quote(r.grown) + `}]}`
	default:
		return `{` + r.head + `,"status":` + quote(status) + `,"arguments":` + quote(r.grown) + `}`
	}
}

func (r *responses) grow(kind, fields, text string) string {
	r.grown += text
	return r.event(kind, fields+`"delta":`+quote(text)+fmt.Sprintf(`,"output_index":%d`, len(r.items)))
}

// end ends the open item.
func (r *responses) end() string {
	if r.open == "" {
		return ""
	}
	item := r.item("completed")
	event := r.event("response.output_item.done", `"item":`+item+fmt.Sprintf(`,"output_index":%d`, len(r.items)))
	r.open, r.items = "", append(r.items, item)
	return event
}

// done ends the response. Its last event carries what Chat Completions puts into the finish reason.
func (r *responses) done() string {
	usage := ""
	if r.sayUsage {
		usage = fmt.Sprintf(`,"usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
			r.usage.Input, r.usage.Cached, r.usage.Output, r.usage.Reasoning, r.usage.Input+r.usage.Output)
	}
	incomplete := func(reason string) string {
		return r.event("response.incomplete", r.response("incomplete", `,"incomplete_details":{"reason":`+quote(reason)+`}`+usage))
	}
	switch r.finish {
	case "stop", "tool_calls":
		return r.event("response.completed", r.response("completed", usage))
	case "length":
		return incomplete("max_output_tokens")
	case "content_filter":
		return incomplete("content_filter")
	}
	return r.event("response.failed", r.response("failed", `,"error":{"code":`+quote(r.finish)+`,"message":"The model failed."}`+usage))
}
