// Package turn is the engine: it carries a turn from a message to its end,
// across pauses, on whatever goroutine asks it to.
//
//	Submit ── one Update: message or answer stored, turn running, lease taken
//	   │        (refused: nothing changed). Before it, where a tool lists the options
//	   │        of what is open: are those that the answer names still there?
//	   v
//	Drive ──> next: what does the stored state ask for?
//	           │
//	           ├─ closed questions without a result ── settle: Resume, store results
//	           ├─ calls without a result ──────────── call: run them, store results;
//	           │                                       a question: store it, PAUSE
//	           ├─ all calls have results ──────────── step: ask the model, store its message
//	           └─ steps used up, or a final message ─ END
//
// The first message of a chat needs no history, so its model request is sent within the
// Update, as the last thing, where a connection stands open: the model thinks while the
// message is committed. What it says is read afterwards; if nothing was committed, the
// request is withdrawn.
//
// The state that decides is the stored one, so a run can end anywhere and
// another, in any process, goes on from there. Steps do not know each other.
//
// A pause ends the run: no goroutine, timer, channel or memory waits for the
// person. What a run owns:
//
//   - its fence: every write compares it; who finds a newer one has lost the turn, also
//     a node that was paused and revives.
//   - its turn, which names its node as the owner (below).
//   - its recorder: events are recorded, what they announce is committed, and only
//     then are they published. Text is the exception: it is published as it comes and
//     stored at the step's end.
//
// Commits that end a run and the publishing of their events happen under the
// chat's lane, a lock, so that the next run's events cannot overtake them.
//
// # Leases, heartbeats, take-over
//
// A lease is a node's, not a turn's: one row, by the store's clock.
//
//	node A   ♥ ── 2 s ── ♥ ── 2 s ── ♥ ✝            its lease lapses 6 s after the last
//	                                 │              heartbeat, at once if it gave it up
//	turn     running, owner A, fence 7 ───────────────┐
//	                                                  v
//	node B   every second: what runs, and nobody holds? ── fence 8, owner B ── step.restart
//	                                                  │
//	node A   (was only paused) ── writes with fence 7 ── refused: errLost, nothing written
//
// A node takes over as many turns as it has room for, and leaves the rest to others. It
// looks after its own in the same way: where an update failed it may own a turn that
// nobody drives (the end could not be stored; the store took a message but could not
// say so), which it then goes on with itself. Who stops or deletes a chat whose run is
// elsewhere asks by the hub, and takes the turn if nobody answers.
//
// A shutdown lets turns finish, then gives the rest up together with the lease.
//
// # Budgets and caps
//
// What holders use over many chats is counted by meters of the store, in the update that
// uses it: tokens with whatever the run commits next, however its stream ended; questions
// with the questions themselves. A budget is asked when a command comes (afford), and
// refuses it; a cap is asked when a question is stored (meter), and refuses the model's call.
//
// # Calls
//
// A call that a person has allowed is an open call like any other: settle makes no
// result of the approval, and call runs it, since a stored clarification of its id says
// approved. So the journal holds for it too, and a crash in between changes nothing.
//
// An approval may be remembered for its tool (chat.Clarification.Remembered): set with the
// answer, taken away by Revoke or a later no. Each call looks it up in the store right
// before it begins, so what is revoked counts on every node from then on.
//
// So is a call that asked a person in its middle (tools.Question.State): its mark is taken
// off with the question's storing, and once that is answered the call is run again, with
// the question and its answer, and may ask once more.
//
// Results are stored before the next step. A call that must not run twice is marked
// before it runs, and its result stored when it ends, each on its own: one that was
// marked by a dead run and has no result is told as interrupted, and not run again.
//
// # Viewers
//
// A viewer sees the hub's events. Where the hub cannot have those of all nodes (see
// stream.Hub.Complete) the watcher also looks into the store, and tells steps and runs of
// other nodes when they have ended, under the ids that their events had.
package turn
