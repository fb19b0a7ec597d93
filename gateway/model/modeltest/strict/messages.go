package strict

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// claude describes how models of Messages differ.
type claude struct {
	kind     Kind
	adaptive bool  // thinking is adaptive only, on by default, and bound to what preceded it
	enforced bool  // the account was made after 31 August 2026
	most     int64 // tokens of an answer
}

// The servers of Messages: a model whose thinking takes a budget, one whose thinking is adaptive
// and preserved, and that one with an account from before it was enforced.
var (
	ClaudeBudget = messages(claude{kind: Kind{Name: "claude budget", Model: "claude-sonnet-4-5", Efforts: []string{"low", "medium", "high"}}, most: 64000})
	Claude       = messages(claude{kind: Kind{Name: "claude adaptive", Model: "claude-opus-5-5", Efforts: []string{"low", "medium", "high", "xhigh", "max"}}, adaptive: true, enforced: true, most: 128000})
	ClaudeOld    = messages(claude{kind: Kind{Name: "claude old account", Model: "claude-opus-5-5", Efforts: []string{"low", "medium", "high", "xhigh", "max"}}, adaptive: true, most: 128000})
)

// messagesError is the format of Messages.
func messagesError(status int, message, _, _ string) string {
	kind := map[int]string{401: "authentication_error", 403: "permission_error", 404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 529: "overloaded_error"}[status]
	if kind == "" {
		kind = "invalid_request_error"
	}
	return canon(node{"type": "error", "error": node{"type": kind, "message": message}, "request_id": "req_" + random(24)})
}

const fieldsMessages = "cache_control container context_management inference_geo max_tokens mcp_servers messages metadata model output_config service_tier stop_sequences stream system temperature thinking tool_choice tools top_k top_p"

// blockMembers has the members of blocks, by type.
var blockMembers = map[string]string{
	"text":              "type text cache_control citations",
	"image":             "type source cache_control",
	"document":          "type source title context citations cache_control",
	"tool_use":          "type id name input cache_control caller",
	"tool_result":       "type tool_use_id content is_error cache_control",
	"thinking":          "type thinking signature",
	"redacted_thinking": "type data",
}

const asdk, asdkDate = "comments of anthropic-sdk-go/v2 v2.15.0", "2026-11-24"

