package trial

import (
	"net/http"
	"net/url"
	"strings"
)

// baseOf is the path with which the base address of a server of a provider ends, as a rule.
var baseOf = map[string]string{"openai": "/v1", "gemini": "/v1beta"}

// Advice returns what to change in the configuration of a model whose server has no such address, or "".
// A base address contains no secret.
func (r *Result) Advice(provider, baseURL string) string {
	end, base := baseOf[provider], strings.TrimRight(baseURL, "/")
	u, err := url.Parse(base)
	switch {
	case r.Status() != http.StatusNotFound || err != nil:
	case end != "" && !strings.Contains(u.Path, "/v1"):
		return `"baseUrl" of most servers ends with ` + end + `; write "` + base + end + `"`
	case provider == "anthropic" && strings.HasSuffix(u.Path, "/v1"):
		return `for this provider "baseUrl" has no /v1; write "` + strings.TrimSuffix(base, "/v1") + `"`
	}
	return ""
}
