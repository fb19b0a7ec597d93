package fronttest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// steps is the number of steps of the MCP server's tool count. It reports each: "step 2 of 3".
const steps = 3

// remote returns the address of an MCP server, which ends with the test.
func remote(t testing.TB) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "remote", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "count", InputSchema: map[string]any{"type": "object"}}, count)
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(s.Close)
	return s.URL
}

func count(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if token := r.Params.GetProgressToken(); token != nil {
		for step := 1; step <= steps; step++ {
			if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: float64(step), Total: steps, Message: fmt.Sprintf("step %d of %d", step, steps),
			}); err != nil {
				return nil, err
			}
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "counted"}}}, nil
}
