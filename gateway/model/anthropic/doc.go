// Package anthropic implements model.Model over the Messages API, for Anthropic and compatible
// servers.
//
// # Flow
//
//	Request --request.go, messages.go, thinking.go--> POST BaseURL/v1/messages, stream: true
//	  upstream:   send; retry after a failure before the first piece of an answer
//	  adapt:      read a refusal, and change what was refused in the next request
//	  scan.go:    an ordinary delta of text or thinking -> its text, without allocating
//	  event.go:   every other event, through encoding/json
//	  stream.go:  pieces for the caller; the end of the answer, or its error
//	  content.go: the answer's blocks: whole tool calls, thinking and signatures
//	  state.go:   parts of the blocks that are not in the message, for their maker
//
// Everything runs on the caller's goroutine, as in package openai.
//
// # Rules of the API
//
// Roles alternate, so adjacent messages of one role in the history are joined, above all the results
// of one step's calls. No text may be blank. Names have only [A-Za-z0-9_-]; any other name is replaced
// with a valid one, the same each time, and translated back when the model uses it. A history with
// calls needs tools: if none are offered, those that were called are defined, and tool_choice forbids
// their use. max_tokens is required, and temperature is at most 1; Claude accepts none together with
// thinking.
//
// # Thinking
//
// An effort makes a model think, within a budget or for as long as it chooses; which of them depends
// on its name, and on what the server has refused. Without an effort nothing is sent, and the server's
// default applies. Thinking is signed. It goes back to the model and server that made it, with each
// block unchanged and in its place. Without it, Claude refuses the request after an answered question,
// and newer models refuse it if anything before it has changed. Then the request is sent once more
// without any thinking, and the caller learns that it must not be sent again (model.Delta.Forgot). A
// model with a budget does not think in a turn that began without thinking.
//
// Any other model gets the texts and the calls, with ids that every server accepts.
//
// # Answers
//
// Unknown events, blocks and deltas are ignored, as the API's documentation demands. Calls are run
// after a good stop_reason, or without one if they are whole and the stream ended properly. An unknown
// stop_reason means that the model failed. Input tokens include those that were read from or written to
// the cache. An error event before any piece counts as a failed attempt: the API reports overload in
// this way, after status 200.
package anthropic
