// Package doctor finds out what stands between a client and the gateway and breaks
// what they say to each other: buffers, compressors, short timeouts, header filters.
//
// It has both ends. Serve, in the gateway, streams on purpose what an examination needs;
// Examine, at the client, compares what arrives, and when, with what was sent:
//
//	Serve sends                           Examine learns
//	headers and a comment                 whether streams begin at once
//	event seen: what reached the gateway  whether headers and bodies pass
//	ten events tick, 100 ms apart         whether something holds them back
//	a second later a comment              whether heartbeats pass
//	nothing, for as long as was asked     whether something cuts quiet streams
//	event end                             that nothing did
//
// The events are none of a chat, so an examination needs no app, no model and no key, and
// leaves nothing behind. A client cannot find this out from a chat's own stream: when a
// model writes is nobody's promise.
package doctor
