// Package openai has the fronts for clients of OpenAI's API: Chat is Chat Completions, with the
// list of models, and Responses is the Responses API. An app is a model.
//
//	request ── read (pure) ── which chat: a call's id, X-Chat-Id, or what was said so far
//	                               │
//	         tool messages ── answers     user message ── heed: a command, or the next
//	                               │                          question of a form
//	                               └── Stream or Collect, encoded by an encoder
//
// A question goes out as a call of ask_user if the request's tools include one that takes it, and
// otherwise as text, one part at a time. Once a result was not an answer, questions go out as
// text until the end of the chat. The answers to a form so far are kept as the question's draft.
// Nothing of the history that a client sends is stored: it only shows which chat is meant, and
// which question its person has seen.
package openai
