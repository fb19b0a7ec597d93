package strict

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// dialect describes how a provider differs within Chat Completions.
type dialect struct {
	kind Kind
	// state is the member that carries a message's state: one of stateMembers, "tags" for <think>
	// within the content, "split" for those and for reasoning_details where reasoning_split is
	// sent, "chunk" for a content part of type thinking; "" for none.
	state string
	// demand refuses a message, of the server's own or of others, that comes without state.
	demand  func(a *asked, i int, own bool) *refusal
	changed func(a *asked, i int) *refusal // refuses state that differs from what was handed out; nil: accepts it
	fields  string                         // members of a request that it knows; "": it accepts any
	unknown func(a *asked, field string) *refusal
	members map[string]string // members of a message that it knows, by role; nil: it accepts any
	strange func(a *asked, i int, place []any, member string) *refusal
	ids     *regexp.Regexp // form of calls' ids; nil: any
	id      func(a *asked, c Call, i int) string
	choice  string // allowed values of tool_choice; "": anything
	noEmpty string // refusal of an assistant's message without text and calls; "": the common sentence
	orders  func(a *asked, i int, open []string) *refusal
	schema  Rule
	tools   []Rule // further rules for tools
	extra   []Rule
	style   style
	system  bool // a system message that is not the first is refused
}

