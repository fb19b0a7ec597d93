//go:build browser

package browsertest

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// artist is an MCP server with a tool whose result contains parts of every kind.
func artist(t *testing.T) string {
	t.Helper()
	var picture bytes.Buffer
	canvas := image.NewRGBA(image.Rect(0, 0, 320, 180))
	for x := range 320 {
		for y := range 180 {
			canvas.Set(x, y, color.RGBA{uint8(x / 2), 90, uint8(y), 255})
		}
	}
	if err := png.Encode(&picture, canvas); err != nil {
		t.Fatal(err)
	}
	large := append(bytes.Clone(picture.Bytes()), make([]byte, 1<<20)...) // bytes after a picture's end do not matter
	attack := []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='attacked'"><script>document.title="attacked"</script></svg>`)
	server := mcp.NewServer(&mcp.Implementation{Name: "artist", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "draw", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "A map."},
			&mcp.ImageContent{MIMEType: "image/png", Data: picture.Bytes()},
			&mcp.ImageContent{MIMEType: "image/png", Data: large},
			&mcp.ImageContent{MIMEType: "image/svg+xml", Data: attack},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///plan.pdf", MIMEType: "application/pdf", Blob: []byte("%PDF")}},
			&mcp.ResourceLink{URI: "https://maps.example.org/coast?day=sunday", Name: "coast", Title: "The coast", Description: "From Lindau to Bregenz."},
			&mcp.ResourceLink{URI: "javascript:document.title='attacked'", Name: "bank.example"},
		}}, nil
	})
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(s.Close)
	return s.URL
}

// The parts that a tool's server sends along with its text are shown, now and after a reload, and
// do nothing.
func TestPicturesAndLinksOfAToolAreShown(t *testing.T) {
	t.Parallel()
	model := upstream(t, func(_ string, results []string, d deltas) {
		if len(results) == 0 {
			d.calls("artist__draw", `{}`)
			return
		}
		d.words("Here it is.")
		d.end("stop")
	})
	s := newSite(t, "", model, configured(t, map[string]string{
		"gateway.json":     guideConfig,
		"tools.json":       `[{"id": "artist", "type": "mcp", "mcp": {"url": "` + artist(t) + `"}}]`,
		"apps/artist.json": `{"id": "artist", "name": "Artist", "tools": ["artist"]}`,
	}))
	p := openChatPage(t, s, "", 1200)
	p.write("Draw me a map")
	p.says("Here it is.")
	for _, when := range []string{"at once", "after a reload"} {
		p.until("document.querySelectorAll('.parts img').length === 2 && [...document.querySelectorAll('.parts img')].every((i) => i.complete && i.naturalWidth === 320)")
		got := eval[[]string](p, `[...document.querySelectorAll(".parts > li")].map((li) => [...li.children].map((e) => e.localName + ":" + e.textContent.trim().replace(/\s+/g, " ")).join(" | "))`)
		want := []string{"a:", "a:", "a:Save file: image/svg+xml, 123 byte", "a:Save file: application/pdf, 4 byte", "a:The coast maps.example.org | p:From Lindau to Bregenz.", "bdi:bank.example | bdi:javascript:document.title='attacked'"}
		for i := range want {
			if len(got) != len(want) || got[i] != want[i] {
				t.Fatalf("%s: %q, want %q", when, got, want)
			}
		}
		if wrong := eval[[]string](p, `[...document.querySelectorAll(".parts a")].filter((a) => !/noopener/.test(a.rel) || !/^https?:/.test(a.href)).map((a) => a.outerHTML)`); len(wrong) > 0 {
			t.Errorf("%s: %s", when, wrong)
		}
		if alt := eval[string](p, "document.querySelector('.parts img').alt"); alt != "Image from artist__draw" {
			t.Errorf("alt %q", alt)
		}
		p.accessible("parts")
		p.fits("parts")
		p.shot("page-parts")
		if when == "at once" {
			p.do(chromedp.Reload())
		}
	}
	if title := eval[string](p, "document.title"); title == "attacked" {
		t.Error("a script of the server's ran")
	}
}
