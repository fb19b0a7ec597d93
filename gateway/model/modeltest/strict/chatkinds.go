package strict

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/askgate/askgate/gateway/model"
)

// DeepSeek is V4, which thinks by default.
var DeepSeek = chat(dialect{
	kind:  Kind{Name: "deepseek", BaseURL: "https://api.deepseek.com", Model: "deepseek-v4-flash", Efforts: []string{"low", "medium", "high", "xhigh", "max"}},
	state: "reasoning_content",
	demand: func(a *asked, i int, _ bool) *refusal {
		m := a.messages[i]
		if _, ok := m["reasoning_content"].(string); ok || len(calls(m)) == 0 || len(a.tools) == 0 {
			return nil
		}
		return a.refuse(http.StatusBadRequest, "", "invalid_request_error", "The reasoning_content in the thinking mode must be passed back to the API")
	},
	id:     numbered("call_%02d_%s"),
	choice: "Thinking mode does not support this tool_choice",
	style: style{
		before: ": keep-alive\n\n", nulls: true, together: true, index: "tail", usage: "finish",
		columns: func(u model.Usage) node {
			c := usageOpenAI(u)
			c["prompt_cache_hit_tokens"], c["prompt_cache_miss_tokens"] = u.CachedInputTokens, u.InputTokens-u.CachedInputTokens
			return c
		},
	},
})

// Kimi is Moonshot's K2.6.
var Kimi = chat(dialect{
	kind:  Kind{Name: "kimi", BaseURL: "https://api.moonshot.ai/v1", Model: "kimi-k2.6", Images: true},
	state: "reasoning_content",
	demand: func(a *asked, i int, _ bool) *refusal {
		if m := a.messages[i]; len(calls(m)) == 0 || m["reasoning_content"] != nil {
			return nil
		}
		return a.refuse(http.StatusBadRequest, "", "", "thinking is enabled but reasoning_content is missing in assistant tool call message at index %d", i)
	},
	id: func(a *asked, c Call, n int) string {
		for _, m := range a.messages {
			n += len(calls(m))
		}
		return fmt.Sprintf("functions.%s:%d", c.Name, n)
	},
	choice: "tool_choice 'required' is incompatible with thinking enabled",
	schema: schemaKimi,
	extra: []Rule{field("temperature", "kodus-ai#1120, nanobot#4967", "2026-07-17", func(v any) (string, string) {
		if canon(v) == "1" {
			return "", ""
		}
		return "invalid temperature: only 1 is allowed for this model", ""
	})},
	style: style{usage: "choice", columns: func(u model.Usage) node {
		c := usageOpenAI(u)
		delete(c, "prompt_tokens_details")
		c["cached_tokens"] = u.CachedInputTokens
		return c
	}},
})

// GLM is Z.ai's 4.7.
var GLM = chat(dialect{
	kind: Kind{Name: "glm", BaseURL: "https://api.z.ai/api/paas/v4", Model: "glm-4.7", fail: func(_ int, message, _, _ string) string {
		return canon(node{"error": node{"code": "1210", "message": message}})
	}},
	state:  "reasoning_content",
	id:     numbered("call_-%d%s"),
	choice: "API call parameter error: tool_choice only supports auto",
	extra: []Rule{{"user message", "java.agentscope.io glm", "2026-08", func(a *asked) *refusal {
		for _, m := range a.messages {
			if m["role"] == "user" {
				return nil
			}
		}
		return a.refuse(http.StatusBadRequest, "", "", "The messages parameter is illegal. Please check the documentation.")
	}}},
	style: style{usage: "finish", args: "whole"},
})

// MiniMax sends its reasoning in the text, or in reasoning_details if reasoning_split is sent.
var MiniMax = chat(dialect{
	kind: Kind{Name: "minimax", BaseURL: "https://api.minimax.io/v1", Model: "MiniMax-M3", fail: func(status int, message, _, _ string) string {
		return canon(node{"type": "error", "error": node{"type": "bad_request_error", "message": message + " (2013)", "http_code": fmt.Sprint(status)}, "request_id": random(24)})
	}},
	state: "split",
	id:    numbered("call_function_%[2]s_%[1]d"),
	orders: func(a *asked, _ int, _ []string) *refusal {
		return a.refuse(http.StatusBadRequest, "", "", "invalid params, tool call result does not follow tool call")
	},
	choice: "invalid params, unsupported tool_choice",
	style:  style{usage: "own", args: "whole"},
})