func messages(c claude) *Kind {
	k := c.kind
	k.Provider, k.BaseURL, k.Images, k.PDF, k.State = "anthropic", "https://api.anthropic.com", true, true, true
	k.fail, k.plays, k.flaws = messagesError, c.play, c.flaws
	bad := http.StatusBadRequest
	k.rules = []Rule{
		address("/v1/messages"), keyIn("x-api-key", ""), modelName, streams,
		{"version", "reference of Messages", "2026-11", func(a *asked) *refusal {
			if a.r.Header.Get("Anthropic-Version") != "2023-06-01" {
				return a.refuse(bad, "", "", "anthropic-version: header is required")
			}
			return nil
		}},
		{"fields", asdk, asdkDate, func(a *asked) *refusal {
			if k := unknown(a.body, fieldsMessages); k != "" {
				return a.refuse(bad, "", "", "%s: Extra inputs are not permitted", k)
			}
			return nil
		}},
		{"max_tokens", "error-codes of anthropics/skills; vercel/ai ed857f5", "2026-08-22", func(a *asked) *refusal {
			switch n := number(a.body["max_tokens"]); {
			case a.body["max_tokens"] == nil:
				return a.refuse(bad, "", "", "max_tokens: Field required")
			case n < 1:
				return a.refuse(bad, "", "", "max_tokens: Input should be greater than or equal to 1")
			case n > c.most:
				return a.refuse(bad, "", "", "max_tokens: %d > %d, which is the maximum allowed number of output tokens for %s", n, c.most, a.s.Model)
			}
			return nil
		}},
		{"thinking", "thinking-effort of anthropics/skills; platform.claude.com opus-5-5 migration", "2026-11-09", c.thinking},
		{"effort", "thinking-effort of anthropics/skills", "2026-11", func(a *asked) *refusal {
			e := obj(a.body["output_config"])["effort"]
			if e == nil {
				return nil
			}
			if !c.adaptive {
				return a.refuse(bad, "", "", "This model does not support the effort parameter.")
			}
			if !slices.Contains(a.s.Efforts, str(e)) {
				return a.refuse(bad, "", "", "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'")
			}
			return nil
		}},
		{"sampling", "error-codes of anthropics/skills; inspect_ai#3721; vercel/ai rejectsSamplingParameters", "2026-08-22", c.sampling},
		{"tool_choice", "platform.claude.com opus-5-5; openrouter.ai guide", "2026-11", func(a *asked) *refusal {
			if kind := obj(a.body["tool_choice"])["type"]; kind == "any" || kind == "tool" {
				return a.refuse(bad, "", "", "tool_choice: Thinking may not be enabled when tool_choice forces tool use.")
			}
			return nil
		}},
		{"roles", "common-pitfalls and prompt-caching of anthropics/skills", "2026-11", func(a *asked) *refusal {
			for i, m := range a.messages {
				switch {
				case m["role"] == "system":
					return a.refuse(bad, "", "", "messages.%d: role 'system' is not supported on this model", i)
				case m["role"] != "user" && m["role"] != "assistant":
					return a.refuse(bad, "", "", "messages.%d.role: Input should be 'user' or 'assistant'", i)
				case i == 0 && m["role"] != "user":
					return a.refuse(bad, "", "", "messages: first message must use the \"user\" role")
				}
			}
			if n := len(a.messages); n == 0 || c.adaptive && a.messages[n-1]["role"] == "assistant" {
				return a.refuse(bad, "", "", "This model does not support assistant message prefill. The conversation must end with a user message.")
			}
			return nil
		}},
		{"blocks", "cai#182; vercel/ai; opencode#25005; " + asdk, asdkDate, c.blocks},
		{"tool names", "litellm", "2026-08", func(a *asked) *refusal {
			seen := map[string]bool{}
			for i, t := range a.tools {
				if !name128.MatchString(t.name) {
					return a.refuse(bad, "", "", "tools.%d.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", i)
				}
				if seen[t.name] {
					return a.refuse(bad, "", "", "tools: Tool names must be unique.")
				}
				seen[t.name] = true
				if k := unknown(objs(a.body["tools"])[i], "type name description input_schema cache_control strict eager_input_streaming defer_loading allowed_callers input_examples"); k != "" {
					return a.refuse(bad, "", "", "tools.%d.custom.%s: Extra inputs are not permitted", i, k)
				}
			}
			return nil
		}},
		schemaClaude,
		{"ids", "vercel/ai, several gateways; not looked up", "2026-11", func(a *asked) *refusal {
			seen := map[string]bool{}
			return eachBlock(a, func(i, j int, b node) *refusal {
				id := str(b["id"])
				switch {
				case b["type"] != "tool_use":
				case !name64.MatchString(id):
					return a.refuse(bad, "", "", "messages.%d.content.%d.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", i, j)
				case seen[id]:
					return a.refuse(bad, "", "", "messages.%d.content.%d: `tool_use` ids must be unique", i, j)
				}
				seen[id] = true
				return nil
			})
		}},
		{"order", "claude-code#8210, claude-code#18947, stdapi.ai#226", "2026-08", c.order},
		{"cache_control", "prompt-caching of anthropics/skills; vercel/ai", "2026-11", func(a *asked) *refusal {
			if n := strings.Count(canon(a.body), `"cache_control":{`); n > 4 {
				return a.refuse(bad, "", "", "A maximum of 4 blocks with cache_control may be provided. Found %d.", n)
			}
			return nil
		}},
		{"thinking comes first", "opencode#3077, opencode#25005", "2026-08", c.first},
		{"signatures", "opencode#25005, anthropic-sdk-python#1598", "2026-08-05", c.signatures},
		{"prefix", "platform.claude.com prefix-checks; opencode#48637, KiroCrew#11513; docs.litellm.ai anthropic_preserved_thinking", "2026-10-14", c.prefix},
	}
	return &k
}

