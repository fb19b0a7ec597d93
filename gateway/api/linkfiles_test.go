package api_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	kept "github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/notify"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// fileLinks is a gateway that stores files of up to 1000 bytes, at most two per chat, and answer links
// to questions that ask for one.
type fileLinks struct {
	*server
	c    schemas
	dir  string
	db   store.Store
	more files // settings of gateway.json
}

func newFileLinks(t *testing.T, limits string) *fileLinks {
	t.Helper()
	l := &fileLinks{c: loadSchemas(t), dir: t.TempDir()}
	place, err := kept.Open(l.dir)
	if err != nil {
		t.Fatal(err)
	}
	gateway := strings.Replace(askFiles["gateway.json"], `"auth": {`, `"auth": {"session": {"secret": "`+sealing+`"}, `, 1)
	l.more = files{"gateway.json": strings.Replace(gateway, "{", `{"files": {"maxBytes": 1000, "perChat": 2, "perChatBytes": 1500}, `, 1)}
	l.more["gateway.json"] = strings.Replace(l.more["gateway.json"], `"limits": {`, `"limits": {`+limits, 1)
	l.server = realServer(t, l.more, func(o *turn.Options) { o.Files, l.db = place, o.Store })
	return l
}

// another is a second node of the same store.
func (l *fileLinks) another(t *testing.T) *server {
	t.Helper()
	place, err := kept.Open(l.dir)
	if err != nil {
		t.Fatal(err)
	}
	return realServer(t, l.more, func(o *turn.Options) { o.Files, o.Store, o.Node = place, l.db, "another" })
}

// ask returns a question for a text file of up to 900 bytes, its chat and its link.
func (l *fileLinks) ask() (c chat.Clarification, chatPath, link string) {
	l.t.Helper()
	id, chatPath := l.asksForAFile(l.c, `, "accept": ["text/plain"], "maxBytes": 900`)
	return l.row(id), chatPath, l.link(id, func(*chat.Clarification) {})
}

func (l *fileLinks) row(id string) chat.Clarification {
	l.t.Helper()
	c, err := l.db.Clarification(l.t.Context(), id)
	if err != nil {
		l.t.Fatal(err)
	}
	return c
}

func (l *fileLinks) link(id string, change func(*chat.Clarification)) string {
	l.t.Helper()
	c := l.row(id)
	change(&c)
	return notify.LinkPath + notify.SealLink(&config.Session{Secret: sealing}, &c)
}

