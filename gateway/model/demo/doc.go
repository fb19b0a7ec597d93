// Package demo is a model without a model: a fixed script that shows what the
// gateway can do, so that the first start needs no key and no server. It says
// plainly that it is no language model.
//
// # Flow
//
// It keeps nothing between requests. Each request carries the whole prompt, and
// the script reads its next step from it:
//
//	last user message --keywords--> scene  (none: greeting and the menu question)
//	tool results after that message -----> how far the scene has come
//	scene + results ---------------------> a text, and at most one tool call
//
// The menu's answer is a tool result too: it names the scene, and the results
// that follow it belong to that scene. So a scene runs the same way whether it
// was typed or chosen, and again after a restart.
//
// Every text comes from the function given to New, by message id (prefix
// "demo."), in the language of the request.
package demo
