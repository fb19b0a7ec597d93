package strict

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/model"
)

// The servers of Responses: OpenAI's, one of them a model that Chat Completions cannot call with
// tools, and Azure's.
var (
	Responses56    = responses("responses gpt-5.6", "https://api.openai.com/v1", "gpt-5.6-terra", "none", "low", "medium", "high", "xhigh", "max")
	Responses6     = responses("responses gpt-6-astra", "https://api.openai.com/v1", "gpt-6-astra", "low", "medium", "high", "xhigh", "max")
	AzureResponses = responses("azure responses", "https://askgate-eu.openai.azure.com/openai/v1", "reasoner-prod", "none", "low", "medium", "high", "xhigh", "max")
)

// fieldsResponses lists the members of a request of Responses (comments of openai-go v3.98.0).
const fieldsResponses = "background context_management conversation include input instructions max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user"

// items lists the members of input items, by type.
var items = map[string]string{
	"message":              "type role content id status phase",
	"function_call":        "type id call_id name arguments status",
	"function_call_output": "type id call_id output status",
	"reasoning":            "type id summary content encrypted_content status",
}

const osdk, osdkDate = "comments of openai-go v3.98.0", "2026-11-09"

func responses(name, baseURL, model string, values ...string) *Kind {
	return &Kind{
		Name: name, Provider: "openai", API: "responses", BaseURL: baseURL, Model: model, Images: true, PDF: true, State: true, Efforts: values,
		fail: openAIError, plays: playResponse, flaws: flawsResponse,
		rules: []Rule{
			address("/responses"), keyIn("Authorization", "Bearer "), modelName, streams,
			{"fields", osdk, osdkDate, func(a *asked) *refusal {
				if k := unknown(a.body, fieldsResponses); k != "" {
					return unknownOpenAI(a, k)
				}
				return nil
			}},
			{"include", osdk, osdkDate, func(a *asked) *refusal {
				for i, v := range list(a.body["include"]) {
					if v != "reasoning.encrypted_content" && v != "message.output_text.logprobs" {
						return a.refuse(http.StatusBadRequest, fmt.Sprintf("include[%d]", i), "invalid_value", "Invalid value: '%v'.", v)
					}
				}
				return nil
			}},
			{"items", osdk, osdkDate, itemForms},
			{"item content", osdk, osdkDate, itemContents},
			{"flat tools", "docs.apiyi.com function-calling", "2026-06", func(a *asked) *refusal {
				for i, t := range objs(a.body["tools"]) {
					at := fmt.Sprintf("tools[%d]", i)
					if t["type"] != "function" || str(t["name"]) == "" {
						return a.refuse(http.StatusBadRequest, at+".name", "missing_required_parameter", "Missing required parameter: '%s.name'.", at)
					}
					if k := unknown(t, "type name description parameters strict"); k != "" {
						return unknownOpenAI(a, at+"."+k)
					}
				}
				return nil
			}},
			toolNames(name64, osdk, osdkDate), schemaOpenAI, strictOpenAI(true),
			{"call and output", "CLIProxyAPI#2368, cursor-byok#307", "2026-08-14", pairs},
			{"item ids", "copilot-sdk#615, laravel/ai#1052, coder/mux#59", "2026-09-21", itemIDs},
			{"encrypted content", "codex#8119, sub2api#2863", "2026-05-28", func(a *asked) *refusal {
				for _, m := range a.messages {
					if c := str(m["encrypted_content"]); c != "" && itemOf(a.s, "encrypted_content", c) == nil {
						return a.refuse(http.StatusBadRequest, "", "invalid_encrypted_content", "The encrypted content %s...%s could not be verified. Reason: Encrypted content could not be decrypted or parsed.", c[:min(4, len(c))], c[max(0, len(c)-4):])
					}
				}
				return nil
			}},
			{"follower", "mastra#8738, coder/mux#59", "2026-09-21", follower},
			noSampling("temperature", noEffort), noSampling("top_p", noEffort),
			efforts("reasoning.effort", values...),
			field("max_output_tokens", "reference of Responses; not looked up", "2026-11", func(v any) (string, string) {
				if number(v) >= 16 {
					return "", ""
				}
				return "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got " + canon(v) + " instead.", "integer_below_min_value"
			}),
		},
	}
}

// kindOf returns an item's type: that of a message may be left out.
func kindOf(m node) string {
	if m["type"] == nil && m["role"] != nil {
		return "message"
	}
	return str(m["type"])
}

