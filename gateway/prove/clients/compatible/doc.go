// Package compatible runs the agent loop of the AI SDK, with the provider for servers that support
// OpenAI's API, against a gateway: as coding agents use an app as their model.
package compatible
