package agents_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// scripted is a model that asks with the tools that it finds, waits for the answer, and outputs it.
// It supports all that modeltest does, and what else agents request from a server.
type scripted struct {
	url string // without a path

	mu  sync.Mutex
	log []string // what it did, for a failing test
}

var (
	answered = regexp.MustCompile(`status\\*": ?\\*"answered`)
	chosen   = regexp.MustCompile(`q1\\*": ?\\*"(\w+)`)
	waiting  = regexp.MustCompile(`clarificationId\\*": ?\\*"(clr_\w+)`)
)

func newModel(t *testing.T) *scripted {
	t.Helper()
	m := &scripted{}
	play := modeltest.Handler(m.play)
	dump := os.Getenv("ASKGATE_AGENTS_DUMP") // a folder for what agents send
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		m.note("%s %s", r.Method, path)
		switch {
		case strings.HasSuffix(path, "/chat/completions"), strings.HasSuffix(path, "/messages"), strings.HasSuffix(path, "/responses"), strings.HasSuffix(path, ":streamGenerateContent"):
			play.ServeHTTP(w, r)
			if all := play.Requests(); dump != "" && len(all) > 0 {
				n++
				_ = os.WriteFile(filepath.Join(dump, fmt.Sprintf("%s-%d.json", strings.ReplaceAll(t.Name(), "/", "-"), n)), all[len(all)-1].Raw, 0o600)
			}
		case strings.HasSuffix(path, ":countTokens"):
			_, _ = w.Write([]byte(`{"totalTokens": 10}`))
		case strings.HasSuffix(path, "/count_tokens"):
			_, _ = w.Write([]byte(`{"input_tokens": 10}`))
		case strings.HasSuffix(path, "/models"):
			_, _ = w.Write([]byte(`{"object": "list", "data": [{"id": "scripted", "object": "model", "created": 1, "owned_by": "test"}], "models": []}`))
		case strings.HasSuffix(path, ":generateContent"):
			_, _ = w.Write([]byte(`{"candidates": [{"content": {"role": "model", "parts": [{"text": "{}"}]}, "finishReason": "STOP"}]}`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	m.url = s.URL
	return m
}

func (m *scripted) note(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log = append(m.log, fmt.Sprintf(format, args...))
}

func (m *scripted) did() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.log, "\n")
}

// play is the next step of a conversation. Other requests of an agent, such as for a title, have
// none of the tools.
func (m *scripted) play(n int, r modeltest.Request) modeltest.Response {
	raw := string(r.Raw)
	id := fmt.Sprintf("call_%d", n)
	switch asks, gets := tool(r.Raw, "ask_user", "ask_person"), tool(r.Raw, "get_answer"); {
	case answered.MatchString(raw):
		value := chosen.FindStringSubmatch(raw)
		m.note("read %v", value)
		if value == nil {
			return modeltest.Answer("It was answered, and no answer was there.")
		}
		return modeltest.Answer("The answer is " + value[1] + ".")
	case waiting.MatchString(raw) && gets != nil:
		all := waiting.FindAllStringSubmatch(raw, -1)
		m.note("wait again by %v", gets)
		return gets.call(id, map[string]any{"clarificationId": all[len(all)-1][1]})
	case asks != nil:
		m.note("ask by %v", asks)
		return asks.call(id, map[string]any{"question": "Which colour?", "input_type": "select", "options": []map[string]string{
			{"label": "Red", "value": "red"}, {"label": "Blue", "value": "blue"},
		}})
	}
	if loads := tool(r.Raw, "tool_search"); loads != nil && !strings.Contains(raw, loadsOurs) { // Qwen Code loads a server's tools on demand
		m.note("load by %v", loads)
		return loads.call(id, map[string]any{"query": loadsOurs})
	}
	return modeltest.Answer("Fine.")
}

// loadsOurs is the instruction to Qwen Code to load the gateway's tools.
const loadsOurs = "select:mcp__askgate__ask_user,mcp__askgate__get_answer"

// offered is a tool as an agent offers it; Codex puts the tools of a server into a namespace.
type offered struct{ name, namespace string }

func (o *offered) call(id string, arguments any) modeltest.Response {
	data, _ := json.Marshal(arguments)
	if o.namespace == "" {
		return modeltest.Response{modeltest.Call(0, id, o.name, string(data)), modeltest.Finish("tool_calls"), modeltest.Tokens(10, 10), modeltest.Done()}
	}
	item := fmt.Sprintf(`{"type":"function_call","id":"fc_%s","call_id":%q,"namespace":%q,"name":%q,"arguments":%q,"status":"completed"}`, id, id, o.namespace, o.name, data)
	event := func(kind, fields string) modeltest.Step {
		return modeltest.Raw("event: " + kind + "\ndata: {\"type\":\"" + kind + "\"," + fields + "}\n\n")
	}
	return modeltest.Response{
		event("response.created", `"response":{"id":"resp_1","object":"response","status":"in_progress","output":[]}`),
		event("response.output_item.done", `"output_index":0,"item":`+item),
		event("response.completed", `"response":{"id":"resp_1","object":"response","status":"completed","output":[`+item+`],"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}`),
	}
}

// tool finds a tool of the gateway's by its name; most agents put the server's name in front of it,
// and have tools of their own with similar names.
func tool(raw []byte, names ...string) *offered {
	var body any
	if json.Unmarshal(raw, &body) != nil {
		return nil
	}
	if found := search(body, "", names, "askgate"); found != nil {
		return found
	}
	return search(body, "", names, "")
}

// search finds the first tool whose name ends like one of the names and contains the server's, or
// is one of the names if server is "".
func search(v any, namespace string, names []string, server string) *offered {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			if found := search(one, namespace, names, server); found != nil {
				return found
			}
		}
	case map[string]any:
		own, _ := v["name"].(string)
		for _, name := range names {
			if server == "" && own == name || server != "" && strings.HasSuffix(own, name) && strings.Contains(namespace+own, server) {
				return &offered{own, namespace}
			}
		}
		if v["type"] == "namespace" {
			namespace = own
		}
		for key, one := range v {
			if key == "messages" || key == "contents" || key == "input" {
				continue // what was called before
			}
			if found := search(one, namespace, names, server); found != nil {
				return found
			}
		}
	}
	return nil
}
