package openai

import (
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/front"
)

// history is a conversation as a client tells it. Lines of one side that follow one
// another are one, and the first is the user's. The last is what is new.
type history []line

// line is what one side said: texts of the user's, or one of the assistant's. White space
// does not count.
type line struct {
	user     bool
	texts    []string
	calls    []string  // the ids of those that the assistant ended with
	mentions []mention // texts that the client names by ids, and does not say, and calls, in their order
	code     string    // of the question that the last text of the user's answers, "" where it has none
}

// mention is a text of the assistant's, by the run that told it, or a call.
type mention struct {
	run  int64
	call string
}

// resulted marks the place in an assistant's text where the client has the result of a call: everything
// before it is answered.
const resulted = "\x00"

// head is what the assistant says first, up to a result.
func (l *line) head() string { return head(l.texts[0]) }

func head(text string) string {
	text, _, _ = strings.Cut(strings.TrimLeft(text, " "+resulted), resulted)
	return text
}

// tail is what it says last, behind all results.
func (l *line) tail() string {
	text := l.texts[0]
	return strings.TrimLeft(text[strings.LastIndex(text, resulted)+1:], " ")
}

// silent says that the line has no words.
func (l *line) silent() bool { return strings.Trim(l.texts[0], " "+resulted) == "" }

// names says that the client shows one of some calls.
func (l *line) names(some func(call string) bool) bool {
	return slices.ContainsFunc(l.mentions, func(n mention) bool { return n.run == 0 && some(n.call) })
}

// refers says that the client names texts, and does not say them.
func (l *line) refers() bool {
	return slices.ContainsFunc(l.mentions, func(n mention) bool { return n.run != 0 })
}

// tells says that a text which the client names is of a run.
func (l *line) tells(run int64) bool {
	return slices.ContainsFunc(l.mentions, func(n mention) bool { return n.run == run })
}

// asks says that a run asked its question in words: the client names a text of it, and behind that no
// call, unless it is another question's.
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

// result says that a call of the assistant's has its result here.
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
	last.calls = l.calls // of what was said before, nothing is open
	last.texts = append(last.texts, l.texts...)
	last.mentions = append(last.mentions, l.mentions...)
}

// clean makes one text of what an assistant says in several messages, once: there may be
// many. It drops what one says first: greetings are the client's own. It drops lists of
// questions too, with the messages that they answered, which were not taken; and takes codes
// from the messages that begin with one, message too, which is the last of them. The history that
// it is called on must not be used any more: the new one has its texts. opening is what it drops of the
// assistant's where it says nothing else: a client that cut its history shows that.
func (h history) clean(message *string) (clean history, opening *line) {
	shown := "" // what the assistant said last
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
		if n := len(clean); n > 0 && clean[n-1].user { // a list was between
			clean[n-1].code = l.code
		}
		clean.add(l)
	}
	return clean, opening
}

// untaken is the history without the message at its end.
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

// answer is the assistant's last line, nil if it has said nothing.
func (h history) answer() *line {
	for i := len(h) - 1; i >= 0; i-- {
		if !h[i].user {
			return &h[i]
		}
	}
	return nil
}

// code is that of the question which the newest message names, "" where it names none.
func (h history) code() string {
	if n := len(h); n > 0 && h[n-1].user {
		return h[n-1].code
	}
	return ""
}
