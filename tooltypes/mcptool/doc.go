// Package mcptool offers the tools of MCP servers as <id>__<name>, and turns what these
// servers ask (elicitations) into clarifications.
//
//	entry of tools.json ──Pool.Tool──> Tool, one per app        asks, checks answers
//	                                     │ shares
//	                                     v
//	                                   server, one per entry     its loop:
//	                                     │                       connect ─> list ─> keep
//	                                     │                          ^ backoff        │ lost
//	                                     v                          └────────────────┘
//	                        streamable HTTP (tools/outgoing), or a child's stdin and stdout
//
// A server is connected to in the background. A turn waits only for the first
// attempt after its entry appeared, for firstWait at the most; a call waits for an
// attempt that is under way, or that it causes. What was listed last stays on offer while
// the server is away: its calls then fail, and the model goes on. One that does not answer
// is pinged (alive.go), and lost if it is silent.
//
// # What a server asks
//
// Protocol 2026-07-28: a call comes back as input_required, with requests and an opaque
// state. Both are stored with the question (tools.Question.State), the run ends, and the
// answer makes the call again with them, in whatever process. Nothing is held meanwhile.
//
// Older protocols: the server's handler waits inside the call. By default the call is parked: held
// open in memory by the node that made it, up to a deadline. An answer that another node took
// reaches it through the store (Relay); if its node has ended, the model reads an error. An admin can have
// such questions cancelled instead: the model then reads that something was asked. A URL that such a
// server wants visited before a call (error -32042) needs neither: the call has not begun, and is
// made again.
//
// A schema that is asked for becomes the arguments of ask_user, which words, checks and
// bounds them like those of a model: patterns too, of which a browser only sees what is
// safe. The answer is typed, and checked against the schema, before it counts.
package mcptool
