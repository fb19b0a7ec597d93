// Package host is the HTTP layer of the gateway. It handles requests, principals, languages and
// status codes, leaves everything about turns to the engine, and does not know any wire format. Each
// Request goes to one handler, of gateway/native, gateway/admin or a front.
//
// A request passes these steps. Each may refuse it, and every refusal becomes a problem (RFC
// 9457) in one place, problem.go:
//
//	observe     request id, security headers, access log, metrics, panics
//	  v
//	route       gin, with problem JSON for 404 and 405
//	  v
//	address     limit "requests_address", before any key is checked; also for assets and
//	            unknown paths
//	  v
//	caller      who calls (auth: no key, a key, a signed token, a trusted proxy's
//	            header), which languages are accepted; limit "reads" for a GET
//	  v
//	app, chat   may the caller use the app (404 if not), is the chat id valid
//	  v
//	            handlers that need no run: limits "changes", "stops"
//	  v
//	messages:   draining? ─> limits "requests", "requests_tenant" ─> media type, decode
//	            ─> limit "turns" ─> place within "concurrent_turns" ─> Engine.Submit,
//	            which checks the budgets "tokens_principal" and "tokens_tenant"
//	                                                      │ the begun run is stored
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
// refused request can be sent again. After the first byte of a stream, nothing can be refused; a
// later failure becomes an error event.
//
// Reading a body is strict: unknown fields, repeated fields, wrong types and text that is not
// Unicode are refused, because ignoring a misspelled "answer" would lose the user's answer.
package host
