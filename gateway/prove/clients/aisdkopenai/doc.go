// Package aisdkopenai runs the provider of the AI SDK for OpenAI's API against the gateway, which
// speaks Responses by default: the whole input each time, with references to items in place of what
// the assistant said. There are only tests in it.
package aisdkopenai
