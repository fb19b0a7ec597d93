// Package openai is the fronts for clients of OpenAI's API: Chat is Chat Completions, with
// the list of models. An app is a model.
//
//	request ── read (pure) ── which chat: a call's id, X-Chat-Id, or what was said so far
//	                               │
//	         tool messages ── answers     user message ── heed: a command, or the next
//	                               │                          question of a form
//	                               └── Stream or Collect, encoded by an encoder
//
// A question goes out as a call of ask_user where the request's tools have one that takes
// it, else as text, one part at a time, and as text to the end of the chat once a result was no
// answer; what was answered of a form is kept as the question's draft.
// Of the history that a client sends nothing is stored: it only tells which chat is meant,
// and which question its person has seen.
package openai
