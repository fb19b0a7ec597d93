package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	defaultModelTimeout = Duration(120 * time.Second)
	defaultMaxRetries   = 2
	// defaultOpenAIModel is used if ASKGATE_MODEL is not set: a small model that
	// can call tools and accepts a temperature.
	defaultOpenAIModel = "gpt-4.1-mini"
)

// provider holds the settings that a provider determines for its models.
type provider struct {
	baseURL string   // the default of "baseUrl"
	headers []string // which the gateway sets
	// body lists the fields of a request that contain the conversation, or that the gateway relies
	// on. The key "body" cannot change them.
	body []string
}

var modelProviders = map[string]provider{
	ProviderOpenAI: {
		baseURL: "https://api.openai.com/v1",
		body: []string{
			"messages", "input", "instructions", "conversation", "prompt", "previous_response_id", "model", "stream", "store", "background", "n",
			"tools", "tool_choice", "functions", "function_call",
		},
	},
	ProviderAnthropic: {
		baseURL: "https://api.anthropic.com",
		headers: []string{"anthropic-version"},
		body:    []string{"messages", "system", "model", "stream", "tools", "tool_choice"},
	},
	ProviderGemini: { // it accepts JSON names in both spellings
		baseURL: "https://generativelanguage.googleapis.com/v1beta",
		body: []string{
			"contents", "systemInstruction", "system_instruction", "cachedContent", "cached_content", "model", "stream", "store",
			"tools", "toolConfig", "tool_config",
		},
	},
	ProviderDemo: {},
}

// Model says how to reach one language model. For the models to try after it see Snapshot.Fallbacks.
type Model struct {
	Provider   string   `json:"provider"` // openai, anthropic, gemini, demo
	API        string   `json:"api"`      // for provider openai: auto, chat or responses; "" for others
	BaseURL    string   `json:"baseUrl"`  // without a trailing slash
	APIKey     string   `json:"apiKey"`   // secret: never logged
	Model      string   `json:"model"`    // the name on the server
	Timeout    Duration `json:"timeout"`
	MaxRetries int      `json:"maxRetries"`
	MaxTokens  int      `json:"maxTokens"` // of one answer, including its reasoning; 0: the provider's default
	// ContextTokens is the context size of the model: prompt, tool definitions and room for the
	// answer; 0: unknown, so the server decides.
	ContextTokens int `json:"contextTokens"`
	// Images reports whether the model accepts images, which people upload.
	Images bool `json:"images"`
	PDF    bool `json:"pdf"` // whether it accepts PDFs, likewise

	Temperature *float64          `json:"temperature"` // nil: not sent; that of an app takes precedence
	Reasoning   Reasoning         `json:"reasoning"`
	Cache       bool              `json:"cache"`   // whether prompts are marked for the server's cache
	Headers     map[string]string `json:"headers"` // secret values: never logged
	// Body is merged into each request. Values may contain secrets, so that, as for Headers, only
	// the names are shown.
	Body   map[string]json.RawMessage `json:"body"`
	Prices *Prices                    `json:"prices"` // nil: costs are not counted
	// Secrets are the values in Headers and Body that came from the environment.
	Secrets []string `json:"-"`
}

