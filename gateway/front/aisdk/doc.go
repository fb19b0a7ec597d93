// Package aisdk is the front for the AI SDK: useChat of ai 5, 6 and 7 with its default transport,
// unmodified. It reads what useChat posts and streams runs as the UI message stream, version 1.
//
//	read.go     the request: of the whole history, only what its newest message says
//	front.go    the routes, and what becomes of what was read
//	encoder.go  the stream
//
// # Messages of the client
//
// useChat draws one assistant message for a whole turn, across pauses: each stream that continues
// the message begins with its id. So the id is made from the turn's, and is the same for all who
// watch. If a person types the answer, the client has put that message below, and what follows is
// a message of its own: its id is followed by that of the answered question. What belongs to an
// older message of the client cannot be sent any more, because clients crash on it.
//
// # Steps
//
// A client automatically sends the last message again once all calls after the last step-start
// have their results. So each request to the model is a step, and a stream that continues a
// message has at least one, unless something is still pending.
//
// # Only what ai 5.0.92 knows
//
// A client throws on an unknown chunk, and older ones on an unknown field. Data without a chunk
// in the protocol goes out as data-* chunks: data-usage and data-progress (transient), and
// data-restart, a part that marks the text before it as void.
//
// No version accepts JSON with names by which prototypes can be changed, and what a client has
// read comes back in the next body, which is checked. So arguments that either side would refuse
// go out as a text: their JSON.
package aisdk
