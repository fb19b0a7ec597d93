// Package mcp is the front for programs with a model of their own that need a person: clients of
// the Model Context Protocol, over streamable HTTP. The official SDK speaks the protocol; this
// package has the tools.
//
//	tools/call ask_user ── Ask ──> a stored question, as any program's
//	     │                             │ answered on the page, in a list, by a link
//	     │ up to `wait` seconds        v
//	     └──── Asked <──────────── closed ──> {"status": "answered", "answers", "text"}
//	                 └─ not yet ─> {"status": "pending", "clarificationId"}: get_answer waits again
//
// Nothing is kept between two requests, so that any node can take any of them. What an initialize
// says about its client comes back as the session's id (client.go). The id has a random part, so
// that the same question of the same session is one question while it is pending.
//
// If the app allows it and the client is able to, the client asks its own user (elicit.go). Up to
// 2025-11-25 the gateway sends a request while the call is open; its id names the question, so
// that the answer may come to any node. From 2026-07-28 on, the call ends, and the client repeats
// it with the answer and with the sealed state that it ended with.
package mcp
