//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestACardHasRoomInAnyParent: at least 16rem, or all that there is, also where the parent is as wide as
// its content.
func TestACardHasRoomInAnyParent(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("select", "Which?", object{"options": languages})))
	type width struct {
		Parent     string
		Room, Card float64
	}
	for _, w := range eval[[]width](p, `(async () => {
		const parents = {
			"block": "", "inline-block": "display: inline-block", "float": "float: left", "fit-content": "inline-size: fit-content",
			"absolute": "position: absolute", "table": "display: table", "inline-flex": "display: inline-flex", "grid auto": "display: inline-grid; grid-template-columns: auto",
			"column": "display: inline-flex; flex-direction: column; align-items: flex-start",
		};
		const widths = [];
		for (const room of [600, 256, 200, 120]) {
			for (const [parent, style] of Object.entries(parents)) {
				for (const flex of [false, true]) {
					const box = document.createElement("div"), bubble = document.createElement("div");
					box.style.cssText = "position: relative; inline-size: " + room + "px;" + (flex ? "display: flex; align-items: flex-start" : "");
					bubble.style.cssText = style;
					box.append(bubble);
					document.querySelector("main").append(box);
					bubble.append(card);
					await card.updateComplete;
					widths.push({ parent: parent + (flex ? " in a flex row" : ""), room, card: card.getBoundingClientRect().width });
					box.remove();
				}
			}
		}
		return widths;
	})()`) {
		if w.Card < min(256, w.Room)-0.5 || w.Card > w.Room+0.5 {
			t.Errorf("%s, %v px wide: the card is %v px wide", w.Parent, w.Room, w.Card)
		}
	}
}

// TestFocusIsARing around an option, and does not look like a choice.
func TestFocusIsARing(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("select", "Which?", object{"options": languages})))
	p.start()
	p.keys(kb.ArrowDown) // chooses the second
	style := func(of string) string {
		return eval[string](p, "(({outlineStyle, outlineWidth, outlineOffset, backgroundColor, borderColor}) => [outlineStyle, outlineWidth, outlineOffset, backgroundColor, borderColor].join())(getComputedStyle(find(%s)))", of)
	}
	p.js("find('#pick-0').focus()")
	p.settled()
	focused, chosen := style(".option:nth-child(1)"), style(".option:nth-child(2)")
	if !strings.HasPrefix(focused, "solid,2px,2px,") || !strings.HasPrefix(chosen, "none,") {
		t.Errorf("focused %s, chosen %s", focused, chosen)
	}
	if focused[len("solid,2px,2px,"):] != style(".option:nth-child(3)")[strings.Index(style(".option:nth-child(3)"), "rgb"):] {
		t.Errorf("the focused option is filled or framed like a choice: %s", focused)
	}
	p.shot("card-ring")
}

// TestAClosedFormListsItsOptionsOnce, under the question of each list.
func TestAClosedFormListsItsOptionsOnce(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("select", "From?", object{"options": languages}), question("multiselect", "To?", object{"options": languages}), question("confirm", "Now?", nil)))
	p.js(`Object.assign(card, {state: "answered", answer: {answers: [{value: "fr"}, {values: ["de", "es"]}, {value: true}]}}); await card.updateComplete`)
	p.is("[...card.shadowRoot.querySelectorAll('summary')].map((s) => s.textContent).join()", "All 8 options")
	p.click(".others summary")
	p.is("[...card.shadowRoot.querySelectorAll('.others .asked, .taken [dir]')].map((e) => e.textContent).join()", "From?,French,To?,German,Spanish")
	p.accessible("all options")
}

// TestControlsAreInTheLanguageOfTheChat, whatever the language of the browser.
func TestControlsAreInTheLanguageOfTheChat(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("date", "Wann?", nil)))
	p.js(`card.locale = "de"; find("#input").value = "2026-03-02"; find("#input").dispatchEvent(new Event("input")); await card.updateComplete`)
	p.until("find('#written').textContent === 'Montag, 2. März 2026' && find('#input').getAttribute('aria-describedby').includes('written')")
	p.accessible("date")
	p.shot("card-date-de")
	p.js(`find("#input").value = ""; find("#input").dispatchEvent(new Event("input")); await card.updateComplete`)
	p.until("find('#written').textContent === ''")

	p.js("card.uploadFile = () => new Promise(() => {})")
	p.reopen(asked(question("file", "Welche Liste?", nil)))
	p.until("find('#choose').textContent === 'Datei auswählen' && getComputedStyle(find('#input')).opacity === '0' && find('#input').getBoundingClientRect().width <= 1")
	p.js("globalThis.asked = 0; find('#input').addEventListener('click', (e) => { e.preventDefault(); asked++; })")
	p.click("#choose")
	p.until("asked === 1")
	p.start()
	p.js("find('#input').focus()")
	p.keys(" ")
	p.until("asked === 2 && getComputedStyle(find('#choose')).outlineStyle === 'solid'")
	p.accessible("file")
	p.shot("card-file-de")
}
