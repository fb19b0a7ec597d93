//go:build browsers

package browsertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// faults collects the errors of a document, and what its policy refuses.
const faults = `
globalThis.faults = [];
addEventListener("error", (e) => faults.push("error: " + e.message));
addEventListener("unhandledrejection", (e) => faults.push("rejection: " + e.reason));
document.addEventListener("securitypolicyviolation", (e) => faults.push("policy: " + e.violatedDirective + " " + e.blockedURI));`

// Keys as WebDriver names them.
const (
	enter     = "\uE007"
	arrowDown = "\uE015"
)

// window is the chat page of a site in some browser. It does what page does in Chromium.
type window struct {
	t *testing.T
	s *site
	driver
}

// show opens the chat page of a new site.
func show(t *testing.T, e engine, set ...func(*site)) *window {
	t.Helper()
	s := newSite(t, "", set...)
	response, err := http.Get(s.target.String() + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.source, s.early = strings.Replace(string(page), "<script", `<script src="/early.js"></script><script`, 1), pageHelpers+faults
	s.mu.Unlock()
	d, err := e.open()
	if err != nil {
		t.Fatal(err)
	}
	w := &window{t, s, d}
	t.Cleanup(func() {
		w.faultless()
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	w.check(w.visit(s.url + "/"))
	w.until("find('#message')")
	return w
}

func (w *window) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// faultless fails for every fault of the document.
func (w *window) faultless() {
	w.t.Helper()
	for _, fault := range value[[]string](w, "globalThis.faults") {
		w.t.Errorf("the page reports %s", fault)
	}
}

// again reloads the page.
func (w *window) again() {
	w.t.Helper()
	w.faultless()
	w.check(w.reload())
}

// runs returns what statements return, as JSON.
func (w *window) runs(js string) (json.RawMessage, error) {
	text, err := w.run("(async () => {\nconst f = async () => {" + js + "\n};\ntry { return JSON.stringify({value: await f()}) } catch (e) { return JSON.stringify({error: String(e)}) }\n})()")
	if err != nil {
		return nil, err
	}
	var got struct {
		Value json.RawMessage
		Error string
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		return nil, fmt.Errorf("%w: %q", err, text)
	}
	if got.Error != "" {
		return nil, errors.New(got.Error)
	}
	return got.Value, nil
}

// value returns the value of a JavaScript expression.
func value[T any](w *window, js string, args ...any) (got T) {
	w.t.Helper()
	js = call(js, args)
	raw, err := w.runs("return (" + js + ")")
	if err == nil {
		err = json.Unmarshal(raw, &got)
	}
	if err != nil {
		w.t.Fatalf("%s: %v", js, err)
	}
	return got
}

func (w *window) js(js string, args ...any) {
	w.t.Helper()
	js = call(js, args)
	if _, err := w.runs(js); err != nil {
		w.t.Fatalf("%s: %v", js, err)
	}
}

// until waits for an expression to be true, including in the next document if the page navigates in the
// meantime.
func (w *window) until(js string, args ...any) {
	w.t.Helper()
	js = call(js, args)
	look := `for (const end = performance.now() + 1000; ;) {
		try { if (` + js + `) return true } catch { /* not yet there */ }
		if (performance.now() > end) return false;
		await new Promise((resolve) => setTimeout(resolve, 10));
	}`
	for end := time.Now().Add(patience); ; {
		raw, err := w.runs(look)
		if string(raw) == "true" {
			return
		}
		if time.Now().After(end) {
			shown, _ := w.runs("return (globalThis.card?.shadowRoot?.textContent ?? '') + ' | ' + document.body.innerText + ' | ' + document.activeElement?.id + ' | ' + location")
			w.t.Fatalf("never true: %s (%v)\n%s", js, err, strings.Join(strings.Fields(string(shown)), " "))
		}
		if err != nil {
			time.Sleep(50 * time.Millisecond) // between two documents
		}
	}
}

// keys presses keys, on a card once it accepts them.
func (w *window) keys(text string) {
	w.t.Helper()
	w.until("(() => {" + guarded + ` const e = focused(); return !guarded(e) && (e !== document.body || // a card takes the focus a frame after it is drawn
		![...document.querySelectorAll("askgate-clarification")].some((card) => card.shadowRoot.querySelector("section.early"))) })()`)
	var actions []object
	for _, r := range text {
		actions = append(actions, object{"type": "keyDown", "value": string(r)}, object{"type": "keyUp", "value": string(r)})
	}
	w.check(w.act(object{"type": "key", "id": "keyboard", "actions": actions}))
}

// click presses the middle of what an expression returns, once it accepts clicks and no longer moves.
func (w *window) click(element string) {
	w.t.Helper()
	w.until("(() => {" + guarded + " const e = " + element + "; return e && !guarded(e) })()")
	at := value[[]int](w, `await (async () => {
		(`+element+`).scrollIntoView({block: "center"});
		for (let was = "", still = 0; ;) {
			await new Promise(requestAnimationFrame);
			const r = (`+element+`).getBoundingClientRect(), at = [r.x + r.width / 2, r.y + r.height / 2].map(Math.round);
			still = String(at) === was ? still + 1 : 0;
			if (still === 2) return at;
			was = String(at);
		}
	})()`)
	w.check(w.act(object{"type": "pointer", "id": "mouse", "parameters": object{"pointerType": "mouse"}, "actions": []object{
		{"type": "pointerMove", "x": at[0], "y": at[1], "duration": 0, "origin": "viewport"}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0},
	}}))
}

// write types a message and sends it.
func (w *window) write(message string) {
	w.t.Helper()
	w.until("find('#message')")
	w.js("find('#message').focus()")
	w.keys(message + enter)
}

// says waits for a text in the transcript.
func (w *window) says(text string) {
	w.t.Helper()
	w.until("find('.transcript').innerText.includes(%s)", text)
}
