// Package openai runs OpenAI's library for JavaScript against the gateway's Chat
// Completions. There are only tests in it.
package openai
