// Package web is what browsers load: the chat page, the admin view, and the card,
// client and reducer that any other frontend may use. Plain HTML, CSS and JavaScript
// modules, embedded in the binary, without a build step; what is in static is what
// is served, but for comments.
//
//	askgate.js ─┬─ card.js ──┬─ card/several.js   several questions as one form, of a card each
//	            │            └─ card/element.js ──┬─ open.js, fields.js, closed.js   draws a question
//	            │                                 ├─ draft.js      what was typed so far, as an answer
//	            │                                 ├─ validate.js   the rules of tools/askuser
//	            │                                 ├─ match.js ── matcher.js   a pattern, in a worker with a time limit
//	            │                                 └─ texts.js      English; others from /assets/locales
//	            └─ client.js ┬─ client/client.js, inbox.js ── follow.js   one chat; what waits over all of them
//	              (headless) │                    ├─ sse.js        reads an event stream from a fetch
//	                         │                    └─ problem.js
//	                         └─ client/reducer.js                  from events to what there is to draw
//
//	index.html ── page/app.js ──┬─ chat.js        one open chat: client, reducer, draft, errors
//	  (drawn at most once       ├─ lists.js       apps, chats
//	   per frame)               ├─ session.js     who is signed in
//	                            ├─ tabs.js ── sharing.js   what windows share: a worker of theirs
//	                            ├─ notify.js      the browser's notifications
//	                            ├─ view.js ──┬─ transcript.js ── markdown.js ── blocks.js   what was said and done; loaded with the first chat
//	                            │            │     └─ sources.js   passages that an answer cites; loaded with the first
//	                            │            ├─ composer.js                    where to write, or the card
//	                            │            ├─ side.js                        the chats, a search over them
//	                            │            └─ inbox.js                       what waits, over all chats
//	                            └─ texts.js, request.js, root.js, keep.js   the language; requests; what a tab keeps
//
//	admin.html ── admin/app.js ──┬─ view.js ─┬─ charts.js ── chart.js   counts as SVG and as tables
//	                             │           └─ questions.js             what became of each question
//	                             └─ page/texts.js, request.js, keep.js
//
//	answer.html ── answer.js ── the card   one question, for who has a link to it
//
// palette.js has the colours of card and pages, base.css what the pages share of their
// looks. Lit draws them all; the chat page also has marked and DOMPurify (static/vendor).
// static is also the package of npm, as package.json beside the files says. docs/frontend.md
// is the contract of askgate.js; gateway/prove/browsertest checks it and the pages in a
// real browser.
//
// Over HTTP/1.1 a browser has six connections to a server: sharing.js has any number of
// windows get along with them.
//
// The chat page shows what events say and nothing else: whatever it sends comes back
// through /events, so that another window, or this one after a reload or a lost
// connection, shows the same chat. Texts come from /page/texts; the address has app and
// chat after "#", or "/inbox" and the id of what is to be seen there. What was typed stays until the gateway has accepted it.
//
// What a person wrote is only ever set as text, and what a model wrote goes through
// DOMPurify. The policy that Handler sends (no inline script, nothing from other origins,
// trusted types) leaves no other way for a text to become markup or code.
package web
