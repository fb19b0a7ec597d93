// Package stream is about events in motion. The run that makes them encodes them once, and they are
// passed on with their data (Events): native clients get the bytes, fronts read the events.
//
//	run ── Recorder ──┬─> its own Sink (the POST that drives it), at once
//	                  └─> Hub: the chat's log ──> Followers: replay, then live
//
// A Recorder gathers events, and flushes them together when the model has nothing more at hand. The
// run's own goroutine writes to the client that started it, so a model's chunk reaches the socket
// without a hand-over. Other viewers read the log at their own pace, and each gets everything at
// hand in one write. A viewer that falls behind what the log keeps is dropped, and never waited for.
//
// A transient event (Recorder.Pass) has no id and is in no log. Present viewers get it in its place,
// after the event that it was recorded after; viewers who come later do not get it.
//
// Local is the hub of one process. Between nodes, redishub copies what each Local has to the Mirrors
// of the others. Both pass the test suite hubtest.
package stream
