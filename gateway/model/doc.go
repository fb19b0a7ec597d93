// Package model is the contract with language models: a request goes in, a
// sequence of deltas comes out on the caller's own goroutine.
//
// Those who speak it live in the folders below: openai (any Chat Completions
// server), anthropic (the Messages API), both over upstream (what HTTP asks of them),
// demo (scripted, no model at all), modeltest (a scripted server for tests).
package model
