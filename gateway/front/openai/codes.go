package openai

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
)

// A code distinguishes questions that read the same in chats that read the same. It has four
// letters, by which a person says which question is meant, and is derived from the question's id.
// If the same question is in another chat that begins alike, the question goes out with its code,
// on a line below its words, and the chat stores that it did (chat.Conversation.Coded).

// letters are the letters of codes: no vowels, so that no code is a word.
const letters = "BCDFGHJKLMNPQRSTVWXZ"

const codeLength = chat.CodeLength

func code(c *chat.Clarification) string {
	sum := sha256.Sum256([]byte("code\x00" + c.ID))
	var b [codeLength]byte
	for i := range b {
		b[i] = letters[int(sum[i])%len(letters)]
	}
	return string(b[:])
}

// codeIn returns the code that a question of a chat went out with, or else the one that it would.
func codeIn(of *chat.Conversation, c *chat.Clarification) string { return cmp.Or(of.Code(c), code(c)) }

// bracketed returns a code as it appears in a question's words, and in a list.
func bracketed(code string) string { return "[" + code + "]" }

// codeOf returns the code in brackets that a text begins with, or "".
func codeOf(text string) string {
	if len(text) < codeLength+2 || text[0] != '[' || text[codeLength+1] != ']' || !isCode(text[1:codeLength+1]) {
		return ""
	}
	return text[1 : codeLength+1]
}

func isCode(text string) bool {
	return len(text) == codeLength && strings.Trim(text, letters) == ""
}

// leadingCode removes the code from a message that begins with one.
func leadingCode(text string) (code, rest string, ok bool) {
	text = strings.TrimSpace(text)
	if code = codeOf(text); code != "" {
		return code, strings.TrimLeft(text[codeLength+2:], " \t\r\n:.,"), true
	}
	if len(text) < codeLength || !isCode(text[:codeLength]) {
		return "", text, false
	}
	rest = strings.TrimLeft(text[codeLength:], " \t\r\n:.,")
	if rest != "" && len(rest) == len(text)-codeLength { // it is the beginning of a word
		return "", text, false
	}
	return text[:codeLength], rest, true
}

// showsCode reports whether a text of the assistant's has a code.
func showsCode(text, code string) bool { return strings.Contains(text, bracketed(code)) }

// listMark begins each line of a list, so that lists are recognized in all languages.
const listMark = "↪ "

func isList(text string) bool {
	rest, ok := strings.CutPrefix(text, listMark)
	return ok && codeOf(rest) != ""
}

// listed is a pending question in a list.
type listed struct {
	of    *chat.Clarification
	code  string
	where string // the chat's name, or its beginning
}

// maxListedQuestions bounds a list.
const maxListedQuestions = 20

// list returns the text that asks which of several questions is meant.
func list(t front.Texts, now time.Time, waits []listed) string {
	if len(waits) > maxListedQuestions {
		waits = waits[:maxListedQuestions]
	}
	var lines []string
	for _, w := range waits {
		q := chat.NewAsked(w.of)
		what := ""
		if len(q.Questions) > 0 {
			what = oneLine(q.Questions[min(len(front.Kept(w.of)), len(q.Questions)-1)].Question)
		}
		lines = append(lines, listMark+bracketed(w.code)+" "+t.Text("which.question", map[string]any{
			"Question": what, "Where": oneLine(w.where), "When": moment(w.of.AskedAt, now),
		}))
	}
	return strings.Join(append(lines, t.Text("which.reply", map[string]any{"Code": waits[0].code})), "\n\n")
}

// oneLine returns a text on one line, so that it cannot look like another entry of the list.
func oneLine(text string) string {
	text = squeeze(text)
	if r := []rune(text); len(r) > 200 {
		text = string(r[:199]) + "…"
	}
	return text
}

// moment returns a time in a form that people read in all languages: to the minute, in UTC.
func moment(at, now time.Time) string {
	at = at.UTC()
	if now = now.UTC(); at.Year() == now.Year() && at.YearDay() == now.YearDay() {
		return at.Format("15:04 UTC")
	}
	return at.Format("2006-01-02 15:04 UTC")
}

// waiting returns what is pending in a chat and not overdue by now.
func waiting(view *store.View, now time.Time) []chat.Clarification {
	var open []chat.Clarification
	for _, c := range view.Asked() {
		if !overdue(&c, now) {
			open = append(open, c)
		}
	}
	return open
}

func overdue(c *chat.Clarification, now time.Time) bool {
	return !c.ExpiresAt.IsZero() && !now.Before(c.ExpiresAt)
}

// codeFor returns the code that a question goes out with, or "". A question that is sent for the
// first time gets its code if the same question is in another chat that begins alike, so that
// their histories differ, whatever happens in either. An answered question counts too, because an
// edit goes back to it.
func (s *sought) codeFor(q *chat.Asked, how telling) string {
	view, err := s.View()
	if err != nil || view == nil {
		return "" // the histories are then alike, and the next answer is asked which question it is for
	}
	at := slices.IndexFunc(view.Clarifications, func(c chat.Clarification) bool { return c.ID == q.ClarificationID })
	if at < 0 {
		return ""
	}
	of := &view.Clarifications[at]
	told, own := view.Conversation.Code(of), code(of)
	switch {
	case told != "" || how == again:
		return told
	case how == named:
		return own
	case !s.elsewhere(view, q) || s.Coded(of, own) != nil:
		return ""
	}
	return own
}

// telling is how a question is sent: for the first time, without a run or once more, or because
// its code was named.
type telling int

const (
	fresh telling = iota
	again
	named
)

// elsewhere reports whether another chat of the caller's begins as this one does, and asks the
// same.
func (s *sought) elsewhere(view *store.View, q *chat.Asked) bool {
	words := squeeze(front.AskedWords(q, 0))
	apart := func(l *store.Listed) bool {
		mark := view.Conversation.UsedWith
		return l.ChatID == view.Conversation.ChatID || l.UsedWith != "" && mark != "" && l.UsedWith != mark
	}
	found := false
	err := s.alike(view.Conversation.ChatID, apart, func(other *store.View) bool {
		found = slices.ContainsFunc(other.Clarifications, func(c chat.Clarification) bool {
			o := chat.NewAsked(&c)
			return len(o.Questions) > 0 && squeeze(front.AskedWords(&o, 0)) == words
		})
		return !found
	})
	return err == nil && found
}

// alike yields the chats that begin as one does, with their questions, the last changed first,
// except those left out (nil for none).
func (s *sought) alike(chatID string, without func(*store.Listed) bool, yield func(*store.View) bool) error {
	list, err := s.listed()
	here := slices.IndexFunc(list, func(l store.Listed) bool { return l.ChatID == chatID })
	if err != nil || here < 0 {
		return err
	}
	read, bytes := 0, int64(0)
	for i := range list {
		if list[i].Beginning != list[here].Beginning || without != nil && without(&list[i]) {
			continue
		}
		if read++; read > maxCandidates || bytes > maxReadAll {
			return nil
		}
		view, err := s.Recent(list[i].ChatID, store.Part{Limit: recentMessages, Bytes: recentBytes})
		if err != nil {
			return err
		}
		if view != nil {
			if bytes += view.Size(); !yield(view) {
				return nil
			}
		}
	}
	return nil
}