func itemForms(a *asked) *refusal {
	for i, m := range a.messages {
		at := fmt.Sprintf("input[%d]", i)
		known, ok := items[kindOf(m)]
		if !ok {
			return a.refuse(http.StatusBadRequest, at, "invalid_value", "Invalid value: '%v'. Supported values are: 'message', 'function_call', 'function_call_output', 'reasoning'.", m["type"])
		}
		if k := unknown(m, known); k != "" {
			return unknownOpenAI(a, at+"."+k)
		}
		need := map[string]string{"message": "role content", "function_call": "call_id name arguments", "function_call_output": "call_id output", "reasoning": "summary"}[kindOf(m)]
		for _, k := range strings.Fields(need) {
			if m[k] == nil || m[k] == "" && k != "content" && k != "output" && k != "arguments" {
				return a.refuse(http.StatusBadRequest, at+"."+k, "missing_required_parameter", "Missing required parameter: '%s.%s'.", at, k)
			}
		}
		if id := str(m["call_id"]); len(id) > 64 {
			return a.refuse(http.StatusBadRequest, at+".call_id", "string_above_max_length", "Invalid '%s.call_id': string too long. Expected a string with maximum length 64, but got a string with length %d instead.", at, len(id))
		}
	}
	return nil
}

func itemContents(a *asked) *refusal {
	for i, m := range a.messages {
		allowed := "input_text input_image input_file"
		content := m["content"]
		switch kindOf(m) {
		case "message":
			if m["role"] == "assistant" {
				allowed = "output_text refusal"
			}
			if m["role"] == "system" || m["role"] == "developer" {
				allowed = "input_text"
			}
		case "function_call_output":
			content = m["output"]
		default:
			continue
		}
		for j, p := range objs(content) {
			at := fmt.Sprintf("input[%d].content[%d]", i, j)
			kind := str(p["type"])
			if !slices.Contains(strings.Fields(allowed), kind) {
				return a.refuse(http.StatusBadRequest, at, "invalid_value", "Invalid value: '%s'. Supported values are: '%s'.", kind, strings.ReplaceAll(allowed, " ", "', '"))
			}
			bad := kind == "input_image" && !dataURL(str(p["image_url"]), "image/") && !strings.HasPrefix(str(p["image_url"]), "https://") ||
				kind == "input_file" && (str(p["filename"]) == "" || !dataURL(str(p["file_data"]), "application/pdf")) ||
				strings.HasSuffix(kind, "_text") && p["text"] == nil
			if bad {
				return a.refuse(http.StatusBadRequest, at, "invalid_value", "Invalid '%s': expected a valid value for '%s'.", at, kind)
			}
		}
	}
	return nil
}

func pairs(a *asked) *refusal {
	var open []string
	seen := map[string]bool{}
	for _, m := range a.messages {
		id := str(m["call_id"])
		switch kindOf(m) {
		case "function_call":
			if seen[id] {
				return a.refuse(http.StatusBadRequest, "input", "", "Duplicate function call with call_id %s.", id)
			}
			seen[id] = true
			open = append(open, id)
		case "function_call_output":
			at := slices.Index(open, id)
			if at < 0 {
				return a.refuse(http.StatusBadRequest, "input", "", "No tool call found for function call output with call_id %s.", id)
			}
			open = slices.Delete(open, at, at+1)
		}
	}
	if len(open) > 0 {
		return a.refuse(http.StatusBadRequest, "input", "", "No tool output found for function call %s.", open[0])
	}
	return nil
}

// itemOf finds an item of the server by a member.
func itemOf(s *Server, member, value string) node {
	for _, h := range s.handed {
		for _, item := range objs(h.echo) {
			if item[member] == value {
				return item
			}
		}
	}
	return nil
}

// itemIDs: with store false, an id refers to nothing.
func itemIDs(a *asked) *refusal {
	for i, m := range a.messages {
		id, there := m["id"].(string)
		if !there {
			continue
		}
		prefix := map[string]string{"message": "msg", "function_call": "fc", "function_call_output": "fc", "reasoning": "rs"}[kindOf(m)]
		if !strings.HasPrefix(id, prefix) {
			return a.refuse(http.StatusBadRequest, fmt.Sprintf("input[%d].id", i), "invalid_value", "Invalid 'input[%d].id': '%s'. Expected an ID that begins with '%s'.", i, id, prefix)
		}
		switch kindOf(m) {
		case "reasoning":
			if m["encrypted_content"] == nil {
				return a.refuse(http.StatusNotFound, "input", "", "Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", id)
			}
		case "function_call":
			if i == 0 || kindOf(a.messages[i-1]) == "message" && a.messages[i-1]["role"] != "assistant" {
				return a.refuse(http.StatusBadRequest, "input", "", "Item '%s' of type 'function_call' was provided without its required 'reasoning' item: 'rs_%s'.", id, random(20))
			}
		}
	}
	return nil
}

