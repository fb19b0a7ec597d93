// Package responses implements model.Model over OpenAI's Responses API, for OpenAI, Azure and
// compatible servers.
//
// # Flow
//
//	Request --request.go--> POST BaseURL/responses, stream: true, store: false
//	  adapt:     leaves out or changes what a server refuses, and sends the request again
//	  upstream:  send; retry after a failure before the first piece of an answer
//	  scan.go:   an ordinary delta of text or reasoning -> its text, without allocating
//	  event.go:  every other event, through encoding/json
//	  stream.go: pieces for the caller; whole tool calls; the end of the answer, or its error
//	  state.go:  output items -> state of the message; state -> input items
//
// Everything runs on the caller's goroutine, as in package openai.
//
// # State
//
// The server stores nothing (store: false), so its items are sent back to it, each in its place: the
// reasoning with its encrypted content, messages with their phase, and calls with their arguments as the
// model wrote them. They are taken from response.output_item.done, because the encrypted content in
// output_item.added may be incomplete (openai-go v3.98.0, ResponseReasoningItem, 2026-11-09).
//
// Item ids are left out: they name items that the server has not stored, and it answers them with 404
// or 400 (vercel/ai#7543, 2025-07-25; hermes-agent#10217, 2026-04-15). Results refer to calls by
// call_id. A reasoning that is not encrypted keeps its id: it comes from servers such as vLLM, which
// demand one and store nothing. Items of unknown types belong to tools that are never offered, and are
// not kept.
//
// # Reasoning
//
// A reasoning object is only sent if the configuration has an effort, because models that do not reason
// refuse it (param reasoning.effort, litellm#38842, 2026). A summary is requested together with an
// effort if people are shown the reasoning. Organizations that are not verified may not have one (param
// reasoning.summary, code unsupported_value; continue#12047, 2026-04-06): package adapt then leaves it
// out.
//
// # Answers
//
// Unknown events and items are ignored. Pieces are distinguished by output_index, because some proxies
// change item ids from event to event (vercel/ai, fixture github-copilot-id-rotation, 2026-08). An empty
// line separates two messages, and two parts of a reasoning. Calls are taken from their finished items,
// and are only yielded after response.completed, because an answer that is cut or refused has incomplete
// calls (vercel/ai#20405, 2026-09-05). A stream without response.completed, response.incomplete,
// response.failed or error is cut. An error event before any piece counts as a failed attempt.
package responses
