// Package responses runs OpenAI's JavaScript library against the gateway's Responses API. It
// contains only tests.
package responses