// Fingerprint returns a hash of the settings: equal for equal settings, and only for them. It reveals
// nothing about the secrets in them.
func (m *Model) Fingerprint() string {
	raw, _ := json.Marshal(struct { // cannot fail: strings, numbers and valid JSON
		*Model
		Secrets []string
	}{m, m.Secrets})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Reasoning says how much a model reasons before it answers, and whether users see the reasoning.
type Reasoning struct {
	Effort string `json:"effort"` // none, minimal, low, medium, high, xhigh, max; "": the server's default
	Show   bool   `json:"show"`
}

// Prices are the prices of a million tokens.
type Prices struct {
	Currency   string  `json:"currency"` // ISO 4217 code: three letters
	Input      float64 `json:"input"`
	Cached     float64 `json:"cached"`     // for input that was read from a cache
	CacheWrite float64 `json:"cacheWrite"` // for input that was written to a cache
	Output     float64 `json:"output"`
}

// The values of Model.Provider.
const (
	ProviderOpenAI    = "openai"
	ProviderAnthropic = "anthropic"
	ProviderGemini    = "gemini"
	ProviderDemo      = "demo"
)

// The values of Model.API. APIAuto decides by the address of the server.
const (
	APIAuto      = "auto"
	APIChat      = "chat"      // Chat Completions
	APIResponses = "responses" // OpenAI's Responses
)

// newModel returns a model with the defaults of all providers.
func newModel() Model {
	return Model{Timeout: defaultModelTimeout, MaxRetries: defaultMaxRetries, Reasoning: Reasoning{Show: true}, Cache: true}
}

// modelItem returns a function that returns the item of a model. It adds the model to models, and its
// list under "fallback" to lists.
func modelItem(models map[string]Model, lists *[]*fallback) func(name string) Item {
	return func(name string) Item {
		m := newModel()
		f := &fallback{model: name}
		models[name] = m
		*lists = append(*lists, f)
		keys := append(m.keys(), Words("fallback", &f.names, maxFallbacks, func(n Value, _ string) bool {
			f.at = append(f.at, n)
			return true
		}, "names of models to try, in this order, if this one cannot be reached, is overloaded or limits the rate before it has said anything; see [fallback](limits.md#fallback)"))
		return Item{keys, func(n Value, _ bool) {
			m.check(n)
			models[name] = m
		}}
	}
}

func (m *Model) keys() []Key {
	return []Key{
		Word("provider", &m.Provider, "provider", slices.Sorted(maps.Keys(modelProviders)), "`openai`: any Chat Completions server (OpenAI, Ollama, vLLM, llama.cpp, LiteLLM, OpenRouter, ...), and OpenAI's Responses API. `anthropic`: the Messages API, from Anthropic or compatible servers. `gemini`: Gemini's own API. `demo`: the built-in script").
			Must(`write "openai" (any Chat Completions server, and OpenAI's Responses), "anthropic", "gemini" or "demo"`),
		Word("api", &m.API, "API", []string{APIAuto, APIChat, APIResponses}, "only for `openai`: `chat` (Chat Completions), `responses`, or `auto`, which goes by the [address](models.md#api)").Unset(`"auto"`),
		String("baseUrl", &m.BaseURL, without(badBaseURL), "the address of the API, without the path of the endpoint, a user, `?` or `#`").
			Then(func(Value) { m.BaseURL = strings.TrimRight(m.BaseURL, "/") }).
			Unset("`https://api.openai.com/v1`; for `anthropic` `https://api.anthropic.com`, for `gemini` `https://generativelanguage.googleapis.com/v1beta`"),
		Free("apiKey", "text", `"type": "string"`, func(n Value) { n.headerText(&m.APIKey) }, "the server's key; write it as `\"$NAME\"`"),
		Filled("model", &m.Model, nil, "the server's name for the model").Unset("required (not for `demo`)"),
		Length("timeout", &m.Timeout, 10*time.Millisecond, time.Hour, "", "how long to wait for the first byte of an answer, and between two"),
		Int("maxRetries", &m.MaxRetries, 0, 10, "how often a request is retried, as long as nothing has been received"),
		Int("maxTokens", &m.MaxTokens, 1, 1_000_000, "how many tokens an answer may have, including its reasoning. A longer one is cut off, with `finishReason` `length`").Unset("8192 for `anthropic`, whose API requires a limit; otherwise not sent"),
		Int("contextTokens", &m.ContextTokens, 1, 100_000_000, "how many tokens the model accepts: prompt, tool definitions and room for the answer, see [long chats](limits.md#long-chats); must be more than `maxTokens`"),
		Number("temperature", &m.Temperature, 0, 2, "sent with each request; an app's own `temperature` takes precedence").Unset("not sent"),
		Object("reasoning", m.Reasoning.keys, "how much the model reasons before it answers"),
		Bool("cache", &m.Cache, "requests are marked for the server's prompt cache, if the provider uses marks"),
		Free("headers", "strings by name", `"type": "object", "maxProperties": 20, "propertyNames": {"pattern": `+quoted(headerName.String())+`}, "additionalProperties": {"type": "string"}`, func(n Value) { n.modelHeaders(m) },
			"sent with each request, by name, up to 8 KiB in total; values may be `\"$NAME\"`; see [headers and body](models.md#headers-and-body)"),
		Free("body", "any object", `"type": "object"`, func(n Value) { n.modelBody(m) },
			"fields that are merged into each request, up to 64 KiB; `null` removes one; values may be `\"$NAME\"`, as in `headers`"),
		Bool("images", &m.Images, "the model accepts images: those that people upload are [sent to it](files.md#what-the-model-gets)"),
		Bool("pdf", &m.PDF, "the model accepts PDFs: those that people upload are [sent to it](files.md#what-the-model-gets)"),
		m.priceKey(),
	}
}

// check finds keys that contradict each other, and sets the values that follow from other keys.
func (m *Model) check(n Value) {
	if !n.Key("model").Given() && m.Provider != "" && m.Provider != ProviderDemo {
		n.Fault(`"model" is missing; write the server's name for the model`)
	}
	end := endpoint(m.BaseURL)
	if end != "" && !decides(m.Provider, end) {
		n.Key("baseUrl").Warn(endpointWarning, end)
	}
	api := n.Key("api")
	switch {
	case m.Provider == ProviderOpenAI:
		m.API = cmp.Or(m.API, APIAuto)
		if m.API == APIChat && end == endpointResponses || m.API == APIResponses && end == endpointChat {
			api.Fault(`"baseUrl" ends in %s, the endpoint of the other API; shorten it, or remove "api"`, end)
		}
	case api.Given() && m.Provider != "":
		m.API = ""
		api.Fault(`"api" requires provider "openai"; remove it`)
	}
	if m.ContextTokens > 0 && m.MaxTokens >= m.ContextTokens {
		n.Key("contextTokens").Fault(`"contextTokens" must be more than "maxTokens", because the answer is part of the context; raise one or lower the other`)
	}
	for _, key := range []string{"headers", "body", "temperature"} {
		if at := n.Key(key); at.Given() && m.Provider == ProviderDemo {
			at.Warn("the demo model sends no requests, so this has no effect; remove it")
		}
	}
	if m.BaseURL == "" {
		m.BaseURL = modelProviders[m.Provider].baseURL
	}
}

// decides reports whether a base address with this end is used as it is, because the end names the API.
func decides(provider, end string) bool {
	return provider == ProviderOpenAI && (end == endpointChat || end == endpointResponses)
}

const endpointWarning = "the gateway adds the endpoint to this address; end it before %s"

const (
	endpointChat      = "/chat/completions"
	endpointResponses = "/responses"
)

// endpoints are the paths that clients of model servers append to the base address.
var endpoints = []string{endpointChat, "/completions", endpointResponses, "/messages"}

// endpoint returns the endpoint at the end of a base address, or "".
func endpoint(base string) string {
	for _, e := range endpoints {
		if strings.HasSuffix(strings.TrimRight(base, "/"), e) {
			return e
		}
	}
	return ""
}

// The values of Reasoning.Effort, the lowest first.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

func (r *Reasoning) keys() []Key {
	return []Key{
		Word("effort", &r.Effort, "effort", efforts, "how much the model reasons before it answers, in the provider's own words: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`").Unset("not sent"),
		Bool("show", &r.Show, "people see the reasoning, if the model shares it"),
	}
}

// maxPrice limits the price of a million tokens.
const maxPrice = 1_000_000

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

func (m *Model) priceKey() Key {
	var p Prices
	var input, cached, cacheWrite, output *float64
	price := func(name string, to **float64, doc string) Key { return Number(name, to, 0, maxPrice, doc) }
	return Object("prices", func() []Key {
		return []Key{
			Matching("currency", &p.Currency, currency, `write the three-letter code of a currency, like "EUR"`, "three-letter code, like `EUR`").Must(`write its three-letter code, like "EUR"`),
			price("input", &input, "of the prompt").Unset("0"),
			price("cached", &cached, "of the part of the prompt that was read from a cache").Unset("as `input`"),
			price("cacheWrite", &cacheWrite, "of the part of the prompt that was written to a cache").Unset("as `input`"),
			price("output", &output, "of the answer, including its reasoning").Unset("0"),
		}
	}, "what a million tokens cost, for `askgate_model_cost_total`; see [prices](models.md#prices)", func(Value) {
		var none float64
		p.Input, p.Output = *cmp.Or(input, &none), *cmp.Or(output, &none)
		p.Cached, p.CacheWrite = *cmp.Or(cached, &p.Input), *cmp.Or(cacheWrite, &p.Input)
		m.Prices = &p
	})
}

// defaultModel returns the model "default" if the file does not define one: the OpenAI-compatible server
// that the environment names, or else the demo model.
func (p *pass) defaultModel() Model {
	m := newModel()
	m.Provider = ProviderDemo
	key, _ := p.env("OPENAI_API_KEY")
	base, _ := p.env("OPENAI_BASE_URL")
	name, _ := p.env("ASKGATE_MODEL")
	if key != "" || base != "" {
		openAIBase := modelProviders[ProviderOpenAI].baseURL
		m.Provider, m.API, m.APIKey, m.BaseURL, m.Model = ProviderOpenAI, APIAuto, strings.TrimSpace(key), openAIBase, defaultOpenAIModel
		if base != "" {
			if wrong := badBaseURL(base); wrong != "" {
				p.fault(Fault{File: "OPENAI_BASE_URL", Message: wrong})
			}
			m.BaseURL = strings.TrimRight(base, "/")
			if end := endpoint(base); end != "" && !decides(ProviderOpenAI, end) {
				p.note(Fault{File: "OPENAI_BASE_URL", Message: strings.Replace(endpointWarning, "%s", end, 1)})
			}
		}
		switch {
		case name != "":
			m.Model = name
		case m.BaseURL != openAIBase:
			p.note(Fault{File: "OPENAI_BASE_URL", Message: "is set without ASKGATE_MODEL, so the server is asked for " + defaultOpenAIModel + "; set ASKGATE_MODEL to a model of that server"})
		}
	} else if name != "" {
		p.note(Fault{File: "ASKGATE_MODEL", Message: "has no effect without OPENAI_API_KEY or OPENAI_BASE_URL, so the demo model answers; set one of them"})
	}
	return m
}

func badBaseURL(base string) string {
	u, err := url.Parse(base)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return `not a base address; write it like "http://127.0.0.1:11434/v1"`
	}
	if u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return `a base address cannot contain a user, ? or #; write it like "http://127.0.0.1:11434/v1", and put the key into "apiKey"`
	}
	return ""
}

// maxFallbacks limits how many models a model may list, and how many are tried after it: each may
// take its whole timeout.
const maxFallbacks = 10

// fallback is the list under "fallback" of a model.
type fallback struct {
	model string
	names []string
	at    []Value // where each name is written
}