// follower: reasoning is followed by what the model produced after it.
func follower(a *asked) *refusal {
	for i, m := range a.messages {
		if kindOf(m) != "reasoning" {
			continue
		}
		fits := false
		for _, h := range a.s.handed {
			made := objs(h.echo)
			for j := range made[:len(made)-1] {
				if made[j]["encrypted_content"] == m["encrypted_content"] && i+1 < len(a.messages) {
					fits = sameItem(a.messages[i+1], made[j+1])
				}
			}
		}
		if !fits {
			return a.refuse(http.StatusBadRequest, "input", "", "Item 'rs_%s' of type 'reasoning' was provided without its required following item.", random(20))
		}
	}
	return nil
}

// sameItem reports whether an item is the one that was handed out, apart from its words.
func sameItem(m, was node) bool {
	switch kindOf(m) {
	case "function_call":
		return m["call_id"] == was["call_id"]
	case "reasoning":
		return m["encrypted_content"] == was["encrypted_content"]
	case "message":
		return m["role"] == "assistant" && was["role"] == "assistant"
	}
	return false
}

// bare returns an item as a client sends it back, in one form.
func bare(m node) node {
	c := node{}
	for k, v := range m {
		if k != "id" && k != "status" {
			c[k] = v
		}
	}
	if kindOf(m) == "message" {
		c["type"], c["content"] = "message", said(m["content"])
	}
	return c
}

func flawsResponse(a *asked) []string {
	var found []string
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if a.body["store"] != false {
		add("store is not false")
	}
	var group []node
	closed := func(i int) {
		if len(group) == 0 {
			return
		}
		compareItems(a, i-len(group), group, add)
		group = nil
	}
	for i, m := range a.messages {
		if m["id"] != nil {
			add("item %d has an id", i)
		}
		if k := kindOf(m); k == "reasoning" || k == "function_call" || k == "message" && m["role"] == "assistant" {
			group = append(group, m)
			continue
		}
		closed(i)
	}
	closed(len(a.messages))
	return found
}

// compareItems compares one answer with the server's own.
func compareItems(a *asked, at int, group []node, add func(string, ...any)) {
	var own []node
	for _, h := range a.s.handed {
		made := objs(h.echo)
		for _, m := range group {
			for _, w := range made {
				if kindOf(m) != "message" && sameItem(m, w) || kindOf(m) == "message" && kindOf(w) == "message" && plain(said(m["content"])) == plain(said(w["content"])) {
					own = made
				}
			}
		}
	}
	if own == nil {
		for i, m := range group {
			if m["phase"] != nil || kindOf(m) == "reasoning" {
				add("item %d of another maker has state", at+i)
			}
			if kindOf(m) == "function_call" && !nine.MatchString(str(m["call_id"])) {
				add("item %d of another maker: its id is %v", at+i, m["call_id"])
			}
		}
		return
	}
	for i := range max(len(own), len(group)) {
		switch {
		case i >= len(group):
			add("items from %d: missing %s", at, canon(own[i]))
		case i >= len(own):
			add("item %d was never sent: %s", at+i, canon(group[i]))
		case !same(bare(group[i]), bare(own[i])):
			add("item %d is %s, and was %s", at+i, canon(bare(group[i])), canon(bare(own[i])))
		}
	}
}

// events writes numbered events with their names.
type events struct {
	stream
	n int
}

func (e *events) send(kind string, v node) {
	v["type"] = kind
	v["sequence_number"] = e.n
	e.n++
	e.pieces = append(e.pieces, "event: "+kind+"\ndata: "+canon(v)+"\n\n")
}

