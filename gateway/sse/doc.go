// Package sse speaks server-sent events (the event stream format of the WHATWG
// HTML standard, section 9.2): how an event is framed, how frames reach one
// response, and how they are read back.
//
//	AppendEvent ── frames, encoded once for all viewers ──┐
//	                                                      v
//	NewWriter: headers, 200, first comment ──> Write ──> one write, one flush
//	                                             ^
//	             heartbeat: a comment when nothing else was written
//
// A Writer owns the response from NewWriter to Close. It keeps two promises:
//
//   - Something is sent at least every heartbeat, so that proxies do not close a
//     quiet stream. One timer per stream does this, no goroutine: it fires once
//     per interval, looks at the time of the last write, and goes back to sleep
//     for what is left. Writing never touches the timer.
//   - A client that does not take what is written is dropped, not waited for: a
//     write that outlasts the write deadline fails, and the failure sticks. The
//     deadline is moved only when half of it is gone, not with each write.
//
// Read is the other end, for Go clients and tests.
package sse
