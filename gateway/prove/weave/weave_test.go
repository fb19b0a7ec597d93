package weave

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
)

var (
	seeds = flag.Int("seeds", 200, "how many seeds are tried")
	only  = flag.Int("seed", -1, "the only seed that is tried, with what it does")
)

// Chats with the same beginning are asked, answered, edited and repeated in any order, over all
// fronts: each answer ends up in its own chat, once, none is lost, and none is accepted from an
// error or a stranger.
func TestAnswersStayInTheirChats(t *testing.T) {
	h := open(t)
	from, to := 0, *seeds
	if *only >= 0 {
		from, to = *only, *only+1
	}
	for seed := from; seed < to; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWeave(t, h, seed)
			for range 12 {
				w.step()
			}
			w.end()
			if *only >= 0 {
				t.Log("\n" + strings.Join(w.log, "\n"))
			}
		})
	}
}

// weave is the sequence of events of one seed.
type weave struct {
	truth
	t             *testing.T
	h             *house
	seed          int
	random        *rand.Rand
	ways          *rand.Rand // how clients talk, as opposed to what they do
	who, stranger string
	begins        string
	threads       []*thread
	words, keys   int
	log           []string
	theirs        map[string]bool // chats of the stranger
	stolen        map[string]bool // words of the newest messages that the stranger sent as well
}

// thread is a conversation as a client shows it.
type thread struct {
	over         over
	name         string // of the chat, "" where the client names none
	calls        bool   // the client of an OpenAI front shows calls
	chat         string // that the last response belonged to
	view         lines  // what the client shows
	shows        []shown
	short        bool // the history is left out
	again        bool
	edited       string
	at, pushed   int
	resumes      bool // over AG-UI, the client is asked by interrupts
	streams      bool // the next response, over an OpenAI front
	unnamedFirst bool // the request does not name a chat
	partial      bool // the client has only the end of the chat
}

func newWeave(t *testing.T, h *house, seed int) *weave {
	w := &weave{
		truth: truth{of: map[string]lines{}, root: map[string]string{}}, t: t, h: h, seed: seed, random: rand.New(rand.NewPCG(uint64(seed), 31)), ways: rand.New(rand.NewPCG(uint64(seed), 32)),
		who: fmt.Sprint("person", seed), stranger: fmt.Sprint("stranger", seed), stolen: map[string]bool{}, theirs: map[string]bool{},
	}
	w.begins = w.pick("ask", "ask", "ask", "form", "approve", "plain") + fmt.Sprint(" trip S", seed)
	for i := range 2 + w.random.IntN(2) {
		th := &thread{at: i, over: all[w.random.IntN(len(all))], calls: w.chance(2), resumes: w.way()}
		if !th.over.openAI() || w.chance(3) {
			th.name = fmt.Sprintf("n%d-%d", seed, i)
		}
		w.threads = append(w.threads, th)
	}
	return w
}

func (w *weave) chance(of int) bool { return w.random.IntN(of) == 0 }

// way chooses between two formats.
func (w *weave) way() bool { return w.ways.IntN(2) == 0 }

func (w *weave) pick(from ...string) string { return from[w.random.IntN(len(from))] }

func (w *weave) word() string {
	w.words++
	return fmt.Sprintf("Own%dx%d", w.seed, w.words)
}

// step is the next step of one of the threads.
func (w *weave) step() {
	th := w.threads[w.random.IntN(len(w.threads))]
	if len(th.view) > 0 && (th.view.waits() || len(th.shows) == 0) && !slices.Equal(th.view, w.of[th.chat]) {
		w.reload(th) // another client has continued
	}
	var options []func(*thread)
	switch {
	case len(th.view) == 0:
		options = append(options, w.begin)
	case th.view.waits():
		options = append(options, w.answer, w.answer, w.answer, w.edit, w.regenerate, w.move, w.race)
		if len(th.pending()) > 0 {
			options = append(options, w.failing, w.failing)
			if th.view.word() != "ask" {
				options = append(options, w.say)
			}
		} else if th.view.word() == "approve" {
			options = append(options, w.say)
		}
	default:
		options = append(options, w.say, w.say, w.say, w.edit, w.edit, w.regenerate, w.move)
	}
	options[w.random.IntN(len(options))](th)
}

// pending lists the calls that the client shows and has not answered.
func (th *thread) pending() []call {
	if n := len(th.shows); n > 0 && th.shows[n-1].role == "assistant" {
		return th.shows[n-1].calls
	}
	return nil
}

func (th *thread) push(text string, k kind) {
	th.pushed++
	th.shows = append(th.shows, shown{role: "user", id: fmt.Sprintf("u%d-%d", th.at, th.pushed), text: text, before: slices.Clone(th.view), kind: k})
}

// post sends the thread, and compares the result with the required one.
func (w *weave) post(th *thread, what string, want want) reply {
	w.t.Helper()
	th.streams = w.way()
	path, body := th.request()
	var headers []string
	if th.over.openAI() && th.name != "" {
		headers = append(headers, "X-Chat-Id", th.name)
	}
	keyed := w.chance(2)
	if keyed {
		w.keys++
		headers = append(headers, "Idempotency-Key", fmt.Sprint("key", w.keys))
	}
	th.unnamedFirst = th.over.openAI() && th.name == "" && !slices.ContainsFunc(th.shows, func(m shown) bool { return m.role == "assistant" })
	r := w.sends(th, what, http.MethodPost, path, body, headers, want)
	if keyed || !th.unnamedFirst {
		w.repeat(th, r, path, body, headers, keyed)
	}
	w.thieves(th, path, body, headers)
	th.again, th.edited, th.short = false, "", false
	return r
}