// playResponse writes an answer in the events of Responses.
func playResponse(a *asked, answer Answer) stream {
	e := &events{}
	u := a.count(answer)
	head := node{"id": "resp_" + random(24), "object": "response", "created_at": 1764160000, "model": a.s.Model, "status": "in_progress", "output": []any{}, "usage": nil, "error": nil, "incomplete_details": nil}
	with := func(more node) node {
		c := node{}
		for k, v := range head {
			c[k] = v
		}
		for k, v := range more {
			c[k] = v
		}
		return c
	}
	e.send("response.created", node{"response": with(nil)})
	e.send("response.in_progress", node{"response": with(nil)})
	secret := slices.Contains(list(a.body["include"]), any("reasoning.encrypted_content"))
	var echo, output []any
	called := slices.ContainsFunc(answer.Parts, func(p Part) bool { return p.Call != nil })
	h := &handed{}
	for n, p := range answer.Parts {
		var item node
		switch {
		case p.Reasoning != "":
			item = e.reasoning(a, n, p.Reasoning, secret)
		case p.Text != "":
			phase := "final_answer"
			if called {
				phase = "commentary"
			}
			item = e.text(n, p.Text, phase)
		case p.Call != nil:
			item = e.call(n, *p.Call)
			h.ids = append(h.ids, str(item["call_id"]))
		}
		output = append(output, item)
		back := node{}
		for k, v := range item {
			if k != "id" && k != "status" {
				back[k] = v
			}
		}
		echo = append(echo, back)
	}
	e.whole = len(e.pieces)
	usage := node{
		"input_tokens": u.InputTokens, "input_tokens_details": node{"cached_tokens": u.CachedInputTokens},
		"output_tokens": u.OutputTokens, "output_tokens_details": node{"reasoning_tokens": u.ReasoningTokens}, "total_tokens": u.InputTokens + u.OutputTokens,
	}
	switch answer.Finish {
	case "":
		e.send("response.completed", node{"response": with(node{"status": "completed", "output": output, "usage": usage})})
	case "failed":
		e.send("response.failed", node{"response": with(node{"status": "failed", "error": node{"code": "server_error", "message": "The server had an error while processing your request."}})})
		u = model.Usage{}
	default:
		e.send("response.incomplete", node{"response": with(node{"status": "incomplete", "incomplete_details": node{"reason": answer.Finish}, "output": output, "usage": usage})})
	}
	h.echo = echo
	e.made, e.out = h, u
	return e.stream
}

func (e *events) reasoning(a *asked, n int, reasoning string, secret bool) node {
	id := "rs_" + random(24)
	start := node{"type": "reasoning", "id": id, "summary": []any{}}
	done := node{"type": "reasoning", "id": id, "summary": []any{}}
	if secret { // that of .added is incomplete
		start["encrypted_content"] = "gAAAA" + opaque(12)
		done["encrypted_content"] = "gAAAA" + opaque(48)
	}
	e.send("response.output_item.added", node{"output_index": n, "item": start})
	if s := str(obj(a.body["reasoning"])["summary"]); s != "" {
		at := func(more node) node {
			more["item_id"], more["output_index"], more["summary_index"] = id, n, 0
			return more
		}
		e.send("response.reasoning_summary_part.added", at(node{"part": node{"type": "summary_text", "text": ""}}))
		for _, piece := range split(reasoning) {
			e.send("response.reasoning_summary_text.delta", at(node{"delta": piece}))
		}
		e.send("response.reasoning_summary_text.done", at(node{"text": reasoning}))
		part := node{"type": "summary_text", "text": reasoning}
		e.send("response.reasoning_summary_part.done", at(node{"part": part}))
		done["summary"] = []any{part}
	}
	e.send("response.output_item.done", node{"output_index": n, "item": done})
	return done
}

func (e *events) text(n int, text, phase string) node {
	id := "msg_" + random(24)
	at := func(more node) node {
		more["item_id"], more["output_index"], more["content_index"] = id, n, 0
		return more
	}
	part := func(text string) node {
		return node{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
	}
	e.send("response.output_item.added", node{"output_index": n, "item": node{"type": "message", "id": id, "status": "in_progress", "role": "assistant", "content": []any{}, "phase": phase}})
	e.send("response.content_part.added", at(node{"part": part("")}))
	for _, piece := range split(text) {
		e.send("response.output_text.delta", at(node{"delta": piece, "logprobs": []any{}}))
	}
	e.send("response.output_text.done", at(node{"text": text, "logprobs": []any{}}))
	e.send("response.content_part.done", at(node{"part": part(text)}))
	item := node{"type": "message", "id": id, "status": "completed", "role": "assistant", "content": []any{part(text)}, "phase": phase}
	e.send("response.output_item.done", node{"output_index": n, "item": item})
	return item
}

func (e *events) call(n int, c Call) node {
	id := "fc_" + random(24)
	item := func(status, arguments string) node {
		return node{"type": "function_call", "id": id, "call_id": "call_" + id[3:], "name": c.Name, "arguments": arguments, "status": status}
	}
	e.send("response.output_item.added", node{"output_index": n, "item": item("in_progress", "")})
	for _, piece := range split(c.Arguments) {
		e.send("response.function_call_arguments.delta", node{"item_id": id, "output_index": n, "delta": piece})
	}
	e.send("response.function_call_arguments.done", node{"item_id": id, "output_index": n, "arguments": c.Arguments})
	done := item("completed", c.Arguments)
	e.send("response.output_item.done", node{"output_index": n, "item": done})
	return done
}
