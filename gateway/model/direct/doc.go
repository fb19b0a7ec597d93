// Package direct carries requests to model servers and their long answers back, on
// the goroutine of the caller alone.
//
//	RoundTrip ── idle connection, or dial ── write the request ── read the head ──> Response
//	                     ^                                                            │
//	                     └──────────── the body was read to its end ──────────────────┘
//	                                   (closed before it: the connection is closed)
//
// Ahead does the first half, where a connection is idle, for those who have something else
// to wait for before they read the answer.
//
// net/http's Transport has two more goroutines for each connection, with their stacks
// and channels, and hands the request and each beginning of an answer over between
// them. For many streams that wait for the next word that is most of their memory, and
// on the way to the first word two wake-ups. Parsing and framing are net/http's.
//
// It speaks HTTP/1.1, one answer on a connection at a time. Where the environment names a
// proxy for the address, net/http's Transport carries the request.
package direct
