package openai

import (
	"bytes"
	"strings"

	"github.com/askgate/askgate/gateway/model/upstream"
)

// thinkTags lists the tags around reasoning at the very beginning of a text, from servers that do not
// separate the two.
var thinkTags = []string{"<think>", "<thought>", "<thinking>", "<seed:think>"}

// maxBlank is the most bytes of white space before a tag that are held back.
const maxBlank = 256

// tags separates reasoning at the beginning of a text from the answer. The zero value is ready to use.
type tags struct {
	at     tagState
	end    string // the closing tag
	raw    []byte // all that is not the answer: tags, reasoning, white space around them
	mark   int    // raw up to here has been yielded as reasoning, or is not part of it
	trim   bool   // white space before the reasoning is to be skipped
	closed bool
	over   bool // raw has reached its limit: no state is kept
}

type tagState uint8

const (
	tagsBefore tagState = iota // only white space so far, and perhaps the beginning of a tag
	tagsWithin
	tagsBehind // white space between the closing tag and the answer
	tagsDone   // the answer
)

// read splits a piece of text into answer and reasoning, which are valid until the next call.
func (t *tags) read(text []byte) (answer, thinking []byte) {
	if t.at == tagsBefore {
		if len(t.raw) == 0 && len(text) > 0 && !blank(text[0]) && text[0] != '<' {
			t.at = tagsDone
			return text, nil
		}
		t.raw = append(t.raw, text...)
		if !t.begins() {
			return nil, nil
		}
		if t.at == tagsDone {
			answer, t.raw = t.raw, nil
			return answer, nil
		}
		text = nil
	} else if t.at == tagsWithin {
		if len(t.raw)+len(text) > upstream.MaxState {
			t.over = true // keeps only what may be the beginning of the closing tag
			t.raw = append(t.raw[:0], t.raw[t.mark:]...)
			t.mark = 0
		}
		t.raw = append(t.raw, text...)
		text = nil
	}
	if t.at == tagsWithin {
		thinking = t.within()
		if t.at == tagsWithin {
			return nil, thinking
		}
		text = t.raw[t.mark:]
		t.raw = t.raw[:t.mark:t.mark]
	}
	answer = bytes.TrimLeft(text, " \t\r\n")
	if len(t.raw)+len(text) <= upstream.MaxState {
		t.raw = append(t.raw, text[:len(text)-len(answer)]...)
	}
	if len(answer) > 0 {
		t.at = tagsDone
	}
	return answer, thinking
}

// begins decides what a text begins with. It returns false if it needs more of the text.
func (t *tags) begins() bool {
	start := bytes.TrimLeft(t.raw, " \t\r\n")
	for _, tag := range thinkTags {
		if bytes.HasPrefix(start, []byte(tag)) {
			t.at, t.end, t.trim, t.mark = tagsWithin, "</"+tag[1:], true, len(t.raw)-len(start)+len(tag)
			return true
		}
		if strings.HasPrefix(tag, string(start[:min(len(start), len(tag))])) && len(t.raw)-len(start) <= maxBlank {
			return false
		}
	}
	t.at = tagsDone
	return true
}

// within returns the new reasoning, up to the closing tag, or to what may be its beginning.
func (t *tags) within() []byte {
	if t.trim {
		t.mark = len(t.raw) - len(bytes.TrimLeft(t.raw[t.mark:], " \t\r\n"))
		t.trim = t.mark == len(t.raw)
	}
	from := t.mark
	if at := bytes.Index(t.raw[from:], []byte(t.end)); at >= 0 {
		t.mark, t.at, t.closed = from+at+len(t.end), tagsBehind, true
		return t.raw[from : from+at]
	}
	t.mark = len(t.raw)
	for n := min(len(t.end)-1, len(t.raw)-from); n > 0; n-- {
		if strings.HasSuffix(string(t.raw[len(t.raw)-n:]), t.end[:n]) {
			t.mark -= n
			break
		}
	}
	return t.raw[from:t.mark]
}

// rest returns, at the end of the answer, a text that has only a tag that is not closed, or white space.
// It counts as the answer, so that no text is lost.
func (t *tags) rest() []byte {
	if t.closed || t.at == tagsDone {
		return nil
	}
	return t.raw
}

// before returns what the model wrote before its answer, or "".
func (t *tags) before() string {
	if !t.closed || t.over {
		return ""
	}
	return string(t.raw)
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
