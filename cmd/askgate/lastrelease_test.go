//go:build deploy

package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/sse"
)

// lastRelease is the commit or tag whose build runs next to the new one during an upgrade.
const lastRelease = "7109885a"

// kind is a kind of question, with the course of a turn that asks it, from the message to the end.
type kind struct {
	app     string   // "": helper
	tool    string   // that the model calls, "" for none
	args    string   // of the call
	answers []string // what is sent, by turns to either node; FILE is the id of a file of the chat
	by      string   // who answers, "": the owner, in the chat
	result  string   // what the model reads in the end: of a call, its result
	again   bool     // whether a second message gets the same without being asked
	fork    bool     // whether it is asked in a fork
}

const color = `{"question": "Which color?", "input_type": "select", "options": [{"label": "Red", "value": "red"}, {"label": "Blue", "value": "blue"}], "allow_other": true, "allow_skip": true`

// kinds are all kinds of questions that a turn can wait for.
var kinds = map[string]kind{
	"text":          {tool: "ask_user", args: `{"question": "Which city?", "input_type": "text"}`, answers: []string{`{"answer": {"value": "Ulm", "note": "the old one"}}`}, result: "Ulm\nNote: the old one"},
	"format":        {tool: "ask_user", args: `{"question": "Which address?", "input_type": "email"}`, answers: []string{`{"answer": {"value": "ada@example.org"}}`}, result: "ada@example.org"},
	"select":        {tool: "ask_user", args: color + `}`, answers: []string{`{"answer": {"value": "blue"}}`}, result: "Blue (blue)"},
	"own words":     {tool: "ask_user", args: color + `}`, answers: []string{`{"answer": {"other": "Mauve"}}`}, result: "Mauve"},
	"plain message": {tool: "ask_user", args: color + `}`, answers: []string{`{"message": "2"}`}, result: "Blue (blue)"},
	"skipped":       {tool: "ask_user", args: color + `}`, answers: []string{`{"answer": {"skipped": true}}`}, result: `"skipped":true`},
	"declined":      {tool: "ask_user", args: color + `}`, answers: []string{`{"answer": {"declined": true}}`}, result: `"declined":true`},
	"multiselect":   {tool: "ask_user", args: `{"question": "Which?", "input_type": "multiselect", "options": ["A", "B", "C"]}`, answers: []string{`{"answer": {"values": ["A", "C"]}}`}, result: "- A\n- C"},
	"confirm":       {tool: "ask_user", args: `{"question": "Really?", "input_type": "confirm"}`, answers: []string{`{"answer": {"value": true}}`}, result: "yes"},
	"number":        {tool: "ask_user", args: `{"question": "How many?", "input_type": "number", "validation": {"min": 1, "max": 9, "integer": true}}`, answers: []string{`{"answer": {"value": 7}}`}, result: "7"},
	"date":          {tool: "ask_user", args: `{"question": "When?", "input_type": "date"}`, answers: []string{`{"answer": {"value": "2026-12-01"}}`}, result: "2026-12-01"},
	"file":          {tool: "ask_user", args: `{"question": "Which file?", "input_type": "file"}`, answers: []string{`{"answer": {"value": "FILE"}}`}, result: "prices.csv"},
	"form": {tool: "ask_user", args: `{"questions": [{"id": "how", "question": "How?", "input_type": "select", "options": [{"label": "PDF", "value": "pdf", "preview": "**at once**"}, {"label": "Paper", "value": "paper"}]},
		{"question": "How many copies?", "input_type": "number", "default": 2, "when": {"question": "how", "is": "paper"}}, {"question": "Sure?", "input_type": "confirm"}]}`,
		answers: []string{`{"answer": {"answers": [{"value": "pdf"}, null, {"value": true}]}}`}, result: "Q2 (How many copies?): (not asked)"},
	"template":         {tool: "ask_user", args: `{"template": "pick"}`, answers: []string{`{"answer": {"value": "gamma"}}`}, result: "Gamma (gamma)"},
	"remembered":       {tool: "ask_user", args: `{"question": "Which format?", "input_type": "text", "key": "report_format_KIND"}`, answers: []string{`{"answer": {"value": "pdf", "dontAskAgain": true}}`}, result: "pdf", again: true},
	"text in a fork":   {tool: "ask_user", args: `{"question": "Which city?", "input_type": "text"}`, answers: []string{`{"answer": {"value": "Rome"}}`}, result: "Rome", fork: true},
	"app's form":       {app: "translate", answers: []string{`{"answer": {"answers": [{"value": "French"}, {"skipped": true}]}}`}, result: "Into French ()"},
	"approval":         {tool: "pay", args: `{"to": "Ada", "amount": 7}`, answers: []string{`{"answer": {"value": true, "note": "go"}}`}, result: "paid"},
	"refusal":          {tool: "pay", args: `{"to": "Ada", "amount": 7}`, answers: []string{`{"answer": {"value": false}}`}, result: `"declined"`},
	"edited approval":  {tool: "pay", args: `{"to": "Ada", "amount": 7}`, answers: []string{`{"answer": {"value": true, "arguments": {"to": "Ada", "amount": 8}}}`}, result: "changed the arguments"},
	"standing yes":     {tool: "wipe", args: `{}`, answers: []string{`{"answer": {"value": true}}`}, result: "paid", again: true},
	"made-up argument": {tool: "mail", args: `{"to": "eve@crypto.example"}`, answers: []string{`{"answer": {"value": true}}`}, result: "paid"},
	"role":             {tool: "settle", args: `{}`, by: "erin", answers: []string{`{"value": true}`}, result: "paid"},
	"client's tool":    {tool: "pick_color", args: `{"palette": "warm"}`, answers: []string{`{"answer": {"result": {"hex": "#ff0000"}}}`}, result: `{"hex":"#ff0000"}`},
	"approved, then client's": {tool: "locate", args: `{}`, answers: []string{`{"answer": {"value": true}}`, `{"answer": {"error": "no satellite"}}`},
		result: "no satellite"},
	"server's form": {tool: "travel__book_flight", args: `{"flight": "AG 12"}`, answers: []string{`{"answer": {"answers": [{"value": "Ada"}, {"value": 1}, {"value": "a"}, {"skipped": true}]}}`, `{"answer": {"value": true}}`}, result: "booked for Ada"},
	"server's page": {tool: "travel__pay", args: `{}`, answers: []string{`{"answer": {"value": true}}`}, result: "the user said accept"},
	"brought tool":  {tool: "read_file", args: `{"path": "a.txt"}`}, // of askOverAFront
	"parked call":   {tool: "old__book", args: `{}`, answers: []string{`{"answer": {"value": true}}`}, result: "accept"},
}

