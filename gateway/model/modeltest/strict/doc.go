// Package strict contains servers that judge the requests of a gateway: one for each provider,
// which refuses what the real one refuses, with the body that the real one sends.
//
// Each rule is a row with its source and date. The rules and the bodies come from the providers'
// documentation, from issues that quote the servers, and from the code of other clients, and never from
// the code of this gateway. No real server was called.
//
//	New(t, DeepSeek, answers...) ──> Server ── a request ──> rules ── refused
//
// ──> Refusals
//
//	│                └─ fine ──> the next
//
// Answer, in the
//
//	│                            server's own stream
//	└──> Flaws: what the real server accepts, and
//
// answers worse for
//
// A Server hands out state as its provider does: unguessable texts that are bound to the message,
// to the prefix or to the call they came with. It records everything that it handed out, and
// compares what is sent back member by member.
package strict
