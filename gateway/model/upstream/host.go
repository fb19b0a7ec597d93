package upstream

import (
	"net/http"
	"net/url"
	"strings"
)

// Host describes a server, as far as its base URL shows.
type Host struct {
	OpenAI    bool // OpenAI or Azure
	Azure     bool
	Responses bool // has OpenAI's models, and the Responses API at this URL
	MiniMax   bool
	Mistral   bool
	Gemini    bool // Gemini's OpenAI-compatible API, with Gemini's schemas
}

// HostOf returns the Host of a base URL.
func HostOf(base string) Host {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return Host{}
	}
	name := strings.ToLower(u.Hostname())
	h := Host{Azure: strings.HasSuffix(name, ".openai.azure.com") || strings.HasSuffix(name, ".services.ai.azure.com")}
	h.OpenAI = h.Azure || name == "api.openai.com" || strings.HasSuffix(name, ".api.openai.com") // regional hosts
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

// OpenAIKey returns the header with the key for a server with an API of OpenAI. Azure has another
// header for its keys; its Entra tokens, which are JWTs, go into the usual one.
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
