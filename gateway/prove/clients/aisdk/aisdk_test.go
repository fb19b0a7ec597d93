package aisdk_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// The usual actions in a chat work with useChat of each version, as published on npm.
func TestUseChat(t *testing.T) {
	dir := npmtest.Install(t, ".")
	g := fronttest.Start(t, nil)
	npmtest.Node(t, dir, "scenes.mjs", "ASKGATE_URL="+g.URL)
}

// A chat whose connection is lost, whose gateway is killed, or that is stopped elsewhere.
func TestUseChatComesBack(t *testing.T) {
	dir := npmtest.Install(t, ".")
	g := fronttest.Start(t, nil)
	control := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/crash":
			g.Crash()
			fmt.Fprint(w, g.URL)
		case "/release":
			g.Release()
		case "/requests":
			fmt.Fprint(w, g.Requests())
		}
	}))
	defer control.Close()
	npmtest.Node(t, dir, "lost.mjs", "ASKGATE_URL="+g.URL, "CONTROL_URL="+control.URL)
}
