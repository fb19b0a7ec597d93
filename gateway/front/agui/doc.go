// Package agui is the front for clients of AG-UI: @ag-ui/client, CopilotKit, assistant-ui.
//
//	POST RunAgentInput ── read ──> input ── plan ──> commands, one after another
//	                                                        │ the last one's run
//	         frames <── encoder: one method per thing that happens
//
// A question goes out in one of two ways, which the request chooses and the app may fix: as the
// call of a tool that the client has (it sends back a tool message), or additionally as an
// interrupt (it sends back "resume"). What a client may send, and how, is in
// docs/fronts/ag-ui.md.
package agui
