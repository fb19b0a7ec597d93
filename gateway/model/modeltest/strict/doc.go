// Package strict has servers that check the gateway's requests: one for each provider, which refuses what
// the real one refuses, with the same error body.
//
// Each rule is a row with its source and date. The rules and the bodies come from the providers'
// documentation, from issues that quote the servers, and from the code of other clients, and never from
// the code of this gateway. No real server was called.
//
//	New(t, DeepSeek, answers...) ──> Server ── a request ──> rules ── refused ──> Refusals
//	                                             │                └─ valid ──> the next Answer, in the
//	                                             │                             server's own stream
//	                                             └──> Flaws: what the real server accepts, but answers worse
//
// A Server sends state as its provider does: random texts that are bound to their message, their prefix
// or their call. It remembers all state, and compares what comes back member by member.
package strict
