// Package modeltest is an OpenAI-compatible server that plays a script: for
// tests, benchmarks and trials by hand.
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
// Status). Nothing is added: a response without Done ends without [DONE].
//
// Each request is checked against the rules of the strictest providers (see
// Check). With a test, each violation fails it; Violations tells them.
//
// New listens on a local port. NewMemory does the same over in-memory
// connections, so that a test in a testing/synctest bubble needs no real time.
// The folder scripted is the same server for the shell, with Generator for
// benchmarks.
package modeltest
