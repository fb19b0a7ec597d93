// Package weave proves that what people say and answer stays in its chat, over all fronts mixed.
//
// A seed makes one person, a stranger, and two or three threads that begin alike: conversations as
// clients show them, each over a front that may change on the way. In random order they ask, are
// asked, answer, fail to, say something otherwise or again, repeat requests, and go to another
// front. The scripted model says what it heard: every word of the person's that it was sent, in its
// order. So a reply shows which chat it is of.
//
// The truth is a model of its own, and knows no rule of the gateway's: of each chat, what was said
// and answered in it. What a client shows says what a request means; where the docs leave several
// outcomes open, each is allowed, and nothing else. After each request the chat is compared with the
// truth, at the end all of them are: no answer is in another chat, none is lost, none was taken from
// an error, and nothing of it is the stranger's.
//
//	go test ./gateway/prove/weave -seeds 5000         # more of them
//	go test ./gateway/prove/weave -seed 17 -v         # one, with all that it does
package weave
