package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// projectList is a service that lists projects, and can be switched off.
type projectList struct {
	mu    sync.Mutex
	names []string
	away  bool
	calls int
}

func (l *projectList) set(away bool, names ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away, l.names = away, names
}

func (l *projectList) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	if l.away {
		http.Error(w, "away", http.StatusInternalServerError)
		return
	}
	rows := make([]map[string]string, len(l.names))
	for i, name := range l.names {
		rows[i] = map[string]string{"name": name, "id": strings.ToLower(name)}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(rows)
}

// picking starts a gateway whose model asks for a project at once, and then repeats the answer.
func picking(t *testing.T, projects *projectList, script string) *process {
	t.Helper()
	server := httptest.NewServer(projects)
	t.Cleanup(server.Close)
	if script == "" {
		script = `[{"calls": [{"id": "call_1", "name": "ask_user", "arguments": {"template": "pick"}}]}, {"answer": "Noted."}, {"answer": "Noted again."}]`
	}
	responses, err := modeltest.ParseScript([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	return start(t, modeltest.New(t, responses...).URL, map[string]string{
		"apps/helper.json": `{"id": "helper", "tools": ["ask_user"], "clarifications": {"maxOptions": 2}}`,
		"tools.json": `[{"id": "ask_user", "templates": {"pick": {"question": "Which project?", "optionsFrom": {"tool": "list", "label": "/name", "value": "/id"}}}},
			{"id": "list", "type": "http", "http": {"url": "` + server.URL + `/"}}]`,
	})
}

const helperChat = "/v1/apps/helper/chats/c1"

// reply posts to the chat and returns the status and the whole response.
func (p *process) reply(body string) (int, string) {
	p.t.Helper()
	resp := p.do("POST", helperChat+"/messages", body)
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func (p *process) get(path string, into any) int {
	p.t.Helper()
	resp := p.do("GET", path, "")
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode
}

func TestAnswersWhileTheSourceIsAway(t *testing.T) {
	t.Parallel()
	projects := &projectList{}
	projects.set(false, "Alpha", "Beta", "Gamma", "Delta")
	p := picking(t, projects, "")
	p.send("helper", "c1", `{"message": "go"}`)
	p.restart() // nothing is held any more
	projects.set(true)
	if status, text := p.reply(`{"answer": {"value": "delta"}}`); status != 503 || !strings.Contains(text, `"options_unavailable"`) {
		t.Fatalf("nothing is known of it: %d %s", status, text)
	}
	var problem struct{ Code string }
	if status := p.get(helperChat+"/clarifications/"+p.pending()+"/options?q=del", &problem); status != 503 || problem.Code != "options_unavailable" {
		t.Errorf("a search: %d %+v", status, problem)
	}
	if status, text := p.reply(`{"answer": {"value": "alpha"}, "idempotencyKey": "k"}`); status != 200 || !strings.Contains(text, `"result":"Alpha (alpha)"`) {
		t.Errorf("the question carried it: %d %s", status, text)
	}
	projects.set(false, "Delta")
	if status, text := p.reply(`{"answer": {"value": "alpha"}, "idempotencyKey": "k"}`); status != 200 || !strings.Contains(text, `"result":"Alpha (alpha)"`) {
		t.Errorf("sent again, when the option is gone: %d %s", status, text)
	}
}

// pending returns the id of the open question in the chat.
func (p *process) pending() string {
	p.t.Helper()
	var chat struct {
		Clarification struct{ ClarificationID string }
	}
	p.get(helperChat, &chat)
	return chat.Clarification.ClarificationID
}

func TestMessageThatNamesAnOptionWhichIsGoneSupersedes(t *testing.T) {
	projects := &projectList{}
	projects.set(false, "Alpha", "Beta", "Gamma")
	p := picking(t, projects, "")
	p.send("helper", "c1", `{"message": "go"}`)
	projects.set(false, "Beta", "Gamma")
	status, text := p.reply(`{"message": "Alpha"}`)
	if status != 200 || !strings.Contains(text, `"outcome":"superseded"`) || !strings.Contains(text, `"content":"Alpha"`) {
		t.Errorf("%d %s", status, text)
	}
}

func TestMessageIsReadAmongAllOptions(t *testing.T) {
	for message, result := range map[string]string{"2": "Beta (beta)", "gamma": "Gamma (gamma)", "ALPHA": "Alpha (alpha)"} {
		projects := &projectList{}
		projects.set(false, "Alpha", "Beta", "Gamma")
		p := picking(t, projects, "")
		p.send("helper", "c1", `{"message": "go"}`)
		if status, text := p.reply(fmt.Sprintf(`{"message": %q}`, message)); status != 200 || !strings.Contains(text, `"result":"`+result+`"`) {
			t.Errorf("%s: %d %s", message, status, text)
		}
	}
}

func TestOneAnswerWinsOverOptionsThatAreListed(t *testing.T) {
	projects := &projectList{}
	projects.set(false, "Alpha", "Beta", "Gamma", "Delta")
	p := picking(t, projects, "")
	p.send("helper", "c1", `{"message": "go"}`)
	statuses := make(chan int)
	for _, value := range []string{"alpha", "beta", "gamma", "delta"} {
		go func() {
			resp := p.do("POST", helperChat+"/messages", `{"answer": {"toolCallId": "call_1", "value": "`+value+`"}}`)
			_, _ = io.Copy(io.Discard, resp.Body)
			statuses <- resp.StatusCode
		}()
	}
	var got []int
	for range 4 {
		got = append(got, <-statuses)
	}
	slices.Sort(got)
	if !slices.Equal(got, []int{200, 409, 409, 409}) {
		t.Errorf("%v", got)
	}
}

func TestStaleOptionOfAForm(t *testing.T) {
	projects := &projectList{}
	projects.set(false, "Alpha", "Beta")
	p := picking(t, projects, `[{"calls": [{"id": "call_1", "name": "ask_user", "arguments": {"questions": [{"question": "Who?", "input_type": "text"}, {"template": "pick"}]}}]}, {"answer": "Noted."}]`)
	p.send("helper", "c1", `{"message": "go"}`)
	projects.set(false, "Beta")
	status, text := p.reply(`{"answer": {"answers": [{"value": "Ada"}, {"value": "alpha"}]}}`)
	if status != 409 || !strings.Contains(text, `"question":1,"gone":["alpha"],"options":[{"label":"Beta","value":"beta"}],"optionsTotal":1`) {
		t.Errorf("%d %s", status, text)
	}
	if status, text := p.reply(`{"answer": {"answers": [{"value": "Ada"}, {"value": "none"}]}}`); status != 422 {
		t.Errorf("never offered: %d %s", status, text)
	}
	if status, text := p.reply(`{"answer": {"answers": [{"value": "Ada"}, {"value": "beta"}]}}`); status != 200 || !strings.Contains(text, "Beta (beta)") {
		t.Errorf("%d %s", status, text)
	}
}

// Searches in a long list return the first page and the number of hits, and call the source once.
func TestALongListIsSearched(t *testing.T) {
	t.Parallel()
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprintf("Project %d of Zürich", i)
	}
	projects := &projectList{}
	projects.set(false, names...)
	p := picking(t, projects, "")
	p.send("helper", "c1", `{"message": "go"}`)
	options := helperChat + "/clarifications/" + p.pending() + "/options?q="
	for query, total := range map[string]int{"zurich": 1000, "project 999": 1, "PROJECT 99 ZUR": 19, "nothing": 0} {
		var page struct {
			Items []struct{ Label string }
			Total int
		}
		if status := p.get(options+url.QueryEscape(query), &page); status != 200 || page.Total != total || len(page.Items) != min(total, 20) {
			t.Errorf("%q: %d, %d of %d", query, status, len(page.Items), page.Total)
		}
	}
	if projects.calls != 1 {
		t.Errorf("the source was called %d times", projects.calls)
	}
}
