package strict_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model/modeltest/strict"
)

// goOn is a request with the state that the server handed out, and a result for each call.
func goOn(t *testing.T, k *strict.Kind, handed string, results bool) sent {
	t.Helper()
	r := base(t, k)
	d := json.NewDecoder(strings.NewReader(handed))
	d.UseNumber()
	var made any
	if err := d.Decode(&made); err != nil {
		t.Fatal(err)
	}
	name := map[string]string{"chat": "messages", "messages": "messages", "responses": "input", "gemini": "contents"}[wire(k)]
	log, _ := r.body[name].([]any)
	if items, ok := made.([]any); ok {
		log = append(log, items...)
	} else {
		log = append(log, made)
	}
	if results {
		log = append(log, answered(k, made)...)
	}
	r.body[name] = log
	return r
}

// answered returns the results of the calls in a message.
func answered(k *strict.Kind, made any) []any {
	var out, parts []any
	switch wire(k) {
	case "chat":
		l, _ := made.(object)["tool_calls"].([]any)
		for _, c := range l {
			out = append(out, object{"role": "tool", "tool_call_id": c.(object)["id"], "content": "done"})
		}
		return out
	case "responses":
		for _, c := range made.([]any) {
			if c.(object)["type"] == "function_call" {
				out = append(out, object{"type": "function_call_output", "call_id": c.(object)["call_id"], "output": "done"})
			}
		}
		return out
	case "messages":
		for _, c := range made.(object)["content"].([]any) {
			if c.(object)["type"] == "tool_use" {
				parts = append(parts, object{"type": "tool_result", "tool_use_id": c.(object)["id"], "content": "done"})
			}
		}
		return append(out, object{"role": "user", "content": parts})
	}
	for _, p := range made.(object)["parts"].([]any) {
		if f, ok := p.(object)["functionCall"].(object); ok {
			parts = append(parts, object{"functionResponse": object{"id": f["id"], "name": f["name"], "response": object{"output": "done"}}})
		}
	}
	return append(out, object{"role": "user", "parts": parts})
}

// speaks creates a server whose model has answered once.
func speaks(t *testing.T, k *strict.Kind) (*strict.Server, string) {
	t.Helper()
	s := strict.New(t, k, strict.Calls("First, I look twice.", "Let me look.", strict.Call{Name: "lookup", Arguments: `{"n": 1.0, "q": "a"}`}, strict.Call{Name: "lookup", Arguments: `{"q": "b"}`}), strict.Say("Done."))
	r := base(t, k)
	if k == strict.ClaudeBudget {
		set(r.body, "thinking", text(`{"type":"enabled","budget_tokens":1024}`))
	}
	if status, body := post(t, s, r); status != http.StatusOK {
		t.Fatalf("status %d, %s", status, body)
	}
	return s, s.Handed()[0]
}

// paths lists the locations of all texts in v that the server compares.
func paths(v any, at string) []string {
	switch v := v.(type) {
	case object:
		var all []string
		for k, m := range v {
			all = append(all, paths(m, at+k+".")...)
		}
		return all
	case []any:
		var all []string
		for i, m := range v {
			all = append(all, paths(m, at+strconv.Itoa(i)+".")...)
		}
		return all
	case string:
		return []string{strings.TrimSuffix(at, ".")}
	}
	return nil
}

