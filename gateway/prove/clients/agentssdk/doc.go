// Package agentssdk runs OpenAI's Agents SDK, as published on npm, against a gateway: its agents
// have an app as their model, and a tool ask_user that fails.
package agentssdk
