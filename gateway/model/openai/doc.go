// Package openai speaks to any Chat Completions server: OpenAI, Ollama, vLLM,
// llama.cpp, LiteLLM, OpenRouter and their like.
//
// # Flow
//
//	Request --auto.go--> Chat Completions, or package responses
//	  request.go, message.go: POST BaseURL/chat/completions, stream: true
//	  client.go:  send; change what the server refuses (package adapt); retry what failed
//	              before the first byte of the body
//	  upstream:   body -> lines -> payloads of data: lines
//	  scan.go:    an ordinary content chunk -> its text, without allocating
//	  chunk.go:   every other chunk, through encoding/json
//	  tags.go:    reasoning between tags at the beginning of a text
//	  calls.go:   fragments of tool calls -> whole calls
//	  tails.go:   arguments that name their call by an index alone -> the call, or none
//	  state.go, join.go: what the server wants back, from its pieces
//	  usage.go:   tokens, counted alike for all servers
//	  stream.go:  pieces for the caller; the end, or how it failed
//
// Everything runs on the caller's goroutine: a chunk is read, decoded and
// yielded without a channel or a second goroutine.
//
// # The two decoders
//
// Nearly all chunks carry one piece of text. For these a scanner reads the line
// once and returns a slice of it; text with escapes is decoded into a buffer
// that is used again. The scanner is strict: whatever it does not know (tool
// calls, usage, a finish reason, errors, state other than reasoning, unknown shapes,
// faulty JSON) goes to encoding/json, which decides. A fuzz test checks that both give
// the same result. Chunks of one answer differ in little but their text, so the scanner
// also remembers what stood before and after the text of the last chunk, and compares
// first.
//
// # State
//
// A server gets back what it handed out with a message, under the names under which it came:
// the reasoning, its details and blocks, members that providers and proxies add, parts of the
// content that are not text, text before the answer, and arguments as the model wrote them, if they
// are a JSON object: servers parse them for their templates (see modeltest/strict). Names that are
// not on the list of state.go do not go back: Mistral and Groq refuse what they do not
// know. Servers that did not make a message get its text, its calls and ids of their own for these.
//
// # Where servers differ
//
// Call ids, indexes and names may be missing, repeated, in pieces or another
// call's (calls.go, tails.go); usage and roles may be missing; [DONE] may be missing after a finish reason;
// the whole answer may come as one JSON object; errors may come within the
// stream. What a server refuses of a request, package adapt finds out.
package openai
