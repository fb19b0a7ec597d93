// Package turn is the engine: it carries a turn from a message to its end,
// across pauses, on whatever goroutine asks it to.
//
//	Submit ── one Update: message or answer stored, turn running, lease taken
//	   │        (refused: nothing changed)
//	   v
//	Drive ──> next: what does the stored state ask for?
//	           │
//	           ├─ closed questions without a result ── settle: Resume, store results
//	           ├─ calls without a result ──────────── call: run them, store results;
//	           │                                       a question: store it, PAUSE
//	           ├─ all calls have results ──────────── step: ask the model, store its message
//	           └─ steps used up, or a final message ─ END
//
// The state that decides is the stored one, so a run can end anywhere and
// another, in any process, goes on from there. Steps do not know each other.
//
// A pause ends the run: no goroutine, timer, channel or memory waits for the
// person. What a run owns:
//
//   - its fence: every write compares it; who finds a newer one has lost the turn.
//   - its lease, renewed by the engine while the run is driven; when it lapses, the
//     sweeper gives the turn to a new run (step.restart).
//   - its recorder: events are recorded, what they announce is committed, and only
//     then are they published. Text is the exception: it is published as it comes and
//     stored at the step's end.
//
// Commits that end a run and the publishing of their events happen under the
// chat's lane, a lock, so that the next run's events cannot overtake them.
package turn
