//go:build browser

package browsertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// interleavings is how many seeds are tried. A seed always gives the same steps; their timing is the
// machine's.
const interleavings = 200

// pairs is how many pairs of devices try them at the same time.
const pairs = 2

// step is something that happens on a device. js runs on its page, where value is one of the
// question's options, and returns at once: a request goes on during the next steps, of either device.
type step struct {
	name, js string
	weight   int
}

// steps are all that can happen. To test more, add a row; what must be true in the end is in verify
// and nothingLost.
var steps = []step{
	{"click", "pick(value)", 6},
	{"double click", "pick(value); pick(value)", 1},
	{"Undo", "undo()", 3},
	{"Send now", "press('#send-now')", 2},
	{"the time runs out", "due()", 3},
	{"the time runs out as Undo is pressed", "const at = open()?.querySelector('#undo'); due(); if (at) { story.push({does: 'undoes'}); at.click(); }", 1},
	{"the page is left", "dispatchEvent(new Event('pagehide'))", 1},
	{"Stop", "stopTurn()", 2},
	{"Change", "await change(value)", 4},
	{"a moment", "await frames(3)", 4},
	{"a message", "await write()", 8},
	{"Take back", "await takeBack()", 5},
	{"Send this message now", "await sendNow()", 2},
	{"the line is lost", "line(false)", 2},
	{"the line is back", "line(true)", 2},
}

// deviceScript lets a page take steps, and records in story, in order, what was chosen, undone and
// sent there.
const deviceScript = clockwork + writingScript + `
globalThis.story = [];
globalThis.flying = 0; // requests without a response
globalThis.dueAt = (at) => { globalThis.ending = new Promise((over) => wait(() => over(due()), at - Date.now())); };
const send = globalThis.fetch;
globalThis.fetch = async (url, init) => {
	if (away) throw new TypeError("no line");
	if (/\/events$/.test(url)) return send(url, cuttable(init));
	const body = init?.method === "POST" && /(messages|fork)$/.test(url) ? JSON.parse(init.body) : {};
	const known = story.find((e) => e.key && e.key === body.idempotencyKey); // a request whose response was lost
	const sent = known ?? {does: body.newChatId ? "forks" : body.answer ? "sends" : "posts", value: body.answer?.value, key: body.idempotencyKey, chat: url.split("/").at(-2), to: body.newChatId ?? "", status: 0};
	if (body.idempotencyKey && !known) story.push(sent);
	flying++;
	try {
		const response = await send(url, init);
		if (away && body.idempotencyKey && !body.newChatId) throw new TypeError("the response is lost");
		sent.status = response.status;
		return response;
	} finally {
		flying--;
	}
};
addEventListener("askgate-answer", ({target, detail}) => { if (target.id === "question") story.push({does: "answers", value: detail.value}); }, true);
globalThis.frames = async (n) => { while (n-- > 0) await new Promise(requestAnimationFrame); };
const option = (root, value) => root?.querySelector("#pick-" + ["fr", "de", "es"].indexOf(value));
globalThis.open = () => document.querySelector("#question")?.shadowRoot;
globalThis.pick = (value) => {
	if (!option(open(), value)) return;
	story.push({does: "chooses", value});
	option(open(), value).click();
};
globalThis.press = (button) => open()?.querySelector(button)?.click();
globalThis.undo = () => {
	if (!open()?.querySelector("#undo")) return;
	story.push({does: "undoes"});
	press("#undo");
};
globalThis.stopTurn = () => {
	if (!find("#stop")) return;
	story.push({does: "stops"});
	find("#stop").click();
};
globalThis.change = async (value) => {
	[...document.querySelectorAll(".transcript [data-change]")].find((b) => b.textContent.trim() === "Change" && !b.disabled)?.click();
	await frames(3);
	const changed = document.querySelector("#change")?.shadowRoot;
	option(changed, value)?.click();
	await frames(2);
	changed?.querySelector("button.main")?.click();
};`

// deed is an entry of a device's story.
type deed struct {
	Does, Value, Chat, To, Key string
	Status                     int
}

// weave is one interleaving.
type weave struct {
	t       *testing.T
	s       *site
	devices [2]*page
	chat    string
	log     []string // the steps
}