// Qwen is DashScope's.
var Qwen = chat(dialect{
	kind: Kind{Name: "qwen", BaseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", Model: "qwen3.7-plus", fail: func(_ int, message, _, _ string) string {
		return canon(node{"error": node{"message": "<400> InternalError.Algo.InvalidParameter: " + message, "type": "invalid_request_error", "param": nil, "code": "invalid_parameter_error"}, "request_id": random(24)})
	}},
	state:  "reasoning_content",
	choice: "The tool_choice parameter does not support being set to required or object in thinking mode",
	style: style{usage: "each", nulls: true, args: "blank", columns: func(u model.Usage) node {
		return node{
			"prompt_tokens": u.InputTokens, "completion_tokens": u.OutputTokens, "total_tokens": u.InputTokens + u.OutputTokens,
			"prompt_tokens_details":     node{"cached_tokens": u.CachedInputTokens, "cache_type": "implicit"},
			"completion_tokens_details": node{"reasoning_tokens": u.ReasoningTokens},
		}
	}},
})

// xaiError is a format whose error is a text.
func xaiError(_ int, message, _, _ string) string {
	return canon(node{"code": "Client specified an invalid argument", "error": message})
}

// XAI is a model that reasons, XAIPlain one that does not.
var (
	XAI = chat(dialect{
		kind:  Kind{Name: "xai", BaseURL: "https://api.x.ai/v1", Model: "grok-4.5", Images: true, Efforts: []string{"low", "high"}, fail: xaiError},
		state: "reasoning_content",
		style: style{usage: "finish", args: "whole", columns: func(u model.Usage) node {
			c := usageOpenAI(u)
			c["completion_tokens"] = u.OutputTokens - u.ReasoningTokens
			return c
		}},
	})
	XAIPlain = chat(dialect{
		kind: Kind{Name: "xai plain", BaseURL: "https://api.x.ai/v1", Model: "grok-4.20-0309-non-reasoning", Images: true, fail: xaiError},
		extra: []Rule{field("reasoning_effort", "LinguaGacha#771", "2026-08-16", func(any) (string, string) {
			return "Model grok-4.20-0309-non-reasoning does not support parameter reasoningEffort.", ""
		})},
		style: style{usage: "finish", args: "whole"},
	})
)

// Groq refuses members that it does not know; the reasoning of gpt-oss is its own.
var Groq = chat(dialect{
	kind: Kind{Name: "groq", BaseURL: "https://api.groq.com/openai/v1", Model: "openai/gpt-oss-120b", Efforts: []string{"low", "medium", "high"}, fail: func(_ int, message, _, _ string) string {
		return canon(node{"error": node{"message": message, "type": "invalid_request_error"}})
	}},
	state:  "reasoning",
	fields: "citation_options compound_custom disable_tool_validation documents exclude_domains frequency_penalty include_domains include_reasoning logit_bias logprobs max_completion_tokens max_tokens messages metadata model n parallel_tool_calls presence_penalty reasoning_effort reasoning_format response_format search_settings seed service_tier stop stream stream_options temperature tool_choice tools top_logprobs top_p user",
	unknown: func(a *asked, field string) *refusal {
		return a.refuse(http.StatusBadRequest, "", "", "property '%s' is unsupported", field)
	},
	members: map[string]string{"system": "role content name", "user": "role content name", "assistant": "role content name tool_calls reasoning", "tool": "role content tool_call_id name"},
	strange: func(a *asked, i int, _ []any, member string) *refusal {
		return a.refuse(http.StatusBadRequest, "", "", "'messages.%d' : for 'role:%s' the following must be satisfied[('messages.%d' : property '%s' is unsupported)]", i, a.messages[i]["role"], i, member)
	},
	tools: []Rule{strictOpenAI(false)},
	style: style{usage: "groq", args: "whole"},
})

