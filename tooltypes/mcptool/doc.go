// Package mcptool offers the tools of MCP servers as <id>__<name>, and turns the elicitations
// of these servers into clarifications.
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
// The connection to a server is made in the background. A turn waits only for the first attempt
// after the server's entry is new, for at most firstWait. A call waits for an attempt that is
// under way, or starts one. While the server is away, the tools that it listed last stay on
// offer; their calls fail, and the model goes on. A server that does not answer a call is pinged
// (alive.go), and counts as lost if it stays silent.
//
// A server whose headers have placeholders of the caller is connected per caller:
//
//	Pool.Personal ──> Personal, one per app ──As──> Personal of a caller
//	                    │ shares                      │ each use
//	                    v                             v
//	                  sessions, one per entry ──> session = server, one per set of values
//
// # Elicitation
//
// Protocol 2026-07-28: the server returns input_required, with requests and an opaque state.
// Both are stored with the question (tools.Question.State), and the run ends. After the answer,
// any node makes the call again with them. Nothing is held in between.
//
// Older protocols: the server's handler waits inside the call. By default the call is parked: the
// node that made it holds it open in memory, up to a deadline. An answer that arrives at another
// node reaches it through the store (Relay). If the node has ended, the model gets an error. An
// admin can have such questions cancelled instead: the model then reads that the server asked
// something. A URL that such a server wants visited before a call (error -32042) needs neither:
// the call has not begun, and is made again.
//
// A requested schema becomes the arguments of ask_user, which words, checks and bounds them like
// those of a model. That includes patterns, of which a browser gets only the safe ones. The
// answer is converted to the requested type and checked against the schema before it counts.
package mcptool
