// Package agents runs coding agents from npm, as people run them without a terminal, against the
// gateway's MCP server: each is made to ask by a scripted model of the test's, is answered after
// its first call has given up waiting, and must read the answer. A run takes minutes of real time
// and downloads the agents, so it is behind a build tag: make agents.
package agents
