package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// With two servers of a hundred tools each, a model gets as many tools as it accepts, the app's own
// tools first. The operator can see that in the log, the metrics and the admin view.
func TestNoMoreToolsAreOfferedThanModelsTake(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "many", Version: "1"}, nil)
	for i := range 100 {
		server.AddTool(&mcp.Tool{Name: fmt.Sprintf("t%03d", i), InputSchema: map[string]any{"type": "object"}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
	}
	many := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(many.Close)
	model := modeltest.New(t, modeltest.Answer("Done."))
	p := start(t, model.URL, map[string]string{
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["one", "two", "ask_user", "calculator"]}`,
		"tools.json": fmt.Sprintf(`[{"id": "ask_user", "type": "ask_user"}, {"id": "one", "type": "mcp", "mcp": {"url": %q}},
			{"id": "two", "type": "mcp", "mcp": {"url": %q, "timeout": "9s"}}]`, many.URL, many.URL),
	})
	p.send("helper", "c1", `{"message":"hi"}`)
	var sent struct {
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal(model.Requests()[0].Raw, &sent); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range sent.Tools {
		names = append(names, tool.Function.Name)
	}
	if n := len(names); n != 128 || names[99] != "one__t099" || names[125] != "two__t025" || names[126] != "ask_user" || names[127] != "calculator" {
		t.Errorf("%d tools are offered: %v", n, names)
	}
	if log := p.log.String(); strings.Count(log, "too many tools for a model") != 1 || !strings.Contains(log, "app=helper offered=128 left=74") {
		t.Errorf("the log says\n%s", log)
	}
	if seen := p.body("GET", "/v1/admin/config", ""); !strings.Contains(seen, "74 tools are not offered") {
		t.Errorf("the admin view says %s", seen)
	}
}
