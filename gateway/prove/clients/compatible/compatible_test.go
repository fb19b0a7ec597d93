package compatible

import (
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// An agent runs its own tools with an app as its model, and the gateway asks its user.
func TestAgentsUseAnAppAsTheirModel(t *testing.T) {
	g := fronttest.Start(t, map[string]string{"apps/open.json": `{"id": "open", "name": "Open", "tools": ["ask_user", "calculator"], "clientTools": "on"}`})
	t.Logf("%s", npmtest.Node(t, npmtest.Install(t, "."), "scenes.mjs", "ASKGATE_URL="+g.URL))
}
