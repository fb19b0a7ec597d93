package strict

import (
	"bytes"
	"encoding/json"
	"strings"
)

// compact returns the body without white space between its tokens.
func compact(a *asked) string { return squeeze(string(a.s.requests[len(a.s.requests)-1].Raw)) }

func squeeze(raw string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(raw)) != nil {
		return raw
	}
	return b.String()
}

// rawInput returns the input of a call as the server wrote it.
func rawInput(s *Server, id string) string {
	for _, h := range s.handed {
		for i, known := range h.ids {
			if known == id {
				return h.inputs[i]
			}
		}
	}
	return ""
}

// play writes an answer in the events of Messages.
func (c claude) play(a *asked, answer Answer) stream {
	e := &events{}
	u := a.count(answer)
	cached := strings.Contains(canon(a.body), `"cache_control":`)
	if !cached {
		u.CachedInputTokens = 0
	} else {
		u.CacheWriteTokens = (u.InputTokens - u.CachedInputTokens) / 2
	}
	if !c.thinks(a) {
		u.OutputTokens -= u.ReasoningTokens
		u.ReasoningTokens = 0
	}
	usage := func(out int64) node {
		return node{
			"input_tokens": u.InputTokens - u.CachedInputTokens - u.CacheWriteTokens, "cache_read_input_tokens": u.CachedInputTokens, "cache_creation_input_tokens": u.CacheWriteTokens,
			"cache_creation": node{"ephemeral_5m_input_tokens": u.CacheWriteTokens, "ephemeral_1h_input_tokens": 0}, "output_tokens": out, "service_tier": "standard",
		}
	}
	e.block("message_start", node{"message": node{"id": "msg_" + random(24), "type": "message", "role": "assistant", "model": a.s.Model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage(1)}})
	e.block("ping", node{})
	display := str(obj(a.body["thinking"])["display"])
	shown := display == "summarized" || !c.adaptive && display == ""
	h := &handed{prefix: prefixOf(a, len(a.messages), 0)}
	var content []any
	for _, p := range answer.Parts {
		n := len(content)
		var block node
		switch {
		case p.Reasoning != "" && !c.thinks(a):
			continue
		case p.Hidden:
			block = node{"type": "redacted_thinking", "data": opaque(48)}
			e.block("content_block_start", node{"index": n, "content_block": block})
		case p.Reasoning != "":
			block = node{"type": "thinking", "thinking": "", "signature": opaque(64)}
			e.block("content_block_start", node{"index": n, "content_block": node{"type": "thinking", "thinking": "", "signature": ""}})
			if shown {
				block["thinking"] = p.Reasoning
				for _, piece := range split(p.Reasoning) {
					e.delta(n, node{"type": "thinking_delta", "thinking": piece})
				}
			}
			e.delta(n, node{"type": "signature_delta", "signature": block["signature"]})
		case p.Text != "":
			block = node{"type": "text", "text": p.Text}
			e.block("content_block_start", node{"index": n, "content_block": node{"type": "text", "text": ""}})
			for _, piece := range split(p.Text) {
				e.delta(n, node{"type": "text_delta", "text": piece})
			}
			e.block("server_note", node{"note": "clients ignore events that they do not know"})
		case p.Call != nil:
			block = node{"type": "tool_use", "id": "toolu_01" + random(22), "name": p.Call.Name, "input": node{}, "caller": node{"type": "direct"}}
			if isObject(p.Call.Arguments) {
				block["input"] = parse(p.Call.Arguments)
			}
			h.ids, h.inputs = append(h.ids, str(block["id"])), append(h.inputs, p.Call.Arguments)
			e.block("content_block_start", node{"index": n, "content_block": node{"type": "tool_use", "id": block["id"], "name": p.Call.Name, "input": node{}, "caller": block["caller"]}})
			e.delta(n, node{"type": "input_json_delta", "partial_json": ""})
			for _, piece := range split(p.Call.Arguments) {
				e.delta(n, node{"type": "input_json_delta", "partial_json": piece})
			}
		}
		e.block("content_block_stop", node{"index": n})
		content = append(content, block)
	}
	e.whole = len(e.pieces)
	finish := answer.Finish
	if finish == "" && len(h.ids) > 0 {
		finish = "tool_use"
	} else if finish == "" {
		finish = "end_turn"
	}
	end := usage(u.OutputTokens)
	end["output_tokens_details"] = node{"thinking_tokens": u.ReasoningTokens}
	e.block("message_delta", node{"delta": node{"stop_reason": finish, "stop_sequence": nil}, "usage": end})
	e.block("message_stop", node{})
	h.echo = node{"role": "assistant", "content": content}
	e.made, e.out = h, u
	return e.stream
}

// block adds an event of the Messages API, which has no number.
func (e *events) block(kind string, v node) {
	v["type"] = kind
	e.pieces = append(e.pieces, "event: "+kind+"\ndata: "+canon(v)+"\n\n")
}

func (e *events) delta(n int, delta node) {
	e.block("content_block_delta", node{"index": n, "delta": delta})
}
