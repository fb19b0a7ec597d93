// Package responses speaks OpenAI's Responses API, to OpenAI, to Azure and to servers that are
// compatible with it.
//
// # Flow
//
//	Request --request.go--> POST BaseURL/responses, stream: true, store: false
//	  adapt:     what a server refuses is left out or changed, and the request sent again
//	  upstream:  send; retry what failed before the first piece of an answer
//	  scan.go:   an ordinary delta of text or reasoning -> its text, without allocating
//	  event.go:  every other event, through encoding/json
//	  stream.go: pieces for the caller; whole tool calls; the end, or how it failed
//	  state.go:  output items -> state of the message; state -> input items
//
// Everything runs on the caller's goroutine, as in package openai.
//
// # State
//
// The server stores nothing (store: false), so the items that it hands out come back to it: the
// reasoning with its encrypted content, messages with their phase, calls with their arguments as
// the model wrote them, each at its place. They come from response.output_item.done, because
// the encrypted content in output_item.added may be incomplete (openai-go v3.98.0,
// ResponseReasoningItem, 2026-11-09).
//
// Item ids are left out: they name items that the server has not stored, and it answers 404 or 400
// to them (vercel/ai#7543, 2025-07-25; hermes-agent#10217, 2026-04-15). Calls and results find each
// other by call_id. A reasoning that is not encrypted keeps its id: it comes from servers such as
// vLLM, which demand one and store nothing. Items of types that are not known here belong to tools
// that are never offered, and are not kept.
//
// # Reasoning
//
// A reasoning object is sent only where the configuration names an effort: models that do not reason
// refuse it (param reasoning.effort, litellm#38842, 2026). A summary is asked for beside an effort, if
// people are shown the reasoning. Organisations that are not verified may not have one
// (param reasoning.summary, code unsupported_value; continue#12047, 2026-04-06): package adapt then
// leaves it out.
//
// # What comes back
//
// Events and items that are not known here are ignored. Pieces are told apart by output_index,
// because some proxies change item ids from event to event (vercel/ai, fixture
// github-copilot-id-rotation, 2026-08). Between two messages, or two parts of a
// reasoning, there is an empty line. Calls are taken from their finished items, and are handed on
// only behind response.completed: an answer that is cut or refused has calls that are not whole
// (vercel/ai#20405, 2026-09-05). A stream without response.completed, response.incomplete,
// response.failed or error is cut. An error that comes as an event before any piece counts as a
// failed attempt.
package responses
