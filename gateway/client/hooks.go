package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// Hook tells the gateway what a hook of Claude Code was told, of which no answer is wanted: that
// calls, or a session, are over.
func (c *Client) Hook(ctx context.Context, app string, told json.RawMessage) error {
	return c.retry(ctx, c.options.Patience, request{
		method: http.MethodPost, path: "/v1/hooks/claude-code", query: url.Values{"app": {app}}, body: told,
	})
}