func (w *weave) sends(th *thread, what, method, path string, body object, headers []string, want want) reply {
	w.t.Helper()
	before := w.h.asked(w.seed)
	w.log = append(w.log, fmt.Sprintf("%d %s %s: %s %v", slices.Index(w.threads, th), th.over, th.name, what, headers))
	if *only >= 0 {
		data, _ := json.Marshal(body)
		w.log = append(w.log, "    > "+path+" "+string(data))
	}
	r := th.over.read(w.t, w.h.send(w.t, w.who, method, path, body, headers...))
	w.log = append(w.log, fmt.Sprintf("    %d %s %s %.200q %v", r.status, r.code, r.chat, r.text, r.calls))
	if want.lists != nil && strings.Contains(r.text, "↪ [") {
		w.listed(th, &r, want, before)
		return r
	}
	w.check(th, &r, want, before)
	if r.status == http.StatusOK {
		th.shows = append(th.shows, shown{role: "assistant", id: r.id, text: r.text, response: r.response, calls: r.calls})
	}
	return r
}

// repeat sends a request again, as a library does that has lost the response.
func (w *weave) repeat(th *thread, r reply, path string, body object, headers []string, keyed bool) {
	w.t.Helper()
	if !w.chance(4) || r.status != http.StatusOK || strings.Contains(r.text, "↪ [") {
		return
	}
	if !keyed || w.chance(2) {
		headers = append(slices.Clone(headers), "X-Stainless-Retry-Count", "1")
	}
	before := w.h.asked(w.seed)
	again := th.over.read(w.t, w.h.send(w.t, w.who, http.MethodPost, path, body, headers...))
	w.log = append(w.log, fmt.Sprintf("    repeated %v: %d %s %s %.200q", headers, again.status, again.code, again.chat, again.text))
	taken := want{free: true}
	if again.code == "already_answered" { // a result does not repeat anything
		taken.may = []int{http.StatusConflict}
	}
	w.check(th, &again, taken, before)
	if again.status == http.StatusOK && (again.chat != r.chat || again.text != r.text) {
		w.fail("the repeat is %q in %s, and was %q in %s", again.text, again.chat, r.text, r.chat)
	}
}

// thieves has a stranger send what the user has sent.
func (w *weave) thieves(th *thread, path string, body object, headers []string) {
	w.t.Helper()
	if !w.chance(6) || len(th.shows) == 0 {
		return
	}
	newest := th.shows[len(th.shows)-1]
	for i := len(th.shows) - 1; i >= 0 && newest.role == "assistant"; i-- {
		newest = th.shows[i]
	}
	for _, word := range append(mark.FindAllString(newest.text, -1), mark.FindAllString(string(newest.output), -1)...) {
		w.stolen[word] = true
	}
	r := th.over.read(w.t, w.h.send(w.t, w.stranger, http.MethodPost, path, body, headers...))
	w.log = append(w.log, fmt.Sprintf("    stolen: %d %s %s %.200q", r.status, r.code, r.chat, r.text))
	for _, word := range mark.FindAllString(r.body, -1) {
		if !w.stolen[word] {
			w.fail("the stranger gets %s", word)
		}
	}
	if r.status == http.StatusOK {
		w.theirs[r.chat] = true // their own, under the same name
	}
	if _, ok := w.h.snapshot(w.t, w.stranger, th.chat); ok && !w.theirs[th.chat] {
		w.fail("the stranger sees %s", th.chat)
	}
	w.same(th.chat)
}

func (w *weave) begin(th *thread) {
	if th.over == native {
		w.native(th, "begins", "/messages", object{"message": w.begins}, want{then: []lines{lines(nil).said(w.begins)}, in: []string{th.name}})
		return
	}
	th.push(w.begins, said)
	want := want{then: []lines{lines(nil).said(w.begins)}, fresh: th.name == ""}
	if th.name != "" {
		want.in = []string{th.name}
	}
	w.post(th, "begins", want)
}

// native sends a native request to the thread's chat.
func (w *weave) native(th *thread, what, path string, body object, want want) {
	w.t.Helper()
	at := th.chat
	if at == "" {
		at = th.name
	}
	w.sends(th, what, http.MethodPost, "/v1/apps/work/chats/"+at+path, body, []string{"Accept", "application/json"}, want)
}

// say sends something new.
func (w *weave) say(th *thread) {
	text := w.pick("plain", "plain", "ask", "form", "approve") + " " + w.word()
	then := want{then: []lines{th.view.said(text)}, in: []string{th.chat}}
	switch {
	case th.over == native:
		if th.view = w.of[th.chat]; th.view.waits() {
			return // another client has continued
		}
		then.then = []lines{th.view.said(text)}
		w.native(th, "says "+text, "/messages", object{"message": text}, then)
		return
	case th.over == chat && th.name != "" && !th.view.waits() && w.chance(3),
		(th.over == chat || th.over == responses) && th.partial && !slices.Equal(th.view, w.of[th.chat]):
		th.short = th.over == chat // without a history, or with a truncated one, it just follows
		th.chat = w.newest(th.name)
		if th.view = w.of[th.chat]; th.view.waits() {
			w.reload(th)
			return
		}
		then = want{then: []lines{th.view.said(text)}, in: []string{th.chat}}
	case !slices.Equal(th.view, w.of[th.chat]):
		then.in, then.fresh = nil, true
	}
	if th.over.openAI() && !th.short && !th.view.waits() {
		if then.in = append(then.in, w.alike(th.view, th.name)...); then.fresh {
			then.in = w.alike(th.view, th.name) // they have the same content
		}
		then.lists = th.view
	} else if th.over.openAI() && th.view.waits() {
		then.lists = th.view
	}
	th.push(text, said)
	w.post(th, "says "+text, then)
}