// stateMembers lists the members of an assistant's message, or of its calls, that have state at some
// provider.
var stateMembers = []string{"reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "provider_specific_fields", "extra_content"}

// chat creates the server of a dialect.
func chat(d dialect) *Kind {
	k := d.kind
	if k.Provider == "" {
		k.Provider, k.API = "openai", "chat"
	}
	k.State = d.state != ""
	if k.fail == nil {
		k.fail = openAIError
	}
	if d.id == nil {
		d.id = func(*asked, Call, int) string { return "call_" + random(24) }
	}
	k.rules = d.rules()
	k.plays = d.play
	k.flaws = d.flaws
	return &k
}

// openAIError is the format of OpenAI, Azure, DeepSeek, Kimi and many others.
func openAIError(status int, message, param, code string) string {
	kind := "invalid_request_error"
	if status >= http.StatusInternalServerError {
		kind = "server_error"
	}
	return canon(node{"error": node{"message": message, "type": kind, "param": orNull(param), "code": orNull(code)}})
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// said returns the text of a content, without parts of other types.
func said(content any) string {
	if s, ok := content.(string); ok {
		return s
	}
	var b strings.Builder
	for _, p := range objs(content) {
		if p["type"] == "text" || p["type"] == "output_text" {
			b.WriteString(str(p["text"]))
		}
	}
	return b.String()
}

func calls(m node) []node { return objs(m["tool_calls"]) }

func function(c node) (name, arguments string) {
	f := obj(c["function"])
	return str(f["name"]), str(f["arguments"])
}

// role checks each message of one role.
func role(a *asked, want string, check func(i int, m node) *refusal) *refusal {
	for i, m := range a.messages {
		if m["role"] == want {
			if no := check(i, m); no != nil {
				return no
			}
		}
	}
	return nil
}

// address refuses any path or method other than the provider's; key refuses another key.
func address(endpoint string) Rule {
	return Rule{"address", "each provider's reference of its API", "2026-11", func(a *asked) *refusal {
		base, _ := url.Parse(a.s.BaseURL) // a constant
		if a.r.Method != http.MethodPost || a.r.URL.Path != base.Path+endpoint {
			return a.refuse(http.StatusNotFound, "", "", "Invalid URL (%s %s)", a.r.Method, a.r.URL.Path)
		}
		return nil
	}}
}

func keyIn(header, before string) Rule {
	return Rule{"key", "each provider's reference of its API", "2026-11", func(a *asked) *refusal {
		given := a.r.Header.Get(header) == before+Key || strings.Contains(a.s.BaseURL, ".azure.com") && a.r.Header.Get("Api-Key") == Key
		if !given || a.r.URL.Query().Has("key") {
			return a.refuse(http.StatusUnauthorized, "", "invalid_api_key", "Incorrect API key provided.")
		}
		return nil
	}}
}

var modelName = Rule{"model", "each provider's reference of its API", "2026-11", func(a *asked) *refusal {
	if a.body["model"] != a.s.Model {
		return a.refuse(http.StatusNotFound, "model", "model_not_found", "The model `%s` does not exist or you do not have access to it.", str(a.body["model"]))
	}
	return nil
}}

var streams = Rule{"stream", "this package answers in streams only", "2026-11", func(a *asked) *refusal {
	if a.body["stream"] != true {
		return a.refuse(http.StatusBadRequest, "stream", "", "stream must be true")
	}
	return nil
}}

// field refuses a member of the request.
func field(name, source, date string, refused func(v any) (message, code string)) Rule {
	return Rule{name, source, date, func(a *asked) *refusal {
		v, there := a.body[name]
		if !there {
			return nil
		}
		if message, code := refused(v); message != "" {
			return a.refuse(http.StatusBadRequest, name, code, "%s", message)
		}
		return nil
	}}
}

func (d dialect) rules() []Rule {
	rules := []Rule{address("/chat/completions"), keyIn("Authorization", "Bearer "), modelName, streams}
	if d.fields != "" {
		rules = append(rules, Rule{"fields", "comfyui-newbie#3, litellm#30835, jan#8136; reference of each API", "2026-08", func(a *asked) *refusal {
			if k := unknown(a.body, d.fields); k != "" {
				return d.unknown(a, k)
			}
			return nil
		}})
	}
	if d.members != nil {
		rules = append(rules, Rule{"members", "crush#1590, litellm#30835, jan#8136, freellmapi#1070", "2026-08-30", d.known})
	}
	rules = append(rules,
		Rule{"roles", "reference of Chat Completions", "2026-11", d.roles},
		Rule{"content", "reference of Chat Completions; DeepSeek and Kimi: vercel/ai ed857f5", "2026-08-22", d.content},
		Rule{"empty assistant", "crush#3794, crush#3788", "2026-08", d.empty},
		Rule{"arguments", "reference of Chat Completions; servers parse them for their templates: sglang#28035, vllm#48922, OpenHands/software-agent-sdk#2887 (llama.cpp)", "2026-07-17", func(a *asked) *refusal {
			return role(a, "assistant", func(i int, m node) *refusal {
				for j, c := range calls(m) {
					if _, arguments := function(c); !isObject(arguments) || c["type"] != "function" {
						return a.refuse(http.StatusBadRequest, fmt.Sprintf("messages.[%d].tool_calls[%d].function.arguments", i, j), "", "Invalid 'messages[%d].tool_calls[%d].function.arguments': expected a JSON object.", i, j)
					}
				}
				return nil
			})
		}},
		Rule{"ids", "ironclaw#1241, omlx#1997, eca#233; reference of Chat Completions: at most 40", "2026-08", d.callIDs},
		Rule{"order", "qwen-code#315; CLIProxyAPI#2368; harn-vm; reference of Chat Completions", "2026-03-27", d.order},
		Rule{"last message", "mistral-vibe#578, hermes-agent#20154; common-pitfalls of anthropics/skills", "2026-05-05", func(a *asked) *refusal {
			if n := len(a.messages); n == 0 || a.messages[n-1]["role"] == "assistant" || a.messages[n-1]["role"] == "system" {
				return a.refuse(http.StatusBadRequest, "messages", "", "Expected last role User or Tool (or Assistant with prefix True) for serving but got %s", lastRole(a))
			}
			return nil
		}},
		Rule{"empty tools", "any-llm f949923; reference of Chat Completions", "2026-08-19", func(a *asked) *refusal {
			if l, there := a.body["tools"]; there && len(list(l)) == 0 {
				return a.refuse(http.StatusBadRequest, "tools", "empty_array", "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.")
			}
			if l, there := a.body["parallel_tool_calls"]; there && a.body["tools"] == nil {
				return a.refuse(http.StatusBadRequest, "parallel_tool_calls", "", "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified. (%v)", l)
			}
			return nil
		}},
	)
	if d.choice != "" {
		rules = append(rules, Rule{"tool_choice", "litellm#37470, any-llm#1384; vercel/ai; agentscope", "2026-09-09", func(a *asked) *refusal {
			if c := a.body["tool_choice"]; c != nil && c != "auto" && c != "none" {
				return a.refuse(http.StatusBadRequest, "tool_choice", "", "%s", d.choice)
			}
			return nil
		}})
	}
	rules = append(rules, toolNames(name64, "comments of openai-go v3.98.0", "2026-11-09"))
	if d.schema.check == nil {
		d.schema = schemaOpenAI
	}
	rules = append(rules, d.schema)
	rules = append(rules, d.tools...)
	if d.system {
		rules = append(rules, Rule{"system first", "llama.cpp#20733, llama.cpp#17040, lemonade#2674", "2026-07-12", func(a *asked) *refusal {
			return role(a, "system", func(i int, _ node) *refusal {
				if i > 0 {
					return a.refuse(http.StatusBadRequest, "", "", "Unable to generate parser for this template. Automatic parser generation failed: System message must be at the beginning.")
				}
				return nil
			})
		}})
	}
	rules = append(rules, d.extra...)
	if d.demand != nil {
		rules = append(rules, Rule{"state is missing", "crush#2696, LibreChat#12836, vscode#318809, socrates-pen 0.23.1", "2026-09-03", func(a *asked) *refusal {
			return role(a, "assistant", func(i int, m node) *refusal {
				return d.demand(a, i, d.match(a, m) != nil)
			})
		}})
	}
	if d.changed != nil {
		rules = append(rules, Rule{"state is changed", "docs.apiyi.com faq; opencode#3077; opencode-antigravity#368; crush#2696", "2026-10-15", func(a *asked) *refusal {
			return role(a, "assistant", func(i int, m node) *refusal {
				if d.foreign(a, m) {
					return d.changed(a, i)
				}
				return nil
			})
		}})
	}
	return rules
}

func lastRole(a *asked) string {
	if len(a.messages) == 0 {
		return "none"
	}
	return str(a.messages[len(a.messages)-1]["role"])
}

// known checks the members of messages and of their calls.
func (d dialect) known(a *asked) *refusal {
	for i, m := range a.messages {
		r := str(m["role"])
		if k := unknown(m, d.members[r]); k != "" && d.members[r] != "" {
			return d.strange(a, i, []any{"body", "messages", i, r, k}, k)
		}
		for j, c := range calls(m) {
			if k := unknown(c, "id type function index"); k != "" {
				return d.strange(a, i, []any{"body", "messages", i, r, "tool_calls", j, k}, k)
			}
			if k := unknown(obj(c["function"]), "name arguments"); k != "" {
				return d.strange(a, i, []any{"body", "messages", i, r, "tool_calls", j, "function", k}, k)
			}
		}
	}
	return nil
}

func (d dialect) roles(a *asked) *refusal {
	for i, m := range a.messages {
		switch m["role"] {
		case "system", "user", "assistant", "tool":
		default:
			return a.refuse(http.StatusBadRequest, fmt.Sprintf("messages.[%d].role", i), "invalid_value",
				"Invalid value: '%v'. Supported values are: 'system', 'assistant', 'user', 'function', and 'tool'.", m["role"])
		}
	}
	return nil
}

// content checks the content of messages: texts, and the parts that the model accepts.
func (d dialect) content(a *asked) *refusal {
	for i, m := range a.messages {
		bad := func(format string, args ...any) *refusal {
			return a.refuse(http.StatusBadRequest, fmt.Sprintf("messages.[%d].content", i), "invalid_value", format, args...)
		}
		switch c := m["content"].(type) {
		case string:
		case nil:
			if m["role"] != "assistant" {
				return bad("Invalid value for 'content': expected a string, got null.")
			}
		case []any:
			for j, p := range objs(c) {
				if why := d.part(a, str(m["role"]), p); why != "" {
					return bad("Invalid 'messages[%d].content[%d]': %s", i, j, why)
				}
			}
		default:
			return bad("Invalid type for 'messages[%d].content': expected one of a string or array of objects.", i)
		}
	}
	return nil
}

func (d dialect) part(a *asked, role string, p node) string {
	switch kind := str(p["type"]); {
	case kind == "text":
		if p["text"] == "" {
			return "text content blocks must be non-empty"
		}
	case kind == "image_url" && role == "user" && a.s.Images:
		// Mistral accepts a plain text value as well.
		u := str(obj(p["image_url"])["url"])
		if u == "" {
			u = str(p["image_url"])
		}
		if !strings.HasPrefix(u, "https://") && !dataURL(u, "image/") {
			return "Invalid base64 image_url."
		}
	case kind == "file" && role == "user" && a.s.PDF:
		f := obj(p["file"])
		if str(f["filename"]) == "" || !dataURL(str(f["file_data"]), "application/pdf") {
			return "Invalid file: 'filename' and 'file_data' are required."
		}
	case kind == "document_url" && role == "user" && d.state == "chunk":
	case kind == "thinking" && role == "assistant" && d.state == "chunk":
	default:
		return "unknown variant `" + kind + "`, expected `text`"
	}
	return ""
}

// dataURL reports whether u is a complete base64 data URL of a media type.
func dataURL(u, media string) bool {
	head, data, ok := strings.Cut(u, ";base64,")
	raw, err := base64.StdEncoding.DecodeString(data)
	return ok && err == nil && len(raw) > 0 && strings.HasPrefix(head, "data:"+media)
}

func (d dialect) empty(a *asked) *refusal {
	why := d.noEmpty
	if why == "" {
		why = "Invalid assistant message: content or tool_calls must be set"
	}
	return role(a, "assistant", func(_ int, m node) *refusal {
		l, there := m["tool_calls"]
		if there && len(list(l)) == 0 {
			return a.refuse(http.StatusBadRequest, "messages", "", "Invalid 'tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.")
		}
		if said(m["content"]) == "" && !there {
			return a.refuse(http.StatusBadRequest, "messages", "", "%s", why)
		}
		return nil
	})
}

func (d dialect) callIDs(a *asked) *refusal {
	seen := map[string]bool{}
	return role(a, "assistant", func(i int, m node) *refusal {
		for j, c := range calls(m) {
			id := str(c["id"])
			at := fmt.Sprintf("messages.[%d].tool_calls[%d].id", i, j)
			switch {
			case d.ids != nil && !d.ids.MatchString(id):
				return a.refuse(http.StatusBadRequest, at, "3280", "Tool call id was %s but must be a-z, A-Z, 0-9, with a length of 9.", id)
			case id == "" || len(id) > 64:
				return a.refuse(http.StatusBadRequest, at, "string_above_max_length", "Invalid 'messages[%d].tool_calls[%d].id': string too long. Expected a string with maximum length 64.", i, j)
			case seen[id]:
				return a.refuse(http.StatusBadRequest, at, "invalid_value", "Duplicate tool call id %s in the conversation.", id)
			}
			seen[id] = true
		}
		return nil
	})
}

// order checks that each call is answered once, directly after the message that made it.
func (d dialect) order(a *asked) *refusal {
	var open []string
	closed := func(i int) *refusal {
		if len(open) == 0 {
			return nil
		}
		if d.orders != nil {
			return d.orders(a, i, open)
		}
		return a.refuse(http.StatusBadRequest, fmt.Sprintf("messages.[%d].role", i), "",
			"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", "))
	}
	for i, m := range a.messages {
		if m["role"] == "tool" {
			at := slices.Index(open, str(m["tool_call_id"]))
			if at < 0 {
				return a.refuse(http.StatusBadRequest, fmt.Sprintf("messages.[%d].role", i), "",
					"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.") //nolint:misspell // OpenAI's own spelling
			}
			open = slices.Delete(open, at, at+1)
			continue
		}
		if no := closed(i); no != nil {
			return no
		}
		open = nil
		for _, c := range calls(m) {
			open = append(open, str(c["id"]))
		}
	}
	return closed(len(a.messages))
}