// Two devices of one person, and 200 orders in which they click, undo, change, stop, write, take back, and
// lose their line: one answer wins, nothing is sent twice, nothing that was undone or taken back is sent,
// and no message is lost.
func TestTwoDevicesAgreeOnOneAnswerInAnyOrder(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string][]string{} // by message: the answers with which the model was asked
	over := make(chan struct{})
	model := upstream(t, func(said string, results []string, d deltas) {
		if note := noteMark.FindString(said); note != "" {
			mu.Lock()
			for _, note := range noteMark.FindAllString(said, -1) {
				asked[note] = append(asked[note], "noted")
			}
			mu.Unlock()
			d.text("Noted.")
			d.end("stop")
			return
		}
		if len(results) == 0 {
			d.calls("ask_user", askWhich)
			return
		}
		mu.Lock()
		asked[said] = append(asked[said], results[0])
		mu.Unlock()
		d.text("You answered: " + results[0])
		if !strings.Contains(results[0], "(fr)") {
			<-over // the turn runs until it is stopped
			return
		}
		d.end("stop")
	})
	t.Cleanup(func() { close(over) })
	s := newSite(t, "", model, configured(t, map[string]string{
		"gateway.json": `{"limits": {"requestsPerMinute": 0, "concurrentTurns": 0}}`,
	}))
	counts := map[string]int{}
	t.Run("seeds", func(t *testing.T) {
		for pair := range uint64(pairs) {
			t.Run(fmt.Sprint(pair), func(t *testing.T) {
				t.Parallel()
				w := weave{t: t, s: s}
				for i := range w.devices {
					w.devices[i] = openChatPage(t, s, "", 800)
					w.devices[i].until("find('#message')")
					w.devices[i].js(deviceScript)
				}
				for seed := pair; seed < interleavings; seed += pairs {
					w.chat, w.log = fmt.Sprint("weave-", seed), nil
					w.take(rand.New(rand.NewPCG(seed, 0)))
					stories := w.stories()
					chats := w.settle(stories)
					mu.Lock()
					model := asked["translate "+w.chat]
					err := w.nothingLost(stories, chats, asked)
					for _, e := range slices.Concat(stories[0], stories[1]) {
						counts[fmt.Sprint(e.Does, " ", e.Status)]++
					}
					mu.Unlock()
					if err := errors.Join(err, w.verify(stories, model)); err != nil {
						t.Errorf("seed %d: %v\nsteps: %s\ndevices: %+v", seed, err, strings.Join(w.log, ", "), stories)
					}
				}
			})
		}
	})
	t.Logf("%v", counts)
	for _, happens := range []string{"sends 200", "sends 409", "forks 200", "undoes 0", "posts 200", "takes back 0", "hurries 0", "loses the line 0"} {
		if counts[happens] == 0 {
			t.Errorf("it never happens that a device %s", happens)
		}
	}
}

// take asks a question, opens it on both devices, and lets a random sequence of steps happen.
func (w *weave) take(luck *rand.Rand) {
	w.t.Helper()
	if status, stream := w.s.post(w.chat, object{"message": "translate " + w.chat}); status != http.StatusOK {
		w.t.Fatalf("%d %s", status, stream)
	}
	for i, p := range w.devices {
		p.js("story.length = 0; begin(%s, %s, %s)", w.chat, i, luck.IntN(2) == 0)
		p.js("location.hash = %s", "#assistant/"+w.chat)
	}
	for _, p := range w.devices {
		p.until("location.hash.endsWith(%s) && find('.bubble')?.textContent === %s && find('#pick-0')", w.chat, "translate "+w.chat)
	}
	total := 0
	for _, s := range steps {
		total += s.weight
	}
	script, on := "", 0
	for range 6 + luck.IntN(10) {
		n, i := luck.IntN(total), 0
		for ; n >= steps[i].weight; i++ {
			n -= steps[i].weight
		}
		at, value := luck.IntN(2), []string{"fr", "de", "es"}[luck.IntN(3)]
		w.log = append(w.log, fmt.Sprintf("%d: %s %s", at, steps[i].name, value))
		if at != on { // what one device does without a break is one script
			w.devices[on].js(script)
			script, on = "", at
		}
		script += fmt.Sprintf("{ const value = %q; %s }\n", value, steps[i].js)
	}
	w.devices[on].js(script)
}

