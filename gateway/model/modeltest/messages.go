package modeltest

import "fmt"

// messages writes a response as the Messages API does. Blocks begin and end automatically: a text,
// a reasoning, and each call that has an id or a name is one.
type messages struct {
	usage   Usage // of the whole response: sent at its beginning and at its end
	started bool
	open    string // the type of the open block
	blocks  int
}

func newMessages(response Response) *messages {
	m := &messages{}
	for _, s := range response {
		if s.Usage != nil {
			m.usage = *s.Usage
		}
	}
	return m
}

// stopReasons maps finish reasons of Chat Completions to the API's words; others are not changed.
var stopReasons = map[string]string{
	"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal",
}

// piece returns the bytes that a step sends.
func (m *messages) piece(s Step) string {
	switch {
	case s.Raw != "":
		return s.Raw
	case s.Usage != nil:
		return ""
	case s.Done:
		return m.start() + event("message_stop", "")
	case s.Finish != "":
		reason := s.Finish
		if own, ok := stopReasons[reason]; ok {
			reason = own
		}
		usage := fmt.Sprintf(`{"output_tokens":%d}`, m.usage.Output)
		if m.usage.Reasoning > 0 {
			usage = fmt.Sprintf(`{"output_tokens":%d,"output_tokens_details":{"thinking_tokens":%d}}`, m.usage.Output, m.usage.Reasoning)
		}
		return m.start() + m.end() + event("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%s,"stop_sequence":null},"usage":%s`, quote(reason), usage))
	case s.Call != nil:
		return m.call(s.Call)
	case s.Reasoning != "":
		return m.begin("thinking", `"thinking":"","signature":""`) + m.delta(`"thinking_delta","thinking":`+quote(s.Reasoning))
	default:
		return m.begin("text", `"text":""`) + m.delta(`"text_delta","text":`+quote(s.Text))
	}
}

func (m *messages) call(f *Fragment) string {
	before := ""
	if f.ID != "" || f.Name != "" {
		before = m.end()
	}
	return before + m.begin("tool_use", `"id":`+quote(f.ID)+`,"name":`+quote(f.Name)+`,"input":{}`) +
		m.delta(`"input_json_delta","partial_json":`+quote(f.Arguments))
}

// start begins the message, once.
func (m *messages) start() string {
	if m.started {
		return ""
	}
	m.started = true
	cached := ""
	if m.usage.Cached > 0 { // the API's input_tokens do not include these
		cached = fmt.Sprintf(`"cache_read_input_tokens":%d,`, m.usage.Cached)
	}
	return event("message_start", fmt.Sprintf(`,"message":{"id":"msg_1","type":"message","role":"assistant","model":"scripted","content":[],`+
		`"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":%d,%s"output_tokens":1}}`, m.usage.Input-m.usage.Cached, cached)) + event("ping", "")
}

// begin begins a block, unless one of that type is open.
func (m *messages) begin(kind, fields string) string {
	if m.open == kind {
		return ""
	}
	before := m.start() + m.end()
	m.open = kind
	return before + event("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":{"type":%q,%s}`, m.blocks, kind, fields))
}

func (m *messages) delta(fields string) string {
	return event("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":{"type":%s}`, m.blocks, fields))
}

// end ends the open block. The last piece of thinking has the API's signature.
func (m *messages) end() string {
	if m.open == "" {
		return ""
	}
	before := ""
	if m.open == "thinking" {
		before = m.delta(fmt.Sprintf(`"signature_delta","signature":"signature %d"`, m.blocks))
	}
	m.open = ""
	m.blocks++
	return before + event("content_block_stop", fmt.Sprintf(`,"index":%d`, m.blocks-1))
}

func event(kind, fields string) string {
	return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\"" + fields + "}\n\n"
}
