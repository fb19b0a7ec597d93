package agentssdk_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// The result that the Agents SDK writes for a failed tool does not count as a person's answer,
// whether it uses Chat Completions or Responses: the question is asked in words.
func TestAgentsSDK(t *testing.T) {
	dir := npmtest.Install(t, ".")
	g := fronttest.Start(t, nil)
	npmtest.Node(t, dir, "scenes.mjs", "ASKGATE_URL="+g.URL)
}
