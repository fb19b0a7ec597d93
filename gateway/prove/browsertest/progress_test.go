//go:build browser

package browsertest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// surveyor is an MCP server with a tool that reports its progress repeatedly: first without a
// total, and after next with one; after another next it is done.
func surveyor(t *testing.T) (url string, next func()) {
	t.Helper()
	step := make(chan struct{})
	server := mcp.NewServer(&mcp.Implementation{Name: "surveyor", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "measure", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i, p := range []mcp.ProgressNotificationParams{
			{Message: "Reading <b>the map</b>\u202e"},
			{Total: 4, Message: "Vermessung der Küstenlinie zwischen Lindau und Bregenz, Abschnitt 2 von 4, unterbrechungsfrei"},
		} {
			p.ProgressToken = r.Params.GetProgressToken()
			tick := time.NewTicker(300 * time.Millisecond)
			for n, waits := 0, true; waits; n++ { // repeatedly: a page that joins late does not get earlier reports
				p.Progress = float64(i+1) + float64(n)/1000
				if err := r.Session.NotifyProgress(ctx, &p); err != nil {
					return nil, err
				}
				select {
				case <-step:
					waits = false
				case <-tick.C:
				}
			}
			tick.Stop()
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "12 km"}}}, nil
	})
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(s.Close)
	t.Cleanup(sync.OnceFunc(func() { close(step) }))
	return s.URL, func() { step <- struct{}{} }
}

// The progress of a call is shown in its line while it runs, as plain text, and not afterwards.
func TestTheProgressOfACallIsShown(t *testing.T) {
	t.Parallel()
	url, next := surveyor(t)
	model := upstream(t, func(_ string, results []string, d deltas) {
		if len(results) == 0 {
			d.calls("surveyor__measure", `{}`)
			return
		}
		d.words("Twelve.")
		d.end("stop")
	})
	s := newSite(t, "", model, configured(t, map[string]string{
		"gateway.json":       guideConfig,
		"tools.json":         `[{"id": "surveyor", "type": "mcp", "mcp": {"url": "` + url + `"}}]`,
		"apps/surveyor.json": `{"id": "surveyor", "name": "Surveyor", "tools": ["surveyor"]}`,
	}))
	p := openChatPage(t, s, "", 375)
	p.write("How long is the coast?")
	p.until("document.querySelector('.progress progress:not([value])')")
	if got := eval[string](p, "document.querySelector('.progress p').textContent"); got != `Reading <b>the map</b>\u202e` {
		t.Errorf("the line reads %q", got)
	}
	p.accessible("progress")
	next()
	p.until("document.querySelector('.progress progress')?.value >= 2")
	if got := eval[float64](p, "document.querySelector('.progress progress').max"); got != 4 {
		t.Errorf("the total is %v", got)
	}
	p.accessible("progress with a total")
	p.fits("progress")
	p.shot("page-progress")
	next()
	p.says("Twelve.")
	p.until("!document.querySelector('.progress')")
}
