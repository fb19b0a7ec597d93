package upstream

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

// tooLongWords matches the many ways in which servers report that a request is too long: OpenAI
// (context_length_exceeded), Anthropic, Gemini, Mistral, xAI, Groq, OpenRouter, Kimi, vLLM,
// SGLang, llama.cpp, Ollama, LM Studio, TGI. The test has their texts.
var tooLongWords = tools.Late(`(?i)context[_ ]?(?:length|window)[_ ]?exceeded|exceed_context_size|tokens_limit_reached|request_too_large` +
	`|prompt (?:is )?too long|prompt exceeds max|input is too long|(?:request|body) too large|request entity too large|exceeds the maximum size` +
	`|exceeds? (?:the |this )?(?:available )?(?:model'?s? )?(?:maximum )?context (?:window|length|limit|size)|context window exceeds` +
	`|maximum (?:context|prompt|allowed input|model) length|reduce the length of|(?:greater|longer) than the (?:model'?s )?(?:maximum )?context length` +
	`|context length of only|model token limit|input token count|configured context size|range of input length|too many tokens|token limit exceeded` +
	`|input tokens exceed|exceeds the limit of \d+|too long to fit|inputs. (?:must have less than|tokens \+)`)

// These find the figures: how many tokens the request has, and how many it may have.
var (
	gotFirst = tools.Late(`(?i)prompt is too long: (\d+) tokens > (\d+)` +
		`|\((\d+) tokens\)[^(]{0,80}\((\d+) tokens\)` +
		`|token count (?:of )?\(?(\d+)\)? exceeds[^\d]{0,60}(\d+)` +
		`|prompt (?:contains|has) (\d+) tokens[^.]{0,80}?(?:model with|size is) (\d+)` +
		`|length (\d+)\)? (?:is longer than|is too long|exceeds)[^\d]{0,80}(\d+)` +
		`|first (\d+) tokens when.{0,120}?of only (\d+)`)
	maxFirst = tools.Late(`(?i)maximum (?:context|prompt) length (?:is|of) (\d+).{0,60}?(?:requested|resulted in|contains|has)[^\d]{0,20}(\d+)` +
		`|configured limit of (\d+) tokens.{0,60}?resulted in (\d+)` +
		`|token limit: (\d+) \(requested: (\d+)` +
		`|limit (\d+), requested (\d+)` +
		`|(?:less than|<=) (\d+)(?: tokens)?\. given: (\d+)` +
		`|cannot exceed (\d+) - received (\d+)`)
	withAnswer = tools.Late(`(?i)exceed context limit: (\d+) \+ (\d+) > (\d+)`) // prompt + room for the answer > limit
	llamaGot   = tools.Late(`"n_prompt_tokens"\s*:\s*(\d+)`)
	llamaMax   = tools.Late(`"n_ctx"\s*:\s*(\d+)`)
	thousands  = tools.Late(`(\d),(\d{3})\b`)
)

// quotes matches quotations, since a server may quote the request in a message about something
// else.
var quotes = tools.Late(`(?m)(?:^|[\s(:])(?:'[^'\n]*\s[^'\n]*'|"[^"\n]*\s[^"\n]*")(?:\W|$)`)

// tooLong reports whether the server refused a request for its length, with the tokens that the
// request has and may have. The figures are 0 if the server states none.
func tooLong(status int, body []byte) (got, most int64, is bool) {
	text := allTexts(body)
	switch status {
	case http.StatusRequestEntityTooLarge:
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return 0, 0, false
	case http.StatusTooManyRequests: // the request exceeds the quota of a whole minute
		if !strings.Contains(strings.ToLower(text), "request too large") {
			return 0, 0, false
		}
	default:
		if !tooLongWords().MatchString(quotes().ReplaceAllString(text, "")) {
			return 0, 0, false
		}
	}
	got, most = figures(text, body)
	if most <= 0 || got <= most { // the figures are of something else
		got, most = 0, 0
	}
	return got, most, true
}

func figures(text string, body []byte) (got, most int64) {
	text = thousands().ReplaceAllString(text, "$1$2")
	if m := withAnswer().FindStringSubmatch(text); m != nil {
		return number(m[1]), number(m[3]) - number(m[2])
	}
	if m := gotFirst().FindStringSubmatch(text); m != nil {
		return pair(m)
	}
	if m := maxFirst().FindStringSubmatch(text); m != nil {
		most, got = pair(m)
		return got, most
	}
	g, m := llamaGot().FindSubmatch(body), llamaMax().FindSubmatch(body)
	if g != nil && m != nil {
		return number(string(g[1])), number(string(m[1]))
	}
	return 0, 0
}

