// Package stream is about events in motion: they are encoded once, by the run
// that makes them, and handed on as bytes.
//
//	run ── Recorder ──┬─> its own Sink (the POST that drives it), at once
//	                  └─> Hub: the chat's log ──> Followers: replay, then live
//
// A Recorder gathers frames and flushes them together when the model has nothing
// more at hand. The client that started the run is written to on the run's own
// goroutine: no hand-over stands between the model's chunk and its socket. Other
// viewers read the log at their own pace, each everything at hand in one write;
// who falls behind what the log keeps is dropped, never waited for.
//
// Local is the hub of one process. Between nodes, redishub carries what each Local
// has to the Mirrors of the others. The suite hubtest is for both.
package stream
