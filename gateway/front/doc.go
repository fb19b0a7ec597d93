// Package front is what all fronts share. A front is another wire format for the same
// chats: it reads a client's request into one of the engine's own commands, and tells the
// engine's events in the client's frames. It keeps nothing, decides nothing, and has no way
// of its own to the model.
//
// A front is a Front with its routes. A handler gets a host.Request, as those of the native
// protocol do: it enters an app, reads the body (ReadBody), enters a chat (In), and has a command run (Stream, Collect). What happens then is
// encoded by its Encoder, one method per thing that can happen. Answers of every shape are read
// by ReadAnswer, or ReadResult where libraries write results by themselves, and a question goes
// out as NewQuestion makes it, so that all fronts take and show the same. A result that no person
// gave is NoAnswer: its question stays open, and is asked in Words.
package front
