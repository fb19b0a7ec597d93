package upstream

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

// Servers say in many words that a request is too long: OpenAI (context_length_exceeded),
// Anthropic, Gemini, Mistral, xAI, Groq, OpenRouter, Kimi, vLLM, SGLang, llama.cpp, Ollama,
// LM Studio, TGI. The test has their texts.
var tooLongWords = regexp.MustCompile(`(?i)context[_ ]?(?:length|window)[_ ]?exceeded|exceed_context_size|tokens_limit_reached|request_too_large` +
	`|prompt (?:is )?too long|prompt exceeds max|input is too long|(?:request|body) too large|request entity too large|exceeds the maximum size` +
	`|exceeds? (?:the |this )?(?:available )?(?:model'?s? )?(?:maximum )?context (?:window|length|limit|size)|context window exceeds` +
	`|maximum (?:context|prompt|allowed input|model) length|reduce the length of|(?:greater|longer) than the (?:model'?s )?(?:maximum )?context length` +
	`|context length of only|model token limit|input token count|configured context size|range of input length|too many tokens|token limit exceeded` +
	`|input tokens exceed|exceeds the limit of \d+|too long to fit|inputs. (?:must have less than|tokens \+)`)

// tokensWanted finds the figures: how many tokens the request has, and how many it may have.
var (
	gotFirst = regexp.MustCompile(`(?i)prompt is too long: (\d+) tokens > (\d+)` +
		`|\((\d+) tokens\)[^(]{0,80}\((\d+) tokens\)` +
		`|token count (?:of )?\(?(\d+)\)? exceeds[^\d]{0,60}(\d+)` +
		`|prompt (?:contains|has) (\d+) tokens[^.]{0,80}?(?:model with|size is) (\d+)` +
		`|length (\d+)\)? (?:is longer than|is too long|exceeds)[^\d]{0,80}(\d+)` +
		`|first (\d+) tokens when.{0,120}?of only (\d+)`)
	maxFirst = regexp.MustCompile(`(?i)maximum (?:context|prompt) length (?:is|of) (\d+).{0,60}?(?:requested|resulted in|contains|has)[^\d]{0,20}(\d+)` +
		`|configured limit of (\d+) tokens.{0,60}?resulted in (\d+)` +
		`|token limit: (\d+) \(requested: (\d+)` +
		`|limit (\d+), requested (\d+)` +
		`|(?:less than|<=) (\d+)(?: tokens)?\. given: (\d+)` +
		`|cannot exceed (\d+) - received (\d+)`)
	withAnswer = regexp.MustCompile(`(?i)exceed context limit: (\d+) \+ (\d+) > (\d+)`) // prompt + room for the answer > limit
	llamaGot   = regexp.MustCompile(`"n_prompt_tokens"\s*:\s*(\d+)`)
	llamaMax   = regexp.MustCompile(`"n_ctx"\s*:\s*(\d+)`)
	thousands  = regexp.MustCompile(`(\d),(\d{3})\b`)
)

// quotes are what a server may quote of the request, in a message about something else.
var quotes = regexp.MustCompile(`(?m)(?:^|[\s(:])(?:'[^'\n]*\s[^'\n]*'|"[^"\n]*\s[^"\n]*")(?:\W|$)`)

// tooLong says whether the server refused a request for its length, and by which figures;
// 0 where it names none.
func tooLong(status int, body []byte) (got, most int64, is bool) {
	text := said(body)
	switch status {
	case http.StatusRequestEntityTooLarge:
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return 0, 0, false
	case http.StatusTooManyRequests: // more than the quota of a minute has: it will never fit
		if !strings.Contains(strings.ToLower(text), "request too large") {
			return 0, 0, false
		}
	default:
		if !tooLongWords.MatchString(quotes.ReplaceAllString(text, "")) {
			return 0, 0, false
		}
	}
	got, most = figures(text, body)
	if most <= 0 || got <= most { // it counts something else
		got, most = 0, 0
	}
	return got, most, true
}

func figures(text string, body []byte) (got, most int64) {
	text = thousands.ReplaceAllString(text, "$1$2")
	if m := withAnswer.FindStringSubmatch(text); m != nil {
		return number(m[1]), number(m[3]) - number(m[2])
	}
	if m := gotFirst.FindStringSubmatch(text); m != nil {
		return pair(m)
	}
	if m := maxFirst.FindStringSubmatch(text); m != nil {
		most, got = pair(m)
		return got, most
	}
	g, m := llamaGot.FindSubmatch(body), llamaMax.FindSubmatch(body)
	if g != nil && m != nil {
		return number(string(g[1])), number(string(m[1]))
	}
	return 0, 0
}

// pair is the groups of the alternative that matched.
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

// said is all texts in a body, or the body where it is no JSON.
func said(body []byte) string {
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
		for _, item := range v {
			collect(b, item)
		}
	}
}

// The words with which servers refuse an account, a key, and a model that they do not have,
// under statuses that say less than 402, 401 and 404.
var (
	fundsWords = regexp.MustCompile(`(?i)insufficient[_ ](?:quota|balance|funds|credits?)|credit balance is too low|exceeded your current quota`)
	keyWords   = regexp.MustCompile(`(?i)invalid[_ ]api[_ ]key|api[_ ]key[_ ](?:not valid|invalid)|incorrect api key`)
	modelWords = regexp.MustCompile(`(?i)model_not_found|invalid[_ ]model|model not (?:exist|found)|not a valid model|unknown model|model \S{1,100} (?:does not exist|not found)`)
)

// fault is what an operator has to mend before the server takes any request.
func fault(status int, body []byte) model.Fault {
	switch {
	case status == http.StatusPaymentRequired,
		(status == http.StatusBadRequest || status == http.StatusForbidden || status == http.StatusTooManyRequests) && fundsWords.MatchString(said(body)):
		return model.FaultFunds
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return model.FaultKey
	case status == http.StatusNotFound:
		return model.FaultModel
	case status != http.StatusBadRequest && status != http.StatusUnprocessableEntity:
		return ""
	}
	switch text := said(body); {
	case keyWords.MatchString(text):
		return model.FaultKey
	case modelWords.MatchString(text):
		return model.FaultModel
	}
	return ""
}

// maxQuote is in bytes: how much of a server's own words an operator is told.
const maxQuote = 200

// quoted is the server's own words about an account, a key or a model, on one line; "" where there are
// none. Other errors are not quoted: they may hold the user's text.
func quoted(body []byte) string {
	w := ErrorIn(body)
	if w == nil || tools.Blank(w.Message) {
		return ""
	}
	words := strings.Join(strings.FieldsFunc(w.Message, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if cut := tools.Clip(words, maxQuote); cut != words {
		words = cut + "…"
	}
	return `: "` + words + `"`
}
