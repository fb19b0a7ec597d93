package openai

import (
	"bytes"
	"strings"

	"github.com/askgate/askgate/gateway/model/upstream"
)

// Tags that reasoning is written between where a server does not tell it apart, at the very
// beginning of a text.
var thinkTags = []string{"<think>", "<thought>", "<thinking>", "<seed:think>"}

// maxBlank is how much white space before a tag is held back, in bytes.
const maxBlank = 256

// tags takes the reasoning out of the beginning of a text. The zero value is ready.
type tags struct {
	at     tagState
	end    string // the closing tag
	raw    []byte // all that is not the answer: tags, reasoning, white space around them
	mark   int    // of raw, up to where it was handed on as reasoning, or does not belong to it
	trim   bool   // white space comes before the reasoning
	closed bool
	over   bool // raw has reached its limit: further reasoning is not kept
}

type tagState uint8

const (
	tagsBefore tagState = iota // nothing but white space, and the beginning of a tag perhaps
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
			t.over = true // what is held back may be the beginning of the closing tag
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

// begins decides what a text begins with; false: more of it has to come.
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

// within returns the reasoning that has come: up to the closing tag, or to what may be its
// beginning.
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

// rest is, at the end of the answer, what has come of a text that never left its beginning: a tag
// that does not close, or white space. Nothing of it is lost, so it is the answer.
func (t *tags) rest() []byte {
	if t.closed || t.at == tagsDone {
		return nil
	}
	return t.raw
}

// before is what the model wrote before its answer, "" where the answer is all that it wrote.
func (t *tags) before() string {
	if !t.closed || t.over {
		return ""
	}
	return string(t.raw)
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
