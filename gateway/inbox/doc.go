// Package inbox tells each person what happens in all their chats, and each asker how its
// questions ended.
//
//	update ── store.RunTx.Tell ──> news ── AllNews ──> tail: one of a node, while somebody listens
//	   └────── stream.Hub.Nudge ── wakes it ──────────┘  │
//	                                                     v
//	Stream: snapshot, or News after an id ─────> then what concerns its person ──> the rows
//	that news name, as they are stored ──> events
//
// News name rows and hold no texts, so that what is told is what is stored. They are read in
// the order of their ids, behind which none appears late (store.Feed): an event's id says where
// its stream goes on, on any node. Nudges are hints. Where the hub does not reach the other
// nodes, and now and then in any case, the tail looks by itself.
//
// A stream that does not keep up costs no memory: what the tail found for it is forgotten, and
// read again.
package inbox