// The last release and this build run together during an upgrade. Each shows the questions of the other
// in the same way, and accepts their answers. Each turn ends once, and its model reads the answer once.
func TestTheLastReleaseRunsBesideThisBuild(t *testing.T) {
	released, server := &upgrade{name: "the last release"}, askedFor(t)
	built := &upgrade{name: "this build"}
	conf := upgradeFiles(t)
	env := []string{"HOME=" + conf, "ASKGATE_CONFIG=" + conf, "ASKGATE_LOG_LEVEL=warn", "MODEL_URL=" + server.URL, "ASKGATE_REDIS=" + testenv.Redis(t), "ASKGATE_STORE=" + ownSchema(t)}
	released.url = "http://" + startNode(t, buildOf(t, lastRelease), env...).address
	built.url = "http://" + startNode(t, "", env...).address // changes the tables, where it has others
	for _, nodes := range [][2]*upgrade{{released, built}, {built, released}} {
		for _, name := range slices.Sorted(maps.Keys(kinds)) {
			if k := kinds[name]; len(k.answers) > 0 {
				t.Run(nodes[0].name+" asks/"+name, func(t *testing.T) { k.play(t, nodes, name, server) })
			}
		}
		t.Run(nodes[0].name+" asks/front", func(t *testing.T) { askOverAFront(t, nodes) })
		t.Run(nodes[0].name+" asks/program", func(t *testing.T) { askByProgram(t, nodes) })
	}
	for _, who := range []string{"alice", "erin", "ci", "bob"} {
		for _, path := range []string{"/v1/clarifications?status=all&limit=100", "/v1/apps/helper/chats?limit=100", "/v1/apps/coder/chats", "/v1/memory"} {
			showAlike(t, [2]*upgrade{released, built}, who, path)
		}
	}
}

