// Package aisdkopenai runs the provider of the AI SDK for OpenAI's API against the gateway. By
// default it uses Responses: the whole input each time, with references to items in place of the
// assistant's texts. The package contains only tests.
package aisdkopenai
