package agui

import (
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// Unmodified clients, old and new, ask and are asked in both modes.
func TestClients(t *testing.T) {
	dir := npmtest.Install(t, ".")
	for _, version := range []string{"0-0-53", "0-0-59", "1-0-0"} {
		t.Run(version, func(t *testing.T) {
			g := fronttest.Start(t, nil)
			t.Logf("%s", npmtest.Node(t, dir, "client.mjs", "URL="+g.URL, "CLIENT=client-"+version))
		})
	}
}