// buildOf builds the program of a commit.
func buildOf(t *testing.T, commit string) string {
	t.Helper()
	dir := t.TempDir()
	archive := exec.CommandContext(t.Context(), "git", "archive", "--output", filepath.Join(dir, "source.tar"), commit)
	archive.Dir = "../.."
	path := filepath.Join(dir, "askgate")
	for _, cmd := range []*exec.Cmd{
		archive,
		exec.CommandContext(t.Context(), "tar", "-x", "-f", filepath.Join(dir, "source.tar"), "-C", dir),
		exec.CommandContext(t.Context(), "go", "build", "-C", dir, "-o", path, "./cmd/askgate"),
	} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	return path
}

// askedFor is a model server: it calls the tool of the kind that a message names, and repeats what it
// reads otherwise.
func askedFor(t *testing.T) *modeltest.Server {
	return modeltest.NewFunc(t, func(n int, r modeltest.Request) modeltest.Response {
		last := r.Body.Messages[len(r.Body.Messages)-1]
		_, name, _ := strings.Cut(last.Text(), "kind: ")
		if k := kinds[name]; last.Role == "user" && k.tool != "" {
			chat, _, _ := strings.Cut(last.Text(), ",")
			return modeltest.Calls(model.ToolCall{ID: fmt.Sprint("call_", n), Name: k.tool, Arguments: strings.ReplaceAll(k.args, "KIND", chat)})
		}
		return modeltest.Answer("Read: " + last.Text())
	})
}

// upgradeFiles returns the configuration of both nodes.
func upgradeFiles(t *testing.T) string {
	t.Helper()
	projects := &projectList{}
	projects.set(false, "Alpha", "Beta", "Gamma", "Delta")
	list := httptest.NewServer(projects)
	t.Cleanup(list.Close)
	pays := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "paid") }))
	t.Cleanup(pays.Close)
	old, told := bookingServer(t)
	go func() {
		for range told {
		}
	}()
	t.Cleanup(func() { close(told) })
	var keys []string
	for subject, more := range map[string]string{"alice": ``, "erin": `, "roles": ["finance"]`, "bob": `, "roles": ["oncall"]`, "ci": `, "mayAsk": ["alice", "role:oncall"]`} {
		keys = append(keys, fmt.Sprintf(`{"id": %q, "hash": "sha256:%x", "tenant": "acme", "subject": %q%s}`, subject, sha256.Sum256([]byte("ag_"+subject)), subject, more))
	}
	return home(t, map[string]string{
		"gateway.json": `{"models": {"default": {"provider": "openai", "baseUrl": "$MODEL_URL", "model": "scripted"}}, "limits": {"requestsPerMinute": 0}, "files": {"store": "` + t.TempDir() + `"},
			"auth": {"mode": "apiKeys", "session": {"secret": "0123456789abcdef0123456789abcdef"}, "keys": [` + strings.Join(keys, ", ") + `]}}`,
		"apps/helper.json": `{"id": "helper", "tools": ["ask_user", "pay", "wipe", "mail", "settle", "pick_color", "locate", "travel", "old"], "memory": true, "limits": {"requestsPerMinute": 0},
			"clarifications": {"maxOptions": 3, "keys": {"report_format_the": {"remember": "user", "silent": true}, "report_format_this": {"remember": "user", "silent": true}}}}`,
		"apps/coder.json": `{"id": "coder", "tools": ["ask_user"], "clientTools": "on", "limits": {"requestsPerMinute": 0}}`,
		"apps/translate.json": `{"id": "translate", "prompt": "Into {{language}} ({{hint}}): {{content}}", "tools": [], "limits": {"requestsPerMinute": 0},
			"variables": [{"name": "language", "required": true, "predefinedValues": ["French", "German"]}, {"name": "hint"}]}`,
		"tools.json": strings.NewReplacer("LIST", list.URL, "PAYS", pays.URL, "TRAVEL", serveMCP(t), "OLD", old).Replace(`[
			{"id": "ask_user", "templates": {"pick": {"question": "Which project?", "optionsFrom": {"tool": "list", "label": "/name", "value": "/id"}}}},
			{"id": "list", "type": "http", "http": {"url": "LIST/"}},
			{"id": "pay", "type": "http", "description": "Pays.", "needsApproval": true, "editable": true, "http": {"method": "POST", "url": "PAYS/"},
				"parameters": {"type": "object", "properties": {"to": {"type": "string", "title": "Payee"}, "amount": {"type": "number"}}, "required": ["to", "amount"]}},
			{"id": "wipe", "type": "http", "description": "Wipes.", "needsApproval": true, "approvalRemember": "chat", "http": {"method": "POST", "url": "PAYS/"}, "parameters": {"type": "object"}},
			{"id": "mail", "type": "http", "description": "Mails.", "unfounded": "ask", "http": {"method": "POST", "url": "PAYS/"},
				"parameters": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}},
			{"id": "settle", "type": "http", "description": "Settles.", "needsApproval": {"by": {"role": "finance"}}, "http": {"method": "POST", "url": "PAYS/"}, "parameters": {"type": "object"}},
			{"id": "pick_color", "type": "client", "description": "Picks.", "parameters": {"type": "object", "properties": {"palette": {"type": "string"}}}},
			{"id": "locate", "type": "client", "description": "Locates.", "needsApproval": true, "parameters": {"type": "object"}},
			{"id": "travel", "type": "mcp", "mcp": {"url": "TRAVEL"}},
			{"id": "old", "type": "mcp", "mcp": {"url": "OLD"}}]`),
	})
}

