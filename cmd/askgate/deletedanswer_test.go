package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

// answeredWord is in every word of the answer, and nowhere else.
const answeredWord = "zebra"

// forgetful is a gateway with two persons, files and an audit with texts, and a model that asks for a
// form twice in a step and once more in the turn, which repeats it, and then, in each turn, one of the
// given calls.
type forgetful struct {
	*process
	begun map[string]string // the first event of each chat

	mu   sync.Mutex
	sent []string // to the model
	next []modeltest.Response
}

const (
	deletedForm = `{"questions":[{"question":"Where do you live?","input_type":"text","key":"city"},{"question":"Which team?","input_type":"select","options":["a","b"],"allow_other":true,"key":"team"},{"question":"Your plan?","input_type":"file"}]}`
	asksCity    = `{"question":"Your town?","input_type":"text","key":"city"}`
	asksTeam    = `{"question":"The team?","input_type":"select","options":["a","b"],"allow_other":true,"key":"team"}`
)

func newForgetful(t *testing.T) *forgetful {
	f := &forgetful{begun: map[string]string{}}
	call := func(id, arguments string) model.ToolCall {
		return model.ToolCall{ID: id, Name: "ask_user", Arguments: arguments}
	}
	f.next = []modeltest.Response{
		modeltest.Calls(call("call_1", deletedForm), call("call_2", deletedForm)), modeltest.Calls(call("call_3", deletedForm)), modeltest.Answer("Noted."), modeltest.Answer("More."), // c1
		modeltest.Answer("Forked."),                                           // c2
		modeltest.Calls(call("call_4", asksCity)), modeltest.Answer("Known."), // c3
		modeltest.Calls(call("call_5", asksTeam)), // c4
	}
	server := modeltest.NewFunc(t, func(n int, r modeltest.Request) modeltest.Response {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.sent = append(f.sent, string(r.Raw))
		if n < len(f.next) {
			return f.next[n]
		}
		return modeltest.Answer("Now.")
	})
	files := askers()
	files["gateway.json"] = strings.Replace(files["gateway.json"], `{"auth": {"mode"`, `{"audit": {"enabled": true, "texts": true}, "files": {"store": "`+t.TempDir()+`"}, "models": {"default": {"provider": "openai", "baseUrl": "`+server.URL+`", "model": "m"}},
		"auth": {"session": {"secret": "0123456789abcdef0123456789abcdef"}, "mode"`, 1)
	files["apps/helper.json"] = `{"id": "helper", "name": "Helper", "tools": ["ask_user"], "clarifications": {"keys": {"city": {"remember": "user", "silent": true}, "team": {"remember": "user"}}}}`
	files["tools.json"] = `[]`
	f.process = start(t, server.URL, files)
	return f
}

// upload sends a file to a chat and returns its id.
func (f *forgetful) upload(chatID, name, content string) string {
	f.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	if err != nil || form.Close() != nil {
		f.t.Fatal(err)
	}
	status, fields := f.as("alice", "POST", "/v1/apps/helper/chats/"+chatID+"/files", body.String(), "Content-Type", form.FormDataContentType())
	if status != http.StatusCreated {
		f.t.Fatalf("%d %v", status, fields)
	}
	return fmt.Sprint(fields["fileId"])
}

func (f *forgetful) say(chatID, body string) string {
	f.t.Helper()
	return f.begins(chatID, f.read("alice", "POST", "/v1/apps/helper/chats/"+chatID+"/messages", body))
}

// begins notes the first event of a chat.
func (f *forgetful) begins(chatID, stream string) string {
	if _, rest, ok := strings.Cut(stream, "id: "); ok && f.begun[chatID] == "" {
		f.begun[chatID], _, _ = strings.Cut(rest, "\n")
	}
	return stream
}

func (f *forgetful) read(who, method, path, body string, header ...string) string {
	f.t.Helper()
	resp := f.do(method, path, body, append(header, "Authorization", "Bearer ag_"+who)...)
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(data)
}

// stored returns the names of the files of the store and of uploads that have the word.
func (f *forgetful) stored() (found []string) {
	f.t.Helper()
	var settings struct{ Files struct{ Store string } }
	text, err := os.ReadFile(filepath.Join(f.dir, "gateway.json"))
	if err == nil {
		err = json.Unmarshal(text, &settings)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	for _, dir := range []string{f.dir, settings.Files.Store} {
		if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if bytes.Contains(data, []byte(answeredWord)) {
				found = append(found, filepath.Base(path))
			}
			return err
		}); err != nil {
			f.t.Fatal(err)
		}
	}
	return found
}

