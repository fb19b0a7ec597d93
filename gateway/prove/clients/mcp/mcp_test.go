package mcp_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// The official TypeScript clients, for each version of the protocol, ask people.
func TestOfficialClients(t *testing.T) {
	dir := npmtest.Install(t, ".")
	g := fronttest.Start(t, map[string]string{
		"apps/elicit.json": `{"id": "elicit", "name": "Elicit", "tools": ["ask_user"], "mcp": {"elicit": true}}`,
	})
	npmtest.Node(t, dir, "scenes.mjs", "ASKGATE_URL="+g.URL)
}
