// Package modeltest is a model's server that plays a script: for tests, benchmarks
// and trials by hand. It speaks Chat Completions and Anthropic's Messages API; the
// path of a request tells which.
//
// # Flow
//
// A script is a list of responses, one per request. A response is a list of
// steps, which are sent in order and flushed one by one:
//
//	request --recorded, checked--> response n --> step, step, step, end of body
//
// A step is a proper piece of an answer (Text, Reasoning, Call, Finish, Usage,
// Done), or what goes wrong on real networks (Raw bytes, Delay, Cut, Stall,
// Status). Nothing is added: a response without Done ends without [DONE]. The same
// script serves both APIs; in the Messages API, where pieces stand in a message and
// its blocks, these begin and end with them, and finish reasons are put into its words.
//
// Each request is checked against the rules of the strictest providers (see Check
// and CheckMessages). With a test, each violation fails it; Violations tells them.
//
// New listens on a local port. NewMemory does the same over in-memory
// connections, so that a test in a testing/synctest bubble needs no real time.
// The folder scripted is the same server for the shell, with Generator for
// benchmarks.
package modeltest
