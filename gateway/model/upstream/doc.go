// Package upstream is what the providers that speak HTTP have in common: it sends a
// request, again where that may help, until an answer begins, and reads the answer line
// by line.
//
// # Flow
//
//	body --send.go--> one attempt: POST, its status, the first byte of the answer
//	     --tries.go-> after a failure: whether, and when, the next one
//	     --body.go--> the request's bytes are released once the answer begins
//	answer.go:  lines of the answer, pieces for the caller, its end or its error
//	watch.go:   no wait for bytes is longer than the timeout, all together not than stepTimeout
//	errors.go:  statuses and error objects -> kinds of model.Error
//	servererror.go: the shapes in which servers write errors
//	refusal.go: what is behind a refusal: the length, the key, the model, a setting
//	reason.go:  what operators are told of it; unsaid.go takes out what was said in the request
//	notes.go:   what operators are told of one server
//	finish.go:  words for the end of an answer
//	merge.go:   what an admin wrote, merged into a request
//	call.go:    tool calls that grow in fragments, within limits
//	text.go:    JSON strings, without allocating
//
// What the lines mean is up to the providers.
//
// # Limits
//
// A line has at most 16 MiB, all tool arguments of an answer together 12 MiB
// (the rest is cut off, so that the tool refuses the call), an answer 4,096 calls
// and 1 GiB, the body of an error 64 KiB. The timeout bounds the wait for the
// first byte, and each wait between bytes, stepTimeout all waits of a request and its
// retries; the caller's own time does not count.
// A complete answer is read on for at most 50 ms and 64 KiB, so that its
// connection can be used again.
package upstream
