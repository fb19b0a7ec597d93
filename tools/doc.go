// Package tools defines the interface of tools. A tool is something that the model can call.
// It either returns a result at once, or a Question that a person must close first.
//
// A call passes through these types:
//
//	Call ──Tool.Run──> Outcome{Result}                      the loop continues
//	                └> Outcome{Question}  the turn pauses, the question is stored
//	                       │  later: an Answer
//	                       ├─ Resumer.Check   pure; refuses with *AnswerError
//	                       ├─ Resumer.Resume  once, in the next run: the result
//	                       └─ or, if the Question has a State: Tool.Run again, with Call.Asked
//
// A tool never waits for a person: it returns, and is called again later. So a waiting question
// costs only a row in the store.
package tools
