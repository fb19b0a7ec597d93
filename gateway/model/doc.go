// Package model is the contract with language models: a request goes in, a
// sequence of deltas comes out on the caller's own goroutine.
//
// Its implementations are in the folders below: openai (any Chat Completions server)
// and anthropic (the Messages API), both over upstream (what they share of HTTP), and
// demo (scripted, no model at all). modeltest is a scripted server for tests, fit says how
// much of a chat fits into a request.
package model
