// Package web is the chat page and the admin view: plain HTML, CSS and JavaScript modules, embedded
// in the binary, without a build step.
//
//	index.html ── app.js ──┬─ stream.js   reads an event stream from a fetch
//	                       └─ card.js     draws a question, gathers its answer
//	admin.html ── admin.js ─── chart.js     draws counts as pictures and tables
//
// The page shows what events say and nothing else: it sends a message, reads the
// stream of the run until done, and then follows /events from the last id on, so
// that another window, or this one after a reload, sees the same chat. Its texts
// come from /page/texts, the chat's id stands in the address after "#".
//
// What a model or a person wrote is only ever set as textContent; together with
// the policy that Handler sends (no inline script, nothing from elsewhere) no
// text can become code.
package web
