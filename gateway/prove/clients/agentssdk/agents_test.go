package agentssdk_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// What the Agents SDK writes as the result of a tool that fails is no person's answer, whether
// it speaks Chat Completions or Responses: the question is asked in words.
func TestAgentsSDK(t *testing.T) {
	dir := npmtest.Install(t, ".")
	g := fronttest.Start(t, nil)
	npmtest.Node(t, dir, "scenes.mjs", "ASKGATE_URL="+g.URL)
}
