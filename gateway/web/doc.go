// Package web is what browsers load: the chat page, the admin view, and the card,
// client and reducer that any other frontend may use. Plain HTML, CSS and JavaScript
// modules, embedded in the binary, without a build step; what is in static is what
// is served.
//
//	askgate.js ──┬─ card/element.js ──┬─ open.js, fields.js, closed.js   draws a question
//	             │                    ├─ draft.js      what was typed so far, as an answer
//	             │                    ├─ validate.js   the rules of tools/askuser
//	             │                    └─ texts.js      English; others from /assets/locales
//	             ├─ client/client.js ─┬─ sse.js        reads an event stream from a fetch
//	             │                    └─ problem.js
//	             └─ client/reducer.js                  from events to what there is to draw
//
//	index.html ── app.js ──┬─ stream.js
//	                       └─ card.js
//
//	admin.html ── admin.js ─── chart.js   draws counts as pictures and tables
//
// The only library is Lit, vendored (static/vendor). docs/frontend.md is the
// contract of askgate.js; gateway/browsertest holds it to that in a real browser.
//
// The page shows what events say and nothing else: it sends a message, reads the
// stream of the run until done, and then follows /events from the last id on, so
// that another window, or this one after a reload, sees the same chat. Its texts
// come from /page/texts, the chat's id stands in the address after "#".
//
// What a model or a person wrote is only ever set as text; together with the
// policy that Handler sends (no inline script, nothing from elsewhere) no text can
// become code.
package web
