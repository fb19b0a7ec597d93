// Package anthropic speaks Anthropic's Messages API, to Anthropic and to servers
// that are compatible with it.
//
// # Flow
//
//	Request --request.go--> POST BaseURL/v1/messages, stream: true
//	  upstream:  send; retry what failed before the first piece of an answer
//	  scan.go:   an ordinary delta of text or thinking -> its text, without allocating
//	  event.go:  every other event, through encoding/json
//	  stream.go: pieces for the caller; whole tool calls; the end, or how it failed
//
// Everything runs on the caller's goroutine, as in package openai.
//
// # What the API insists on
//
// Roles alternate, so what stands side by side in the history is put into one
// message: above all the results of one step's calls. No text is blank. Ids and
// names keep to [A-Za-z0-9_-]; others (from another provider, earlier in the
// chat) are replaced by the same sound one each time, and a tool's name that comes
// back is replaced by its own. A history with calls needs tools: where none are
// offered, those that were called are named, and may not be used. max_tokens must
// be given, and temperature ends at 1.
//
// # What comes back
//
// Events, blocks and deltas that are not known here are ignored, as the API asks
// for. Thinking is not asked for; what comes is handed on and not sent back.
// Input tokens include those that were read from or written to the cache. An
// error that comes as an event before any piece counts as a failed attempt: the
// API reports overload so, after status 200.
package anthropic
