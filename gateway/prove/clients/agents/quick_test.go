package agents_test

import "testing"

// library is OpenAI's agents library: it is small, and needs no account.
var library = agent{
	name:    "openai-agents",
	command: []string{"node", "agent.mjs", prompt},
	env:     []string{"ASKGATE_MCP=MCP_URL", "MODEL_URL=MODEL/v1"},
}

// An agent of OpenAI's library asks a person, and reads the answer.
func TestTheAgentsLibraryAsksPeople(t *testing.T) { library.run(t, 0) }