// upgrade is one of the two nodes.
type upgrade struct{ name, url string }

// do sends a request as a subject; a body is JSON.
func (n *upgrade) do(ctx context.Context, subject, method, path, body string, header ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, n.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer ag_"+subject)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return http.DefaultClient.Do(req)
}

// request is like do. The response is closed when the test ends.
func (n *upgrade) request(t *testing.T, subject, method, path, body string, header ...string) *http.Response {
	t.Helper()
	resp, err := n.do(t.Context(), subject, method, path, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// json returns the response to a request that must succeed.
func (n *upgrade) json(t *testing.T, subject, method, path, body string, header ...string) (fields map[string]any) {
	t.Helper()
	resp := n.request(t, subject, method, path, body, header...)
	text, err := io.ReadAll(resp.Body)
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &fields)
	}
	if err != nil || resp.StatusCode/100 != 2 {
		t.Fatalf("%s: %s %s: %s %s %v", n.name, method, path, resp.Status, text, err)
	}
	return fields
}

// send posts a message as alice, and reads the stream to its end.
func (n *upgrade) send(t *testing.T, path, body string) []sse.Event {
	t.Helper()
	resp := n.request(t, "alice", "POST", path, body)
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		t.Fatalf("%s: %s: %s %s", n.name, body, resp.Status, text)
	}
	return events(t, resp.Body)
}

// seen reads the stream of a chat until a number of turns have ended. It returns the events, with
// consecutive pieces of text joined.
func seen(t *testing.T, stream io.Reader, turns int) (list []any) {
	t.Helper()
	next, stop := pull(stream)
	defer stop()
	for text := ""; turns > 0; {
		ev := next()
		var data map[string]any
		if err := json.Unmarshal(ev.Data, &data); ev.Name == "" || err != nil {
			t.Fatalf("the stream ends with %s %s after\n%v", ev.Name, ev.Data, list)
		}
		switch ev.Name {
		case "snapshot", "tool.call.progress":
			continue
		case "chunk":
			text += fmt.Sprint(data["content"])
			continue
		}
		if text != "" {
			list, text = append(list, text), ""
		}
		if list = append(list, []any{ev.ID, ev.Name, data}); ev.Name == "done" && data["finishReason"] != "clarification" {
			turns--
		}
	}
	return list
}

