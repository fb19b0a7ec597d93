package config_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
)

// model returns a gateway.json with a model of a provider with these keys.
func model(provider, keys string) tree {
	return gateway(`{"models": {"default": {"provider": "` + provider + `", "model": "m", ` + keys + `}}}`)
}

func TestModelSettings(t *testing.T) {
	for name, c := range map[string]struct {
		files tree
		want  func(*config.Model)
	}{
		"nothing":      {model("openai", ``), func(*config.Model) {}},
		"api":          {model("openai", `"api": "responses"`), func(m *config.Model) { m.API = "responses" }},
		"api of a URL": {model("openai", `"api": "chat", "baseUrl": "https://h/v1/chat/completions/"`), func(m *config.Model) { m.API, m.BaseURL = "chat", "https://h/v1/chat/completions" }},
		"gemini": {model("gemini", ``), func(m *config.Model) {
			m.Provider, m.API, m.BaseURL = "gemini", "", "https://generativelanguage.googleapis.com/v1beta"
		}},
		"tokens":    {model("openai", `"maxTokens": 1000000`), func(m *config.Model) { m.MaxTokens = 1_000_000 }},
		"reasoning": {model("openai", `"reasoning": {"effort": "xhigh", "show": false}`), func(m *config.Model) { m.Reasoning = config.Reasoning{Effort: "xhigh"} }},
		"effort":    {model("openai", `"reasoning": {"effort": "none"}`), func(m *config.Model) { m.Reasoning.Effort = "none" }},
		"cold": {model("openai", `"temperature": 0`), func(m *config.Model) {
			zero := 0.0
			m.Temperature = &zero
		}},
		"flags": {model("openai", `"cache": false, "images": true, "pdf": true`), func(m *config.Model) { m.Cache, m.Images, m.PDF = false, true, true }},
		"headers": {model("openai", `"headers": {"X-Team": "a", "X-Token": "$TOKEN"}`), func(m *config.Model) {
			m.Headers, m.Secrets = map[string]string{"X-Team": "a", "X-Token": "t0ken"}, []string{"t0ken"}
		}},
		"a key in a header": {model("anthropic", `"headers": {"Authorization": "$TOKEN"}`), func(m *config.Model) {
			m.Provider, m.API, m.BaseURL = "anthropic", "", "https://api.anthropic.com"
			m.Headers, m.Secrets = map[string]string{"Authorization": "t0ken"}, []string{"t0ken"}
		}},
		"body": {model("openai", `"body": {"seed": 12345678901234567890.50, "top_k": null, "n_probs": [1, {"a": "$TOKEN", "b": "$$TOKEN"}], "t": true}`), func(m *config.Model) {
			m.Body = map[string]json.RawMessage{
				"seed": json.RawMessage("12345678901234567890.50"), "top_k": json.RawMessage("null"),
				"n_probs": json.RawMessage(`[1,{"a":"t0ken","b":"$TOKEN"}]`), "t": json.RawMessage("true"),
			}
			m.Secrets = []string{"t0ken"}
		}},
		"a field of another provider": {model("anthropic", `"body": {"n": 1, "input": {}}`), func(m *config.Model) {
			m.Provider, m.API, m.BaseURL = "anthropic", "", "https://api.anthropic.com"
			m.Body = map[string]json.RawMessage{"n": json.RawMessage("1"), "input": json.RawMessage("{}")}
		}},
		"prices": {model("openai", `"prices": {"currency": "EUR", "input": 2, "cached": 0, "output": 10.5}`), func(m *config.Model) {
			m.Prices = &config.Prices{Currency: "EUR", Input: 2, CacheWrite: 2, Output: 10.5}
		}},
		"prices without a cache": {model("openai", `"prices": {"currency": "USD", "input": 2, "output": 10}`), func(m *config.Model) {
			m.Prices = &config.Prices{Currency: "USD", Input: 2, Cached: 2, CacheWrite: 2, Output: 10}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustLoad(t, c.files, env{"TOKEN": "t0ken"})
			want := mustLoad(t, model("openai", ``), nil).Gateway.Models["default"]
			if want.API != "auto" || !want.Reasoning.Show || !want.Cache || want.MaxTokens != 0 || want.Temperature != nil {
				t.Errorf("the defaults: %+v", want)
			}
			c.want(&want)
			if got := s.Gateway.Models["default"]; !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			if len(s.Warnings) > 0 {
				t.Error(s.Warnings)
			}
		})
	}
}

