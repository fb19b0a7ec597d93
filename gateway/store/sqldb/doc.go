// Package sqldb is the storage contract on an SQL database: SQLite, in one file, by a
// driver in pure Go, or PostgreSQL, on a server that many nodes share.
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
// Bytes are counted by octet_length, which reads no texts, before texts are read; store.Admit may
// refuse them. A row that this version cannot read is left out or marked, see unreadable.
//
// The newest turn is part of its head's row. Whatever else fn needs is read when fn asks for
// it. What fn writes is put off until it next waits for an answer, or to the end, where it
// follows the head, which its foreign keys refer to. A head that did not change is not
// written. All this is to keep statements away from the path to a turn's first chunk.
// Statements are prepared once per connection.
//
// A failed statement spoils its transaction: the database may already have rolled back, and
// the next statement would be committed on its own. So nothing more is sent, and Update
// fails even if fn ignores the error.
//
// # SQLite
//
// One connection writes. Writers queue for it in Go, in order, and give up with their
// context; those that queue at the same moment share a commit (see group). SQLite itself
// waits only for other processes that have the file open, for at most lockWait. Reads use a
// few more connections: in WAL mode they neither block the writer nor wait for it, and a
// read transaction sees one committed state.
//
// A commit is in the log when Update returns: synced, or, where it was lazy, synced within
// half a second. Another connection moves the log to the file, so that no commit has to.
//
// # PostgreSQL
//
// Many connections write, each holding the row of its conversation. A new conversation has no
// row to hold: of two that create it at once, the second finds the key taken, and its fn
// runs again. Statements are cancelled with their caller's context, except COMMIT, and have
// time limits of their own. pgx is used directly, because database/sql waits for the answer
// to each statement before it sends the next.
//
// A lazy commit has synchronous_commit off: the server's wal_writer_delay says when it is on
// the disk.
//
// A commit whose reply is lost may have been made or not. Its mark tells, a random number that
// each transaction writes (postgrescommit.go). Where the server does not tell either, within
// outcomeWait, the error is store.ErrUnknown: a client learns the outcome by sending the same
// idempotency key again, and a turn that did begin is found by Owned and Abandoned.
//
// # What they share
//
// The statements are written once, in queries.go, in the SQL that both understand; the
// interface database hides what differs. The tables are in migrations/, one folder per
// database: Open makes what they lack, and refuses newer ones. Texts may
// hold any bytes, NUL included, and sort by them: their columns are TEXT in SQLite and bytea in
// PostgreSQL.
package sqldb
