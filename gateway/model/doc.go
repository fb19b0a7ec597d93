// Package model is the interface to language models. A model gets a request, and yields a sequence
// of deltas on the caller's own goroutine.
//
// The packages below implement it: openai (any Chat Completions server), responses (OpenAI's
// Responses API), anthropic (the Messages API) and gemini (Google's Gemini API), all with the HTTP
// code of upstream, and demo (a script, not a model). adapt finds out what a server accepts,
// toolschema converts the parameters of tools to a form that all servers accept, contextwindow
// computes how much of a chat fits into a request, and trial tests whether a model can ask people.
// modeltest is a scripted server for tests; modeltest/strict has servers that refuse what the real
// ones refuse.
package model
