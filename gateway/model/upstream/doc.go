// Package upstream has the code that all providers over HTTP share. It sends a request, retries
// it until an answer begins, and reads the answer line by line.
//
// # Flow
//
//	body --send.go--> one attempt: POST, its status, the first byte of the answer
//	     --tries.go-> after a failure: whether and when to retry
//	     --body.go--> frees the request's bytes when the answer begins
//	answer.go:  lines of the answer, pieces for the caller, its end or its error
//	watch.go:   limits each wait for bytes (timeout), and all waits together (stepTimeout)
//	errors.go:  statuses and error objects -> kinds of model.Error
//	servererror.go: the formats of servers' errors
//	refusal.go: the cause of a refusal: the length, the key, the model, a setting
//	reason.go:  the server's text for operators; unsaid.go removes what was said in the request
//	notes.go:   refusals and adaptations of one server, for operators
//	finish.go:  words for the end of an answer
//	merge.go:   merges the admin's fields into a request
//	call.go:    tool calls that grow in fragments, within limits
//	text.go:    JSON strings, without allocating
//
// The providers interpret the lines.
//
// # Limits
//
// A line has at most 16 MiB, all tool arguments of an answer together 12 MiB (the rest is cut
// off, so that the tool refuses the call), an answer 4,096 calls and 1 GiB, and the body of an
// error 64 KiB. The timeout bounds the wait for the first byte and each wait between bytes,
// stepTimeout all waits of a request and its retries. Time that the caller takes does not count.
// After the end of a complete answer, reading goes on for at most 50 ms and 64 KiB, so that its
// connection can be used again.
package upstream
