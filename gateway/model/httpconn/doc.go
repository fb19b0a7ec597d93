// Package httpconn carries requests to model servers and their long answers back, on
// the goroutine of the caller alone.
//
//	RoundTrip ── idle connection, or dial ── write the request ── read the head ──> Response
//	                     ^                                                            │
//	                     └──────────── the body was read to its end ──────────────────┘
//	                                   (closed before it: the connection is closed)
//
// net/http's Transport has two more goroutines for each connection, with their stacks
// and channels. Parsing and framing are net/http's.
//
// # What it gains
//
//	GOMAXPROCS=1 go test -run '^$' -bench OpenStreams -benchtime 40000x ./gateway/model/httpconn
//
// An open stream holds 5.6 KiB of heap and stacks here (median of four runs), and 12.7 KiB
// with an http.Transport without compression and with buffers of 1 KiB: 55 % less. In the
// whole gateway it is 46 KiB of resident memory per open stream instead of 59, or 21 % less
// (go run ./gateway/prove/streambench -streams 1000, two runs with a binary of each). CPU
// per chunk is the same within the noise.
//
// It speaks HTTP/1.1, one answer on a connection at a time. Where the environment names a
// proxy for the address, net/http's Transport carries the request.
package httpconn
