// Package anthropic speaks Anthropic's Messages API, to Anthropic and to servers
// that are compatible with it.
//
// # Flow
//
//	Request --request.go, messages.go, thinking.go--> POST BaseURL/v1/messages, stream: true
//	  upstream:   send; retry what failed before the first piece of an answer
//	  adapt:      read a refusal; the next request differs in what was refused
//	  scan.go:    an ordinary delta of text or thinking -> its text, without allocating
//	  event.go:   every other event, through encoding/json
//	  stream.go:  pieces for the caller; the end, or how it failed
//	  content.go: the answer's blocks: whole tool calls, thinking and signatures
//	  state.go:   what of the blocks the message does not say, for their maker
//
// Everything runs on the caller's goroutine, as in package openai.
//
// # What the API insists on
//
// Roles alternate, so neighbours of one role in the history become one message: above all
// the results of one step's calls. No text is blank. Names keep to [A-Za-z0-9_-]; others are
// replaced, each by the same valid one every time, and a tool's name that
// comes back is translated back. A history with calls needs tools: where none are
// offered, those that were called are defined, and tool_choice forbids to use them. max_tokens must
// be given, and temperature is at most 1; Claude takes none beside thinking.
//
// # Thinking
//
// An effort makes a model think, within a budget or as long as it wants: that depends on its name,
// and on what the server has refused. Without an effort nothing is sent, and the server's default
// holds. Thinking is signed. It goes back to the model and server that made it, each block as it came
// and in its place: Claude refuses the request after an answered question without it, and newer
// models refuse it after anything that has changed. Then the request is sent once more with no
// thinking at all, and the caller is told that it is not to be sent again (model.Delta.Forgot). A
// model with a budget does not think in a turn that began without.
//
// To any other model go texts and calls, the calls with ids that every server takes.
//
// # What comes back
//
// Events, blocks and deltas that are not known here are ignored, as the API's
// documentation demands. Calls run after a good word for the end, or without one if they are whole and
// the stream ended properly. A word that is not known means that the model failed.
// Input tokens include those that were read from or written to the cache. An
// error that comes as an event before any piece counts as a failed attempt: that
// is how the API reports overload, after status 200.
package anthropic
