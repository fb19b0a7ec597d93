package copilotkit

import (
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// CopilotKit runs its tools and resumes its interrupts against the gateway, unmodified.
func TestCopilotKit(t *testing.T) {
	g := fronttest.Start(t, map[string]string{"apps/open.json": `{"id": "open", "name": "Open", "tools": ["ask_user", "calculator"], "clientTools": "on"}`})
	t.Logf("%s", npmtest.Node(t, npmtest.Install(t, "."), "core.mjs", "URL="+g.URL))
}
