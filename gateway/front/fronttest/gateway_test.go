package fronttest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// The gateway of the suite asks through the native API, and still does after a crash.
func TestTheGatewayAsks(t *testing.T) {
	g := Start(t, nil)
	resp, err := http.Post(g.URL+"/v1/apps/work/chats/c/messages", "application/json", strings.NewReader(`{"message": "ask"}`))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	g.Crash()
	if s := g.Snapshot(App, "c"); s["status"] != "awaiting_input" {
		t.Errorf("after a crash the chat is %v", s["status"])
	}
}
