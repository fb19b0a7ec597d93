package config

import (
	"cmp"
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
	// defaultOpenAIModel is used where ASKGATE_MODEL is not set: small, and able
	// to call tools and to follow a temperature.
	defaultOpenAIModel = "gpt-4.1-mini"
)

// provider is what a provider fixes of its models' settings.
type provider struct {
	baseURL string // where "baseUrl" is not given
	headers []string
	// body are the fields of a request that carry the conversation, or that the gateway relies on.
	// "body" cannot change them.
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
	ProviderGemini: { // its JSON takes names in both spellings
		baseURL: "https://generativelanguage.googleapis.com/v1beta",
		body: []string{
			"contents", "systemInstruction", "system_instruction", "cachedContent", "cached_content", "model", "stream", "store",
			"tools", "toolConfig", "tool_config",
		},
	},
	ProviderDemo: {},
}

// newModel is a model with the defaults of all providers.
func newModel() Model {
	return Model{Timeout: defaultModelTimeout, MaxRetries: defaultMaxRetries, Reasoning: Reasoning{Show: true}, Cache: true}
}

func (l *loader) models(n Node) {
	list, _ := n.Members()
	for _, m := range list {
		if !plainID.MatchString(m.Key) {
			m.Name.Fault("%s cannot be the name of a model; %s", m.Name.Raw(), plainIDRule)
			continue
		}
		f := fallback{model: m.Key}
		l.gateway.Models[m.Key] = m.model(&f)
		l.fallbacks = append(l.fallbacks, f)
	}
}

// modelNodes are the values of a model's keys, by key.
type modelNodes map[string]Node

func (n Node) model(f *fallback) Model {
	m := newModel()
	at := modelNodes{}
	keys := Keys{
		"provider": func(n Node) {
			n.OneOf(&m.Provider, "provider", slices.Sorted(maps.Keys(modelProviders))...)
		},
		"api": func(n Node) { n.OneOf(&m.API, "API", APIAuto, APIChat, APIResponses) },
		"baseUrl": func(n Node) {
			if text, ok := n.Text(); ok {
				if wrong := badBaseURL(text); wrong != "" {
					n.Fault("%s", wrong)
					return
				}
				m.BaseURL = strings.TrimRight(text, "/")
			}
		},
		"apiKey":        func(n Node) { n.header(&m.APIKey) },
		"model":         func(n Node) { n.Filled(&m.Model) },
		"timeout":       func(n Node) { n.Duration(&m.Timeout, 10*time.Millisecond, time.Hour, "") },
		"stepTimeout":   func(n Node) { n.Duration(&m.StepTimeout, 10*time.Millisecond, 24*time.Hour, "") },
		"maxRetries":    func(n Node) { n.Integer(&m.MaxRetries, 0, 10) },
		"maxTokens":     func(n Node) { n.Integer(&m.MaxTokens, 1, 1_000_000) },
		"contextTokens": func(n Node) { n.Integer(&m.ContextTokens, 1, 100_000_000) },
		"temperature":   func(n Node) { n.number(&m.Temperature, 0, 2) },
		"reasoning":     func(n Node) { n.reasoning(&m.Reasoning) },
		"cache":         func(n Node) { n.Boolean(&m.Cache) },
		"images":        func(n Node) { n.Boolean(&m.Images) },
		"pdf":           func(n Node) { n.Boolean(&m.PDF) },
		"headers":       func(Node) {}, // read below, where the provider is known
		"body":          func(Node) {},
		"prices":        func(n Node) { n.prices(&m.Prices) },
		"fallback":      f.read,
	}
	for key, read := range keys {
		keys[key] = func(n Node) {
			at[key] = n
			read(n)
		}
	}
	if !n.Object(keys, nil) {
		return m
	}
	if _, given := at["provider"]; !given {
		n.Fault(`"provider" is missing; write "openai" (any Chat Completions server, and OpenAI's Responses), "anthropic", "gemini" or "demo"`)
	}
	if _, given := at["model"]; !given && m.Provider != "" && m.Provider != ProviderDemo {
		n.Fault(`"model" is missing; write the name that the server knows the model by`)
	}
	if headers, given := at["headers"]; given {
		headers.modelHeaders(&m)
	}
	if body, given := at["body"]; given {
		body.modelBody(&m)
	}
	at.judge(&m)
	if m.BaseURL == "" {
		m.BaseURL = modelProviders[m.Provider].baseURL
	}
	return m
}

