package host

import (
	"net/http"
	"slices"
	"strings"
)

// These are what pages of other sites may send and read, beyond what the Fetch standard always
// allows. X-Askgate-User is left out: a key that may act for others does not belong in a page.
const (
	corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE"
	corsRequest = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id, X-Chat-Id" + aiSDK + mcp + openaiNode
	corsExposed = "Location, Mcp-Session-Id, X-Request-Id, X-Chat-Id, X-Error-Code, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, Askgate-Ignored"
	// aiSDK is the header that the first versions of ai 5 and 6 set, in browsers that let them.
	aiSDK = ", User-Agent"
	// mcp are the headers that clients of MCP send with their requests.
	mcp = ", Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name"
	// openaiNode are the headers in which openai-node describes its platform; a preflight names
	// each.
	openaiNode = ", X-Stainless-Arch, X-Stainless-Custom-Poll-Interval, X-Stainless-Helper-Method, X-Stainless-Lang, X-Stainless-OS, " +
		"X-Stainless-Package-Version, X-Stainless-Poll-Helper, X-Stainless-Retry-Count, X-Stainless-Runtime, X-Stainless-Runtime-Version, X-Stainless-Timeout"
	// corsMaxAge is how long, in seconds, a browser may remember a preflight, and so how
	// long a page that was taken off the list may still send.
	corsMaxAge = "600"
)

// OpenAPIPath is where client generators find the description of the API.
const OpenAPIPath = "/openapi.yaml"

// public are the paths that pages of every origin may load, listed or not: code and texts that
// anyone can read. A path that ends in a slash includes everything below it.
var public = []string{"/assets/", OpenAPIPath}

// isPublic reports whether a path is one of those, or below one.
func isPublic(path string) bool {
	return slices.ContainsFunc(public, func(p string) bool {
		return path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(path, p)
	})
}

// shareWith lets a page read the response: any page if it is public, a listed page if it is the
// API's. It does not allow credentials: the cookie is for the gateway's own page, and browsers
// send Authorization if a page sets it.
func shareWith(h http.Header, r *http.Request, origins []string) {
	preflight := r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
	if isPublic(r.URL.Path) {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin") // for pages that require it of everything they load
		if preflight {
			h.Set("Access-Control-Allow-Methods", "GET, HEAD")
			h.Set("Access-Control-Allow-Headers", "*")
			h.Set("Access-Control-Max-Age", corsMaxAge)
		}
		return
	}
	if len(origins) == 0 || !strings.HasPrefix(r.URL.Path, "/v1/") {
		return
	}
	h.Add("Vary", "Origin") // even without an Origin: a cache must not give this response to a request with one
	from := r.Header.Get("Origin")
	if !slices.Contains(origins, from) {
		return
	}
	h.Set("Access-Control-Allow-Origin", from)
	if !preflight {
		h.Set("Access-Control-Expose-Headers", corsExposed)
		return
	}
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsRequest)
	h.Set("Access-Control-Max-Age", corsMaxAge)
}
