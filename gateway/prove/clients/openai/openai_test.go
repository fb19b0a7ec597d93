package openai_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// The usual actions in a chat work with OpenAI's library of each version, as published on npm.
func TestOpenAILibrary(t *testing.T) {
	dir := npmtest.Install(t, ".")
	g := fronttest.Start(t, map[string]string{"apps/open.json": `{"id": "open", "name": "Open", "tools": ["ask_user", "calculator"], "clientTools": "on"}`})
	npmtest.Node(t, dir, "scenes.mjs", "ASKGATE_URL="+g.URL)
}
