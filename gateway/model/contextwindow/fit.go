// Package contextwindow computes how much of a chat fits into a request to a model. It counts, learns
// from what servers count and refuse, and words the texts that replace turns that are left out.
//
//	contextTokens ── minus room for the answer ──> Most, in bytes
//	usage of an answer ── Counted ──> tokens per byte, if there are more than estimated
//	a refusal ── Refused ──> a size that the next request must not exceed
//
// # Counting
//
// Tokens are estimated from bytes: four bytes to a token, which is OpenAI's rule of thumb for
// English. Characters of other scripts have more bytes and more tokens. A message has sixteen bytes
// in addition, for its role and its calls. Tokenizers differ by some tens of percent. A server's own
// count of a request corrects the estimate for its chat, up and down again, but never below the
// estimate, because some servers only count tokens that they had not cached.
//
// # What is left out
//
// If a request is too large, its history is cut to four fifths of the available room, so that the
// beginning of the prompt stays the same for some turns, as prompt caches require.
package contextwindow

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
)

const (
	// perMille is the estimated number of tokens in a thousand bytes.
	perMille = 250
	// maxPerMille bounds a server's count: a token has at least one byte.
	maxPerMille = 1000
	// minCounted is the least bytes of a request whose count is used. In shorter ones, the server's
	// own additions are too large a part.
	minCounted = 4096
	// PerMessage is the bytes of a message in addition to its text.
	PerMessage = 16
	// maxAnswer is the most tokens of room for an answer if its length is not set.
	maxAnswer = 8192
)

// MaxRequests bounds how many times a step is sent with an ever shorter history.
const MaxRequests = 5

// Fixed returns the bytes of a request that do not depend on its messages.
func Fixed(req *model.Request) int64 {
	n := len(req.System)
	for i := range req.Tools {
		d := &req.Tools[i]
		n += len(d.Name) + len(d.Description) + len(d.Parameters)
	}
	return int64(n)
}

// Message returns the bytes of a stored message in a request.
func Message(m *chat.Message) int64 {
	if m.AskedBy != nil { // a question of a program is not sent
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

// Tokens estimates the number of tokens in so many bytes.
func Tokens(bytes int64) int64 { return (bytes*perMille + 999) / 1000 }

// Room is the size of a model's context.
type Room struct {
	Context int64 // tokens of a request and its answer; 0: not known
	Answer  int64 // the answer's part of them; 0: not set
}

// Most returns the most bytes that a request may have, or 0 for no limit.
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

// Slack returns the size to which a request of more than most bytes is cut: its fixed part, and four
// fifths of the rest.
func Slack(most, fixed int64) int64 {
	if most <= fixed {
		return most
	}
	return fixed + (most-fixed)/5*4
}

// Hopeless reports whether the part that cannot be left out does not fit even by the lowest estimate.
func (r Room) Hopeless(least int64) bool { return r.Context > 0 && Tokens(least) > r.Context }

// Counted learns from the tokens that the server counted in a request of so many bytes. It reports
// whether w has changed.
func (r Room) Counted(w *chat.Fit, bytes, tokens int64) bool {
	if r.Context == 0 || bytes < minCounted || tokens <= 0 {
		return false
	}
	seen := min(max(tokens, 0), bytes) * 1000 / bytes
	seen = min(max(seen, perMille), maxPerMille)
	was := max(w.PerMille, perMille)
	if diff := seen - was; diff*10 < was && -diff*10 < was { // too small a difference to store
		return false
	}
	w.PerMille = seen
	return true
}

// Refused learns from a request that the server refused, and returns the most bytes of the next one.
// The refused request had so many bytes, of which fixed cannot be left out. got and most are the
// server's figures, or 0 without any. again is set if following the figures has not helped before.
func Refused(w *chat.Fit, bytes, fixed, got, most int64, again bool) int64 {
	cuttable := max(bytes-fixed, 0)
	fits := fixed + cuttable/8*5 // with its Slack, that is half
	if most > 0 && got > most {
		// A twentieth is for the answer and for errors of the estimate. The figures may be about
		// something else than these bytes, so they must not cut everything at once.
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
