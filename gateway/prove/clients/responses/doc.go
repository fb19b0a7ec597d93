// Package responses runs OpenAI's library for JavaScript against the gateway's Responses
// API. There are only tests in it.
package responses
