package strict

import (
	"fmt"
	"strings"

	"github.com/askgate/askgate/gateway/model"
)

// style describes how a server of Chat Completions writes its streams. The forms are those that
// others have recorded: fantasy replay_test, vercel/ai fixtures, litellm#4537, agno#8880,
// docs.openrouter.ai.
type style struct {
	before   string // lines before the first chunk
	nulls    bool   // reasoning_content: null in every delta without reasoning
	doubled  bool   // reasoning appears under both names
	together bool   // the last piece of reasoning is in the delta of what follows
	args     string // of calls: "" in pieces, "whole", "empty" ({} first), "blank" (blank ids after the first)
	index    string // of calls: "" counts, "tail" (of a second piece on: one more), "zero", "none"
	usage    string // "" in its own chunk if requested, "own" always, "finish", "each", "groq", "choice"
	columns  func(u model.Usage) node
	untold   bool   // reasoning tokens are not reported
	space    string // after "data:"; "" for one space, "none"
	crlf     bool
	stop     string // the word for a good end
	noDone   bool
}

// usageOpenAI writes OpenAI's usage.
func usageOpenAI(u model.Usage) node {
	return node{
		"prompt_tokens": u.InputTokens, "completion_tokens": u.OutputTokens, "total_tokens": u.InputTokens + u.OutputTokens,
		"prompt_tokens_details":     node{"cached_tokens": u.CachedInputTokens, "audio_tokens": 0},
		"completion_tokens_details": node{"reasoning_tokens": u.ReasoningTokens, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
	}
}

// writer writes the chunks of one answer.
type writer struct {
	style
	head    node
	stream  stream
	pending node // a piece that goes out with the next
	u       model.Usage
}

func (w *writer) event(v any) {
	end, space := "\n\n", " "
	if w.crlf {
		end = "\r\n\r\n"
	}
	if w.space == "none" {
		space = ""
	}
	w.stream.pieces = append(w.stream.pieces, "data:"+space+canon(v)+end)
}

func (w *writer) chunk(delta node, finish any) {
	for k, v := range w.pending {
		if _, there := delta[k]; !there {
			delta[k] = v
		}
	}
	w.pending = nil
	if _, there := delta["reasoning_content"]; !there && w.nulls {
		delta["reasoning_content"] = nil
	}
	choice := node{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}
	c := node{"choices": []any{choice}}
	for k, v := range w.head {
		c[k] = v
	}
	switch {
	case w.usage == "choice" && finish != nil:
		choice["usage"] = w.columns(w.u)
	case w.usage == "finish" && finish != nil, w.usage == "each":
		u := w.u
		if finish == nil { // it grows
			u.OutputTokens, u.ReasoningTokens = min(u.OutputTokens, int64(len(w.stream.pieces))), 0
		}
		c["usage"] = w.columns(u)
	case w.usage == "groq" && finish != nil:
		c["x_groq"] = node{"id": "req_" + random(20), "usage": w.columns(w.u)}
	}
	w.event(c)
}

// play writes an answer, and returns the message that has to be sent back.
func (d dialect) play(a *asked, answer Answer) stream {
	w := &writer{style: d.style, u: a.count(answer)}
	if w.columns == nil {
		w.columns = usageOpenAI
	}
	if d.style.untold {
		w.u.ReasoningTokens = 0
	}
	w.head = node{"id": "chatcmpl-" + random(20), "object": "chat.completion.chunk", "created": 1764160000, "model": a.s.Model, "system_fingerprint": "fp_" + random(8)}
	if d.style.before != "" {
		w.stream.pieces = append(w.stream.pieces, d.style.before)
	}
	w.chunk(node{"role": "assistant", "content": ""}, nil)

	echo := node{"role": "assistant"}
	h := &handed{echo: echo}
	var text, reasoning strings.Builder
	var made []any
	for n, p := range answer.Parts {
		last := n == len(answer.Parts)-1
		switch {
		case p.Reasoning != "":
			reasoning.WriteString(p.Reasoning)
			d.think(w, a, p.Reasoning, echo, last)
		case p.Text != "":
			text.WriteString(p.Text)
			for i, piece := range split(p.Text) {
				delta := node{"content": piece}
				if d.state == "extra_content" && i == 0 && len(answer.Parts) == 1 { // an answer of text alone
					echo["extra_content"] = node{"google": node{"thought_signature": opaque(24)}}
					delta["extra_content"] = echo["extra_content"]
				}
				w.chunk(delta, nil)
			}
		case p.Call != nil:
			made = append(made, d.call(w, a, *p.Call, len(made)))
		}
	}
	if d.state == "tags" || d.state == "split" && a.body["reasoning_split"] != true {
		if reasoning.Len() > 0 {
			echo["content"] = tagged(reasoning.String(), true, true) + text.String()
		}
	}
	if echo["content"] == nil {
		echo["content"] = text.String()
	}
	if d.state == "chunk" && reasoning.Len() > 0 {
		parts := []any{node{"type": "thinking", "thinking": []any{node{"type": "text", "text": reasoning.String()}}, "closed": true}}
		if text.Len() > 0 {
			parts = append(parts, node{"type": "text", "text": text.String()})
		}
		echo["content"] = parts
	}
	if len(made) > 0 {
		echo["tool_calls"] = made
	}
	for _, c := range made {
		h.ids = append(h.ids, str(obj(c)["id"]))
	}
	w.stream.whole = len(w.stream.pieces)
	w.end(a, answer, len(made) > 0)
	w.stream.made = h
	return w.stream
}

func (w *writer) end(a *asked, answer Answer, called bool) {
	finish := answer.Finish
	if finish == "" && called {
		finish = "tool_calls"
	} else if finish == "" {
		if finish = w.stop; finish == "" {
			finish = "stop"
		}
	}
	w.chunk(node{}, finish)
	told := w.usage != ""
	if w.usage == "own" || w.usage == "" && obj(a.body["stream_options"])["include_usage"] == true {
		c := node{"choices": []any{}, "usage": w.columns(w.u)}
		for k, v := range w.head {
			c[k] = v
		}
		w.event(c)
		told = true
	}
	if !w.noDone {
		w.stream.pieces = append(w.stream.pieces, "data: [DONE]\n\n")
	}
	if told {
		w.stream.out = w.u
	}
}

// think writes reasoning, and puts into echo the part that has to be sent back.
func (d dialect) think(w *writer, a *asked, reasoning string, echo node, last bool) {
	pieces := split(reasoning)
	deltas := make([]node, len(pieces))
	for i, p := range pieces {
		deltas[i] = node{}
		switch d.state {
		case "reasoning_content", "reasoning":
			deltas[i][d.state] = p
			if d.style.doubled {
				deltas[i]["reasoning_content"], deltas[i]["reasoning"] = p, p
			}
		case "reasoning_details":
			deltas[i]["reasoning"] = p
			deltas[i]["reasoning_details"] = []any{node{"type": "reasoning.text", "text": p, "format": "anthropic-claude-v1", "index": 0}}
		case "thinking_blocks":
			deltas[i]["reasoning_content"] = p
			deltas[i]["thinking_blocks"] = []any{node{"type": "thinking", "thinking": p, "signature": nil}}
		case "chunk":
			deltas[i]["content"] = []any{node{"type": "thinking", "thinking": []any{node{"type": "text", "text": p}}, "closed": i == len(pieces)-1}}
		case "split":
			if a.body["reasoning_split"] == true {
				deltas[i]["reasoning_details"] = []any{node{"type": "reasoning.text", "id": "reasoning-text-1", "format": "MiniMax-response-v1", "index": 0, "text": p}}
				continue
			}
			fallthrough
		case "tags":
			deltas[i]["content"] = tagged(p, i == 0, i == len(pieces)-1)
		default: // reasoning is not shown
			return
		}
	}
	for i, delta := range deltas {
		if i == len(deltas)-1 && d.style.together && !last {
			w.pending = delta
			break
		}
		w.chunk(delta, nil)
	}
	signature := opaque(32)
	switch d.state {
	case "reasoning_content", "reasoning":
		before, _ := echo[d.state].(string)
		echo[d.state] = before + reasoning
	case "reasoning_details":
		secret := node{"type": "reasoning.encrypted", "data": opaque(40), "id": "rs_" + random(12), "format": "anthropic-claude-v1", "index": 1}
		w.chunk(node{"reasoning_details": []any{node{"type": "reasoning.text", "signature": signature, "format": "anthropic-claude-v1", "index": 0}}}, nil)
		w.chunk(node{"reasoning_details": []any{secret}}, nil)
		echo["reasoning_details"] = []any{node{"type": "reasoning.text", "text": reasoning, "signature": signature, "format": "anthropic-claude-v1", "index": 0}, secret}
	case "thinking_blocks":
		w.chunk(node{"reasoning_content": "", "thinking_blocks": []any{node{"type": "thinking", "thinking": "", "signature": signature}}}, nil)
		echo["thinking_blocks"] = []any{node{"type": "thinking", "thinking": reasoning, "signature": signature}}
		echo["reasoning_content"] = reasoning
	case "split":
		if a.body["reasoning_split"] == true {
			echo["reasoning_details"] = []any{node{"type": "reasoning.text", "id": "reasoning-text-1", "format": "MiniMax-response-v1", "index": 0, "text": reasoning}}
		}
	}
}

// tagged writes a piece of reasoning in a text.
func tagged(piece string, first, last bool) string {
	if first {
		piece = "<think>" + piece
	}
	if last {
		piece += "</think>\n\n"
	}
	return piece
}

// call writes a call, and returns it in the form that has to be sent back.
func (d dialect) call(w *writer, a *asked, c Call, n int) node {
	id := d.id(a, c, n)
	echo := node{"id": id, "type": "function", "function": node{"name": c.Name, "arguments": c.Arguments}}
	head := node{"type": "function", "function": node{"name": c.Name, "arguments": ""}}
	if id != "" {
		head["id"] = id
	}
	if d.state == "extra_content" && n == 0 { // of parallel calls, the first has one
		echo["extra_content"] = node{"google": node{"thought_signature": opaque(32)}}
		head["extra_content"] = echo["extra_content"]
	}
	if d.state == "provider_specific_fields" && n == 0 {
		echo["provider_specific_fields"] = node{"thought_signature": opaque(32)}
		head["provider_specific_fields"] = echo["provider_specific_fields"]
	}
	index := func(piece int) any {
		switch {
		case d.style.index == "zero":
			return 0
		case d.style.index == "tail" && n > 0 && piece == 0:
			return n - 1
		}
		return n
	}
	send := func(piece int, c node) {
		if d.style.index != "none" {
			c["index"] = index(piece)
		}
		w.chunk(node{"tool_calls": []any{c}}, nil)
	}
	if d.style.args == "whole" {
		obj(head["function"])["arguments"] = c.Arguments
		send(0, head)
		return echo
	}
	if d.style.args == "empty" {
		obj(head["function"])["arguments"] = "{}"
	}
	send(0, head)
	for i, piece := range split(c.Arguments) {
		more := node{"function": node{"arguments": piece}}
		if d.style.args == "blank" {
			more["id"], more["type"] = "", "function"
			obj(more["function"])["name"] = ""
		}
		send(i+1, more)
	}
	return echo
}

func numbered(form string) func(*asked, Call, int) string {
	return func(_ *asked, _ Call, n int) string { return fmt.Sprintf(form, n, random(20)) }
}
