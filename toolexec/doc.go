// Package toolexec runs the model's tool calls: every call comes back with
// exactly one outcome, whatever the model sent and whatever the tool did.
//
//	call ─> offered to this app? ─no─> TOOL_NOT_AVAILABLE
//	          │
//	          ├─ ask_user, before any other path:
//	          │    somebody there? ─no─> NO_USER_AVAILABLE
//	          │    caps? ─over─> CLARIFICATION_LIMIT_REACHED
//	          │    the tool parses, repairs and checks ─> a Question, or an error
//	          │    options of a template that a tool lists: fetched, or its fallback
//	          │
//	          └─ any other: arguments against the schema ─no─> INVALID_ARGUMENTS
//	               needs approval, and has none, nor is one remembered ─> a Question of kind approval;
//	                 the turn's cap, in the order of the calls ─over─> APPROVAL_LIMIT_REACHED
//	               run by the caller ─> a Question of kind input
//	               (nobody there for these ─> NO_USER_AVAILABLE)
//	               run, bounded in time and number; panics are caught ─> result or error
//
// A call that must not run twice is journalled before it runs and when it has ended
// (Batch.Journal), so that after a crash its result is INTERRUPTED and it does not run
// again. Each call that needs approval is one of these.
//
// Calls that may ask are settled one after the other, because each counts
// against the caps for the next; the others run side by side.
//
// # Options that tools list
//
// A template of ask_user may name a tool that lists its options. It is called through the
// same guard as any other, for a result that no model reads:
//
//	asking     ── the list, or one that is held and young enough ──> the first options
//	searching  ── the same, or what was held last ─────────────────> those that fit
//	answering  ── a new list ──> there, or gone (tools.StaleError); without a source
//	              what was offered counts, and ErrNoOptions says that nothing is known
//
// Lists are held by the Catalog, bounded in number and bytes; a list that is lost is fetched again.
//
// A Catalog binds one configuration snapshot to Go tools.
package toolexec
