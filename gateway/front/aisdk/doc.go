// Package aisdk is the front for the AI SDK: useChat of ai 5, 6 and 7 with its default
// transport, unmodified. It reads what useChat posts and tells runs as the UI message
// stream, version 1.
//
//	read.go     the request: of the whole history, only what its newest message says
//	front.go    the routes, and what becomes of what was read
//	encoder.go  the stream
//
// # Messages of the client
//
// useChat draws one assistant message for a whole turn, across pauses: each stream that goes
// on with it begins with its id. So the id is made of the turn's, and is the same for all
// who look on. Where a person types the answer, the client has put that message below, and
// what follows is a message of its own: then the id has the answered question's behind it.
// What belongs to an older message of the client cannot be told any more; clients die of it.
//
// # Steps
//
// A client sends the last message again, by itself, once all calls behind the last
// step-start have their results. So each request to the model is a step, and a stream that
// goes on with a message has at least one, unless something still waits.
//
// # Only what ai 5.0.92 knows
//
// A client throws at a chunk that it does not know, and older ones at an unknown field. What
// the protocol has nothing for goes out as data-* chunks: data-usage and
// data-progress (transient), and data-restart, a part that stands where text before it is void.
//
// No version reads JSON with the names by which prototypes are changed, and what a client has
// read comes back in the next body, which is checked. So arguments that one of the two would
// refuse go out as a text: their JSON.
package aisdk
