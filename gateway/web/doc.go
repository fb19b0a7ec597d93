// Package web serves what browsers load: the chat page, the admin view, and the card, client and
// reducer for other frontends. Plain HTML, CSS and JavaScript modules, embedded in the binary: other
// frontends load the files in static unchanged, except for comments. The pages load what bundle makes
// of them in dist, a few files that browsers keep for good.
//
//	askgate.js ─┬─ card.js ──┬─ card/several.js   several questions as one form with a card each
//	            │            └─ card/element.js ──┬─ open.js, fields.js, closed.js   draws a question
//	            │                                 ├─ draft.js      the user's input, and the answer it makes
//	            │                                 ├─ validate.js   the rules of tools/askuser
//	            │                                 ├─ match.js ── matcher.js   a pattern, in a worker with a time limit
//	            │                                 └─ texts.js      English; others from /assets/locales
//	            └─ client.js ┬─ client/client.js, inbox.js ── follow.js   one chat; the open questions of all chats
//	              (headless) │                    ├─ sse.js        reads an event stream from a fetch
//	                         │                    └─ problem.js
//	                         └─ client/reducer.js                  turns events into the state to draw
//
//	index.html ── page/app.js ──┬─ chat.js ── draft.js   one open chat: client, reducer, message, errors
//	                            │   └─ queued.js, outbox.js   what waits for a turn's end, for a connection
//	  (drawn at most once       ├─ lists.js       apps, chats
//	   per frame)               ├─ session.js     who is signed in
//	                            ├─ tabs.js ── sharing.js   a worker that windows share
//	                            ├─ notify.js      the browser's notifications
//	                            ├─ shortcuts.js ── typing.js   keys: shortcuts, or text for the right field
//	                            ├─ view.js ──┬─ transcript.js ── markdown.js ── blocks.js, maths.js   the transcript; loaded with the first chat
//	                            │            │     ├─ memo.js      draws an item again only if it has changed
//	                            │            │     ├─ print.js     the style of a printed chat
//	                            │            │     ├─ finish.js ── typeset.js, colors.js   formulas, colors of code; loaded with the first
//	                            │            │     └─ sources.js ── passage.js   cited passages; loaded with the first
//	                            │            ├─ documents.js ── passage.js     the search in an app's documents; loaded with the first
//	                            │            ├─ composer.js                    the text field, or the card
//	                            │            ├─ side.js                        the list of chats, and its search
//	                            │            │     ├─ menu.js                  language and theme
//	                            │            │     └─ found.js                 from a search result to its question
//	                            │            └─ inbox.js                       the open questions of all chats
//	                            ├─ texts.js, request.js, root.js, keep.js   the language; requests; storage of a tab
//	                            └─ begun.js     responses to the requests that early.js began in the head
//
//	admin.html ── admin/app.js ──┬─ view.js ─┬─ charts.js ── chart.js   counts as SVG and tables
//	                             │           └─ questions.js             the outcomes of each question
//	                             └─ page/texts.js, request.js, keep.js
//
//	answer.html ── answer.js ── the card   one question, for anyone who has its link
//
// reload.js loads a page again whose files are gone, after a deployment. palette.js has the colors of the card and the pages, base.css the styles that the pages share.
// Lit draws all of them; the chat page also uses marked, DOMPurify, KaTeX and highlight.js (static/vendor). static is
// also the npm package, described by its package.json. docs/frontend.md documents askgate.js;
// gateway/prove/browsertest tests it and the pages in a real browser.
//
// Over HTTP/1.1, a browser has six connections to a server. sharing.js makes them suffice for any
// number of windows.
//
// The chat page shows only what events say: everything that it sends comes back through /events, so
// that another window, or the same one after a reload or a lost connection, shows the same chat.
// Texts come from /page/texts. The address has the app and chat after "#", "/inbox" and the id of
// a question, or the app and a search in its documents. Typed text is kept until the gateway has accepted it.
//
// User text is only ever set as text, and model text goes through DOMPurify. The policy that Handler
// sends (no inline script, nothing from other origins, trusted types) leaves no other way for text
// to become markup or code.
package web