// Cerebras, Together and Fireworks host open models.
var (
	Cerebras = chat(dialect{
		kind:  Kind{Name: "cerebras", BaseURL: "https://api.cerebras.ai/v1", Model: "gpt-oss-120b", Efforts: []string{"low", "medium", "high"}},
		state: "reasoning",
		tools: []Rule{{"strict schema", "any-llm f949923", "2026-08-19", func(a *asked) *refusal {
			if no := strictOpenAI(false).check(a); no != nil {
				return a.refuse(http.StatusBadRequest, "tools", "wrong_api_format", "'additionalProperties' is required to be supplied and set to false")
			}
			return nil
		}}},
		style: style{usage: "finish"},
	})
	Together = chat(dialect{
		kind:  Kind{Name: "together", BaseURL: "https://api.together.ai/v1", Model: "zai-org/GLM-5.3"},
		state: "reasoning",
		style: style{usage: "own", stop: "eos"},
	})
	Fireworks = chat(dialect{
		kind:  Kind{Name: "fireworks", BaseURL: "https://api.fireworks.ai/inference/v1", Model: "accounts/fireworks/models/kimi-k2p6"},
		state: "reasoning_content",
		id:    func(*asked, Call, int) string { return "functions." + random(6) + ":0" },
		style: style{usage: "finish"},
	})
)

// OpenRouter is used here as a proxy for Claude.
var OpenRouter = chat(dialect{
	kind: Kind{Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", Model: "anthropic/claude-opus-5.5", Images: true, PDF: true, fail: func(status int, message, _, _ string) string {
		return canon(node{"error": node{"code": status, "message": message}, "user_id": "user_" + random(12)})
	}},
	state: "reasoning_details",
	changed: func(a *asked, i int) *refusal {
		raw := messagesError(http.StatusBadRequest, fmt.Sprintf("messages.%d.content.0: Invalid `signature` in `thinking` block", i), "", "")
		return &refusal{http.StatusBadRequest, canon(node{"error": node{"code": 400, "message": "Provider returned error", "metadata": node{"raw": raw, "provider_name": "Anthropic"}}})}
	},
	id:    func(*asked, Call, int) string { return "toolu_" + random(24) },
	style: style{before: ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n", usage: "own"},
})

// liteLLMError is a format whose code is a text.
func liteLLMError(status int, message, _, _ string) string {
	return canon(node{"error": node{"message": message, "type": nil, "param": nil, "code": fmt.Sprint(status)}})
}

// liteLLMRules has the proxy's own rules.
var liteLLMRules = []Rule{
	{"temperature", "docs.litellm.ai drop_params", "2026-10-09", func(a *asked) *refusal {
		if a.body["temperature"] == nil {
			return nil
		}
		return a.refuse(http.StatusBadRequest, "", "", "litellm.UnsupportedParamsError: anthropic does not support parameters: ['temperature'], for model=%s. To drop these, set `litellm.drop_params=True` or for proxy: `litellm_settings: drop_params: true`", a.s.Model)
	}},
	{"calls without tools", "bedrock-access-gateway#239", "2026-04-20", func(a *asked) *refusal {
		if len(a.tools) > 0 {
			return nil
		}
		return role(a, "assistant", func(_ int, m node) *refusal {
			if len(calls(m)) == 0 {
				return nil
			}
			return a.refuse(http.StatusBadRequest, "", "", "litellm.UnsupportedParamsError: Anthropic expects the `tools=` param to be passed in when performing tool calling. doesn't support tool calling without `tools=` param specified")
		})
	}},
}

// LiteLLM is the proxy in front of Claude, LiteLLMGemini the one in front of Gemini.
var (
	LiteLLM = chat(dialect{
		kind:  Kind{Name: "litellm", BaseURL: "https://litellm.example.com/v1", Model: "claude-opus-5-5", Images: true, PDF: true, fail: liteLLMError},
		state: "thinking_blocks",
		changed: func(a *asked, i int) *refusal {
			raw := messagesError(http.StatusBadRequest, fmt.Sprintf("messages.%d.content.0: Invalid `signature` in `thinking` block", i), "", "")
			return a.refuse(http.StatusBadRequest, "", "", "litellm.BadRequestError: AnthropicException - %s. Received Model Group=%s", raw, a.s.Model)
		},
		id:    func(*asked, Call, int) string { return "toolu_" + random(24) },
		extra: liteLLMRules,
		style: style{args: "empty"},
	})
	LiteLLMGemini = chat(dialect{
		kind:  Kind{Name: "litellm gemini", BaseURL: "https://litellm.example.com/v1", Model: "gemini-3.5-pro", Images: true, PDF: true, fail: liteLLMError},
		state: "provider_specific_fields",
		changed: func(a *asked, _ int) *refusal {
			return a.refuse(http.StatusBadRequest, "", "", "litellm.BadRequestError: GeminiException BadRequestError - %s", googleError(http.StatusBadRequest, "Thought signature is not valid.", "", ""))
		},
		style: style{args: "whole"},
	})
)

