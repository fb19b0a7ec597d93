//go:build browser || browsers

package browsertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

type object = map[string]any

// patience is how long a page may take for anything; no test passes by waiting.
const patience = time.Minute

// call puts arguments, as JSON, into the %s of a script.
func call(js string, args []any) string {
	if len(args) == 0 {
		return js
	}
	parts := make([]any, len(args))
	for i, a := range args {
		raw, err := json.Marshal(a)
		if err != nil {
			panic(err)
		}
		parts[i] = string(raw)
	}
	return fmt.Sprintf(js, parts...)
}

// pageHelpers are available in every document of the chat page: find looks into the card of the
// open question, then into the page; violations lists what its policy refused; refuse, if set, is
// the refusal of the next posts, as no gateway would give on demand; likewise, instead(url, init)
// may respond to any request.
const pageHelpers = `globalThis.violations = [];
globalThis.refuse = globalThis.instead = null;
const real = globalThis.fetch;
globalThis.fetch = async (url, init) => {
	const other = await globalThis.instead?.(url, init);
	if (other) return other;
	if (init?.method !== "POST" || !globalThis.refuse) return real(url, init);
	const headers = {"Content-Type": "application/problem+json", ...(refuse.retryAfter && {"Retry-After": refuse.retryAfter})};
	return new Response(JSON.stringify(refuse), {status: refuse.status, headers});
};
document.addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample));
globalThis.find = (s) => document.querySelector("#question")?.shadowRoot?.querySelector(s) ?? document.querySelector(s);
globalThis.log = () => [...document.querySelectorAll(".transcript > .item")].map((li) => li.querySelector("askgate-clarification")?.shadowRoot.querySelector(".closed")?.innerText
	?? li.querySelector(".bubble, askgate-markdown")?.innerText ?? li.innerText).map((s) => s.replace(/\s+/g, " ").trim());
Object.defineProperty(globalThis, "card", {get: () => document.querySelector("#question") ?? [...document.querySelectorAll("askgate-clarification")].at(-1), configurable: true});`

// guarded reports whether an element is in a card that accepts no clicks yet; focused returns the
// element that has the focus.
const guarded = `const guarded = (e) => Boolean(e) && (e.closest("section.early") !== null || guarded(e.getRootNode().host));
const focused = (root = document) => (root.activeElement?.shadowRoot?.activeElement ? focused(root.activeElement.shadowRoot) : root.activeElement);`

// clockwork keeps the time to undo from passing on its own: due() ends it.
const clockwork = `const wait = globalThis.setTimeout, stop = globalThis.clearTimeout;
globalThis.grace = [];
globalThis.setTimeout = (f, ms, ...of) => (ms === 1200 ? grace[grace.push(f) - 1] : wait(f, ms, ...of));
globalThis.clearTimeout = (id) => (grace.includes(id) ? grace.splice(grace.indexOf(id), 1) : stop(id));
globalThis.due = () => grace.splice(0).forEach((f) => f());`

// deltas are the pieces that an upstream may send: words, thoughts, calls and an end, as Chat
// Completions does.
type deltas struct{ w http.ResponseWriter }

func (d deltas) send(choice object) {
	raw, _ := json.Marshal(object{"id": "c", "object": "chat.completion.chunk", "choices": []object{choice}})
	fmt.Fprintf(d.w, "data: %s\n\n", raw)
	d.w.(http.Flusher).Flush()
}

func (d deltas) text(text string) {
	d.send(object{"index": 0, "delta": object{"content": text}})
}

func (d deltas) words(text string) {
	for _, word := range strings.SplitAfter(text, " ") {
		d.text(word)
	}
}

func (d deltas) thought(text string) {
	d.send(object{"index": 0, "delta": object{"reasoning_content": text}})
}

// calls ends the step with calls of tools: pairs of name and arguments.
func (d deltas) calls(pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		d.send(object{"index": 0, "delta": object{"tool_calls": []object{{"index": i / 2, "id": fmt.Sprintf("call_%d", i/2+1), "type": "function",
			"function": object{"name": pairs[i], "arguments": pairs[i+1]}}}}})
	}
	d.end("tool_calls")
}

func (d deltas) end(why string) {
	d.send(object{"index": 0, "delta": object{}, "finish_reason": why})
}

// upstream sets a model that the test controls: play is called for each request, with the last user
// message and the tool results after it.
func upstream(t *testing.T, play func(said string, results []string, d deltas)) func(*site) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct {
				Role    string
				Content any
			}
		}
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return // the run was stopped while its request was on the way
		}
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Error(err)
		}
		var said string
		var results []string
		for _, m := range body.Messages {
			switch text, _ := m.Content.(string); m.Role {
			case "user":
				said, results = text, nil
			case "tool":
				results = append(results, text)
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		play(said, results, deltas{w})
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	return func(s *site) {
		s.env = append(s.env, "OPENAI_BASE_URL="+server.URL+"/v1", "OPENAI_API_KEY=sk-test", "ASKGATE_MODEL=test", "TEST_MODEL="+server.URL+"/v1")
	}
}

// answers returns an upstream that always gives this answer.
func answers(t *testing.T, text string) func(*site) {
	return upstream(t, func(_ string, _ []string, d deltas) {
		d.words(text)
		d.end("stop")
	})
}

// hashOf returns the hash by which a configuration stores a key.
func hashOf(key string) string {
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(key)))
}

// configured writes files of a configuration directory.
func configured(t *testing.T, files map[string]string) func(*site) {
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(s *site) { s.args = append(s.args, "--config", dir) }
}

// call sends a request to the gateway directly, with a key if there is one.
func (s *site) call(method, path, key string, body any) (status int, got object) {
	s.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequest(method, s.target.String()+path, bytes.NewReader(raw))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = json.Unmarshal(text, &got) // the body of a stream is not needed
	return resp.StatusCode, got
}

// asks has a program ask, and returns the clarification's id.
func (s *site) asks(key string, body object) string {
	s.t.Helper()
	status, got := s.call("POST", "/v1/apps/assistant/clarifications", key, body)
	if status != 201 {
		s.t.Fatalf("%d %v", status, got)
	}
	return got["clarificationId"].(string)
}

// state returns a clarification as the holder of the key sees it.
func (s *site) state(id, key string) object {
	s.t.Helper()
	_, got := s.call("GET", "/v1/clarifications/"+id, key, nil)
	return got
}

var deploys = object{"name": "deploy", "title": "CI #4711", "version": "2.1"}