// pair returns the two groups of the alternative that matched.
func pair(groups []string) (first, second int64) {
	for i := 1; i+1 < len(groups); i += 2 {
		if groups[i] != "" {
			return number(groups[i]), number(groups[i+1])
		}
	}
	return 0, 0
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil { // far too large
		return 0
	}
	return n
}

// allTexts returns the strings in a body of JSON, or the body itself if it is not JSON.
func allTexts(body []byte) string {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return string(body)
	}
	var b strings.Builder
	collect(&b, v)
	return b.String()
}

func collect(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		b.WriteString(v)
		b.WriteByte('\n')
	case []any:
		for _, item := range v {
			collect(b, item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			collect(b, v[name])
		}
	}
}

// The words with which servers refuse an account, a key, and an unknown model, with statuses that
// are less specific than 402, 401 and 404.
var (
	fundsWords = tools.Late(`(?i)insufficient[_ ](?:quota|balance|funds|credits?)|credit balance is too low|exceeded your current quota`)
	keyWords   = tools.Late(`(?i)invalid[_ ]api[_ ]key|api[_ ]key[_ ](?:not valid|invalid)|incorrect api key`)
	modelWords = tools.Late(`(?i)model_not_found|invalid[_ ]model|model not (?:exist|found)|not a valid model|unknown model|model \S{1,100} (?:does not exist|not found)`)
)

// The words with which servers refuse tools, ask for one of their flags, and refuse a setting (see
// modeltest/strict).
var (
	toolWords = tools.Late(`(?i)does(?:n't| not) support (?:tools?|function|tool[- _](?:use|calls?|calling)|function[- _]call\w*)\b` +
		`|support tool use|(?:tools?|tool calling|tool use|function calling) (?:is|are) not (?:supported|available|enabled)`)
	flagWords  = tools.Late(`--enable-auto-tool-choice|--tool-call-parser|--jinja`)
	paramWords = tools.Late(`(?i)unsupported[_ ](?:parameter|value)|unknown (?:parameter|name|field)|unrecognized (?:request )?argument|extra_forbidden|extra inputs are not permitted` +
		`|not support (?:the )?parameters?|argument not supported|UnsupportedParamsError|invalid temperature|is deprecated for this model` +
		`|(?:parameter|property|field|argument)\W{1,3}[\w.]{1,80}\W{0,2} (?:is|are) (?:not supported|unsupported|deprecated)|is not supported (?:for|with|on|by) this model`)
	// conversation matches the fields of a request that do not come from a model's settings.
	conversation = tools.Late(`^(?:body\.)?(?:messages|input|contents|system|systemInstruction|system_instruction|instructions|tools|model|prompt)\b`)
)

// fault returns what an operator has to change before the server accepts any request, or "".
// reason is the server's text, without what was said in the request.
func fault(status int, body []byte, reason string) model.Fault {
	refused := status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
	switch {
	case status == http.StatusPaymentRequired,
		(status == http.StatusBadRequest || status == http.StatusForbidden || status == http.StatusTooManyRequests) && fundsWords().MatchString(allTexts(body)):
		return model.FaultFunds
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return model.FaultKey
	case (refused || status == http.StatusInternalServerError) && flagWords().MatchString(reason):
		return model.FaultFlag
	case (refused || status == http.StatusNotFound) && toolWords().MatchString(reason):
		return model.FaultTools
	case status == http.StatusNotFound && names(ErrorIn(body)):
		return model.FaultParameter
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return model.FaultModel
	case !refused:
		return ""
	}
	switch text := allTexts(body); {
	case keyWords().MatchString(text):
		return model.FaultKey
	case modelWords().MatchString(text):
		return model.FaultModel
	case refusesSetting(ErrorIn(body), reason):
		return model.FaultParameter
	}
	return ""
}

// refusesSetting reports whether a server refuses a setting of the model, by naming its field or in
// words.
func refusesSetting(w *ServerError, reason string) bool {
	if w == nil {
		return paramWords().MatchString(reason)
	}
	code, _ := w.Code.(string)
	return names(w) || w.Param == "" && len(w.Fields) == 0 && (paramWords().MatchString(code) || paramWords().MatchString(reason))
}

// names reports whether a server names a field that does not belong to the conversation.
func names(w *ServerError) bool {
	return w != nil && slices.ContainsFunc(append(w.Fields[:len(w.Fields):len(w.Fields)], w.Param), func(path string) bool {
		return path != "" && !conversation().MatchString(path)
	})
}

// maxQuote is the most bytes of a server's text in an error.
const maxQuote = 200

// quoted returns the server's reason as a part of an error, or "" if there is none.
func quoted(reason string) string {
	if reason == "" {
		return ""
	}
	if cut := tools.Clip(reason, maxQuote); cut != reason {
		reason = cut + "…"
	}
	return `: "` + reason + `"`
}
