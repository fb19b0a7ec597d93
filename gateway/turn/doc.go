// Package turn is the engine: it carries a turn from a message to its end,
// across pauses, on whatever goroutine asks it to.
//
//	Submit ── a transition, one Update: message or answer stored, turn running, lease
//	   │        taken (refused: nothing changed). Where a tool lists the options of what
//	   │        is open, it is asked first: are those that the answer names still there?
//	   v
//	Drive ──> next: what does the stored state ask for?
//	           │
//	           ├─ closed questions without a result ── settle: Resume, store results
//	           ├─ calls without a result ──────────── call: run them, store results;
//	           │                                       a question: store it, PAUSE
//	           ├─ all calls have results ──────────── step: ask the model, store its message
//	           └─ steps used up, or a step without calls ─ END
//
// The state that decides is the stored one, so a run can end anywhere and
// another, in any process, goes on from there. Steps do not know each other.
//
// # Where to look
//
//	a turn changes     submit.go, begin.go; transition.go and a file for each kind:
//	                   message, answer, expire, cancel, resume, takeover, queue
//	a clarification    is checked in answer.go, and closed by transition.close alone
//	a run              drive.go decides; step.go asks the model, calls.go runs tools,
//	                   settle.go makes results of answers, failed.go ends what broke
//	what is stored     commit.go; package history is the run's own picture of it
//	what a model is    package prompt
//	sent of it
//	the app's form     variables.go: asks for what its prompts lack, once in a chat
//	what is not asked  package earlier; silent.go stores it
//	what others hear   package tell
//	what is used up    package budget
//	files              package uploads
//	titles             title.go; package title
//	in the background  sweep.go
//	what programs ask  ask.go, aside.go
//
// Those who look on, and requests whose run another request began, read the store and
// the hub: package follow.
//
// # Runs
//
// A pause ends the run: no goroutine, timer, channel or memory waits for the
// person. What a run owns:
//
//   - its fence: every write compares it. A run that finds a newer one has lost the turn,
//     also on a node that was paused and revives.
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
//	node A   (was only paused) ── writes with fence 7 ── refused: run.ErrLost, nothing written
//
// A node takes over as many turns as it has room for, and leaves the rest to others. It
// looks after its own in the same way: where an update failed it may own a turn that
// nobody drives (the end could not be stored; the store took a message but could not
// say so), which it then goes on with itself. To stop or delete a chat whose run is on
// another node, that node is asked by the hub; if it does not answer, the turn is taken.
//
// # Turns that go on
//
// A turn that an error, a stop or a limit ended can be resumed: it runs again, and next
// decides as ever. What is left of a step that has no stored end, a text, goes first. So a
// running turn whose newest message has no calls is one that a limit ended: the model is
// asked to go on with it.
//
// A shutdown lets turns finish, then gives the rest up together with the lease.
//
// # Calls
//
// Results are stored before the next step. A call that must not run twice is marked
// before it runs, and its result stored when it ends, each on its own: one that was
// marked by a dead run and has no result is told to the model as interrupted, and not run
// again.
//
// A call that a person has allowed is an open call like any other: settle makes no
// result of the approval, and call runs it, since a stored clarification of its id says
// approved. So the journal holds for it too, and a crash in between changes nothing.
//
// A tool may also ask a person in the middle of a call (tools.Question.State). The call's
// mark is removed in the update that stores the question. When that is answered the call
// is run again, with the question and its answer, and may ask once more.
//
// An approval may be remembered for its tool (chat.Clarification.Remembered): set with the
// answer, removed by Revoke or by a later refusal. Each call looks it up in the store right
// before it begins, so what is revoked counts on every node from then on.
//
// # Asides
//
// Programs ask people without a model. What they ask and say, and how it ends, is a run
// without a turn (aside): it takes the chat's next fence, is over as it begins, and its record
// has no turn, so that replays, event ids and snapshots need no rules of their own.
//
//	no turn runs     rows, run and events in one update
//	a turn runs      rows now, the chat's head marked as untold; the run when the turn is over,
//	                 begun by the turn's node, else by any node's sweep
//
// A turn knows nothing of them: they are neither what it waits for (pending) nor what its caps
// count, no prompt has them, and no message supersedes them.
package turn
