package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// counter is an MCP server of a shop, which keeps what its tools were called with.
type counter struct {
	*mcp.Server
	url  string
	mu   sync.Mutex
	made []string
}

// newCounter has the tools with these names, each with an argument of that name.
func newCounter(t *testing.T, argument string, names ...string) *counter {
	c := &counter{Server: mcp.NewServer(&mcp.Implementation{Name: "Shop", Version: "1"}, nil)}
	for _, name := range names {
		c.offer(name, argument)
	}
	handler := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return c.Server }, nil))
	t.Cleanup(handler.Close)
	c.url = handler.URL
	return c
}

// offer adds or replaces a tool.
func (c *counter) offer(name, argument string) {
	c.AddTool(&mcp.Tool{Name: name, Description: name + " by " + argument, InputSchema: map[string]any{
		"type": "object", "properties": map[string]any{argument: map[string]any{}},
	}}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.made = append(c.made, name+" "+string(r.Params.Arguments))
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "made"}}}, nil
	})
}

// take returns the calls since the last time.
func (c *counter) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	made := strings.Join(c.made, ", ")
	c.made = nil
	return made
}

// byTools are approvals of the tools of a server; %s are more of them.
const byTools = `{"tools": {"refund": {"rules": [{"when": {"properties": {"amount": {"type": "number", "minimum": 0, "maximum": 50}}, "required": ["amount"]}, "then": "allow"}]}%s}}`

// withServer is the configuration of a shop whose tools are those of an MCP server.
func (c *counter) withServer(t *testing.T, approval string) map[string]string {
	files := refunds(t, newTill(t), "true", "")
	files["apps/shop.json"] = `{"id": "shop", "name": "Shop", "tools": ["shop"]}`
	files["tools.json"] = `[{"id": "shop", "type": "mcp", "unfounded": "allow", "mcp": {"url": "` + c.url + `", "allowPrivate": true}, "needsApproval": ` + approval + `}]`
	return files
}

// Each tool of a server gets the approval under its name, or else under "*". A tool that neither names is
// asked about.
func TestToolsOfAServerHaveTheirOwnRules(t *testing.T) {
	c := newCounter(t, "amount", "refund", "list", "x.y", "other")
	for more, want := range map[string]string{
		``:                               "refund: made, list: asked, x_y: asked, other: asked",
		`, "list": false`:                "refund: made, list: made, x_y: asked, other: asked",
		`, "*": false`:                   "refund: made, list: made, x_y: made, other: made",
		`, "list": true, "*": false`:     "refund: made, list: asked, x_y: made, other: made",
		`, "x.y": false`:                 "refund: made, list: asked, x_y: made, other: asked",
		`, "x_y": false, "*": false`:     "refund: made, list: made, x_y: ?, other: made",
		`, "x.y": true, "list": false`:   "refund: made, list: made, x_y: asked, other: asked",
		`, "refund_": false, "*": true`:  "refund: made, list: asked, x_y: asked, other: asked",
		`, "x.y": false, "other": false`: "refund: made, list: asked, x_y: made, other: made",
	} {
		t.Run(more, func(t *testing.T) {
			p := start(t, teller(t), c.withServer(t, fmt.Sprintf(byTools, more)))
			var got []string
			for i, tool := range []string{"refund", "list", "x_y", "other"} {
				list, what := p.says(fmt.Sprint("c", i), "shop__"+tool+` {"amount":20}`), "?"
				switch made := c.take(); {
				case len(found(list, "clarification")) == 1 && made == "":
					what = "asked"
				case strings.HasSuffix(made, ` {"amount":20}`):
					what = "made"
				}
				got = append(got, tool+": "+what)
			}
			if got := strings.Join(got, ", "); got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
		})
	}
}

// Of tools that are offered under one name, an approval holds for the one that it names: the other one, of
// which the server may have thought later, is not offered.
func TestToolsThatAreOfferedUnderOneName(t *testing.T) {
	c := newCounter(t, "amount", "x.y", "x_y")
	for more, want := range map[string]string{
		`, "x.y": false`: "x.y", `, "x_y": false`: "x_y", `, "x.y": true, "*": false`: "asked", `, "x_y": true, "*": false`: "asked", `, "*": false`: "x.y",
	} {
		p := start(t, teller(t), c.withServer(t, fmt.Sprintf(byTools, more)))
		list := p.says("c1", `shop__x_y {"amount":20}`)
		made := c.take()
		if n := len(found(list, "clarification")); (n == 1) != (want == "asked") || want != "asked" && made != want+` {"amount":20}` || want == "asked" && made != "" {
			t.Errorf("%s: %d questions, made %q; want %s", more, n, made, want)
		}
	}
}

// A server that renames the argument of a rule that allows gains nothing: what the rule does not judge is
// asked about, before and after the gateway has the new list.
func TestAServerRenamesAnArgument(t *testing.T) {
	c := newCounter(t, "amount", "refund")
	p := start(t, teller(t), c.withServer(t, fmt.Sprintf(byTools, "")))
	p.says("c1", `shop__refund {"amount":20}`)
	if made := c.take(); made != `refund {"amount":20}` {
		t.Fatalf("made %q", made)
	}
	c.offer("refund", "total")
	waitFor(t, func() bool {
		_, list := p.as("root", "GET", "/v1/admin/tools?app=shop", "")
		return strings.Contains(fmt.Sprint(list), "refund by total")
	})
	for i, arguments := range []string{`{"total":9000}`, `{"total":20}`, `{"total":9000,"Amount":20}`, `{"amount":"20","total":9000}`} {
		onlyAsked(t, p.says(fmt.Sprint("after", i), "shop__refund "+arguments))
	}
	if made := c.take(); made != "" {
		t.Errorf("made %q", made)
	}
}