// Everything that the server handed out is compared: no text of it can be changed or left out
// unnoticed.
func TestWhatWasHandedOutIsKnownAgain(t *testing.T) {
	for _, k := range strict.Servers() {
		if k.Dead || k == strict.LMStudio || k == strict.Ollama { // their ids are replaced: see below
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			s, handed := speaks(t, k)
			think := func(r sent) sent {
				if k == strict.ClaudeBudget {
					set(r.body, "thinking", text(`{"type":"enabled","budget_tokens":1024}`))
				}
				return r
			}
			if status, body := post(t, s, think(goOn(t, k, handed, true))); status != http.StatusOK || len(s.Flaws()) > 0 {
				t.Fatalf("what was handed out is sent back: status %d, flaws %q, %.300s", status, s.Flaws(), body)
			}
			var made any
			if err := json.Unmarshal([]byte(handed), &made); err != nil {
				t.Fatal(err)
			}
			for _, path := range paths(made, "") {
				if plainly(path) {
					continue
				}
				for _, value := range []any{"changed", nil} {
					s, handed := speaks(t, k)
					var changed any
					d := json.NewDecoder(strings.NewReader(handed))
					d.UseNumber()
					_ = d.Decode(&changed)
					changed = set(changed, path, value)
					raw, _ := json.Marshal(changed)
					status, _ := post(t, s, think(goOn(t, k, string(raw), true)))
					if status == http.StatusOK && len(s.Flaws()) == 0 {
						t.Errorf("%s becomes %v, and it goes unnoticed", path, value)
					}
				}
			}
		})
	}
}

// plainly reports whether a member is not state, and is checked elsewhere or has only one value.
func plainly(path string) bool {
	last := path[strings.LastIndex(path, ".")+1:]
	return last == "role" || last == "type"
}

func TestStateThatAServerDemandsIsMissed(t *testing.T) {
	s, handed := speaks(t, strict.DeepSeek)
	r := goOn(t, strict.DeepSeek, handed, true)
	set(r.body, "messages.6.reasoning_content", "")
	if status, body := post(t, s, r); status != http.StatusOK || len(s.Flaws()) == 0 {
		t.Errorf("an empty text passes, and counts as a flaw: status %d, %s, %q", status, body, s.Flaws())
	}
	s, handed = speaks(t, strict.Gemini3)
	r = goOn(t, strict.Gemini3, handed, true)
	set(r.body, "contents.5.parts.3.thoughtSignature", nil)
	if status, body := post(t, s, r); status != http.StatusBadRequest || !strings.Contains(body, "function call `default_api:lookup` , position 6") {
		t.Errorf("status %d, %s", status, body)
	}
	set(r.body, "contents.5.parts.3.thoughtSignature", "skip_thought_signature_validator")
	if status, _ := post(t, s, r); status != http.StatusOK {
		t.Error("the documented sentinel is refused")
	}
}

func TestPreservedThinkingIsBoundToAllThatStoodBeforeIt(t *testing.T) {
	for name, c := range map[string]struct {
		path  string
		value any
		says  string
	}{
		"system":      {"system.0.text", "Be long.", "The `system` prompt differs"},
		"tools":       {"tools.0.description", "Looks.", "bound to a different conversation"},
		"old message": {"messages.0.content", "Look!", "bound to a different conversation"},
		"thinking":    {"messages.5.content.0", nil, "messages.7.content.0: Invalid `signature`"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, k := range []*strict.Kind{strict.Claude, strict.ClaudeOld} {
				call := strict.Calls("Why.", "", strict.Call{Name: "lookup", Arguments: `{"q":"a"}`})
				s := strict.New(t, k, call, call, strict.Say("Done."), strict.Say("Done again."))
				post(t, s, base(t, k))
				r := goOn(t, k, s.Handed()[0], true)
				post(t, s, r)
				for _, m := range append([]any{text(s.Handed()[1])}, answered(k, text(s.Handed()[1]))...) {
					set(r.body, "messages."+strconv.Itoa(len(r.body["messages"].([]any))), m)
				}
				set(r.body, "tools.0.cache_control", text(`{"type":"ephemeral"}`)) // does not count
				if status, body := post(t, s, r); status != http.StatusOK || len(s.Flaws()) > 0 {
					t.Fatalf("nothing has changed: status %d, %s, %q", status, body, s.Flaws())
				}
				set(r.body, c.path, c.value)
				status, body := post(t, s, r)
				if k == strict.ClaudeOld && status != http.StatusOK {
					t.Errorf("an old account: status %d, %s", status, body)
				}
				if k == strict.Claude && (status != http.StatusBadRequest || !strings.Contains(body, c.says)) {
					t.Errorf("status %d, %s", status, body)
				}
			}
		})
	}
}
