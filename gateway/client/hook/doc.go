// Package hook answers the hooks of coding agents: it turns the input of a hook into a question, and
// the answer into the output of the hook. It does no I/O, so that a command and an endpoint of the
// gateway can both use it.
//
//	JSON of a hook ── Read ──> Call ─┬─ Asking ──> a question, whose answer makes Output
//	                                 ├─ Over ────> idempotency keys of questions that are over
//	                                 └─ Nothing ─> why it is left to the terminal
//
// # What the agents say
//
// Claude Code, as of 2.1.332 (2026-11): PermissionRequest has session_id, cwd, tool_name, tool_input
// and permission_suggestions, and no tool_use_id; in print mode (-p) it comes from 2.1.268 on. Its
// output is {"decision": {"behavior": "allow", "updatedInput", "updatedPermissions"}} or
// {"behavior": "deny", "message"}. AskUserQuestion reads its answers from updatedInput:
// {"questions", "answers": {question: label}, "annotations": {question: {"preview", "notes"}}}.
//
// Codex, as of 0.171.0 (codex-rs/hooks/src, 2026-11): the same names. A PermissionRequest with
// updatedInput or updatedPermissions fails, and PreToolUse allows nothing without updatedInput, so
// what was answered to request_user_input is the reason of a denial, which the model reads.
//
// # Which call is which
//
// A question's idempotency key begins with what identifies its session, then its call: the tool
// and its input, of questions the questions alone, as the answered input has more. So a hook that
// runs after the call, or at the end of the session, names the questions that are over by the
// beginning of their keys.
package hook