// VLLM serves a Qwen model with its parsers for tools and reasoning.
var VLLM = chat(dialect{
	kind: Kind{Name: "vllm", BaseURL: "http://vllm.example.com:8000/v1", Model: "Qwen/Qwen3.6-35B-A3B", fail: func(status int, message, param, _ string) string {
		return canon(node{"error": node{"message": message, "type": "BadRequestError", "param": orNull(param), "code": status}})
	}},
	state:  "reasoning",
	id:     func(*asked, Call, int) string { return "chatcmpl-tool-" + strings.ToLower(random(16)) },
	system: true,
})

// LlamaCpp serves a model with its template.
var LlamaCpp = chat(dialect{
	kind: Kind{Name: "llama.cpp", BaseURL: "http://llama.example.com:8080/v1", Model: "qwen3.6", fail: func(status int, message, _, _ string) string {
		kind := "invalid_request_error"
		if status >= http.StatusInternalServerError {
			kind = "server_error"
		}
		return canon(node{"error": node{"code": status, "message": message, "type": kind}})
	}},
	state:  "reasoning_content",
	id:     func(*asked, Call, int) string { return random(32) },
	system: true,
	extra: []Rule{{"alternation", "llama.cpp#20733; templates of Mistral and Gemma", "2026-07-12", func(a *asked) *refusal {
		for i := 1; i < len(a.messages); i++ {
			if r := a.messages[i]["role"]; r == a.messages[i-1]["role"] && r != "tool" {
				return a.refuse(http.StatusInternalServerError, "", "", "Conversation roles must alternate user/assistant/user/assistant/...")
			}
		}
		return nil
	}}},
	style: style{space: "", usage: "own"},
})

// Ollama has no lasting ids of its own, and does not require an end marker.
var Ollama = chat(dialect{
	kind: Kind{Name: "ollama", BaseURL: "http://ollama.example.com:11434/v1", Model: "gpt-oss:20b", fail: func(_ int, message, _, _ string) string {
		return canon(node{"error": node{"message": message, "type": "api_error", "param": nil, "code": nil}})
	}},
	state: "reasoning",
	id:    func(_ *asked, _ Call, n int) string { return fmt.Sprintf("call_%d", n) }, // repeated each round
	style: style{args: "whole", index: "zero"},
})

// LMStudio sends no ids, and tags in the text.
var LMStudio = chat(dialect{
	kind: Kind{Name: "lm studio", BaseURL: "http://lmstudio.example.com:1234/v1", Model: "qwen3-8b", fail: func(_ int, message, _, _ string) string {
		return canon(node{"error": message})
	}},
	state: "tags",
	id:    func(*asked, Call, int) string { return "" },
	style: style{args: "whole", space: "none", crlf: true, noDone: true},
})

