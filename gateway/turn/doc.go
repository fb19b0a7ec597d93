// Package turn is the engine: it changes turns, and looks after the runs that carry them on.
//
//	Submit ── a transition, one Update: message or answer stored, turn running, lease
//	   │        taken (refused: nothing changed). Where a tool lists the options of what
//	   │        is open, it is asked first: are those that the answer names still there?
//	   v
//	Begun ── Drive: package run carries the turn to a question, which ends the run, or to its end
//
// The stored state decides what comes next. A run can therefore end anywhere, and another one, in
// any process, goes on from there.
//
// # Where to look
//
//	a turn changes     submit.go, begin.go; transition.go and a file for each kind:
//	                   message, answer, expire, cancel, resume, takeover, queue, fork,
//	                   async
//	a clarification    is answered in answer.go, checked in judge.go (checkAnswer),
//	                   and closed only by transition.close
//	what programs ask  ask.go, async.go
//	a run's events     chat/opening.go (those that open it), chat/rows.go (all of them)
//	in the background  sweep.go
//	edits of a chat    edit.go: titles, drafts, remembered approvals; erase.go
//
// Below are packages with one purpose each, none of which knows the engine:
//
//	run        one stretch of a turn: asks the model, runs tools, stores the results
//	history    what a run knows of its chat
//	prompt     what of it a model is sent
//	reuse      a person's earlier answers, so that no one is asked twice
//	title      has models name chats
//	uploads    the files that people send
//	budget     what people and apps use over many chats
//	record     what others hear about a chat: news, audit
//	metrics    what is counted for operators
//
// Viewers, and requests whose run was begun by another request, read the store and the hub: see
// package follow.
//
// # Runs
//
// A pause ends the run: waiting for the person takes no goroutine, timer, channel or memory. Commits
// that begin or end a run, and the publishing of their events, happen under the chat's lane, a lock,
// so that the next run's events cannot overtake them.
//
// # Leases, heartbeats, take-over
//
// A lease belongs to a node, not to a turn: it is one row, by the store's clock.
//
//	node A   ♥ ── 2 s ── ♥ ── 2 s ── ♥ ✝            its lease lapses 6 s after the last
//	                                 │              heartbeat, at once if it gave it up
//	turn     running, owner A, fence 7 ───────────────┐
//	                                                  v
//	node B   every second: what runs without a lease? ──── fence 8, owner B ── step.restart
//	                                                  │
//	node A   (was only paused) ── writes with fence 7 ── refused: run.ErrLost, nothing written
//
// A node takes over turns only after holding its own lease for one full lease time without a gap,
// and checks again in the update that takes the turn: while the store is silent, all leases
// lapse, which says nothing about any node. A node never takes a turn that it drives. It takes up to
// 100 turns a second, in random order, and these do not wait for a place as other background runs
// do. It also looks after its own turns: after an update that failed or whose outcome is unknown, it
// may own a turn that no run drives (the end could not be stored, or the store took a message but
// could not confirm it), and continues that turn itself. To stop or delete a chat whose run is on
// another node, it asks that node through the hub; if the node does not answer, it takes the turn.
//
// # Turns that go on
//
// A turn that an error, a stop or a limit ended can be resumed: it runs again, and run.next decides
// as always. If a step has no stored end, its partial text is removed first. So a running turn whose
// newest message has no calls is one that a limit ended: the model is asked to continue it.
//
// A shutdown lets turns finish, then gives the remaining ones up together with the lease.
//
// # Asynchronous questions
//
// Programs ask people without a model. What they ask and say, and how their questions end, is a run
// without a turn (async): it takes the chat's next fence and is over as soon as it begins. Its
// record has no turn, so that replays, event ids and snapshots need no rules of their own.
//
//	no turn runs     rows, run and events in one update
//	a turn runs      rows now, the chat's head marked as unpublished; the run when the turn is over,
//	                 begun by the turn's node, else by any node's sweep
//
// A turn does not see these questions: it neither waits for them (pending) nor counts them towards
// its caps, no prompt contains them, and no message supersedes them.
package turn