// TestAFileAnswersByLink: what the link uploads answers its question and belongs to the chat from then
// on; before, no one finds it.
func TestAFileAnswersByLink(t *testing.T) {
	l := newFileLinks(t, "")
	c, chatPath, link := l.ask()
	alice := bearerOf("ag_alice")
	id := l.uploadedID(l.c, l.upload(link+"/files", "a.txt", "the words"), "a.txt", "text/plain")
	for name, path := range map[string]string{"the link": link + "/files/" + id, "the link's list": link + "/files"} {
		if r := l.call("GET", path, ""); r.StatusCode != 404 && r.StatusCode != 405 || strings.Contains(string(r.body), "the words") {
			t.Errorf("%s reads a file: %d %s", name, r.StatusCode, r.body)
		}
	}
	if r := l.call("DELETE", link+"/files/"+id, ""); r.StatusCode != 404 && r.StatusCode != 405 {
		t.Errorf("the link deletes a file: %d", r.StatusCode)
	}
	l.call("GET", "/v1/clarifications/"+c.ID+"/files/"+id, "", bearerOf("ag_ci")...).wantProblem(t, 404, "not_found")
	l.call("GET", chatPath+"/files/"+id, "", alice...).wantProblem(t, 404, "not_found")
	l.call("GET", chatPath+"/files/"+id, "").wantProblem(t, 401, "unauthenticated")
	if r := l.call("GET", link, ""); r.StatusCode != 200 || strings.Contains(string(r.body), id) || strings.Contains(string(r.body), "a.txt") {
		t.Errorf("the page shows what was uploaded: %d %s", r.StatusCode, r.body)
	}

	if r := l.call("POST", link, `{"value": "`+id+`"}`); r.StatusCode != 200 || !saysNothing(r) {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	if got := l.row(c.ID); got.State != tools.StateAnswered || got.Answer.File == nil || got.Answer.File.Name != "a.txt" || got.AnsweredBy.Channel != chat.ChannelLink {
		t.Errorf("stored %+v", got.Answer)
	}
	if r := l.call("GET", chatPath+"/files/"+id, "", alice...); r.StatusCode != 200 || string(r.body) != "the words" {
		t.Errorf("for its owner: %d %s", r.StatusCode, r.body)
	}
	if r := l.call("GET", link+"/files/"+id, ""); r.StatusCode == 200 {
		t.Errorf("the link reads what it sent: %s", r.body)
	}
	l.upload(link+"/files", "b.txt", "x").wantProblem(t, 409, "already_answered")
	wantFiles(t, l.dir, 1)
	if log := l.log.String(); strings.Contains(log, "a.txt") || strings.Contains(log, strings.TrimPrefix(link, notify.LinkPath)) {
		t.Error("the log has the file's name, or the link")
	}
}

// TestALinkUploadsForItsQuestionAlone, and a question takes no other link's file.
func TestALinkUploadsForItsQuestionAlone(t *testing.T) {
	l := newFileLinks(t, "")
	c, chatPath, link := l.ask()
	other, otherPath, otherLink := l.ask()
	alice := bearerOf("ag_alice")
	id := l.uploadedID(l.c, l.upload(link+"/files", "a.txt", "x"), "a.txt", "text/plain")
	for name, r := range map[string]reply{
		"by another question's link": l.call("POST", otherLink, `{"value": "`+id+`"}`),
		"by another question":        l.call("POST", "/v1/clarifications/"+other.ID+"/answer", `{"value": "`+id+`"}`, alice...),
		"in another chat":            l.post(strings.TrimPrefix(otherPath, "/v1/apps/plain/chats/"), `{"answer": {"clarificationId": "`+other.ID+`", "value": "`+id+`"}}`, alice...),
	} {
		if r.wantProblem(t, 422, "invalid_answer"); !strings.Contains(string(r.body), `"code":"file"`) {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	l.call("POST", chatPath+"/messages", `{"message": "Look", "files": ["`+id+`"]}`, alice...).wantProblem(t, 422, "invalid_files")

	text := l.call("POST", "/v1/apps/plain/clarifications", `{"to": "alice", "question": "Who?"}`, bearerOf("ag_ci")...)
	var asked struct{ ClarificationID string }
	text.decode(t, 201, &asked)
	l.upload(l.link(asked.ClarificationID, func(*chat.Clarification) {})+"/files", "a.txt", "x").wantProblem(t, 409, "no_file_wanted")
	l.upload(link[:len(link)-4]+"AAAA/files", "a.txt", "x").wantProblem(t, 404, "not_found")
	l.upload(l.link(c.ID, func(c *chat.Clarification) { c.Subject = "bob" })+"/files", "a.txt", "x").wantProblem(t, 404, "not_found")
	l.upload(l.link(c.ID, func(c *chat.Clarification) { c.ExpiresAt = time.Now().Add(-time.Second) })+"/files", "a.txt", "x").wantProblem(t, 410, "clarification_closed")
	if r := l.call("POST", "/v1/clarifications/"+c.ID+"/cancel", "", bearerOf("ag_ci")...); r.StatusCode >= 300 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	l.upload(link+"/files", "a.txt", "x").wantProblem(t, 410, "clarification_closed")
	wantFiles(t, l.dir, 1)
	l.call("DELETE", chatPath, "", alice...) // with what its link uploaded
	wantFiles(t, l.dir, 0)
}

// TestALinkKeepsTheLimits of its question, of the chat and of its owner.
func TestALinkKeepsTheLimits(t *testing.T) {
	l := newFileLinks(t, `"storedBytes": 3000, `)
	_, chatPath, link := l.ask()
	l.upload(link+"/files", "a.txt", strings.Repeat("x", 901)).wantProblem(t, 413, "too_large")
	l.upload(link+"/files", "a.txt", "%PDF-1.7\n%\xe2\xe3\xcf\xd3").wantProblem(t, 415, "unsupported_media_type")
	l.call("POST", link+"/files", "x", "Content-Type", "text/plain").wantProblem(t, 415, "unsupported_media_type")
	wantFiles(t, l.dir, 0)
	first := l.uploadedID(l.c, l.upload(link+"/files", "a.txt", strings.Repeat("x", 700)), "a.txt", "text/plain")
	l.upload(link+"/files", "a.txt", strings.Repeat("x", 850)).wantProblem(t, 413, "too_large") // what is left for the chat
	l.uploadedID(l.c, l.upload(link+"/files", "b.txt", "y"), "b.txt", "text/plain")
	if r := l.upload(link+"/files", "c.txt", "z"); !strings.Contains(string(r.body), "the limit is 2 files") {
		t.Errorf("%s", r.body)
	}
	wantFiles(t, l.dir, 2)

	// Files of the chat itself count, too: it never has more than it may.
	for _, name := range []string{"d.txt", "e.txt"} {
		l.uploadedID(l.c, l.upload(chatPath+"/files", name, "x", bearerOf("ag_alice")...), name, "text/plain")
	}
	l.call("POST", link, `{"value": "`+first+`"}`).wantProblem(t, 409, "no_file_wanted")

	// The owner's quota.
	var full reply
	for range 5 {
		_, _, link := l.ask()
		if full = l.upload(link+"/files", "a.txt", strings.Repeat("x", 800)); full.StatusCode != http.StatusCreated {
			break
		}
	}
	full.wantProblem(t, 413, "storage_full")
}

// TestAnotherNodeTakesTheAnswer that names a file which this one got.
func TestAnotherNodeTakesTheAnswer(t *testing.T) {
	l := newFileLinks(t, "")
	c, _, link := l.ask()
	node := l.another(t)
	id := l.uploadedID(l.c, l.upload(link+"/files", "a.txt", "x"), "a.txt", "text/plain")
	left := l.uploadedID(l.c, node.upload(link+"/files", "b.txt", "y"), "b.txt", "text/plain")
	if r := node.call("POST", link, `{"value": "`+id+`"}`); r.StatusCode != 200 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	l.call("POST", link, `{"value": "`+left+`"}`).wantProblem(t, 409, "already_answered")
	if got, err := json.Marshal(l.row(c.ID).Answer.File); err != nil || !strings.Contains(string(got), "a.txt") {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := os.Stat(l.dir + "/" + left); err != nil {
		t.Error(err)
	}
}
