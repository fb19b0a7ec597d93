// Package channels tells people of questions where they are: by mail, in Slack.
//
//	a question ── one update ──> a notice in the store for each channel and person (chat.News.Notices)
//	                                │
//	every node: what is due? ── claim for a while
//	     │
//	     ├─ the question ──────── sent; then due for the first reminder
//	     ├─ a reminder ────────── sent, or put off to the end of the quiet time; then due for the next
//	     ├─ the question ended ── what was sent is updated, if the channel can, and again if the answer is deleted
//	     ├─ it fails ──────────── due again: 5 s, 10 s, ... 1 h, until a day is over
//	     └─ the node dies ─────── the claim lapses, another node sends
//
// A notice has no texts. The message is made from the stored question when it is sent, so nothing is
// sent that was erased or has ended. A person is told at least once; if a node dies between sending and
// storing that, twice. A channel that can tell no one is in chat.Clarification.NotTold.
//
// Each type of channel is a package below this one, which implements Sender, and a row in the table of
// package main.
package channels
