// Package redishub carries events between nodes through Redis. Redis may lose everything:
// what must not be lost is in the store.
//
//	node A                               Redis                          node B
//
//	run ─> Local log ─> own followers
//	          └─ shipper ── script ──> stream of the topic ──backfill──> Mirror ─> Local log ─> followers
//	           (one for     XADD +  ─> channel of the topic ───live────────┘
//	            all runs)   PUBLISH
//
//	Stop, Erase ── PUBLISH ──────────> control channel ──────────────> every node
//	Nudge ──────── with the next write of the shipper ─────┘
//
// A run appends to its node's own log and never waits. The shipper follows the
// logs of all open runs like a viewer, takes what each has at hand as one entry,
// and sends many entries in one write: while Redis is slow, entries become fewer and
// larger, and the logs' own bound limits the memory.
//
// An entry is a batch of one run, as its node encoded it: decode reads it, once on each node that
// follows, and refuses what is not exactly as nodes encode. Its id in the stream is the batch's last event,
// fence-seq, so Redis itself refuses duplicates, and what a revived node still sends
// with an older fence. The stream is bounded by bytes and by age. A transient event goes to the
// channel alone.
//
// A node listens to a topic while it has followers of it: it subscribes, then
// reads the stream, then goes on live; ids drop what comes both ways. A
// run's first batch says what the run follows on, so a hole is seen: the stream
// is read again, and if it is not there either, followers get stream.ErrGap.
//
// Redis may also say what no node said: to whoever can write to it. So each entry and each control
// message is signed, over its topic and all of it. What does not verify is dropped, and viewers get
// stream.ErrGap: the store tells what is true. Who repeats what a node once said can at most stop a
// run, or have the store asked again.
//
//	        session begins: subscribed, a write worked,
//	        all followed topics read again, gaps reported
//	┌──────┐ ─────────────────────────────────────────> ┌────┐
//	│ down │                                            │ up │
//	└──────┘ <───────────────────────────────────────── └────┘
//	        any error, or no sign of life for some seconds:
//	        followers of other nodes' runs get ErrGap
//
// While it is down, runs and followers of one node go on as in a Local. Runs that
// are open when it is up again are shipped from where they were; of those that
// ended while it was down, followers on other nodes get ErrGap.
package redishub
