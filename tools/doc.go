// Package tools says what a tool is: something the model can call, which either
// gives a result at once or returns a Question that a person must close first.
//
// A call runs through these types:
//
//	Call ──Tool.Run──> Outcome{Result}                      the loop goes on
//	                └> Outcome{Question}  the turn pauses, the question is stored
//	                       │  later: an Answer
//	                       ├─ Resumer.Check   pure; refuses with *AnswerError
//	                       ├─ Resumer.Resume  once, inside the next run: the result
//	                       └─ or, where the Question has a State: Tool.Run again, with Call.Asked
//
// A tool never waits for a person: it returns and is called again, so that a
// waiting question costs a row and nothing else.
package tools
