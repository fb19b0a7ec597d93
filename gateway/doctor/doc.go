// Package doctor finds out what between a client and the gateway breaks their
// communication: buffers, compressors, short timeouts, header filters.
//
// It has both ends. Serve, in the gateway, sends a test stream; Examine, at the client,
// compares what arrives, and when, with what was sent:
//
//	Serve sends                           Examine learns
//	headers and a comment                 whether streams begin at once
//	event seen: what reached the gateway  whether headers and bodies pass
//	ten events tick, 100 ms apart         whether something holds them back
//	a second later a comment              how long a quiet stream lasts, from there on
//	nothing, for as long as was asked     whether something cuts quiet streams
//	event end                             that nothing did
//
// The events belong to no chat, so an examination needs no app, no model and no key, and
// leaves nothing behind. A client cannot find this out from a chat's own stream, because
// the times at which a model writes are unknown.
package doctor
