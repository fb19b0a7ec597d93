// Package sqldb is the storage contract on an SQL database: SQLite, in one file, by a
// driver in pure Go, or PostgreSQL, on a server that many nodes share.
//
//	Update, SQLite:
//
//	  take the writer ── BEGIN IMMEDIATE ── head with its turn, one SELECT ── fn(tx)
//	      │                                                                     │
//	  queue in Go,                       head, if changed ── what fn wrote ── COMMIT (synced)
//	  ends with ctx
//
//	Update, PostgreSQL: each line crosses the network once
//
//	  take a connection ── BEGIN, head with its turn FOR UPDATE ── fn(tx)
//	                                                                 │
//	                    head, if changed, what fn wrote, COMMIT ─────┘
//	                       │
//	  another one made the chat first, deadlock, dead connection: all over again
//
//	View:
//
//	  BEGIN, head ── messages, calls, clarifications, queue ── end
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
// # SQLite
//
// One connection writes. Its writers wait for it in Go, in order, and give up
// with their context; only another process that has the file open is waited for
// in the database, for at most lockWait. Readers are a few more connections: in
// WAL mode they neither block the writer nor wait for it, and a reader's
// transaction sees one committed state.
//
// What is committed is in the log, synced, or synced within half a second where the commit
// was lazy; a connection of its own moves the log to the file now and then, so that no
// commit waits for it.
//
// # PostgreSQL
//
// There are many writers, so each holds the row of its conversation; a new one has no
// row to hold, and of two who make it the second finds the key taken, and its fn runs
// again. Statements are cancelled with their caller's context, but for COMMIT, and
// have bounds of their own. pgx is used directly, because database/sql would wait for
// each statement's answer before it sent the next.
//
// A lazy commit is one with synchronous_commit off: the server's wal_writer_delay says when
// it is on the disk.
//
// A commit whose answer got lost may have succeeded. It is not tried again, and
// reported as store.ErrUnavailable: a client that sends the same idempotency key again
// finds out, and a turn that did begin is found by Owned and Abandoned.
//
// # What they share
//
// The statements are written once, in queries.go, in the SQL that both know; what
// differs is behind the interface database. The tables are in migrations/, one folder
// per database, applied by Open. Texts may hold any bytes, NUL included, and sort by
// them: their columns are TEXT in SQLite and bytea in PostgreSQL.
package sqldb
