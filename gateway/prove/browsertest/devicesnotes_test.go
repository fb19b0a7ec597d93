//go:build browser

package browsertest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// noteMark finds what was written in messages. Each note has its own number, so it can be followed from the
// composer to the chat.
var noteMark = regexp.MustCompile(`weave-\d+#\d+\.`)

// writingScript lets a page write messages and lose its line. Without one, requests fail, and so do those
// whose response has not come; streams break.
const writingScript = `
globalThis.away = false;
const later = globalThis.setTimeout;
globalThis.setTimeout = (f, ms, ...of) => later(f, [1000, 2000, 4000, 8000, 15000].includes(ms) ? 50 : ms, ...of); // the outbox's attempts
Object.defineProperty(navigator, "onLine", {get: () => !away});
const streams = new Set();
globalThis.cuttable = (init) => {
	const cut = new AbortController();
	init?.signal?.addEventListener("abort", () => { streams.delete(cut); cut.abort(); });
	streams.add(cut);
	return {...init, signal: cut.signal};
};
globalThis.line = (is) => {
	if (is === !away) return;
	away = !is;
	if (away) {
		story.push({does: "loses the line"});
		for (const cut of streams) cut.abort();
		streams.clear();
	}
	dispatchEvent(new Event(is ? "online" : "offline"));
};
let chat, number, device;
const note = () => {
	const value = chat + "#" + (2 * number++ + device) + ".";
	story.push({does: "writes", value});
	return value;
};
// begin is called before a chat is opened. With draft, a message was begun there before its question.
globalThis.begin = (id, at, draft) => {
	[chat, number, device] = [id, 0, at];
	if (draft) sessionStorage["askgate:message:assistant/" + id] = note();
};
globalThis.write = async () => {
	const field = document.querySelector("#message");
	if (!field || field.readOnly) return;
	field.value = [field.value, note()].filter(Boolean).join(" ");
	field.dispatchEvent(new Event("input", {bubbles: true}));
	field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}));
	await frames(2);
};
globalThis.takeBack = async () => {
	await frames(3); // a person sees first what waits
	const button = [...document.querySelectorAll(".queued [data-back]:enabled, .unsent [data-unsend]")].find((b) => b.closest("li").textContent.includes(chat + "#"));
	if (!button) return;
	story.push({does: "takes back"});
	button.click();
};
globalThis.sendNow = async () => {
	await frames(3);
	const button = document.querySelector(".queued [data-now]:enabled");
	if (!button) return;
	story.push({does: "hurries"});
	button.click();
};
// settled reports whether nothing is on its way: what is on hold waits for the person.
globalThis.settled = () => !document.querySelector(".queued button:disabled, #send[aria-busy=true], .connection span") && [...document.querySelectorAll(".unsent")].every((e) => e.querySelector("[data-agree]"));
// ended resolves to the chats once nothing changes any more: a turn waits for an answer, is held by the
// model, or has ended, and no message can begin.
globalThis.ended = (ids) => Promise.all(ids.map(async (id) => {
	for (;; await frames(2)) {
		const shot = await (await send("/v1/apps/assistant/chats/" + id)).json();
		const said = shot.messages.filter((m) => m.role === "user").at(-1).content, values = shot.messages.flatMap((m) => m.toolCalls ?? []).map((c) => c.clarification?.answer?.value);
		const held = shot.status === "running" && said.startsWith("translate") && ["de", "es"].includes(values[0]);
		if (held || shot.status !== "running" && (shot.pending?.length || !shot.queued?.length)) return {said: shot.messages.filter((m) => m.role === "user").map((m) => m.content), waits: (shot.queued ?? []).map((m) => m.content)};
	}
}));
// unsentNotes are the notes that wait in this tab: for a line, or in a composer.
globalThis.unsentNotes = () => [
	...JSON.parse(sessionStorage["askgate:outbox"] || "[]").map((e) => e.content ?? ""),
	...Object.keys(sessionStorage).filter((k) => k.startsWith("askgate:message:")).map((k) => sessionStorage[k]),
];
`

// ended is a chat in the end: the messages that it has, and those that wait for its turn.
type ended struct{ Said, Waits []string }

// did reports whether either device did something.
func did(stories [2][]deed, does string) bool {
	return slices.ContainsFunc(slices.Concat(stories[0], stories[1]), func(e deed) bool { return e.Does == does })
}

// settle waits until neither the chat nor its forks change any more, and returns them.
func (w *weave) settle(stories [2][]deed) []ended {
	w.t.Helper()
	ids := []string{w.chat}
	for _, e := range slices.Concat(stories[0], stories[1]) {
		if e.Does == "forks" {
			ids = append(ids, e.To)
		}
	}
	w.devices[0].js("globalThis.chats = await ended(%s)", ids)
	return eval[[]ended](w.devices[0], "chats")
}

// nothingLost checks that each note is in one place: in a chat, waiting there, waiting for a line, or in a
// composer. So nothing was sent twice, nothing that was taken back was sent, and nothing is lost. The
// model was asked once for each note of a chat, unless its turn was stopped first.
func (w *weave) nothingLost(stories [2][]deed, chats []ended, asked map[string][]string) error {
	w.t.Helper()
	places := map[string][]string{}
	put := func(place string, texts ...string) {
		for _, note := range noteMark.FindAllString(strings.Join(texts, " "), -1) {
			places[note] = append(places[note], place)
		}
	}
	for _, c := range chats {
		put("sent", c.Said...)
		put("queued", c.Waits...)
	}
	for at, p := range w.devices {
		put(fmt.Sprint("unsent on ", at), eval[[]string](p, "unsentNotes()")...)
	}
	for _, e := range slices.Concat(stories[0], stories[1]) {
		if e.Does != "writes" {
			continue
		}
		at := places[e.Value]
		if len(at) != 1 {
			return fmt.Errorf("the note %s is in the places %q, want one", e.Value, at)
		}
		if n := len(asked[e.Value]); at[0] != "sent" && n > 0 || n > 1 || at[0] == "sent" && n == 0 && !did(stories, "hurries") && !did(stories, "stops") {
			return fmt.Errorf("the note %s is %s, and the model was asked %d times for it", e.Value, at[0], n)
		}
	}
	return nil
}
