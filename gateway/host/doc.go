// Package host is the gateway's HTTP face: it knows requests, principals, languages and status
// codes, leaves everything about turns to the engine, and knows no wire format. One handler takes
// a Request: of gateway/native, of gateway/admin, or of a front.
//
// A request passes these steps. Each may refuse it, and every refusal becomes a problem (RFC
// 9457) in one place, problem.go:
//
//	observe     request id, security headers, access log, metrics, panics
//	  v
//	route       gin, with problem JSON for 404 and 405
//	  v
//	address     limit "requests_address", before any key is looked at; also of assets and
//	            unknown paths
//	  v
//	caller      who is it (auth: nobody's key, a key, a signed token, a trusted proxy's
//	            word), which languages were asked for; limit "reads" where it is a GET
//	  v
//	app, chat   may they use it (404 if not), is the chat id one
//	  v
//	            handlers of what needs no run: limits "changes", "stops"
//	  v
//	messages:   draining? ─> limits "requests", "requests_tenant" ─> media type, decode
//	            ─> limit "turns" ─> place for a "concurrent_turns" ─> Engine.Submit,
//	            which checks the budgets "tokens_principal" and "tokens_tenant"
//	                                                      │ the run began, durably
//	                                                      v
//	            Run.Drive(Outlet) on this goroutine, or waits for JSON mode
//
// Limits come before the body (TestEveryRouteIsAdmittedBeforeItsBodyIsRead). A front whose body
// names the app is the exception: its refused bodies are counted (MayRead).
//
// A stream ends when the token of its request expires: /events by its context, the stream of a
// run by letting the run go on without it (driveUntil). /events also end when their key is
// removed (whileKnown), and are limited by "streams".
//
// Bodies and large responses in flight are counted in bytes (Take). Requests are refused with
// overloaded before memory runs out.
//
// Nothing before Submit changes anything, and Submit changes nothing when it refuses, so a
// refused request can be sent again. After the first byte of a stream, nothing can be refused any
// more; a later failure becomes an error event.
//
// Reading a body is strict: unknown fields, repeated fields, wrong types and text that is not
// Unicode are refused, because a misspelt "answer" that is ignored would lose what a person said.
package host
