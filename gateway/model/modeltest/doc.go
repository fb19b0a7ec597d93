// Package modeltest is a model server that plays a script, for tests, benchmarks and manual trials.
// It supports Chat Completions, OpenAI's Responses API, Anthropic's Messages API and Google's
// Gemini API; the path of a request selects the API.
//
// # Flow
//
// A script is a list of responses, one per request. A response is a list of steps, which are sent
// in order and flushed one by one:
//
//	request --recorded, checked--> response n --> step, step, step, end of body
//
// A step is a regular piece of an answer (Text, Reasoning, Call, Finish, Usage, Done), or something
// that goes wrong on real networks (Raw bytes, Delay, Cut, Stall, Status). Nothing is added: a
// response without Done ends without [DONE]. The same script serves all APIs. In the Messages API,
// a message and its blocks begin and end around the pieces automatically; in the Responses API, so
// do a response and its items, and Done ends the response; in the Gemini API, a call's fragments
// are sent together. Finish reasons are translated.
//
// Each request is checked against the rules of the strictest providers (see Check, CheckMessages,
// CheckResponses and CheckGemini). With a test, each violation fails it; Violations lists them.
//
// New listens on a local port. NewMemory does the same over in-memory connections, so that a test
// in a testing/synctest bubble needs no real time. The folder scripted contains the same server as
// a command, with Generator for benchmarks.
package modeltest
