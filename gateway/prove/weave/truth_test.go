package weave

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// lines is the content of a chat, in order: "said TEXT", "answered WORDS", "closed" for a question
// that took no answer, and last "waits" where one does.
type lines []string

func (l lines) waits() bool { return len(l) > 0 && l[len(l)-1] == "waits" }

// word is the action that the newest message makes the model take.
func (l lines) word() string {
	for _, line := range slices.Backward(l) {
		if text, ok := strings.CutPrefix(line, "said "); ok {
			word, _, _ := strings.Cut(text, " ")
			return word
		}
	}
	return ""
}

// said is the content of a chat after a message that answers nothing.
func (l lines) said(text string) lines {
	next := slices.Clone(l)
	if next.waits() {
		next[len(next)-1] = "closed"
	}
	next = append(next, "said "+text)
	if _, asks := calls[next.word()]; asks {
		next = append(next, "waits")
	}
	return next
}

// answered is the content of a chat after its question was answered.
func (l lines) answered(words string) lines {
	return append(slices.Clone(l[:len(l)-1]), "answered "+words)
}

// begins reports whether a chat may contain what a client shows, as far as that goes. A question
// that waits there may be answered, or closed, in the chat.
func (l lines) begins(shown lines) bool {
	n := len(shown)
	if shown.waits() {
		n--
	}
	return len(l) >= len(shown) && slices.Equal(l[:n], shown[:n])
}

// heard returns what the model hears of it.
func (l lines) heard() (words []string) {
	for _, line := range l {
		if answer, ok := strings.CutPrefix(line, "answered "); ok {
			words = append(words, strings.Fields(answer)...)
		} else {
			words = append(words, mark.FindAllString(line, -1)...)
		}
	}
	return words
}

// truth is the content that each of the user's chats must have.
type truth struct {
	of      map[string]lines
	root    map[string]string // of branches that fronts made
	written []string          // the last one last
}

func (w *truth) write(chat string, l lines) {
	w.of[chat] = l
	w.written = append(slices.DeleteFunc(w.written, func(id string) bool { return id == chat }), chat)
}

func (w *truth) rootOf(chat string) string {
	if of := w.root[chat]; of != "" {
		return of
	}
	return chat
}

// alike returns the chats with exactly that content; where a client names one, only those of its
// family.
func (w *truth) alike(l lines, name string) (ids []string) {
	for id, has := range w.of {
		if slices.Equal(has, l) && (name == "" || w.rootOf(id) == w.rootOf(name)) {
			ids = append(ids, id)
		}
	}
	return ids
}

// newest is the chat that a name means without a history.
func (w *truth) newest(name string) string {
	if w.root[name] != "" {
		return name
	}
	for _, id := range slices.Backward(w.written) {
		if w.rootOf(id) == name {
			return id
		}
	}
	return name
}

// want is the required result of a request.
type want struct {
	then  []lines  // the chat has one of these
	in    []string // it is one of these
	fresh bool     // or a new one
	free  bool     // nothing changes, and no model is asked
	may   []int    // statuses other than 200, if free
	lists lines    // a list of questions may come, where another chat has the same content
}

// check compares a response with the required result of its request.
func (w *weave) check(th *thread, r *reply, want want, before int) {
	w.t.Helper()
	asked := w.h.asked(w.seed) - before
	if want.free {
		if r.status != http.StatusOK && !slices.Contains(want.may, r.status) {
			w.fail("it is %d %s", r.status, r.body)
		}
		if asked != 0 {
			w.fail("the model was asked %d times", asked)
		}
		w.same(th.chat)
		return
	}
	if r.status != http.StatusOK || r.code != "" {
		w.fail("it is %d %s %s", r.status, r.code, r.body)
	}
	has, known := w.of[r.chat]
	switch {
	case known && !slices.Contains(want.in, r.chat):
		w.fail("it is in %s, which has %q", r.chat, has)
	case !known && !want.fresh && !slices.Contains(want.in, r.chat):
		w.fail("it is in a new chat %s", r.chat)
	}
	s, ok := w.h.snapshot(w.t, w.who, r.chat)
	got := s.lines()
	at := slices.IndexFunc(want.then, func(l lines) bool { return slices.Equal(l, got) })
	if !ok || at < 0 {
		w.fail("%s has %q, and must have %q", r.chat, got, want.then)
	}
	then := want.then[at]
	if asked != 1 && !(asked == 0 && want.fresh && then.waits()) { // a call that still waits was made in an earlier request
		w.fail("the model was asked %d times", asked)
	}
	switch {
	case !then.waits() && !strings.Contains(r.text, says(then.heard())):
		w.fail("the reply is %q, and must be %q", r.text, says(then.heard()))
	case then.waits() && len(r.calls) == 0 && !strings.Contains(r.text, questions[then.word()]):
		w.fail("nothing is asked: %q", r.body)
	}
	if !known && want.fresh && th.chat != "" && th.over != native && w.of[th.chat] != nil && !th.unnamedFirst {
		w.root[r.chat] = w.rootOf(th.chat)
	}
	w.write(r.chat, then)
	th.chat, th.view = r.chat, then
}

// questions is how the model's calls begin in words.
var questions = map[string]string{"ask": "Which city?", "form": "Your name?", "approve": "May it calculate?"}

// same fails if a chat differs from the truth.
func (w *weave) same(chat string) {
	w.t.Helper()
	must := w.of[chat]
	s, ok := w.h.snapshot(w.t, w.who, chat)
	if got := s.lines(); ok != (must != nil) || !slices.Equal(got, must) {
		w.fail("%s has %q, and must have %q", chat, got, must)
	}
	if (len(s.Pending) > 0) != must.waits() {
		w.fail("%s waits for %v", chat, s.Pending)
	}
}

// over compares all chats, and checks that a stranger's are separate.
func (w *weave) end() {
	w.t.Helper()
	for chat := range w.of {
		w.same(chat)
	}
	for _, id := range w.h.chats(w.t, w.who) {
		if w.of[id] == nil {
			w.fail("there is another chat, %s", id)
		}
	}
	for _, id := range w.h.chats(w.t, w.stranger) {
		s, _ := w.h.snapshot(w.t, w.stranger, id)
		for _, word := range s.lines().heard() {
			if mark.MatchString(word) && !w.stolen[word] {
				w.fail("the stranger's %s has %s", id, word)
			}
		}
	}
}

// fail ends the seed, and reports what happened in it.
func (w *weave) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("seed %d: %s\n\n%s\nagain: go test ./gateway/prove/weave -run TestAnswersStayInTheirChats -seed %d", w.seed, fmt.Sprintf(format, args...), strings.Join(w.log, "\n"), w.seed)
}
