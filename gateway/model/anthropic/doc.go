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
// Roles alternate, so neighbours of one role in the history become one message: above all
// the results of one step's calls. No text is blank. Ids and
// names keep to [A-Za-z0-9_-]; others (from another provider, earlier in the
// chat) are replaced, each by the same valid one every time, and a tool's name that
// comes back is translated back. A history with calls needs tools: where none are
// offered, those that were called are defined, and tool_choice forbids to use them. max_tokens must
// be given, and temperature is at most 1.
//
// # What comes back
//
// Events, blocks and deltas that are not known here are ignored, as the API's
// documentation demands. Thinking is not requested; if it comes, it is handed on, and not sent back.
// Input tokens include those that were read from or written to the cache. An
// error that comes as an event before any piece counts as a failed attempt: that
// is how the API reports overload, after status 200.
package anthropic
