package upstream

import (
	"net/http"
	"net/url"
	"strings"
)

// Host is what a base URL says about the server behind it.
type Host struct {
	OpenAI    bool // OpenAI's own, or Azure's
	Azure     bool
	Responses bool // has OpenAI's models, and speaks the Responses API at this URL
	MiniMax   bool
	Mistral   bool
	Gemini    bool // Gemini's compatible API, whose schemas are Gemini's
}

// HostOf reads a base URL.
func HostOf(base string) Host {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return Host{}
	}
	name := strings.ToLower(u.Hostname())
	h := Host{Azure: strings.HasSuffix(name, ".openai.azure.com") || strings.HasSuffix(name, ".services.ai.azure.com")}
	h.OpenAI = h.Azure || name == "api.openai.com" || strings.HasSuffix(name, ".api.openai.com") // of a region
	h.Responses = name == "api.openai.com" || h.Azure && strings.HasPrefix(strings.TrimRight(u.Path, "/")+"/", "/openai/v1/")
	switch name {
	case "api.minimax.io", "api.minimaxi.com", "api.minimax.chat":
		h.MiniMax = true
	case "api.mistral.ai":
		h.Mistral = true
	case "generativelanguage.googleapis.com":
		h.Gemini = true
	}
	return h
}

// OpenAIKey is the header that carries a key to a server of OpenAI's APIs. Azure takes its keys in
// another one, and tokens of Entra, which are JWTs, as everybody else takes keys.
func OpenAIKey(h Host, key string) http.Header {
	header := http.Header{}
	switch {
	case key == "":
	case h.Azure && !strings.HasPrefix(key, "eyJ"):
		header.Set("Api-Key", key)
	default:
		header.Set("Authorization", "Bearer "+key)
	}
	return header
}
