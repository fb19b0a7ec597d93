package api

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/askgate/askgate/gateway/host"
)

// neighbour is a front whose API has more addresses below /v1 than the gateway serves. Requests
// for the others are refused in the shape of that API.
type neighbour interface {
	host.Format
	// Elsewhere reports whether a request is one of that API's.
	Elsewhere(r *http.Request) bool
}

// missed refuses requests without a route, or with a method that the route does not have, in the
// shape of the API that was called.
func (a *API) missed(err error) gin.HandlerFunc {
	return a.host.Handle(&host.Route{Serve: func(r *host.Request) error {
		if strings.HasPrefix(r.HTTP().URL.Path, "/v1/") {
			r.Format = a.called(r.HTTP())
		}
		return err
	}}, nil)
}

// called returns the front whose API a request is for, or nil for the gateway's own.
func (a *API) called(r *http.Request) host.Format {
	if (anthropic{}).Elsewhere(r) {
		return anthropic{}
	}
	for _, f := range a.fronts {
		if n, ok := f.(neighbour); ok && n.Elsewhere(r) {
			return n
		}
	}
	return nil
}

// anthropic refuses requests of clients of Anthropic's API, which the gateway does not serve.
type anthropic struct{}

// Name implements host.Format.
func (anthropic) Name() string { return "anthropic" }

// Elsewhere implements neighbour.
func (anthropic) Elsewhere(r *http.Request) bool {
	return r.Header.Get("Anthropic-Version") != "" || r.URL.Path == "/v1/messages" || strings.HasPrefix(r.URL.Path, "/v1/messages/")
}

// Refuse implements host.Format.
func (anthropic) Refuse(_ http.Header, p host.Problem) (contentType string, body []byte) {
	kind := "invalid_request_error"
	if p.Status == http.StatusNotFound {
		kind = "not_found_error"
	}
	body, _ = json.Marshal(map[string]any{ // strings always encode
		"type": "error", "error": map[string]string{"type": kind, "message": p.Message},
	})
	return host.TypeJSON, body
}
