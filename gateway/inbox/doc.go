// Package inbox streams to each person what happens in all their chats, and to each asker how its
// questions ended.
//
//	update ── store.RunTx.AddNews ──> news ── AllNews ──> tail: one in each node, while anyone listens
//	   └────── stream.Hub.Nudge ── wakes it ──────────┘  │
//	                                                     v
//	Stream: snapshot, or News after an id ─────> then news for its person ──> the rows that
//	they name, as stored ──> events
//
// News name rows and hold no texts, so that a stream reports what is stored. They are read in the
// order of their ids, and none appears late (store.Feed), so an event's id says where its stream
// goes on, on any node. Nudges are hints. If the hub does not reach the other nodes, and now and
// then in any case, the tail looks by itself.
//
// A stream that does not keep up costs no memory: what the tail found for it is dropped, and read
// again.
package inbox
