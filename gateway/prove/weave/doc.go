// Package weave proves that people's messages and answers stay in their chat, over all fronts mixed.
//
// A seed creates one person, a stranger, and two or three threads with the same beginning:
// conversations as clients show them, each over a front that may change on the way. In random order
// they ask, are asked, answer, send invalid answers, edit or repeat messages, repeat requests, and
// switch to another front. The scripted model repeats what it heard: every word of the person's that
// it was sent, in order. So a reply shows which chat it belongs to.
//
// The truth is an independent model that does not know the gateway's rules: for each chat, what was
// said and answered in it. The history that a client shows determines what a request means; where
// the docs leave several outcomes open, exactly these are allowed. After each request the chat is
// compared with the truth, and at the end all chats are: no answer is in another chat, none is lost,
// none was accepted from an error, and nothing in them is the stranger's.
//
//	go test ./gateway/prove/weave -seeds 5000         # more seeds
//	go test ./gateway/prove/weave -seed 17 -v         # one seed, with everything it does
package weave
