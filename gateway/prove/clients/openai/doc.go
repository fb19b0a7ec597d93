// Package openai runs OpenAI's JavaScript library against the gateway's Chat Completions. It
// contains only tests.
package openai
