package langchain

import (
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// A conversation of LangChain's stays one chat over Chat Completions and over Responses, and what the
// gateway has stored is what the client shows.
func TestChatOpenAI(t *testing.T) {
	dir := npmtest.Install(t, ".")
	g := fronttest.Start(t, map[string]string{
		"apps/pictures.json": `{"id": "pictures", "name": "Pictures", "tools": ["ask_user"], "attachments": true}`,
	})
	t.Logf("%s", npmtest.Node(t, dir, "scenes.mjs", "ASKGATE_URL="+g.URL))
}
