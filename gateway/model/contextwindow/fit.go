// Package contextwindow says how much of a chat fits into a request to a model: it counts, learns
// from what servers count and refuse, and words what stays of the turns that are left out.
//
//	contextTokens ── less room for the answer ──> Most, in bytes
//	usage of an answer ── Counted ──> tokens to a byte, where they are more than estimated
//	a refusal ── Refused ──> a size that the next request must not exceed
//
// # Counting
//
// Tokens are estimated from bytes: four to a token, which is OpenAI's rule of thumb for
// English; of other scripts, characters have more bytes and more tokens. A message costs
// sixteen bytes more, for what marks its role and its calls. Tokenizers differ by some
// tens of per cent, and a server's own count of a request corrects the estimate for its
// chat, up and down again, but never below it: some count only what they had not cached.
//
// # What is left out
//
// Once a request has outgrown its size, its history is cut to four fifths of what there is
// room for, so that the beginning of the prompt stays the same for some turns, as caches of
// prompts need it.
package contextwindow

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
)

const (
	// perMille is the estimate: tokens to a thousand bytes.
	perMille = 250
	// maxPerMille bounds what a server may say: a token has at least one byte.
	maxPerMille = 1000
	// minCounted is in bytes: of shorter requests, a server's own additions are too large a
	// part to learn from.
	minCounted = 4096
	// PerMessage is in bytes, beside the text.
	PerMessage = 16
	// maxAnswer is in tokens: the room for an answer whose length is not set, at most.
	maxAnswer = 8192
)

// MaxRequests bounds how often a step is sent with less and less.
const MaxRequests = 5

// Fixed is how many bytes of a request do not depend on its messages.
func Fixed(req *model.Request) int64 {
	n := len(req.System)
	for i := range req.Tools {
		d := &req.Tools[i]
		n += len(d.Name) + len(d.Description) + len(d.Parameters)
	}
	return int64(n)
}

// Message is how many bytes a stored message has in a request.
func Message(m *chat.Message) int64 {
	if m.AskedBy != nil { // a program's, which is not sent
		return 0
	}
	n := len(m.Content) + PerMessage + attachedBytes(m.Files) + len(Instructed(m.Instructions))
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		n += len(c.Name) + len(c.Arguments) + PerMessage
		if c.Result != nil {
			n += len(c.Result.Content) + PerMessage
		}
	}
	return int64(n)
}

// Tokens is about how many tokens these bytes are.
func Tokens(bytes int64) int64 { return (bytes*perMille + 999) / 1000 }

// Room is what a model takes.
type Room struct {
	Context int64 // tokens of a request with its answer; 0: not known
	Answer  int64 // of them, the answer's; 0: not set
}

// Most is how many bytes a request may have; 0: as many as there are.
func (r Room) Most(w *chat.Fit) int64 {
	most := w.MaxBytes
	if r.Context > 0 {
		answer := r.Answer
		if answer == 0 {
			answer = min(maxAnswer, r.Context/4)
		}
		if fits := (r.Context - answer) * 1000 / max(w.PerMille, perMille); most == 0 || fits < most {
			most = max(fits, 1)
		}
	}
	return most
}

// Slack is what a request that has outgrown most bytes is cut to: of what is not fixed in
// it, four fifths.
func Slack(most, fixed int64) int64 {
	if most <= fixed {
		return most
	}
	return fixed + (most-fixed)/5*4
}

// Hopeless says that not even an estimate in the model's favour fits what cannot be left out.
func (r Room) Hopeless(least int64) bool { return r.Context > 0 && Tokens(least) > r.Context }

// Counted learns from what the server counted in a request of so many bytes. It says
// whether there was something to learn.
func (r Room) Counted(w *chat.Fit, bytes, tokens int64) bool {
	if r.Context == 0 || bytes < minCounted || tokens <= 0 {
		return false
	}
	seen := min(max(tokens, 0), bytes) * 1000 / bytes
	seen = min(max(seen, perMille), maxPerMille)
	was := max(w.PerMille, perMille)
	if diff := seen - was; diff*10 < was && -diff*10 < was { // not worth a row
		return false
	}
	w.PerMille = seen
	return true
}

// Refused learns from a request that the server refused: so many bytes, of them so many that
// are fixed. It returns what the next one may have. got and most are the figures that the
// server named, 0 where it named none; again says that following them did not help before.
func Refused(w *chat.Fit, bytes, fixed, got, most int64, again bool) int64 {
	cuttable := max(bytes-fixed, 0)
	fits := fixed + cuttable/8*5 // with its Slack, that is half
	if most > 0 && got > most {
		// A twentieth is for the answer, and for what the estimate misses. The figures may
		// be about other things than these bytes, so they do not cut all at once.
		named := max(int64(float64(bytes)*float64(most)/float64(got)*0.95), fixed+cuttable/8)
		if again {
			named = min(named, fits)
		}
		fits = named
	}
	if w.MaxBytes == 0 || fits < w.MaxBytes {
		w.MaxBytes = max(fits, 1)
	}
	return Slack(fits, fixed)
}
