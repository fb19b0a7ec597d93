// Package notify sends webhooks what the store's outbox holds.
//
//	a run, an answer, an expiry ── one update ──> rows in the store (chat.News.Hooks)
//	                                                  │
//	every node: what is due? ── claim for a while ────┘   of each chat or tool and webhook, the oldest
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
// Changes is the other source of the outbox: what looks at folders of documents find. The store keeps
// what the webhooks were told last: of each file the sum of its content, and of each folder a revision
// that counts up. A node stores changes, together with the deliveries about them, only on top of the
// revision that it compared its index with; otherwise it compares again. So each change is told once.
//
//	a look finds changes ──> what did others store since? ──> store and tell, unless another node did
//
// Nodes see a folder at different moments, above all over a network. What differs from what was told is
//
//   - told at once if this node's own look found it, and no other node has told of the file since index
//     and store agreed. After a start or without an index, the index must have had the content that was
//     told, or the file must have been modified after that;
//   - told once it has lasted for two minutes if this node found it, but it may be an older state of the
//     file: another node has told of the file meanwhile, or nothing is known of earlier looks. The same
//     applies to a folder that is suddenly empty: it may not be mounted;
//   - not told if this node's looks did not find it: another node told of what this one has yet to see.
//
// A look that finds nothing does not query the store. The first time, a folder is stored in batches and
// nothing is told. A look that finds many changes is also stored in batches, of which the last one has
// the deliveries. If a node dies before it, the next delivery about the folder has all of them.
//
// An answer link is a sealed text (package seal) that names a question and the person who is asked.
// The API opens it. It can be used until its question is closed.
package notify
