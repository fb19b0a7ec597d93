// Package chat is the vocabulary of the gateway. A Conversation (the contract's "chat") holds
// messages. A Turn is the stretch from a user message to the final assistant message, across any
// number of pauses. A Run is one uninterrupted stretch of a turn, or of work between turns, and a
// Clarification is a stored question.
//
//	          message                  no more calls, limit, error, stop
//	(none) ───────────> running ─────────────────────────────> ended
//	                     │   ^                                   ^
//	   a tool asks: the  │   │ the last answer, or expiry        │ a message
//	   run ends, nothing v   │                                   │ supersedes
//	   is kept in memory paused ─────────────────────────────────┘
//
// A turn that ended without a complete answer (Turn.Resumable) runs again when it is resumed.
//
// Each run has a number, its fence, which only grows within a conversation. The store refuses writes
// of a run that is no longer the newest. Event ids begin with the fence, so that they stay ordered
// across restarts and nodes without a clock.
package chat