// play asks a question of a kind on the first node, and answers it on the second.
func (k kind) play(t *testing.T, nodes [2]*upgrade, name string, server *modeltest.Server) {
	way, app := strings.Fields(nodes[0].name)[0], cmp.Or(k.app, "helper")
	chatID := func(name string) string {
		return way + "-" + strings.Map(func(r rune) rune {
			if r < 'a' || r > 'z' {
				return '-'
			}
			return r
		}, name)
	}
	chat := "/v1/apps/" + app + "/chats/" + chatID(name)
	turns := 1
	if k.again {
		turns++
	}
	said := fmt.Sprintf("%s, kind: %s", way, name)
	if k.fork {
		said = way + ", kind: text"
	}
	message := func() []sse.Event {
		return nodes[0].send(t, chat+"/messages", fmt.Sprintf(`{"message": %q}`, said))
	}
	var begun []sse.Event
	if k.fork {
		first := "/v1/apps/helper/chats/" + chatID("text")
		id := nodes[1].json(t, "alice", "GET", first, "")["messages"].([]any)[0].(map[string]any)["id"]
		begun = nodes[0].send(t, first+"/fork", fmt.Sprintf(`{"messageId": %q, "newChatId": %q}`, id, chatID(name)))
	} else {
		begun = message()
	}
	follow := func() (streams [2]io.Reader) {
		for i, n := range nodes {
			streams[i] = n.request(t, "alice", "GET", chat+"/events", "", "Last-Event-ID", begun[0].ID).Body
		}
		return streams
	}
	live := follow()
	for i, answer := range k.answers {
		asked, _ := showAlike(t, nodes, "alice", chat)["clarification"].(map[string]any)
		id := fmt.Sprint(asked["clarificationId"])
		if asked == nil {
			t.Fatalf("nothing is asked: %s", begun[len(begun)-2].Data)
		}
		question := "/v1/clarifications/" + id
		if i == 0 && k.by == "" && asked["kind"] == "question" {
			nodes[0].json(t, "alice", "PUT", question+"/draft", `{"draft": {"typed": "so f"}}`)
			nodes[0].json(t, "alice", "POST", question+"/seen", "")
		}
		showAlike(t, nodes, cmp.Or(k.by, "alice"), question)
		showAlike(t, nodes, "alice", "/v1/clarifications?chat="+chatID(name)+"&app="+app)
		if before, after, takes := strings.Cut(answer, "FILE"); takes {
			answer = before + fmt.Sprint(upload(t, nodes[0], chat)["fileId"]) + after
		}
		answer = strings.Replace(answer, `{"answer": {`, fmt.Sprintf(`{"answer": {"clarificationId": %q, `, id), 1)
		if node := nodes[(i+1)%2]; k.by == "" {
			node.send(t, chat+"/messages", answer)
		} else {
			node.json(t, k.by, "POST", question+"/answer", answer)
		}
	}
	if k.by != "" { // the turn goes on by itself
		until(t, nodes[0], chat)
	}
	if k.again {
		if list := message(); len(found(list, "clarification")) > 0 {
			t.Errorf("%s asks again", nodes[0].name)
		}
	}
	for how, streams := range map[string][2]io.Reader{"live": live, "from the store": follow()} {
		lists := [2]any{seen(t, streams[0], turns), seen(t, streams[1], turns)}
		alike(t, nodes, how, lists)
		if n := strings.Count(fmt.Sprint(lists[0]), " tool.call.end "); n != turns {
			t.Errorf("%s, a call ends %d times", how, n)
		}
	}
	text := fmt.Sprint(showAlike(t, nodes, "alice", chat))
	if !strings.Contains(text, "status:idle") || !strings.Contains(text, "finishReason:stop") || strings.Count(text, "content:Read: ") != turns {
		t.Errorf("the chat ends as %s", text)
	}
	read := 0
	for _, r := range server.Requests() {
		last := r.Body.Messages[len(r.Body.Messages)-1]
		if last.Text() != said && strings.Contains(string(r.Raw), said+`"`) && strings.Contains(last.Text(), k.result) {
			read++
		}
	}
	if read != turns {
		t.Errorf("a model reads the answer %d times: %s", read, text)
	}
}

// until waits until the turn of the chat is over.
func until(t *testing.T, n *upgrade, chat string) {
	t.Helper()
	waitFor(t, func() bool { return n.json(t, "alice", "GET", chat, "")["status"] == "idle" })
}

// upload sends a file to a chat.
func upload(t *testing.T, n *upgrade, chat string) map[string]any {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "prices.csv")
	if err == nil {
		_, err = io.WriteString(part, "rose,3\n")
	}
	if err != nil {
		t.Fatal(err)
	}
	form.Close()
	return n.json(t, "alice", "POST", chat+"/files", body.String(), "Content-Type", form.FormDataContentType())
}

