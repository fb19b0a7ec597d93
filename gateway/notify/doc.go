// Package notify sends webhooks what the store's outbox holds.
//
//	a run, an answer, an expiry ── one update ──> rows in the store (chat.News.Hooks)
//	                                                  │
//	every node: what is due? ── claim for a while ────┘   of each chat and webhook, the oldest
//	     │
//	     ├─ 2xx ──────────── removed
//	     ├─ anything else ── due again: 5 s, 10 s, ... 1 h, until a day is over
//	     └─ the node dies ── the claim lapses, another node delivers
//
// A row names what happened and has no texts. The message is made from the stored question when it
// is sent, so nothing is sent that was erased. It is sent at least once, in the order of its chat;
// between chats there is no order. Its id is the same at each attempt.
//
// What waits costs a row; while it is sent, a goroutine. A webhook that hangs does not hold up
// others.
//
// An answer link is a sealed text (package seal) that names a question and the person who is asked.
// The API opens it. It can be used until its question is closed.
package notify