// eachBlock visits all blocks.
func eachBlock(a *asked, visit func(i, j int, b node) *refusal) *refusal {
	for i, m := range a.messages {
		for j, b := range objs(blocks(m["content"])) {
			if no := visit(i, j, b); no != nil {
				return no
			}
		}
	}
	return nil
}

// thinks reports whether the model reasons in this request.
func (c claude) thinks(a *asked) bool {
	kind := obj(a.body["thinking"])["type"]
	return kind == "enabled" || kind == "adaptive" || kind == nil && c.adaptive
}

func (c claude) thinking(a *asked) *refusal {
	t := obj(a.body["thinking"])
	kind := str(t["type"])
	bad := func(format string, args ...any) *refusal {
		return a.refuse(http.StatusBadRequest, "", "", format, args...)
	}
	known := map[string]string{"": "", "disabled": "type", "enabled": "type budget_tokens display", "adaptive": "type display"}
	if strings.Contains(a.r.Header.Get("Anthropic-Beta"), "thinking-binding-controls-2026-08-01") {
		known["adaptive"] += " block_binding"
	}
	members, ok := known[kind]
	if !ok {
		return bad("thinking: Input tag '%s' found using 'type' does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'", kind)
	}
	if k := unknown(t, members); k != "" {
		return bad("thinking.%s.%s: Extra inputs are not permitted", kind, k)
	}
	if d := t["display"]; d != nil && d != "summarized" && d != "omitted" {
		return bad("thinking.%s.display: Input should be 'summarized' or 'omitted'", kind)
	}
	switch budget := number(t["budget_tokens"]); {
	case c.adaptive && (kind == "enabled" || kind == "disabled"), !c.adaptive && kind == "adaptive":
		return bad("\"thinking.type.%s\" is not supported for this model.", kind)
	case kind == "enabled" && budget < 1024:
		return bad("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	case kind == "enabled" && budget >= number(a.body["max_tokens"]):
		return bad("`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size")
	}
	return nil
}

func (c claude) sampling(a *asked) *refusal {
	for _, k := range []string{"temperature", "top_p", "top_k"} {
		switch v := a.body[k]; {
		case v == nil:
		case c.adaptive:
			return a.refuse(http.StatusBadRequest, "", "", "`%s` is deprecated for this model.", k)
		case c.thinks(a) && canon(v) != "1":
			return a.refuse(http.StatusBadRequest, "", "", "`%s` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-thinking'", k)
		case k == "temperature" && strings.Trim(canon(v), "0.123456789") == "" && canon(v)[0] > '1':
			return a.refuse(http.StatusBadRequest, "", "", "temperature: range: 0..1")
		}
	}
	if a.body["temperature"] != nil && a.body["top_p"] != nil {
		return a.refuse(http.StatusBadRequest, "", "", "`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
	}
	return nil
}

func (c claude) blocks(a *asked) *refusal {
	bad := func(format string, args ...any) *refusal {
		return a.refuse(http.StatusBadRequest, "", "", format, args...)
	}
	for i, b := range objs(blocks(a.system)) {
		if b["text"] == "" {
			return bad("system: text content blocks must be non-empty (%d)", i)
		}
	}
	for i, m := range a.messages {
		if said, ok := m["content"].(string); ok && said == "" || len(list(blocks(m["content"]))) == 0 {
			return bad("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		if k := unknown(m, "role content"); k != "" {
			return bad("messages.%d.%s: Extra inputs are not permitted", i, k)
		}
	}
	return eachBlock(a, func(i, j int, b node) *refusal {
		kind := str(b["type"])
		at := fmt.Sprintf("messages.%d.content.%d", i, j)
		members, ok := blockMembers[kind]
		if !ok {
			return bad("%s: Input tag '%s' found using 'type' does not match any of the expected tags", at, kind)
		}
		if k := unknown(b, members); k != "" {
			return bad("%s.%s.%s: Extra inputs are not permitted", at, kind, k)
		}
		source := obj(b["source"])
		_, object := b["input"].(node)
		switch {
		case kind == "text" && str(b["text"]) == "":
			return bad("messages: text content blocks must be non-empty")
		case kind == "text" && strings.TrimSpace(str(b["text"])) == "":
			return bad("messages: text content blocks must contain non-whitespace text")
		case kind == "tool_use" && !object:
			return bad("%s.tool_use.input: Input should be a valid dictionary", at)
		case kind == "thinking" && str(b["signature"]) == "":
			return bad("%s.thinking.signature: Field required", at)
		case kind == "thinking" && b["thinking"] == nil:
			return bad("%s.thinking.thinking: Field required", at)
		case (kind == "image" || kind == "document") && !dataURL("data:"+str(source["media_type"])+";base64,"+str(source["data"]), map[string]string{"image": "image/", "document": "application/pdf"}[kind]):
			return bad("%s.%s.source.base64.data: Input should be a valid base64 string", at, kind)
		}
		return nil
	})
}

// order: results are in the next message, before everything else in it, one for each call.
func (c claude) order(a *asked) *refusal {
	bad := func(format string, args ...any) *refusal {
		return a.refuse(http.StatusBadRequest, "", "", format, args...)
	}
	var open []string
	for i := 0; i <= len(a.messages); i++ {
		var content []node
		if i < len(a.messages) {
			content = objs(blocks(a.messages[i]["content"]))
		}
		results := true
		for j, b := range content {
			if b["type"] != "tool_result" {
				results = false
				continue
			}
			at := slices.Index(open, str(b["tool_use_id"]))
			if at < 0 {
				return bad("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %v. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, j, b["tool_use_id"])
			}
			if !results {
				return bad("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %v. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i-1, b["tool_use_id"])
			}
			open = slices.Delete(open, at, at+1)
		}
		if len(open) > 0 {
			return bad("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i-1, strings.Join(open, ", "))
		}
		for _, b := range content {
			if b["type"] == "tool_use" {
				open = append(open, str(b["id"]))
			}
		}
	}
	return nil
}

// first checks that with a budget, the last assistant's message of an open turn begins with thinking.
func (c claude) first(a *asked) *refusal {
	n := len(a.messages)
	if c.adaptive || !c.thinks(a) || n < 2 {
		return nil
	}
	newest := objs(blocks(a.messages[n-1]["content"]))
	before := objs(blocks(a.messages[n-2]["content"]))
	if len(newest) == 0 || newest[0]["type"] != "tool_result" || len(before) == 0 {
		return nil
	}
	if kind := before[0]["type"]; kind != "thinking" && kind != "redacted_thinking" {
		return a.refuse(http.StatusBadRequest, "", "", "messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%v`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`.", n-2, kind) //nolint:misspell // Anthropic\'s own spelling
	}
	return nil
}

// signed finds the block that the server signed, and the prefix it was bound to.
func signed(s *Server, b node) (node, *handed, int) {
	for _, h := range s.handed {
		for j, was := range objs(obj(h.echo)["content"]) {
			if b["type"] == was["type"] && (b["type"] == "thinking" && b["signature"] == was["signature"] || b["type"] == "redacted_thinking" && b["data"] == was["data"]) {
				return was, h, j
			}
		}
	}
	return nil, nil, 0
}

func (c claude) signatures(a *asked) *refusal {
	return eachBlock(a, func(i, j int, b node) *refusal {
		kind := str(b["type"])
		if kind != "thinking" && kind != "redacted_thinking" {
			return nil
		}
		if was, _, _ := signed(a.s, b); was == nil || !same(b, was) {
			what := map[string]string{"thinking": "signature", "redacted_thinking": "data"}[kind]
			return a.refuse(http.StatusBadRequest, "", "", "messages.%d.content.%d: Invalid `%s` in `%s` block", i, j, what, kind)
		}
		return nil
	})
}

// prefixOf returns what precedes block j of message i: tools, system, all blocks with their roles.
// Cache markers do not count.
func prefixOf(a *asked, i, j int) string {
	var b strings.Builder
	b.WriteString(canon(without(a.body["tools"], "cache_control")))
	b.WriteString(canon(without(blocks(a.system), "cache_control")))
	for n, m := range a.messages[:min(i+1, len(a.messages))] {
		for k, block := range objs(blocks(m["content"])) {
			if n == i && k == j {
				break
			}
			b.WriteString(str(m["role"]))
			b.WriteString(canon(without(without(block, "cache_control"), "caller")))
		}
	}
	return b.String()
}

func (c claude) prefix(a *asked) *refusal {
	if !c.enforced {
		return nil
	}
	return eachBlock(a, func(i, j int, b node) *refusal {
		was, h, at := signed(a.s, b)
		if was == nil {
			return nil
		}
		want := h.prefix
		for _, before := range objs(obj(h.echo)["content"])[:at] {
			want += "assistant" + canon(without(before, "caller"))
		}
		got := prefixOf(a, i, j)
		if got == want {
			return nil
		}
		more := ""
		switch n := common(got, want); {
		case !strings.HasPrefix(want, canon(without(a.body["tools"], "cache_control"))+canon(without(blocks(a.system), "cache_control"))):
			more = " The `system` prompt differs from the one this block was created with."
		case strings.Contains(want[max(0, n-200):min(len(want), n+200)], `"type":"thinking"`):
			more = " The `thinking` block that preceded this one when it was created is missing from this request."
		}
		return a.refuse(http.StatusBadRequest, "", "", "messages.%d.content.%d: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".%s", i, j, more)
	})
}

// flaws compares the blocks of the server's own messages with those it sent.
func (c claude) flaws(a *asked) []string {
	var found []string
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	raw := compact(a)
	for i, m := range a.messages {
		if m["role"] != "assistant" {
			continue
		}
		content := objs(without(blocks(m["content"]), "cache_control"))
		own := ownBlocks(a.s, content)
		if own == nil {
			for j, b := range content {
				if b["type"] == "tool_use" && !nine.MatchString(str(b["id"])) {
					add("message %d of another maker: the id of call %d is %v", i, j, b["id"])
				}
			}
			continue
		}
		if !c.thinks(a) { // a turn without thinking: the rest has to be there
			own = slices.DeleteFunc(slices.Clone(own), func(b node) bool { return strings.HasSuffix(str(b["type"]), "thinking") })
			content = slices.DeleteFunc(content, func(b node) bool { return strings.HasSuffix(str(b["type"]), "thinking") })
		}
		if len(content) != len(own) {
			add("message %d has %d blocks, and had %d: %s", i, len(content), len(own), canon(content))
			continue
		}
		for j, b := range content {
			was, in := own[j], rawInput(a.s, str(b["id"]))
			if was["type"] == "tool_use" && !isObject(in) { // it would be refused
				was, in = maps.Clone(was), ""
				was["input"] = b["input"]
			}
			if !same(b, was) {
				add("message %d: block %d is %s, and was %s", i, j, canon(b), canon(was))
			}
			if was["type"] == "tool_use" && !strings.Contains(raw, squeeze(in)) {
				add("message %d: the input of call %d differs from what was written: %s", i, j, in)
			}
		}
	}
	return found
}

// ownBlocks finds the message of the server's that contained these blocks.
func ownBlocks(s *Server, content []node) []node {
	for _, h := range s.handed {
		made := objs(obj(h.echo)["content"])
		for _, w := range made {
			for _, b := range content {
				if b["type"] == w["type"] && (b["type"] == "tool_use" && b["id"] == w["id"] || b["type"] == "text" && len(h.ids) == 0 && plain(str(b["text"])) == plain(str(w["text"]))) {
					return made
				}
			}
		}
	}
	return nil
}
