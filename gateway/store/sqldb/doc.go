// Package sqldb is the storage contract on an SQL database: SQLite, in one file, by a driver in
// pure Go, or PostgreSQL, on a server that many nodes share.
//
//	Update, SQLite:
//
//	  take the writer ── BEGIN IMMEDIATE ── head with its turn, one SELECT ── fn(tx)
//	      │               or join those                                         │
//	  queue in Go,        at work        head, if changed ── what fn wrote ── COMMIT (synced)
//	  ends with ctx
//
//	Update, PostgreSQL: each line crosses the network once
//
//	  take a connection ── BEGIN, head with its turn FOR UPDATE ── fn(tx)
//	                                                                 │
//	              head, if changed, what fn wrote, mark, COMMIT ─────┘
//	                       │
//	  another one made the chat first, deadlock, dead connection: all over again
//	  the reply is lost: is the mark there? ── yes: done ── no: all over again
//
//	View:
//
//	  BEGIN, head ── how many bytes? ── admitted ── messages, calls, clarifications, queue ── end
//
// Before texts are read, octet_length counts their bytes without reading them; store.Admit may
// refuse them. A row that this version cannot read is left out or marked, see unreadable.
//
// The newest turn is part of its head's row. Everything else is read when fn asks for it. Writes
// of fn are queued until fn next waits for an answer, or until the end, where they follow the
// head, which their foreign keys refer to. An unchanged head is not written. All this keeps
// statements off the path to a turn's first chunk. Statements are prepared once per connection.
//
// A failed statement spoils its transaction: the database may already have rolled back, and the
// next statement would be committed on its own. So nothing more is sent, and Update fails even if
// fn ignores the error.
//
// # SQLite
//
// One connection writes. Writers queue for it in Go, in order, and leave the queue when their
// context ends; those that queue at the same moment share a commit (see group). SQLite itself
// waits only for other processes that have the file open, for at most lockWait. Reads use a few
// more connections: in WAL mode they neither block the writer nor wait for it, and a read
// transaction sees one committed state.
//
// When Update returns, the commit is in the log: synced, or, if it was lazy, to be synced within
// half a second. Another connection moves the log to the file, so that no commit has to.
//
// # PostgreSQL
//
// Many connections write, each holding the row of its conversation. A new conversation has no row
// to hold: if two transactions create it at once, the second finds the key taken, and its fn runs
// again. Statements are cancelled with their caller's context, except COMMIT, and have time
// limits of their own. pgx is used directly, because database/sql waits for the answer to each
// statement before it sends the next.
//
// A lazy commit has synchronous_commit off: the server's wal_writer_delay says when it is on the
// disk.
//
// A commit whose reply is lost may or may not have been made. Its mark, a random number that each
// transaction writes, shows which (postgrescommit.go). If the server cannot be asked within
// outcomeWait, the error is store.ErrUnknown: a client learns the outcome by sending the same
// idempotency key again, and a turn that did begin is found by Owned and Abandoned.
//
// # What they share
//
// The statements are written once, in queries.go, in the SQL that both understand; the interface
// database hides what differs. The tables are in migrations/, one folder per database: Open makes
// the missing changes, and refuses newer tables. Texts may hold any bytes, NUL included, and sort
// by them: their columns are TEXT in SQLite and bytea in PostgreSQL.
package sqldb
