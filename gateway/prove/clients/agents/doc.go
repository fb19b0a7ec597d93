// Package agents runs coding agents of npm, as people run them without a terminal, against the
// gateway's MCP server: each is scripted to ask by a model of the test's, is answered after its
// first call has given up waiting, and must read the answer. A run takes minutes of real time
// and downloads the agents, so it is behind a build tag: make agents.
package agents
