package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	kept "github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/turn"
)

// When a principal has reached its storage limit, the gateway accepts no more from it: 413. A
// question that it is asked can still be answered, others can answer its questions, and what it
// deletes frees space.
func TestAPrincipalStoresAsMuchAsItMay(t *testing.T) {
	place, err := kept.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := files{"gateway.json": strings.Replace(askFiles["gateway.json"], `"concurrentTurns": 0}`, `"concurrentTurns": 0, "storedBytes": 100000}`, 1)}
	s := realServer(t, f, func(o *turn.Options) { o.Files = place })
	as := func(who string) []string { return []string{"Authorization", "Bearer ag_" + who} }
	post := func(who, path, body string) reply { return s.call(http.MethodPost, path, body, as(who)...) }
	const chats = "/v1/apps/plain/chats/"

	asked := post("ci", "/v1/apps/plain/clarifications", `{"to": "alice", "question": "Deploy?", "chatId": "ops"}`)
	if asked.StatusCode != http.StatusCreated {
		t.Fatal(asked.body)
	}
	var question struct {
		ID string `json:"clarificationId"`
	}
	if err := json.Unmarshal(asked.body, &question); err != nil {
		t.Fatal(err)
	}
	if r := post("ci", "/v1/apps/plain/clarifications", `{"to": "alice", "question": "Which file?", "input_type": "file", "chatId": "docs"}`); r.StatusCode != http.StatusCreated {
		t.Fatal(string(r.body))
	}
	if r := s.upload(chats+"docs/files", "a.txt", "hello", as("alice")...); r.StatusCode != http.StatusCreated {
		t.Fatal(string(r.body))
	}
	if r := post("alice", chats+"waits/messages", `{"message": "select"}`); r.StatusCode != http.StatusOK {
		t.Fatal(r.body)
	}
	large, n := fmt.Sprintf(`{"message": %q}`, "quick "+strings.Repeat("x", 20_000)), 0
	for ; n < 10; n++ {
		if r := post("alice", chats+fmt.Sprint("c", n)+"/messages", large); r.StatusCode != http.StatusOK {
			r.wantProblem(t, 413, "storage_full")
			break
		}
	}
	if n < 2 || n > 4 {
		t.Errorf("%d chats of some 20 KB were accepted, although the limit is 100 KB", n)
	}
	post("alice", chats+"c0/messages", large).wantProblem(t, 413, "storage_full")
	s.upload(chats+"docs/files", "b.txt", strings.Repeat("f", 30_000), as("alice")...).wantProblem(t, 413, "storage_full")
	var options []string
	for i := range 20 {
		options = append(options, fmt.Sprintf(`{"label": "%d", "description": %q}`, i, strings.Repeat("ü", 300)))
	}
	long := `{"question": "Mine?", "input_type": "select", "options": [` + strings.Join(options, ",") + `]}`
	post("alice", "/v1/apps/plain/clarifications", `{"questions": [`+strings.TrimSuffix(strings.Repeat(long+",", 3), ",")+`]}`).wantProblem(t, 413, "storage_full")
	var c0 struct{ Messages []struct{ ID string } }
	if err := json.Unmarshal(s.call(http.MethodGet, chats+"c0", "", as("alice")...).body, &c0); err != nil {
		t.Fatal(err)
	}
	post("alice", chats+"c0/fork", `{"messageId": "`+c0.Messages[0].ID+`"}`).wantProblem(t, 413, "storage_full")
	if r := post("alice", "/v1/clarifications/"+question.ID+"/answer", `{"value": "yes"}`); r.StatusCode != http.StatusOK {
		t.Errorf("answering a program's question: %d %s", r.StatusCode, r.body)
	}
	said := fmt.Sprintf(`{"message": %q}`, strings.Repeat("s", 30_000))
	for n = 0; n < 5; n++ {
		if r := post("ci", "/v1/clarifications/"+question.ID+"/messages", said); r.StatusCode != http.StatusCreated {
			r.wantProblem(t, 413, "storage_full")
			break
		}
	}
	if n != 3 {
		t.Errorf("a program stored %d texts of 30 KB, want 3: the limit is 100 KB", n)
	}
	if r := post("alice", chats+"waits/messages", `{"answer": {"declined": true}}`); r.StatusCode != http.StatusOK {
		t.Errorf("answering a model's question: %d %s", r.StatusCode, r.body)
	}
	if r := post("carol", chats+"c0/messages", large); r.StatusCode != http.StatusOK {
		t.Errorf("another's message: %d %s", r.StatusCode, r.body)
	}
	if r := s.call(http.MethodDelete, chats+"c0", "", as("alice")...); r.StatusCode != http.StatusNoContent {
		t.Fatal(r.body)
	}
	if r := post("alice", chats+"again/messages", large); r.StatusCode != http.StatusOK {
		t.Errorf("after a delete: %d %s", r.StatusCode, r.body)
	}
}
