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
//	index.html ── page/app.js ──┬─ chat.js        one open chat: client, reducer, draft, what was refused
//	  (drawn at most once       ├─ lists.js       apps, chats, which of them wait
//	   per frame)               ├─ session.js     who is signed in
//	                            ├─ view.js ──┬─ transcript.js ── markdown.js   what was said and done
//	                            │            └─ composer.js                    where to write, or the card
//	                            └─ texts.js, keep.js   the language; what a tab keeps
//
//	admin.html ── admin.js ─── chart.js   draws counts as pictures and tables
//
// palette.js has the colours of card and chat page. Lit draws them; the page also has
// marked and DOMPurify (static/vendor). docs/frontend.md is the contract of askgate.js;
// gateway/browsertest holds it and the pages to what they say in a real browser.
//
// The page shows what events say and nothing else: whatever it sends comes back by
// /events, so that another window, or this one after a reload or a break, sees the same
// chat. Its texts come from /page/texts; app and chat stand in the address after "#".
// What was typed stays until the gateway has taken it.
//
// What a person wrote is only ever set as text, and what a model wrote goes through
// DOMPurify. The policy that Handler sends (no inline script, nothing from elsewhere,
// trusted types) leaves no other way for a text to become markup or code.
package web
