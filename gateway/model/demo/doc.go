// Package demo implements a model with a fixed script. It shows what the gateway can do, so that the
// first start needs no key and no server. It tells users that it is not a language model.
//
// # Flow
//
// The demo keeps no state between requests. Each request has the whole prompt, and the script derives
// its next step from it:
//
//	last user message --keywords--> scene  (none: greeting and the menu question)
//	tool results after that message -----> the scene's step
//	scene + results ---------------------> a text, and at most one tool call
//
// The answer to the menu is also a tool result: it names the scene, and the results after it belong to
// that scene. So a scene runs in the same way whether it was typed or chosen, and after a restart.
//
// All texts come from the function that New gets, by message id (prefix "demo."), in the language of
// the request.
package demo
