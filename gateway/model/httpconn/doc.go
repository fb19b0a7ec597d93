// Package httpconn sends requests to model servers and reads their long answers, without any
// goroutine but the caller's.
//
//	RoundTrip ── idle connection, or dial ── write the request ── read the head ──> Response
//	                     ^                                                            │
//	                     └──────────── the body is read to its end ───────────────────┘
//	                                   (closed before its end: the connection is closed)
//
// The Transport of net/http has two more goroutines for each connection, with their stacks and
// channels. net/http parses the head of an answer. A chunked body is decoded here, in the caller's own
// buffer, and on Linux the scheduler is not told of the system call that reads it, since it never blocks.
//
// # What it gains
//
//	GOMAXPROCS=1 go test -run '^$' -bench OpenStreams -benchtime 40000x ./gateway/model/httpconn
//
// An open stream takes some 3 KiB of heap and stacks (2.6 to 4.2 in four runs), a quarter of the 12 KiB
// (11.8 to 13.4) of an http.Transport without compression and with buffers of 1 KiB, and a chunk 6.5 us of
// CPU time in place of 10.
//
// The protocol is HTTP/1.1, with one answer on a connection at a time. If the environment has a proxy
// for the address, net/http's Transport sends the request.
package httpconn