// stories lets the time run out on both devices at once, waits until nothing is on its way, and returns
// what the devices did.
func (w *weave) stories() (list [2][]deed) {
	w.t.Helper()
	for _, p := range w.devices {
		p.js("line(true)")
		p.until("flying === 0 && settled()")
	}
	at := time.Now().Add(50 * time.Millisecond).UnixMilli()
	for _, p := range w.devices {
		p.js("dueAt(%s)", at)
	}
	for i, p := range w.devices {
		p.js("await ending")
		p.until("flying === 0 && settled() && !open()?.querySelector('#undo, .spinner')")
		list[i] = eval[[]deed](p, "story")
	}
	return list
}

// verify compares what the devices did with what is stored, what the model was asked, and what the
// devices show.
func (w *weave) verify(stories [2][]deed, model []string) error {
	chats := map[string]string{w.chat: ""} // each chat, and the answer that it must have
	for at, story := range stories {
		chosen, given, sends, sent := "", "", 0, 0
		for _, e := range story {
			switch e.Does {
			case "chooses":
				chosen = e.Value
			case "undoes":
				chosen = ""
			case "answers":
				if sends++; e.Value != chosen || sends > 1 {
					return fmt.Errorf("device %d gives %q as its answer %d, and has chosen %q", at, e.Value, sends, chosen)
				}
				given = e.Value
			case "sends":
				if sent++; e.Value != given || sent > 1 {
					return fmt.Errorf("device %d sends %q as its answer %d, and has given %q", at, e.Value, sent, given)
				}
				if e.Status == http.StatusOK {
					if chats[e.Chat] != "" {
						return fmt.Errorf("two answers were accepted")
					}
					chats[e.Chat] = e.Value
				} else if e.Status != http.StatusConflict && (e.Status != http.StatusGone || !did(stories, "hurries")) {
					return fmt.Errorf("an answer got %d", e.Status)
				}
			case "forks":
				if e.Status != http.StatusOK {
					return fmt.Errorf("a change got %d", e.Status)
				}
				if chats[e.To] != "" {
					return fmt.Errorf("two forks began one chat")
				}
				chats[e.To] = e.Value
			}
		}
	}
	wanted := 0
	for chat, want := range chats {
		got := w.stored(chat)
		if got != want {
			return fmt.Errorf("the chat %s has the answer %q, want %q", chat, got, want)
		}
		if want != "" {
			wanted++
		}
	}
	if len(model) > wanted || len(model) < wanted && !did(stories, "hurries") {
		return fmt.Errorf("the model was asked with %q, want %d answers", model, wanted)
	}
	for at, p := range w.devices {
		chat := eval[string](p, "location.hash.split('/')[1]")
		want, known := chats[chat]
		if !known {
			return fmt.Errorf("device %d shows the chat %q", at, chat)
		}
		if want == "" {
			p.until("(find('#pick-0') || %s) && !find('#undo')", did(stories, "hurries")) // a message that is sent now closes the question
			continue
		}
		p.js("document.querySelector('#change')?.nextElementSibling.querySelector('button').click()") // a change that was begun but not sent
		p.until("!document.querySelector('#question') && document.querySelector('.transcript askgate-clarification').shadowRoot.querySelector('.answer').textContent === %s", map[string]string{"fr": "French", "de": "German", "es": "Spanish"}[want])
	}
	return nil
}

// stored stops a chat's turn, and returns the answer to its question.
func (w *weave) stored(chat string) string {
	w.t.Helper()
	url := fmt.Sprintf("%s/v1/apps/assistant/chats/%s", w.s.target, chat)
	stopped, err := http.Post(url+"/stop", "application/json", bytes.NewReader(nil))
	if err != nil {
		w.t.Fatal(err)
	}
	stopped.Body.Close()
	resp, err := http.Get(url)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	var shot struct {
		Status   string
		Messages []struct {
			ToolCalls []struct {
				Clarification struct {
					Answer struct{ Value string }
				}
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&shot); err != nil {
		w.t.Fatal(err)
	}
	for _, m := range shot.Messages {
		for _, c := range m.ToolCalls {
			return c.Clarification.Answer.Value
		}
	}
	return ""
}
