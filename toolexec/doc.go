// Package toolexec runs the model's tool calls. Every call has exactly one outcome, whatever the
// model sends and whatever the tool does.
//
//	call ─> offered to this app? ─no─> TOOL_NOT_AVAILABLE
//	          │
//	          ├─ ask_user:
//	          │    a user who can answer? ─no─> NO_USER_AVAILABLE
//	          │    caps? ─reached─> CLARIFICATION_LIMIT_REACHED
//	          │    the tool parses, repairs and checks ─> a Question, or an error
//	          │    options of a template that a tool lists: fetched, or its fallback
//	          │
//	          └─ any other: arguments match the schema? ─no─> INVALID_ARGUMENTS
//	               needs approval, and none is given or remembered ─> a Question of kind approval;
//	                 the turn's cap, in the order of the calls ─reached─> APPROVAL_LIMIT_REACHED
//	               run by the caller ─> a Question of kind input
//	               (no user for one of these ─> NO_USER_AVAILABLE)
//	               run, bounded in time and number; panics are caught ─> result or error
//
// A call that must not run twice is recorded before it runs and when it has ended
// (Batch.Journal), so that after a crash its result is INTERRUPTED and it does not run
// again. This applies to each call that needs approval.
//
// Calls of ask_user run one after the other, because each counts against the caps of the
// next. The others run concurrently.
//
// # Options that tools list
//
// A template of ask_user may name a tool that lists its options. It is called with the same
// limits as any other, but the model does not read its result:
//
//	asking     ── a list no older than one minute ──> the first options
//	searching  ── the same; if the tool fails, the last list ──> the options that match
//	answering  ── a new list ──> the option exists, or is gone (tools.StaleError); if the tool
//	              fails, an option that was offered counts, any other is ErrNoOptions
//
// The Catalog holds lists, bounded in number and bytes. A list that it has dropped is fetched
// again.
//
// A Catalog binds one configuration snapshot to Go tools.
package toolexec
