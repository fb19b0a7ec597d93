// Package storecopy copies all that a store has into another one, from SQLite to PostgreSQL, the
// other way, or between two of a kind:
//
//	mark target ── mark source ── rows, batch by batch ── counters ── files ── verify
//	                                                                             │
//	                              target open ── source: copied, for good ───────┘
//
// A mark (sqldb.Mark) keeps gateways out: none starts on a marked store, also not one of an earlier
// build, and triggers refuse what a gateway writes that had the store open, such as one that was
// paused. A store is marked only while no node has a lease on it, by the store's clock, in the
// transaction that looks.
//
// Everything can end at any moment and be run again. A batch is one transaction of the target, and
// rows are copied in the order of their key, so a table continues after the greatest key that the
// target has. A mark has the number of its copy, which no other copy has: a target is never filled
// from two sources. Only the source of an unfinished copy can be opened again (Abandon).
//
// Rows are copied as they are, without their meaning, so that seals and the chains of the audit
// stay valid. Triggers that follow from a row, such as those that count bytes, are off while it is
// written: what they made in the source is copied, too.
package storecopy