// askOverAFront lets a model ask in words, and call a tool from the request, on one node. The answers go
// to the other node.
func askOverAFront(t *testing.T, nodes [2]*upgrade) {
	type message map[string]any
	complete := func(n *upgrade, messages ...message) message {
		body, err := json.Marshal(map[string]any{"model": "coder", "messages": messages, "tools": json.RawMessage(
			`[{"type": "function", "function": {"name": "read_file", "description": "Reads.", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}}]`)})
		if err != nil {
			t.Fatal(err)
		}
		return n.json(t, "alice", "POST", "/v1/chat/completions", string(body))["choices"].([]any)[0].(map[string]any)["message"].(map[string]any)
	}
	for _, name := range []string{"select", "brought tool"} {
		first := message{"role": "user", "content": nodes[0].name + ", kind: " + name}
		asked := complete(nodes[0], first)
		reply, want := message{"role": "user", "content": "2"}, "Read: Blue (blue)"
		if calls, _ := asked["tool_calls"].([]any); len(calls) == 1 {
			reply, want = message{"role": "tool", "tool_call_id": calls[0].(map[string]any)["id"], "content": "roses"}, "Read: roses"
		}
		if ended := complete(nodes[1], first, asked, reply); ended["content"] != want {
			t.Errorf("%v, then %v", asked, ended)
		}
	}
}

// askByProgram asks a person and a role as a program on one node. They answer on the other.
func askByProgram(t *testing.T, nodes [2]*upgrade) {
	for who, to := range map[string]string{"alice": `"alice"`, "bob": `{"role": "oncall"}`} {
		asked := nodes[0].json(t, "ci", "POST", "/v1/apps/helper/clarifications", `{"to": `+to+`, "question": "Deploy?", "input_type": "confirm", "details": "rm -rf", "askedBy": {"name": "deploy", "title": "CI"}}`)
		path := fmt.Sprintf("/v1/clarifications/%s", asked["clarificationId"])
		for _, subject := range []string{who, "ci"} {
			showAlike(t, nodes, subject, path)
		}
		ended := make(chan string, 1)
		go func() {
			resp, err := nodes[0].do(t.Context(), "ci", "GET", path+"?wait=300", "")
			if err != nil {
				ended <- err.Error()
				return
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			ended <- string(text)
		}()
		nodes[1].json(t, who, "POST", path+"/answer", `{"value": true, "note": "go"}`)
		if got := <-ended; !strings.Contains(got, `"answer":{"value":"yes","note":"go"}`) {
			t.Errorf("the program has %s", got)
		}
		nodes[1].json(t, "ci", "POST", path+"/messages", `{"message": "Deployed."}`)
		for _, subject := range []string{who, "ci"} {
			showAlike(t, nodes, subject, path)
		}
		if who == "alice" {
			showAlike(t, nodes, who, fmt.Sprintf("/v1/apps/helper/chats/%s", asked["chatId"]))
		}
	}
}

// showAlike returns what the first node shows, and fails if the other shows something else.
func showAlike(t *testing.T, nodes [2]*upgrade, who, path string) map[string]any {
	t.Helper()
	shown := nodes[0].json(t, who, "GET", path, "")
	alike(t, nodes, who+" "+path, [2]any{shown, nodes[1].json(t, who, "GET", path, "")})
	return shown
}

// alike fails unless this build shows everything that the last release shows.
func alike(t *testing.T, nodes [2]*upgrade, what string, shown [2]any) {
	t.Helper()
	if nodes[0].name == "this build" {
		shown[0], shown[1] = shown[1], shown[0]
	}
	if !within(shown[0], shown[1]) {
		t.Errorf("%s: the last release shows\n%v\n\nthis build\n%v", what, shown[0], shown[1])
	}
}

// renamed has the members whose names have changed since the last release, before 0.1.0.
var renamed = map[string]string{"partsAt": "branchPoint"}

// within reports whether b contains everything in a.
func within(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		for name, value := range a {
			ok = ok && within(value, b[cmp.Or(renamed[name], name)])
		}
		return ok
	case []any:
		b, ok := b.([]any)
		ok = ok && len(a) == len(b)
		for i := 0; ok && i < len(a); i++ {
			ok = within(a[i], b[i])
		}
		return ok
	}
	return reflect.DeepEqual(a, b)
}
