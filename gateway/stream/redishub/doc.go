// Package redishub carries events between nodes through Redis. Redis may lose everything: what must
// not be lost is in the store.
//
//	node A                               Redis                          node B
//
//	run ─> Local log ─> own followers
//	          └─ shipper ── script ──> stream of the topic ──backfill──> Mirror ─> Local log ─> followers
//	           (one for     XADD +  ─> channel of the topic ───live────────┘
//	            all runs)   PUBLISH  <─ number of nodes that listen
//
//	Stop, Erase ── PUBLISH ──────────> control channel ──────────────> every node
//	Nudge ──────── with the next write of the shipper ─────┘
//
// A run appends to its node's own log and never waits. The shipper follows the logs of all open runs
// like a viewer, takes what each has at hand as one entry, and sends many entries in one write.
// While Redis is slow, entries become fewer and larger, and the logs' own bound limits the memory.
//
// The answer to an entry says how many nodes listen to the topic's channel. If that is only its own
// node, a run's text is held until there is a piece of it, by time or by size; everything else is
// shipped at once, with the text before it. So another node that begins to follow has the text at
// the latest with the next piece, and each chunk from then on. Nothing has to be announced or to
// expire: a node that died does not listen.
//
// An entry is a batch of one run, as its node encoded it. Each node that follows the topic decodes
// it once (decode), and refuses what is not exactly as nodes encode. Its id in the stream is the
// batch's last event, fence-seq, so Redis itself refuses duplicates, and what a revived node still
// sends with an older fence. The stream is bounded by bytes and by age. A transient event is sent to
// the channel only.
//
// When a topic is forgotten, an entry may be on its way from the node that records it. When that node
// hears of it, it deletes the stream again, lets all nodes drop what they have, and ships what came
// afterwards once more.
//
// In a cluster, all of one topic is in one slot, and channels are sharded. A session has a listener to
// each master. What moves a slot ends the session.
//
// A node listens to a topic while it has followers of it. It subscribes, then reads the stream, then
// goes on live; the ids show what comes both ways. A run's first batch says what the run follows, so
// a gap is seen: the stream is read again, and if the missing events are not there either, followers
// get stream.ErrGap.
//
// Anyone who can write to Redis can make it send what no node sent. So each entry and each control
// message is signed, together with its topic. What does not verify is dropped, and viewers get
// stream.ErrGap: the store has the truth. Replaying what a node once sent can at most stop a run, or
// make nodes read the store again.
//
//	        session begins: subscribed, a write worked,
//	        all followed topics read again, gaps reported
//	┌──────┐ ─────────────────────────────────────────> ┌────┐
//	│ down │                                            │ up │
//	└──────┘ <───────────────────────────────────────── └────┘
//	        any error, or no sign of life for some seconds:
//	        followers of other nodes' runs get ErrGap
//
// While Redis is down, runs and followers of one node go on as in a Local. Runs that are open when
// it is up again are shipped from where they were. For runs that ended while it was down, followers
// on other nodes get ErrGap.
package redishub
