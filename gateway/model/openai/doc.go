// Package openai implements model.Model over any Chat Completions server: OpenAI, Ollama, vLLM,
// llama.cpp, LiteLLM, OpenRouter and similar ones.
//
// # Flow
//
//	Request --auto.go--> Chat Completions, or package responses
//	  request.go, message.go: POST BaseURL/chat/completions, stream: true
//	  client.go:  send; change what the server refuses (package adapt); retry after a failure
//	              before the first byte of the body
//	  upstream:   body -> lines -> payloads of data: lines
//	  scan.go:    an ordinary content chunk -> its text, without allocating
//	  chunk.go:   every other chunk, through encoding/json
//	  tags.go:    reasoning between tags at the beginning of a text
//	  calls.go:   fragments of tool calls -> whole calls
//	  tails.go:   arguments that have only an index -> their call, or none
//	  state.go, join.go: pieces of state -> the state that goes back to the server
//	  usage.go:   tokens, with the same meaning for all servers
//	  stream.go:  pieces for the caller; the end of the answer, or its error
//
// Everything runs on the caller's goroutine: a chunk is read, decoded and yielded without a channel or
// a second goroutine.
//
// # The two decoders
//
// Nearly all chunks have one piece of text. For these, a scanner reads the line once and returns a slice
// of it; text with escapes is decoded into a buffer that is reused. The scanner is strict: everything
// that it does not know (tool calls, usage, a finish reason, errors, state other than reasoning, unknown
// shapes, invalid JSON) goes to encoding/json, which decides. A fuzz test checks that both give the same
// result. The chunks of an answer differ in little but their text, so the scanner also remembers the
// bytes before and after the text of the last chunk, and compares these first.
//
// # State
//
// A server gets back what it sent with a message, under the same names: the reasoning, its details and
// blocks, members that providers and proxies add, parts of the content that are not text, text before
// the answer, and arguments as the model wrote them, if they are a JSON object: servers parse them for
// their templates (see modeltest/strict). Names that are not on the list in state.go do not go back,
// because Mistral and Groq refuse unknown ones. Servers that did not make a message get its text, its
// calls, and new ids for these.
//
// # Differences between servers
//
// Call ids, indexes and names may be missing, repeated, in pieces, or those of another call (calls.go,
// tails.go). Usage and roles may be missing, and [DONE] after a finish reason. The whole answer may be
// one JSON object, and errors may be within the stream. Package adapt finds out what a server refuses of
// a request.
package openai
