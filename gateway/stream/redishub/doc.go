// Package redishub carries events between nodes through Redis, which holds
// nothing that may not be lost.
//
//	node A                               Redis                          node B
//
//	run ─> Local log ─> own followers
//	          └─ shipper ── script ──> stream of the topic ──backfill──> Mirror ─> Local log ─> followers
//	           (one for     XADD +  ─> channel of the topic ───live────────┘
//	            all runs)   PUBLISH
//
//	Stop, Erase ── PUBLISH ──────────> control channel ──────────────> every node
//
// A run appends to its node's own log and never waits. The shipper follows the
// logs of all open runs like a viewer, takes what each has at hand as one entry,
// and sends many entries in one write: what piles up while Redis is slow becomes
// fewer, larger entries, and the logs' own bound is the bound of memory.
//
// An entry is a batch of one run; its id in the stream is the batch's last event,
// fence-seq, so Redis itself refuses what comes twice and what a revived node of
// an older fence still sends. The stream is bounded by bytes and by age.
//
// A node listens to a topic while it has followers of it: it subscribes, then
// reads the stream, then goes on live; ids sort out what comes both ways. A
// run's first batch says what the run follows on, so a hole is seen: the stream
// is read again, and if it is not there either, followers get stream.ErrGap.
//
//	        session begins: subscribed, a write worked,
//	        all followed topics read again, gaps told
//	┌──────┐ ─────────────────────────────────────────> ┌────┐
//	│ down │                                            │ up │
//	└──────┘ <───────────────────────────────────────── └────┘
//	        any error, or no sign of life for some seconds:
//	        followers of other nodes' runs get ErrGap
//
// While it is down, runs and followers of one node go on as in a Local. Runs that
// are open when it is up again are shipped from where they were; of those that
// ended meanwhile, followers on other nodes are told that they have a gap.
package redishub
