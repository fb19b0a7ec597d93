package openai

import (
	"net/url"
	"strings"
)

// host is what a server's address says about it.
type host struct {
	openai    bool // OpenAI's own, or Azure's
	azure     bool
	minimax   bool
	mistral   bool
	responses bool // has OpenAI's models, and their Responses API
}

func hostOf(base string) host {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return host{}
	}
	name := strings.ToLower(u.Hostname())
	h := host{azure: strings.HasSuffix(name, ".openai.azure.com") || strings.HasSuffix(name, ".services.ai.azure.com")}
	h.openai = h.azure || name == "api.openai.com" || strings.HasSuffix(name, ".api.openai.com") // of a region
	h.responses = name == "api.openai.com" || h.azure && strings.HasPrefix(strings.TrimRight(u.Path, "/")+"/", "/openai/v1/")
	switch name {
	case "api.minimax.io", "api.minimaxi.com", "api.minimax.chat":
		h.minimax = true
	case "api.mistral.ai":
		h.mistral = true
	}
	return h
}
