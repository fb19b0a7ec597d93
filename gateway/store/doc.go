// Package store is the storage contract: what is durable, and who may change it.
//
// Everything about a chat changes inside Store.Update, one transaction that holds the
// conversation exclusively:
//
//	Update(ref, fn) ── lock the conversation ── fn(tx) ── commit, or roll back whole
//
// so a compare-and-set is a read and a write in fn: nothing else changes the conversation in
// between. Reads outside Update see committed state only. One Update writes a whole step of a
// turn; streamed chunks are never stored.
//
// A run writes only while its fence is the conversation's newest and the last event is the one
// that it stored last. UpdateAs compares both; a run that finds other values has lost the turn
// and stops. A run also stops after a commit of unknown outcome (ErrUnknown), since what it has
// in memory may differ from what is stored.
//
// Meters count across chats. The Update that uses something also counts it, so the count is
// exact. Meters belong to no chat and are dropped some time after their window ends. An audit
// record is written by the Update that it describes. Records are never changed, and are erased
// with their chat. Each has the hash of the one before it in its chain; an erased record leaves
// its hash, so that the chain can still be verified.
//
// Leases belong to nodes, not to turns: a running turn names its owner, and the owner's heartbeat
// is one row, however many turns it runs. Leases are timed by the store's own clock where it has
// one, so that the nodes' clocks may differ.
//
// Every implementation must pass the suite in storetest.
package store