func TestModelFaults(t *testing.T) {
	many := func(n, size int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`"X-%d": "%s"`, i, strings.Repeat("v", size)))
		}
		return strings.Join(list, ", ")
	}
	for name, c := range map[string]struct {
		files tree
		want  []string
	}{
		"unknown key":             {model("openai", `¶"max_tokens": 1`), []string{`did you mean "maxTokens"?`}},
		"api":                     {model("openai", `"api": ¶"completions"`), []string{"known: auto, chat, responses"}},
		"api of another provider": {model("anthropic", `"api": ¶"auto"`), []string{`requires provider "openai"`, "remove it"}},
		"api of the demo":         {gateway(`{"models": {"default": {"provider": "demo", "api": ¶"chat"}}}`), []string{"remove it"}},
		"api against its address": {model("openai", `"api": ¶"chat", "baseUrl": "https://h/v1/responses"`), []string{"ends in /responses", `remove "api"`}},
		"another API's address":   {model("openai", `"baseUrl": "https://h/v1/chat/completions/", "api": ¶"responses"`), []string{"ends in /chat/completions"}},
		"no model of gemini":      {gateway(`{"models": {"default": ¶{"provider": "gemini"}}}`), []string{`"model" is missing`}},
		"no tokens":               {model("gemini", `"maxTokens": ¶0`), []string{"from 1 to 1000000"}},
		"tokens beyond context":   {model("openai", `"maxTokens": 100, "contextTokens": ¶100`), []string{"more than"}},
		"hot":                     {model("openai", `"temperature": ¶2.1`), []string{"from 0 to 2"}},
		"warm":                    {model("openai", `"temperature": ¶"1"`), []string{"want a number"}},
		"effort":                  {model("openai", `"reasoning": {"effort": ¶"hihg"}`), []string{`did you mean "high"?`}},
		"reasoning as a text":     {model("openai", `"reasoning": ¶"high"`), []string{"want an object"}},
		"key of reasoning":        {model("openai", `"reasoning": {¶"summary": true}`), []string{"known: effort, show"}},
		"show":                    {model("openai", `"reasoning": {"show": ¶"no"}`), []string{"true or false"}},
		"cache":                   {model("openai", `"cache": ¶1`), []string{"true or false"}},
		"pdf":                     {model("openai", `"pdf": ¶1`), []string{"true or false"}},
		"headers as a list":       {model("openai", `"headers": ¶[]`), []string{"an object"}},
		"header name":             {model("openai", `"headers": {¶"X Team": "a"}`), []string{"not a valid HTTP header name"}},
		"header of a number":      {model("openai", `"headers": {"X-Team": ¶1}`), []string{"want a string"}},
		"header of two lines":     {model("openai", `"headers": {"X-Team": ¶"a\r\nHost: b"}`), []string{"line break"}},
		"header twice":            {model("openai", `"headers": {"X-Team": "a", ¶"x-team": "b"}`), []string{"appears twice"}},
		"host":                    {model("openai", `"headers": {¶"host": "a"}`), []string{"set by the gateway itself"}},
		"content type":            {model("openai", `"headers": {¶"Content-Type": "a"}`), []string{"set by the gateway itself"}},
		"user agent":              {model("openai", `"headers": {¶"User-Agent": "a"}`), []string{"set by the gateway itself"}},
		"version of the API":      {model("anthropic", `"headers": {¶"Anthropic-Version": "a"}`), []string{"set by the gateway itself"}},
		"two keys":                {model("openai", `"apiKey": "k", "headers": {¶"authorization": "Bearer k"}`), []string{`"apiKey" is set too`}},
		"two keys at Azure":       {model("openai", `"apiKey": "k", "headers": {¶"api-key": "k"}`), []string{`"apiKey" is set too`}},
		"two keys, the other way": {model("gemini", `"headers": {¶"X-Goog-Api-Key": "k"}, "apiKey": "k"`), []string{`"apiKey" is set too`}},
		"too many headers":        {model("openai", `"headers": ¶{`+many(21, 1)+`}`), []string{"too many headers: 21", "limit 20"}},
		"headers too large":       {model("openai", `"headers": ¶{`+many(2, 4094)+`}`), []string{"8194 bytes", "8192"}},
		"body as a text":          {model("openai", `"body": ¶"{}"`), []string{"an object"}},
		"body too large":          {model("openai", `"body": ¶{"a": "`+strings.Repeat("a", 64<<10)+`"}`), []string{"limit 65536"}},
		"variable of a body":      {model("openai", `"body": {"a": [{"b": ¶"$NOWHERE"}]}`), []string{"NOWHERE is not set"}},
		"prices without currency": {model("openai", `"prices": ¶{"input": 1}`), []string{`"currency" is missing`}},
		"currency in small":       {model("openai", `"prices": {"currency": ¶"eur"}`), []string{`"EUR"`}},
		"currency as a sign":      {model("openai", `"prices": {"currency": ¶"€"}`), []string{"three-letter code"}},
		"price below nothing":     {model("openai", `"prices": {"currency": "EUR", "cacheWrite": ¶-1}`), []string{"from 0 to"}},
		"price beyond everything": {model("openai", `"prices": {"currency": "EUR", "input": ¶1000001}`), []string{"from 0 to 1000000"}},
		"price of something else": {model("openai", `"prices": {"currency": "EUR", ¶"reasoning": 1}`), []string{"known: cacheWrite"}},
	} {
		t.Run(name, func(t *testing.T) { configtest.Faulty(t, c.files, nil, nil, c.want...) })
	}
	for provider, fields := range map[string]string{
		"openai":    "messages input instructions tools tool_choice stream model n store previous_response_id background",
		"anthropic": "messages system tools tool_choice stream model",
		"gemini":    "contents systemInstruction system_instruction tools toolConfig tool_config stream model",
	} {
		for _, field := range strings.Fields(fields) {
			configtest.Faulty(t, model(provider, `"body": {¶"`+field+`": null}`), nil, nil, field, "remove it")
		}
	}
}

