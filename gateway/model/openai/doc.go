// Package openai speaks to any Chat Completions server: OpenAI, Ollama, vLLM,
// llama.cpp, LiteLLM, OpenRouter and their like.
//
// # Flow
//
//	Request --request.go--> POST BaseURL/chat/completions, stream: true
//	  upstream:   send; retry what failed before the first byte of the body
//	  upstream:   body -> lines -> payloads of data: lines
//	  scan.go:    an ordinary content chunk -> its text, without allocating
//	  chunk.go:   every other chunk, through encoding/json
//	  calls.go:   fragments of tool calls -> whole calls
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
// calls, usage, a finish reason, errors, unknown shapes, faulty JSON) goes to
// encoding/json, which decides. A fuzz test checks that both give the same result.
// Chunks of one answer differ in little but their text, so the scanner also
// remembers what stood before and after the text of the last chunk, and compares
// first.
//
// # Where servers differ
//
// Call ids, indexes and names may be missing, repeated or in pieces (calls.go);
// usage and roles may be missing; [DONE] may be missing after a finish reason;
// the whole answer may come as one JSON object; errors may come within the
// stream. A server that refuses stream_options is asked again without.
package openai
