// Package slack tells people of questions by direct messages of a Slack app, and takes their answers.
//
//	Teller ── Send ──> users.lookupByEmail: a full member? ── conversations.open ── chat.postMessage
//	       ── End ───> chat.update: the buttons go, the end stands in their place
//
//	a press ── POST /v1/channels/ID/slack
//	   │  signature and age ──no──> 401, before anything is read
//	   │  the bot's own workspace, a full member (users.info, for this press) ──no──> told so, alone
//	   │  the member's address names a person, who may answer ──no──> told so, alone
//	   └─ an option: the engine's answer, as of the API. "Something else": a modal, whose text is one
//
// What a button carries names a question and one of its options, and gives no right: who presses it is
// looked at each time.
package slack
