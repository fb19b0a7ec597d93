// Package sse writes and reads server-sent events (the event stream format of the WHATWG HTML
// standard, section 9.2).
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
//     quiet stream. One timer per stream does this, without a goroutine: it fires, looks
//     at the time of the last write, and goes back to sleep for what is left.
//     Only a write that ends a quiet time touches the timer.
//   - A client that does not take what is written is dropped; writes do not wait for it. The
//     connections of Listen keep what a slow client does not take at once, up to a
//     limit, so that a write there does not wait at all. On others (HTTP/2, where the
//     stream has a window of its own) a write that outlasts the write deadline fails,
//     and the failure sticks; the deadline moves only when half of it is gone.
//
// A write to a connection of Listen is one system call that never blocks, and that the scheduler is not
// told of (on Linux). Once the head of a chunked response has gone out, a Writer that knows the
// connection (see Direct) writes the chunks itself, and net/http writes only the end of the response.
//
// Read is the client's side, for Go clients and tests.
package sse
