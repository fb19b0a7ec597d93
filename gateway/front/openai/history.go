package openai

import (
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/front"
)

// history is a conversation as a client sends it. Consecutive lines of one side are merged, and
// the first line is the user's. The last line is new.
type history []line

// line is what one side said: texts of the user's, or one of the assistant's. White space is
// ignored.
type line struct {
	user     bool
	texts    []string
	calls    []string  // the ids of those that the assistant ended with
	mentions []mention // texts that the client refers to by id without repeating them, and calls, in their order
	code     string    // of the question that the last text of the user's answers; "" if it has none
}

// mention is a text of the assistant's, by its run, or a call.
type mention struct {
	run  int64
	call string
}

// resulted marks the place in an assistant's text where the client has the result of a call:
// everything before it is answered.
const resulted = "\x00"

// head returns what the assistant says first, up to a result.
func (l *line) head() string { return head(l.texts[0]) }

func head(text string) string {
	text, _, _ = strings.Cut(strings.TrimLeft(text, " "+resulted), resulted)
	return text
}

// tail returns what it says last, after all results.
func (l *line) tail() string {
	text := l.texts[0]
	return strings.TrimLeft(text[strings.LastIndex(text, resulted)+1:], " ")
}

// silent reports whether the line has no words.
func (l *line) silent() bool { return strings.Trim(l.texts[0], " "+resulted) == "" }

// names reports whether the client shows one of some calls.
func (l *line) names(some func(call string) bool) bool {
	return slices.ContainsFunc(l.mentions, func(n mention) bool { return n.run == 0 && some(n.call) })
}

// refers reports whether the client refers to texts without repeating them.
func (l *line) refers() bool {
	return slices.ContainsFunc(l.mentions, func(n mention) bool { return n.run != 0 })
}

// isOf reports whether a text that the client refers to is of a run.
func (l *line) isOf(run int64) bool {
	return slices.ContainsFunc(l.mentions, func(n mention) bool { return n.run == run })
}

// asks reports whether a run asked its question in words: the client refers to a text of the run,
// and to no call after it, except one of another question.
func (l *line) asks(run int64, another func(call string) bool) bool {
	at := len(l.mentions) - 1
	for at >= 0 && l.mentions[at].run != run {
		at--
	}
	if at < 0 {
		return false
	}
	for _, n := range l.mentions[at+1:] {
		if n.run != 0 {
			break
		}
		if !another(n.call) {
			return false
		}
	}
	return true
}

// result notes that a call of the assistant's has its result here.
func (h history) result() {
	if n := len(h); n > 0 && !h[n-1].user {
		h[n-1].texts = append(h[n-1].texts, resulted)
	}
}

func (h *history) add(l line) {
	if len(*h) == 0 || (*h)[len(*h)-1].user != l.user {
		*h = append(*h, l)
		return
	}
	last := &(*h)[len(*h)-1]
	last.calls = l.calls // nothing of what was said before is open
	last.texts = append(last.texts, l.texts...)
	last.mentions = append(last.mentions, l.mentions...)
}

// clean merges what an assistant says in several messages into one text, all at once, because
// there may be many messages. It drops what the assistant says first, since greetings are the
// client's own. It also drops lists of questions, with the messages that answered them, which
// were not taken; and removes codes from the messages that begin with one, including message, the
// last of them. The history that it is called on must not be used any more: the new one has its
// texts. opening is the dropped text of the assistant's if it says nothing else, which shows that
// the client cut its history.
func (h history) clean(message *string) (clean history, opening *line) {
	shown := "" // the assistant's last text
	for i := range h {
		l := h[i]
		if !l.user {
			if len(l.texts) > 1 {
				l.texts = []string{front.Joined(" ", l.texts...)}
			}
			shown = l.texts[0]
			if isList(shown) {
				clean = clean.untaken()
			} else if len(clean) > 0 {
				clean.add(l)
			} else if len(h) == 2 {
				opening = &l
			}
			continue
		}
		if said, rest, ok := leadingCode(l.texts[0]); ok && showsCode(shown, said) {
			l.code, l.texts = said, append([]string{squeeze(rest)}, l.texts[1:]...)
			if message != nil && i == len(h)-1 && len(l.texts) == 1 {
				_, *message, _ = leadingCode(*message)
			}
		}
		if n := len(clean); n > 0 && clean[n-1].user { // a list was in between
			clean[n-1].code = l.code
		}
		clean.add(l)
	}
	return clean, opening
}

// untaken returns the history without the message at its end.
func (h history) untaken() history {
	n := len(h)
	if n == 0 || !h[n-1].user {
		return h
	}
	last := &h[n-1]
	if last.texts = last.texts[:len(last.texts)-1]; len(last.texts) == 0 {
		return h[:n-1]
	}
	return h
}

// answer returns the assistant's last line, or nil if it has said nothing.
func (h history) answer() *line {
	for i := len(h) - 1; i >= 0; i-- {
		if !h[i].user {
			return &h[i]
		}
	}
	return nil
}

// code returns the code of the question that the newest message names, or "".
func (h history) code() string {
	if n := len(h); n > 0 && h[n-1].user {
		return h[n-1].code
	}
	return ""
}
