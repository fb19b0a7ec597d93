// Package notify tells webhooks what the store's outbox holds.
//
//	a run, an answer, an expiry ── one update ──> rows in the store (chat.News.Hooks)
//	                                                  │
//	every node: what is due? ── claim for a while ────┘   of each chat and webhook, the oldest
//	     │
//	     ├─ 2xx ──────────── removed
//	     ├─ anything else ── due again: 5 s, 10 s, ... 1 h, until a day is over
//	     └─ the node dies ── the claim lapses, another node delivers
//
// A row names what happened and has no texts: what is sent is made of the stored question
// when it is sent, so nothing that was erased is told. It is sent at least once, in the order
// of its chat; between chats there is none. Its id is the same at each attempt.
//
// What waits costs a row; while it is sent, a goroutine. A webhook that hangs holds up no other.
//
// Links: an answer link is a sealed text (package seal) that names a question and the person
// who is asked. The API opens it; it is used up with its question.
package notify
