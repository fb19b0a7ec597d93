package strict

import (
	"net/http"
	"slices"
	"strings"
)

// fieldsOpenAI lists the members of a request to OpenAI's Chat Completions (comments of openai-go
// v3.98.0).
const fieldsOpenAI = "audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata modalities model n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options"

// unknownOpenAI refuses a member that OpenAI does not know (eca 0.160.3, 2026).
func unknownOpenAI(a *asked, field string) *refusal {
	return a.refuse(http.StatusBadRequest, field, "unknown_parameter", "Unknown parameter: '%s'.", field)
}

// openAI creates a server of Chat Completions at OpenAI, or Azure, for one model.
func openAI(name, baseURL, model string, efforts []string, extra ...Rule) dialect {
	return dialect{
		kind:    Kind{Name: name, BaseURL: baseURL, Model: model, Images: true, PDF: true, Efforts: efforts},
		fields:  fieldsOpenAI,
		unknown: unknownOpenAI,
		tools:   []Rule{strictOpenAI(false)},
		extra:   extra,
	}
}

// noMaxTokens refuses max_tokens as reasoning models do.
var noMaxTokens = field("max_tokens", "9router#846; comments of openai-go v3.98.0", "2026-05-02", func(any) (string, string) {
	return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "unsupported_parameter"
})

// noSampling refuses temperature or top_p together with reasoning; free reports when there is none.
func noSampling(name string, free func(a *asked) bool) Rule {
	return Rule{name, "9router#560, bolna#1019; vercel/ai ed857f5", "2026-09-05", func(a *asked) *refusal {
		v, there := a.body[name]
		if !there || canon(v) == "1" || free != nil && free(a) {
			return nil
		}
		return a.refuse(http.StatusBadRequest, name, "unsupported_value", "Unsupported value: '%s' does not support %s with this model. Only the default (1) value is supported.", name, canon(v))
	}}
}

// effortOf returns the effort of a request of either API of OpenAI; "" for none.
func effortOf(a *asked) string {
	if e, there := a.body["reasoning_effort"]; there {
		return str(e)
	}
	return str(obj(a.body["reasoning"])["effort"])
}

func noEffort(a *asked) bool { return effortOf(a) == "none" }

// efforts refuses values that are not on the list.
func efforts(param string, values ...string) Rule {
	return Rule{"effort", "litellm-docs#1173, livekit/agents#7169; catwalk v0.52.86", "2026-09-08", func(a *asked) *refusal {
		e := effortOf(a)
		if e == "" || slices.Contains(values, e) {
			return nil
		}
		quoted := "'" + strings.Join(values[:len(values)-1], "', '") + "', and '" + values[len(values)-1] + "'"
		return a.refuse(http.StatusBadRequest, param, "unsupported_value", "Unsupported value: '%s' is not supported with the '%s' model. Supported values are: %s.", e, a.s.Model, quoted)
	}}
}

// toolsBesideReasoning refuses function tools together with an effort. legal reports which effort
// passes; advice ends the message.
func toolsBesideReasoning(source, date, advice string, legal func(effort string) bool) Rule {
	return Rule{"tools with reasoning", source, date, func(a *asked) *refusal {
		if len(a.tools) == 0 || legal(effortOf(a)) {
			return nil
		}
		return a.refuse(http.StatusBadRequest, "reasoning_effort", "", "Function tools with reasoning_effort are not supported for %s in /v1/chat/completions. %s", a.s.Model, advice)
	}}
}

// OpenAI's own address and Azure's.
var (
	OpenAI41 = chat(openAI("openai gpt-4.1", "https://api.openai.com/v1", "gpt-4.1", nil,
		Rule{"effort", "reference of Chat Completions: models without reasoning", "2026-11", func(a *asked) *refusal {
			if a.body["reasoning_effort"] == nil {
				return nil
			}
			return a.refuse(http.StatusBadRequest, "", "", "Unrecognized request argument supplied: reasoning_effort")
		}}))

	OpenAI54 = chat(openAI("openai gpt-5.4", "https://api.openai.com/v1", "gpt-5.4", []string{"none", "low", "medium", "high", "xhigh"},
		noMaxTokens, noSampling("temperature", noEffort), noSampling("top_p", noEffort),
		efforts("reasoning_effort", "none", "low", "medium", "high", "xhigh"),
		toolsBesideReasoning("pipecat#4043, openai-openapi#541", "2026-05-18", "Please use /v1/responses instead.", func(e string) bool { return e == "" })))

	OpenAI56 = chat(openAI("openai gpt-5.6", "https://api.openai.com/v1", "gpt-5.6-terra", []string{"none", "low", "medium", "high", "xhigh"},
		noMaxTokens, noSampling("temperature", noEffort), noSampling("top_p", noEffort),
		efforts("reasoning_effort", "none", "low", "medium", "high", "xhigh"),
		toolsBesideReasoning("litellm#34569, livekit/agents#7169, onyx#15008", "2026-09-23",
			"To use function tools, use /v1/responses or set reasoning_effort to 'none'.", func(e string) bool { return e == "none" })))

	OpenAI6 = dead(chat(openAI("openai gpt-6-astra", "https://api.openai.com/v1", "gpt-6-astra", []string{"low", "medium", "high", "xhigh"},
		noMaxTokens, noSampling("temperature", nil), noSampling("top_p", nil),
		efforts("reasoning_effort", "low", "medium", "high", "xhigh"),
		toolsBesideReasoning("genkit#6303, bolna#1019, litellm-docs#1173", "2026-09-08", "Please use /v1/responses instead.", func(string) bool { return false }))))

	Azure = func() *Kind {
		d := openAI("azure", "https://askgate-eu.openai.azure.com/openai/v1", "chat-prod", nil)
		d.style.before = `data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"jailbreak":{"filtered":false,"detected":false}}}]}` + "\n\n"
		return chat(d)
	}()
)

func dead(k *Kind) *Kind { k.Dead = true; return k }