// views returns what the gateway shows, by place.
func (f *forgetful) views(id string) map[string]string {
	f.t.Helper()
	views := map[string]string{}
	for _, path := range []string{
		"/v1/clarifications/" + id, "/v1/clarifications?status=all", "/v1/clarifications?status=pending", "/v1/memory", "/v1/apps/helper/chats", "/v1/apps/helper/chats?q=" + answeredWord,
		"/v1/apps/helper/chats/c1", "/v1/apps/helper/chats/c2", "/v1/apps/helper/chats/c3", "/v1/apps/helper/chats/c4",
	} {
		views[path] = strings.ReplaceAll(f.read("alice", "GET", path, ""), "q="+answeredWord, "")
	}
	for _, flags := range [][]string{{"audit"}, {"report"}} {
		_, stdout, stderr := command(f.t, append(flags, "--config", f.dir, "--store", "sqlite:"+filepath.Join(f.dir, "askgate.db"))...)
		views["askgate "+flags[0]] = stdout + stderr
	}
	return views
}

// with returns the places whose text has the word, in order.
func with(views map[string]string) (found []string) {
	for place, text := range views {
		if strings.Contains(text, answeredWord) {
			found = append(found, place)
		}
	}
	slices.Sort(found)
	return found
}

// TestADeletedAnswerIsNowhere: an answer with a note, own words and a file, remembered by key, given to
// two calls of a step and repeated in the turn, copied by a fork, used in another chat without asking
// and offered in a third, is found in no view, no row and no file once it is deleted, and the model
// reads it no more. The audit holds, with who, when and the outcome.
func TestADeletedAnswerIsNowhere(t *testing.T) {
	f := newForgetful(t)
	f.say("c1", `{"message":"Hi"}`)
	_, list := f.as("alice", "GET", "/v1/clarifications", "")
	id := fmt.Sprint(list["items"].([]any)[0].(map[string]any)["clarificationId"])
	file := f.upload("c1", "zebra.txt", "zebracontent")
	answer := `{"idempotencyKey":"k1","answer":{"clarificationId":"` + id + `","note":"zebranote","answers":[{"value":"zebratown","note":"zebrapart","dontAskAgain":true},{"other":"zebrateam"},{"value":"` + file + `"}]}}`
	if got := f.say("c1", answer); !strings.Contains(got, "zebratown") {
		t.Fatal(got)
	}
	f.say("c1", `{"message":"More"}`)
	_, snapshot := f.as("alice", "GET", "/v1/apps/helper/chats/c1", "")
	messages := snapshot["messages"].([]any)
	last := ""
	for _, m := range messages {
		if m := m.(map[string]any); m["role"] == "user" {
			last = fmt.Sprint(m["id"])
		}
	}
	f.begins("c2", f.read("alice", "POST", "/v1/apps/helper/chats/c1/fork", `{"messageId":"`+last+`","message":"Or this","newChatId":"c2"}`))
	f.say("c3", `{"message":"Third"}`)
	f.say("c4", `{"message":"Fourth"}`)
	if offer := f.replay("c4", 1); !strings.Contains(offer, `"earlier":{"other":"zebrateam"`) {
		t.Errorf("c4 offers nothing: %s", offer)
	}
	before := with(f.views(id))
	if len(before) < 9 || len(f.stored()) < 2 {
		t.Fatalf("before, it is only in %q and %q", before, f.stored())
	}
	for who, want := range map[string]int{"bob": 404, "erin": 404, "alice": 204} {
		if status, fields := f.as(who, "DELETE", "/v1/clarifications/"+id+"/answer", ""); status != want {
			t.Errorf("%s: %d %v", who, status, fields)
		}
	}
	if status, _ := f.as("alice", "DELETE", "/v1/clarifications/"+id+"/answer", ""); status != 204 {
		t.Errorf("again: %d", status)
	}
	f.mu.Lock()
	sent := len(f.sent)
	f.mu.Unlock()
	for range 2 {
		views := f.views(id)
		for chatID, runs := range map[string]int{"c1": 4, "c2": 2, "c3": 2} {
			replay := f.replay(chatID, runs)
			if views["replay of "+chatID] = replay; !strings.Contains(replay, `"answer":{"deleted":true}`) || strings.Contains(replay, "[deleted]") == (chatID == "c2") { // whose run begins after the copy
				t.Errorf("the replay of %s: %s", chatID, replay)
			}
		}
		views["replay of c4"] = f.replay("c4", 1)
		views["repeated"] = f.say("c1", answer)
		views["file"] = f.read("alice", "GET", "/v1/apps/helper/chats/c1/files/"+file, "")
		if found := with(views); len(found) > 0 {
			t.Errorf("it is still in %q: %s", found, views[found[0]])
		}
		if found := f.stored(); len(found) > 0 {
			t.Errorf("its bytes are in %q", found)
		}
		if !strings.Contains(views["/v1/apps/helper/chats/c1"], `"answer":{"deleted":true}`) || !strings.Contains(views["file"], "not_found") {
			t.Errorf("c1 shows %s, the file %s", views["/v1/apps/helper/chats/c1"], views["file"])
		}
		if log := views["askgate audit"]; strings.Count(log, `"what":"answer.deleted"`) != 1 || !strings.Contains(log, `"outcome":"answered"`) || !strings.Contains(log, `"what":"asked"`) {
			t.Errorf("the audit: %s", log)
		}
		if code, stdout, stderr := command(t, "audit", "--verify", "--config", f.dir, "--store", "sqlite:"+filepath.Join(f.dir, "askgate.db")); code != 0 {
			t.Errorf("the audit does not hold: %s%s", stdout, stderr)
		}
		f.restart()
	}
	for _, chatID := range []string{"c1", "c2", "c3"} {
		f.say(chatID, `{"message":"And now?"}`)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, request := range f.sent[sent:] {
		if strings.Contains(request, answeredWord) || !strings.Contains(request, "[deleted]") {
			t.Errorf("the model reads %s", request)
		}
	}
	if n := len(f.sent[sent:]); n != 3 {
		t.Errorf("%d requests", n)
	}
	if strings.Contains(f.log.String(), answeredWord) {
		t.Error("the log has it")
	}
}

// replay returns the events of a chat from its beginning, with those of so many runs.
func (f *forgetful) replay(chatID string, runs int) string {
	f.t.Helper()
	resp := f.do("GET", "/v1/apps/helper/chats/"+chatID+"/events", "", "Authorization", "Bearer ag_alice", "Last-Event-ID", f.begun[chatID])
	defer resp.Body.Close()
	buffer, text := make([]byte, 1<<16), ""
	for strings.Count(text, "event: done") < runs {
		n, err := resp.Body.Read(buffer)
		if text += string(buffer[:n]); err != nil || strings.Contains(text, "event: snapshot") {
			f.t.Fatalf("%s: %v: %s", chatID, err, text)
		}
	}
	return text
}

// TestWhoMayDeleteAnAnswer: who gave it, also once a role is lost, and no one else; not while the
// question waits, and not what was decided about a call.
func TestWhoMayDeleteAnAnswer(t *testing.T) {
	call := modeltest.Calls(model.ToolCall{ID: "call_1", Name: "calculator", Arguments: `{"expression":"1+1"}`})
	p := start(t, modeltest.New(t, call, modeltest.Answer("Two.")).URL, askers())
	tries := func(what, id, code string, wants map[string]int) {
		t.Helper()
		for who, want := range wants {
			status, fields := p.as(who, "DELETE", "/v1/clarifications/"+id+"/answer", "")
			if status != want || status == http.StatusConflict && fields["code"] != code {
				t.Errorf("%s, %s: %d %v, want %d", what, who, status, fields, want)
			}
		}
	}
	status, asked := p.as("ci", "POST", "/v1/apps/helper/clarifications", `{"to":{"role":"oncall"},"question":"Which day?"}`)
	id := fmt.Sprint(asked["clarificationId"])
	if status != http.StatusCreated {
		t.Fatalf("%d %v", status, asked)
	}
	tries("pending", id, "clarification_pending", map[string]int{"bob": 409, "carol": 409, "ci": 403, "dave": 404})
	p.as("bob", "POST", "/v1/clarifications/"+id+"/answer", `{"value":"Monday"}`)
	tries("answered", id, "", map[string]int{"carol": 403, "ci": 403, "dave": 404})
	text, err := os.ReadFile(filepath.Join(p.dir, "gateway.json"))
	if err == nil {
		err = os.WriteFile(filepath.Join(p.dir, "gateway.json"), bytes.Replace(text, []byte(`, "roles": ["oncall", "finance"]`), nil, 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.restart()
	tries("answered, without the role", id, "", map[string]int{"bob": 204})
	if _, got := p.as("ci", "GET", "/v1/clarifications/"+id, ""); fmt.Sprint(got["answer"]) != "map[deleted:true]" || got["state"] != "answered" {
		t.Errorf("the asker sees %v", got)
	}
	p.as("alice", "POST", "/v1/apps/helper/chats/c1/messages", `{"message":"Count"}`, "Accept", "application/json")
	_, list := p.as("erin", "GET", "/v1/clarifications", "")
	id = fmt.Sprint(list["items"].([]any)[0].(map[string]any)["clarificationId"])
	p.as("erin", "POST", "/v1/clarifications/"+id+"/answer", `{"value":"yes"}`)
	tries("approved", id, "not_deletable", map[string]int{"erin": 409, "alice": 403, "dave": 404})
	_, asked = p.as("ci", "POST", "/v1/apps/helper/clarifications", `{"to":{"role":"oncall"},"question":"Which day?"}`)
	id = fmt.Sprint(asked["clarificationId"])
	p.as("ci", "POST", "/v1/clarifications/"+id+"/cancel", "")
	tries("withdrawn", id, "not_deletable", map[string]int{"carol": 409, "dave": 404})
}