// judge finds keys that do not fit together, and fills in the API.
func (at modelNodes) judge(m *Model) {
	end := endpoint(m.BaseURL)
	if end != "" && !decides(m.Provider, end) {
		at["baseUrl"].Warn(endpointWarning, end)
	}
	api, given := at["api"]
	switch {
	case m.Provider == ProviderOpenAI:
		m.API = cmp.Or(m.API, APIAuto)
		if m.API == APIChat && end == endpointResponses || m.API == APIResponses && end == endpointChat {
			api.Fault(`"baseUrl" ends in %s, which is the endpoint of the other API; shorten it, or remove "api"`, end)
		}
	case given && m.Provider != "":
		m.API = ""
		api.Fault(`only provider "openai" has a choice of APIs; remove "api"`)
	}
	if m.ContextTokens > 0 && m.MaxTokens >= m.ContextTokens {
		at["contextTokens"].Fault(`"contextTokens" must be more than "maxTokens", which is the part of it that the answer takes; raise the one or lower the other`)
	}
	if m.Provider == ProviderDemo {
		for _, key := range []string{"headers", "body", "temperature"} {
			if n, given := at[key]; given {
				n.Warn("the demo model sends no requests, so this has no effect; remove it")
			}
		}
	}
}

// decides says that a base address which ends so is taken as it stands: it names the API.
func decides(provider, end string) bool {
	return provider == ProviderOpenAI && (end == endpointChat || end == endpointResponses)
}

const endpointWarning = "the gateway adds the endpoint to this address; end it before %s"

// The values of Reasoning.Effort, from the least on.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

func (n Node) reasoning(dst *Reasoning) {
	n.Object(Keys{
		"effort": func(n Node) { n.OneOf(&dst.Effort, "effort", efforts...) },
		"show":   func(n Node) { n.Boolean(&dst.Show) },
	}, nil)
}

// maxPrice bounds the price of a million tokens.
const maxPrice = 1_000_000

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

func (n Node) prices(dst **Prices) {
	var p Prices
	var cached, cacheWrite *float64
	price := func(to *float64) func(Node) {
		return func(n Node) {
			given := to
			n.number(&given, 0, maxPrice)
			*to = *given
		}
	}
	if !n.Object(Keys{
		"currency":   func(n Node) { n.matching(&p.Currency, currency, `write the three letters of a currency, like "EUR"`) },
		"input":      price(&p.Input),
		"cached":     func(n Node) { n.number(&cached, 0, maxPrice) },
		"cacheWrite": func(n Node) { n.number(&cacheWrite, 0, maxPrice) },
		"output":     price(&p.Output),
	}, nil) {
		return
	}
	list, _ := n.Members()
	if !slices.ContainsFunc(list, func(m Member) bool { return m.Key == "currency" }) {
		n.Fault(`"currency" is missing; write its three letters, like "EUR"`)
	}
	p.Cached, p.CacheWrite = p.Input, p.Input
	if cached != nil {
		p.Cached = *cached
	}
	if cacheWrite != nil {
		p.CacheWrite = *cacheWrite
	}
	*dst = &p
}

// defaultModel fills in "default" where the file names none: the
// OpenAI-compatible server of the environment, else the demo model.
func (l *loader) defaultModel() {
	if _, ok := l.gateway.Models["default"]; ok {
		return
	}
	m := newModel()
	m.Provider = ProviderDemo
	key, _ := l.env("OPENAI_API_KEY")
	base, _ := l.env("OPENAI_BASE_URL")
	name, _ := l.env("ASKGATE_MODEL")
	if key != "" || base != "" {
		openAIBase := modelProviders[ProviderOpenAI].baseURL
		m.Provider, m.API, m.APIKey, m.BaseURL, m.Model = ProviderOpenAI, APIAuto, strings.TrimSpace(key), openAIBase, defaultOpenAIModel
		if base != "" {
			if wrong := badBaseURL(base); wrong != "" {
				l.loose = append(l.loose, Fault{File: "OPENAI_BASE_URL", Message: wrong})
			}
			m.BaseURL = strings.TrimRight(base, "/")
			if end := endpoint(base); end != "" && !decides(ProviderOpenAI, end) {
				l.note(Fault{File: "OPENAI_BASE_URL", Message: strings.Replace(endpointWarning, "%s", end, 1)})
			}
		}
		switch {
		case name != "":
			m.Model = name
		case m.BaseURL != openAIBase:
			l.note(Fault{File: "OPENAI_BASE_URL", Message: "is set without ASKGATE_MODEL: the server is asked for " + defaultOpenAIModel + "; set ASKGATE_MODEL to a model that it has"})
		}
	} else if name != "" {
		l.note(Fault{File: "ASKGATE_MODEL", Message: "has no effect without OPENAI_API_KEY or OPENAI_BASE_URL: the demo model answers"})
	}
	l.gateway.Models["default"] = m
}

func badBaseURL(base string) string {
	u, err := url.Parse(base)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return `no base address; write it like "http://127.0.0.1:11434/v1"`
	}
	if u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return `a base address has no user, ? or #; write it like "http://127.0.0.1:11434/v1" and the key into "apiKey"`
	}
	return ""
}
