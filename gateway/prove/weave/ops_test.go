package weave

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// answers is an answer to the question that waits: in the form of the truth, as the output of a
// call, and natively.
func (w *weave) answers(word string) (words string, output, own object) {
	switch word {
	case "form":
		name, age := w.word(), 1+w.random.IntN(150)
		return fmt.Sprint(name, " ", age), object{"answers": object{"name": name, "age": age}}, object{"answers": []any{object{"value": name}, object{"value": age}}}
	case "approve":
		words = w.pick("yes", "no")
		return words, object{"approved": words == "yes"}, object{"value": words == "yes"}
	}
	if w.chance(4) {
		value := w.pick("ber", "par")
		return value, object{"answers": object{"city": value}}, object{"value": value}
	}
	words = w.word()
	return words, object{"answers": object{"city": words}}, object{"other": words}
}

// answer answers the waiting question: by its call where the client shows one, otherwise in words.
func (w *weave) answer(th *thread) {
	word := th.view.word()
	words, output, own := w.answers(word)
	want := want{then: []lines{th.view.answered(words)}, in: []string{th.chat}}
	open := th.pending()
	switch {
	case th.over == native:
		own["clarificationId"] = open[0].id
		w.native(th, "answers "+words, "/messages", object{"answer": own}, want)
		return
	case len(open) > 0 && (word == "form" || !w.chance(4) || th.interrupted()):
		th.result(open[0], output)
		w.post(th, "answers by call "+words, want)
		return
	case word == "form":
		w.answerForm(th, words, want)
		return
	}
	if th.over.openAI() && th.name == "" && len(open) == 0 {
		want.lists = th.view
	}
	th.push(words, typed)
	w.post(th, "answers in words "+words, want)
}

func (th *thread) result(c call, output object) {
	data, _ := json.Marshal(output) // it encodes
	th.shows = append(th.shows, shown{role: "result", id: c.id, calls: []call{c}, output: data})
}

// answerForm answers a form in words, part by part.
func (w *weave) answerForm(th *thread, words string, then want) {
	name, age, _ := strings.Cut(words, " ")
	th.push(name, part)
	first := want{free: true}
	if th.over.openAI() && th.name == "" {
		first.lists = th.view
	}
	if r := w.post(th, "answers part 1 "+name, first); !strings.Contains(r.text, "Your age?") && len(r.calls) == 0 {
		if strings.Contains(r.text, "↪ [") {
			return
		}
		w.fail("the next part is not asked: %q", r.text)
	}
	th.push(age, part)
	w.post(th, "answers part 2 "+age, then)
}

// failing sends an invalid answer, or one that no person could have given: nothing is accepted.
func (w *weave) failing(th *thread) {
	c := th.pending()[0]
	if th.over == native {
		w.native(th, "answers wrongly", "/messages", object{"answer": object{"clarificationId": c.id, "values": []string{w.word(), w.word()}, "value": []any{}}}, want{free: true, may: []int{400, 422}})
		return
	}
	shows := slices.Clone(th.shows)
	if th.view.word() == "form" && w.chance(3) {
		th.result(c, object{"answers": object{"name": w.word(), "age": 900}})
		if r := w.post(th, "answers 900", want{free: true, may: []int{http.StatusUnprocessableEntity}}); r.status == http.StatusOK {
			w.fail("an age of 900 is accepted")
		}
		th.shows = shows
		return
	}
	why := w.pick("Error: ", `{"error": "`, `{"status": "timeout", "text": "`) + w.word()
	if strings.HasPrefix(why, "{") {
		why += `"}`
	}
	th.shows = append(th.shows, shown{role: "result", id: c.id, text: why, calls: []call{c}})
	if c.approval && th.over.openAI() { // a decision has no errors
		th.shows = shows
		w.answer(th)
		return
	}
	r := w.post(th, "fails "+why, want{free: true})
	if len(r.calls) > 0 || !strings.Contains(r.text, questions[th.view.word()]) {
		w.fail("after an error it is %q", r.text)
	}
	if th.over == chat || th.over == responses || th.over == behind {
		th.calls = false
	}
}

// changeable lists the user's messages that the client can change. Over the OpenAI fronts, one that
// does not begin a chat just follows; and after a question that was read elsewhere, nothing there
// shows that a message answered it.
func (th *thread) changeable() (at []int) {
	replied := false
	for i := range th.shows {
		switch m := &th.shows[i]; {
		case m.role == "assistant":
			replied = true
		case th.partial && th.over.openAI():
		case m.role == "user" && m.kind != part && (replied || !th.over.openAI() || th.name == ""):
			at = append(at, i)
		}
	}
	return at
}

// edit changes a message: in a branch, and the chat stays unchanged.
func (w *weave) edit(th *thread) {
	at := th.changeable()
	if len(at) == 0 {
		w.answerOrSay(th)
		return
	}
	i := at[w.random.IntN(len(at))]
	text := w.pick("plain", "ask", "form", "approve") + " " + w.word()
	if th.shows[i].kind == typed {
		text, _, _ = w.answers(th.shows[i].before.word())
	}
	w.branch(th, i, "edits", text, false)
}

// regenerate sends the newest message again: in a branch.
func (w *weave) regenerate(th *thread) {
	at := th.changeable()
	if len(at) == 0 {
		w.answerOrSay(th)
		return
	}
	i := at[len(at)-1]
	w.branch(th, i, "regenerates", th.shows[i].text, true)
}

func (w *weave) answerOrSay(th *thread) {
	if th.view.waits() {
		w.answer(th)
	} else {
		w.say(th)
	}
}

