// Package chat is the vocabulary of the gateway: a Conversation (the contract's
// "chat") holds messages; a Turn is one user message up to the final assistant
// message, across any number of pauses; a run is one uninterrupted stretch of a
// turn, and a Clarification is a stored question.
//
//	          message                  no more calls, limit, error, stop
//	(none) ───────────> running ─────────────────────────────> ended
//	                     │   ^                                   ^
//	   a tool asks: the  │   │ the last answer, or expiry        │ a message
//	   run ends, nothing v   │                                   │ supersedes
//	   is kept in memory paused ─────────────────────────────────┘
//
// A turn that ended without a whole answer (Turn.Resumable) runs again when it is resumed.
//
// Each run has a number, its fence, that only grows within a conversation: the
// store refuses writes of a run that is no longer the newest, and event ids
// begin with it, so that they stay ordered across restarts and nodes without a clock.
package chat
