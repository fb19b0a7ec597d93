// Package store is the storage contract: what is durable, and who may change it.
//
// Everything about a chat changes inside Store.Update, one transaction that
// holds the conversation exclusively:
//
//	Update(ref, fn) ── lock the conversation ── fn(tx) ── commit, or roll back whole
//
// so a compare-and-set is a read and a write in fn, and whatever fn saw is what
// it changed. Reads outside Update see committed state only. A whole step of a
// turn is written by one Update; streamed chunks never are.
//
// A run writes only while its fence is the conversation's newest: fn compares,
// and a run that finds a newer one has lost the turn and stops.
//
// Meters count over chats: they are changed by the same Update, so what is counted is
// what happened. They belong to no chat, and go when their window has been over for a while.
// The audit is written there too: by the update that it tells of. It is only added to,
// and a chat's records are erased with the chat.
//
// Leases belong to nodes, not to turns: a running turn names its owner, and the
// owner's heartbeat is one row, however many turns it runs. Time is the store's
// own clock where it has one, so that the nodes' clocks may differ.
//
// The folder storetest holds the suite that every implementation must pass.
package store
