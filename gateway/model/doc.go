// Package model is the contract with language models: a request goes in, a
// sequence of deltas comes out on the caller's own goroutine.
//
// The folders below implement it: openai (any Chat Completions server), responses (OpenAI's
// Responses API), anthropic (the Messages API) and gemini (Google's Gemini API), all over
// upstream (what they share of HTTP), and demo (scripted, not a model at all). adapt finds out
// what a server takes, toolschema writes tools in a form that all take, contextwindow
// says how much of a chat fits into a request, and trial whether people can be asked through a
// model. modeltest is a scripted server for tests; its folder strict has servers that refuse what the real ones refuse.
package model