func (w *weave) branch(th *thread, i int, what, text string, again bool) {
	m := th.shows[i]
	wants := want{fresh: true}
	switch {
	case m.kind == said:
		wants.then = []lines{m.before.said(text)}
	case m.before.word() == "approve": // no branch decides it
		wants.then = []lines{m.before}
	default:
		wants.then = []lines{m.before.answered(text)}
	}
	if th.over.openAI() && len(m.before) > 0 {
		if m.kind == said {
			wants.in = w.alike(m.before, th.name) // nothing distinguishes it from what follows there
		}
		wants.lists = m.before
	}
	th.shows, th.view = slices.Clone(th.shows[:i]), m.before
	th.push(text, m.kind)
	last := &th.shows[len(th.shows)-1]
	last.id = m.id
	switch th.over {
	case uiMessage:
		th.again, th.edited = again, m.id
	case agUI, chat, responses, behind, native:
	}
	was := th.name
	w.post(th, what+" "+text, wants)
	if th.name == was && th.name != "" && w.chance(2) {
		th.name = th.chat // the branch's own
	}
}

// move continues over another front.
func (w *weave) move(th *thread) {
	to := all[w.random.IntN(len(all))]
	w.log = append(w.log, fmt.Sprintf("%d goes from %s to %s", slices.Index(w.threads, th), th.over, to))
	same := to == th.over || to.openAI() && th.over.openAI()
	th.over, th.resumes = to, w.way()
	if same && !(to != chat && slices.ContainsFunc(th.pending(), func(c call) bool { return true })) {
		return
	}
	w.reload(th)
	w.answerOrSay(th)
}

// reload has a client begin with what the native API returns of the chat.
func (w *weave) reload(th *thread) {
	w.t.Helper()
	th.short = false
	if th.over != native {
		th.chat = w.newest(th.chat)
	}
	th.name, th.view, th.shows, th.partial = th.chat, w.of[th.chat], nil, true
	s, ok := w.h.snapshot(w.t, w.who, th.chat)
	if !ok {
		w.fail("%s cannot be read", th.chat)
	}
	w.log = append(w.log, fmt.Sprintf("    reads %s %q", th.chat, th.view))
	if len(s.Pending) == 0 {
		return
	}
	p := s.Pending[0]
	c := call{id: p.ClarificationID, name: "ask_user", arguments: "{}"}
	if !th.over.openAI() && th.over != native && p.Kind == "question" {
		c.id = p.ToolCallID
	}
	c.approval = p.Kind == "approval" && (th.over == responses || th.over == behind)
	th.shows = []shown{{role: "assistant", id: "read", calls: []call{c}}}
}

// race has the question of a thread answered elsewhere before its own client does: that answer
// stays.
func (w *weave) race(th *thread) {
	s, _ := w.h.snapshot(w.t, w.who, th.chat)
	if len(s.Pending) == 0 {
		w.fail("nothing waits in %s", th.chat)
	}
	words, _, own := w.answers(th.view.word())
	own["clarificationId"] = s.Pending[0].ClarificationID
	shows, view := slices.Clone(th.shows), th.view
	then := want{then: []lines{view.answered(words)}, in: []string{th.chat}}
	other := &thread{over: native, chat: th.chat, view: view}
	w.native(other, "elsewhere answers "+words, "/messages", object{"answer": own}, then)
	open := th.pending()
	if len(open) == 0 || th.over == native {
		w.reload(th)
		return
	}
	th.shows = shows
	late, output, _ := w.answers(view.word())
	th.result(open[0], output)
	r := w.sendsLate(th)
	w.log = append(w.log, fmt.Sprintf("    too late with %s: %d %s", late, r.status, r.code))
	if r.status != http.StatusConflict {
		w.fail("a late answer is %d %s", r.status, r.body)
	}
	w.same(th.chat)
	w.reload(th)
}

// sendsLate sends a thread unchanged.
func (w *weave) sendsLate(th *thread) reply {
	path, body := th.request()
	var headers []string
	if th.over.openAI() && th.name != "" {
		headers = []string{"X-Chat-Id", th.name}
	}
	return th.over.read(w.t, w.h.send(w.t, w.who, http.MethodPost, path, body, headers...))
}

var listedCode = regexp.MustCompile(`↪ \[([A-Z]{4})\]`)

// listed handles a list of questions: it is correct only where several chats read the same, one of
// them waits, and nothing was accepted. The client continues with the question that it read about,
// or names one by its code.
func (w *weave) listed(th *thread, r *reply, wants want, before int) {
	w.t.Helper()
	var waiting []string
	fit := 0
	for id, has := range w.of {
		if has.waits() && (slices.Equal(has, wants.lists) || slices.Equal(has[:len(has)-1], wants.lists)) {
			waiting = append(waiting, id)
		}
		if has.begins(wants.lists) {
			fit++
		}
	}
	if len(waiting) == 0 || fit < 2 {
		w.fail("a list arrives, and only %v waits, of %d that match", waiting, fit)
	}
	if asked := w.h.asked(w.seed) - before; asked != 0 {
		w.fail("the model was asked %d times for a list", asked)
	}
	for _, id := range waiting {
		w.same(id)
	}
	codes := listedCode.FindAllStringSubmatch(r.text, -1)
	if !wants.lists.waits() || wants.lists.word() != "ask" {
		w.reload(th)
		return
	}
	th.shows = append(th.shows, shown{role: "assistant", text: r.text, response: r.response})
	th.view = wants.lists
	words := w.word()
	named := codes[w.random.IntN(len(codes))][1]
	th.push(named+" "+words, typed)
	w.post(th, "names "+named+" "+words, want{then: []lines{wants.lists.answered(words)}, in: waiting})
	w.reload(th)
}
