// Package model is the contract with language models: a request goes in, a
// sequence of deltas comes out on the caller's own goroutine.
//
// Those who speak it live in the folders below: openai (any Chat Completions
// server), demo (scripted, no model at all), modeltest (a scripted upstream
// server for tests).
package model
