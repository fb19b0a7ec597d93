// Package sqldb is the storage contract on an SQL database: SQLite now, in one
// file, by a driver in pure Go.
//
//	Update ── take the writer ── BEGIN IMMEDIATE ── head with its turn, one SELECT ── fn(tx)
//	               │                                                                  │
//	          queue in Go,                          head, if changed ── what fn wrote ── COMMIT (synced)
//	          ends with ctx
//
//	View   ── take a reader ── BEGIN ── head, messages, calls, clarifications ── ROLLBACK
//
// One connection writes. Its writers wait for it in Go, in order, and give up
// with their context; only another process that has the file open is waited for
// in the database, for at most lockWait. Readers are a few more connections: in
// WAL mode they neither block the writer nor wait for it, and a reader's
// transaction sees one committed state.
//
// What is committed is in the log, synced; a connection of its own moves the log to
// the file now and then, so that no commit waits for it.
//
// The newest turn is part of its head's row. What else fn wants to know is read when
// it asks; what it writes is sent when it next waits for an answer, or at the end,
// after the head, which its foreign keys name; what it left unchanged is not
// written: a new message is on the way to the first chunk. Statements are prepared
// once per connection.
//
// A statement that fails spoils its transaction: the database may have rolled
// back by itself, and what came next would be written on its own. So nothing
// more is sent, and Update rolls back even if fn ignores the error.
//
// The statements are written once, in queries.go, in the SQL that SQLite and
// PostgreSQL share; what differs (opening, locking, faults) is the dialect's.
// The tables are in migrations/, one folder per dialect, applied by Open. Texts may
// hold any bytes, NUL included: their columns must be of a type that takes them.
package sqldb