// Mistral refuses unknown members.
var Mistral = chat(dialect{
	kind:   Kind{Name: "mistral", BaseURL: "https://api.mistral.ai/v1", Model: "mistral-small-2603", Images: true, Efforts: []string{"none", "high"}, fail: mistralError},
	state:  "chunk",
	fields: "frequency_penalty guardrails max_tokens messages metadata model n parallel_tool_calls prediction presence_penalty prompt_mode random_seed reasoning_effort response_format safe_prompt stop stream temperature tool_choice tools top_p",
	unknown: func(_ *asked, field string) *refusal {
		return extraForbidden([]any{"body", field})
	},
	members: map[string]string{"system": "role content", "user": "role content", "assistant": "role content tool_calls prefix", "tool": "role content tool_call_id name"},
	strange: func(_ *asked, _ int, place []any, _ string) *refusal { return extraForbidden(place) },
	ids:     nine,
	id:      func(*asked, Call, int) string { return random(9) },
	tools: []Rule{{"strict", "reference of the API: function has name, description, strict, parameters", "2026-11", func(a *asked) *refusal {
		for i, t := range objs(a.body["tools"]) {
			if k := unknown(obj(t["function"]), "name description strict parameters"); k != "" {
				return extraForbidden([]any{"body", "tools", i, "function", k})
			}
		}
		return nil
	}}},
	extra: []Rule{
		{"user behind tool", "hermes-agent#20154, hermes-agent#99155, mistral-vibe#578, zed#37021", "2026-08-31", func(a *asked) *refusal {
			for i := 1; i < len(a.messages); i++ {
				if a.messages[i]["role"] == "user" && a.messages[i-1]["role"] == "tool" {
					return &refusal{http.StatusBadRequest, canon(node{"object": "error", "message": "Unexpected role 'user' after role 'tool'", "type": "invalid_request_message_order", "param": nil, "code": "3230"})}
				}
			}
			return nil
		}},
		{"effort", "any-llm f949923", "2026-08-19", func(a *asked) *refusal {
			if e := effortOf(a); e != "" && e != "high" && e != "none" {
				return a.refuse(http.StatusBadRequest, "", "", "reasoning_effort %s is not supported for this model, supported values: [high, none]", e)
			}
			return nil
		}},
	},
	style: style{usage: "finish", args: "whole", untold: true, columns: func(u model.Usage) node {
		return node{
			"prompt_tokens": u.InputTokens, "completion_tokens": u.OutputTokens, "total_tokens": u.InputTokens + u.OutputTokens,
			"num_cached_tokens": u.CachedInputTokens, "prompt_tokens_details": node{"cached_tokens": u.CachedInputTokens},
		}
	}},
})

func mistralError(_ int, message, _, code string) string {
	return canon(node{"object": "error", "message": message, "type": "invalid_request_error", "param": nil, "code": orNull(code)})
}

// extraForbidden is the body of crush#1590 and litellm#30835.
func extraForbidden(place []any) *refusal {
	return &refusal{http.StatusUnprocessableEntity, canon(node{
		"object": "error", "type": "invalid_request_error", "code": nil, "param": nil,
		"message": node{"detail": []any{node{"type": "extra_forbidden", "loc": place, "msg": "Extra inputs are not permitted"}}},
	})}
}

// GeminiChat is Gemini's compatible API.
var GeminiChat = chat(dialect{
	kind: Kind{Name: "gemini compatible", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", Model: "gemini-3.5-pro", Images: true, Efforts: []string{"minimal", "low", "medium", "high"},
		fail: func(status int, message, param, code string) string {
			return "[" + googleError(status, message, param, code) + "]"
		}},
	state:  "extra_content",
	fields: "extra_body max_completion_tokens max_tokens messages model n reasoning_effort response_format stop stream stream_options temperature tool_choice tools top_p",
	unknown: func(a *asked, field string) *refusal {
		return a.refuse(http.StatusBadRequest, "", "", `Invalid JSON payload received. Unknown name "%s": Cannot find field.`, field)
	},
	schema: schemaGoogle,
	id:     func(*asked, Call, int) string { return "function-call-" + fmt.Sprint(1000+len(random(9))) + random(8) },
	demand: func(a *asked, i int, _ bool) *refusal {
		c := calls(a.messages[i])
		if len(c) == 0 || i < lastUser(a) {
			return nil
		}
		if str(obj(obj(c[0]["extra_content"])["google"])["thought_signature"]) == "" {
			name, _ := function(c[0])
			return a.refuse(http.StatusBadRequest, "", "", missingSignature, name, i+1)
		}
		return nil
	},
	changed: func(a *asked, _ int) *refusal {
		return a.refuse(http.StatusBadRequest, "", "", "Thought signature is not valid.")
	},
	style: style{args: "whole", index: "zero"},
})

// lastUser returns the index of the user's newest message.
func lastUser(a *asked) int {
	last := 0
	for i, m := range a.messages {
		if m["role"] == "user" {
			last = i
		}
	}
	return last
}
