// Package front has what all fronts share. A front is another wire format for the same chats: it
// reads a client's request into one of the engine's own commands, and encodes the engine's events
// as the client's frames. It keeps nothing, decides nothing, and has no access of its own to the
// model.
//
// A front is a Front with its routes. A handler gets a host.Request, as those of the native
// protocol do: it enters an app, reads the body (ReadBody), enters a chat (In), and has a command
// run (Stream, Collect). Its Encoder then encodes what happens, with one method per kind of
// event. ReadAnswer reads answers of every shape (ReadResult does where libraries write results
// by themselves), and NewQuestion makes the questions that go out, so that all fronts accept and
// show the same. A result that was not given by a person is NoAnswer: its question stays open,
// and is asked in Words.
package front