// Keys without an effect get a warning.
func TestModelWarnings(t *testing.T) {
	s := mustLoad(t, gateway(`{"models": {"default": {"provider": "demo", "temperature": 1, "headers": {"A": "b"}, "body": {"a": 1}}}}`), nil)
	if len(s.Warnings) != 3 || !strings.Contains(s.Warnings[0].Message, "demo model") {
		t.Error(s.Warnings)
	}
}

// Equal settings have the same fingerprint. A secret from the environment differs from the same text in
// the file, which may be shown.
func TestModelFingerprint(t *testing.T) {
	print := func(keys string, e env) string {
		m := mustLoad(t, model("openai", keys), e).Gateway.Models["default"]
		return m.Fingerprint()
	}
	one := print(`"headers": {"A": "b"}, "body": {"a": 1}`, nil)
	if one != print(`"body": {"a": 1,}, "headers": {"A": "b"}`, nil) {
		t.Error("the same settings are another model")
	}
	for name, other := range map[string]string{
		"another header":  print(`"headers": {"A": "c"}, "body": {"a": 1}`, nil),
		"another body":    print(`"headers": {"A": "b"}, "body": {"a": 2}`, nil),
		"a secret header": print(`"headers": {"A": "$B"}, "body": {"a": 1}`, env{"B": "b"}),
		"another API":     print(`"headers": {"A": "b"}, "body": {"a": 1}, "api": "chat"`, nil),
	} {
		if one == other {
			t.Errorf("%s: is the same model", name)
		}
	}
}
