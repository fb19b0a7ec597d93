package main

import (
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/channels/mail/mailtest"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/prove/testenv"
)

// mailed returns the configuration of askers with a channel to a mail server.
func mailed(server, more string) map[string]string {
	files := askers()
	files["gateway.json"] = strings.Replace(files["gateway.json"], `{"auth": {`, fmt.Sprintf(`{"people": [
			{"tenant": "acme", "subject": "alice", "email": "alice@mail.example", "locale": "de"}, {"tenant": "acme", "subject": "bob", "email": "bob@mail.example", "roles": ["finance"]},
			{"tenant": "acme", "subject": "carol", "email": "carol@mail.example"}, {"tenant": "acme", "subject": "erin", "roles": ["finance"]}],
		"channels": [{"id": "mail", "type": "mail", "server": "smtp://%s", "from": "Ask <ask@example.org>"%s}],
		"auth": {"session": {"secret": "0123456789abcdef0123456789abcdef"}, `, server, more), 1)
	return files
}

var mailedLink = regexp.MustCompile(`http://[^\s<>"]+`)

// linksOf returns the links of a mail, as paths.
func (p *process) linksOf(l mailtest.Letter) (paths []string) {
	p.t.Helper()
	for _, link := range mailedLink.FindAllString(l.Text, -1) {
		path, ours := strings.CutPrefix(link, p.url)
		if !ours {
			p.t.Errorf("%s does not lead to %s", link, p.url)
		}
		paths = append(paths, path)
	}
	return paths
}

// aliceSays sends a message of alice, and waits until the turn ends or asks.
func (p *process) aliceSays(chat, message string) {
	p.t.Helper()
	resp := p.do("POST", "/v1/apps/helper/chats/"+chat+"/messages", fmt.Sprintf(`{"message": %q}`, message), "Authorization", "Bearer ag_alice")
	if text, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		p.t.Fatalf("%d %s %v", resp.StatusCode, text, err)
	}
}

// stateOf returns the state of the only question that waits in alice's chat, whether it was seen, and who could not be told.
func (p *process) stateOf(chat string) string {
	p.t.Helper()
	_, got := p.as("alice", "GET", "/v1/apps/helper/chats/"+chat, "")
	list, _ := got["pending"].([]any)
	if len(list) != 1 {
		p.t.Fatalf("%v", got)
	}
	c, _ := list[0].(map[string]any)
	return fmt.Sprint(c["state"], " ", c["seenAt"], " ", c["notTold"])
}

// A turn asks, and its person gets a mail in the person's language. A scanner opens all its links, which
// changes nothing; then the person answers with one, without signing in, and the turn goes on. Until then,
// the person is reminded in the same thread. The log has no address and no link.
func TestATurnIsAnsweredByMail(t *testing.T) {
	server := mailtest.New(t, mailtest.Options{})
	p := start(t, "", mailed(server.Address, `, "texts": true, "remindAfter": ["1h", "2h"]`))
	p.aliceSays("c", "select")
	got := <-server.Got
	l := got.Open(t)
	if got.From != "ask@example.org" || !slices.Equal(got.To, []string{"alice@mail.example"}) || l.Subject != "Helper braucht Ihre Antwort" || !strings.Contains(l.Text, "Helper hat eine Frage an Sie.") {
		t.Errorf("%v\n%s", l.Header, l.Text)
	}
	links := p.linksOf(l)
	if len(links) != 5 {
		t.Fatalf("%q", links)
	}
	for range 2 {
		for _, link := range append(links, links[0]+"&value=x", links[4]+"?value=%00") {
			for _, method := range []string{"GET", "HEAD"} {
				resp := p.do(method, link, "")
				if page, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK || method == "GET" && !strings.Contains(string(page), "<!doctype html>") {
					t.Errorf("%s %s: %d", method, link, resp.StatusCode)
				}
			}
		}
	}
	if state := p.stateOf("c"); state != "pending <nil> <nil>" {
		t.Errorf("after a scanner: %s", state)
	}
	stage := func(want int) {
		waitFor(t, func() bool {
			var is int
			p.past("SELECT max(stage) FROM notices", &is)
			return is == want
		})
	}
	stage(1)
	p.past("UPDATE notices SET due = 0") // as an hour later
	reminder := (<-server.Got).Open(t)
	if reminder.Subject != "Re: "+l.Subject || reminder.Get("References") != l.Get("References") || reminder.Get("Message-ID") == l.Get("Message-ID") || !strings.Contains(reminder.Text, "Erinnerung: ") {
		t.Errorf("%v\n%s", reminder.Header, reminder.Text)
	}
	stage(2)
	path, _, _ := strings.Cut(p.linksOf(reminder)[0], "?")
	if resp := p.do("POST", path, `{"value": "fr"}`); resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	waitFor(t, func() bool {
		_, chat := p.as("alice", "GET", "/v1/apps/helper/chats/c", "")
		return chat["status"] == "idle" && strings.Contains(fmt.Sprint(chat["messages"]), "fr")
	})
	waitFor(t, func() bool {
		var left int
		p.past("SELECT count(*) FROM notices", &left)
		return left == 0
	})
	if len(server.Got) != 0 {
		t.Errorf("%d more mails", len(server.Got))
	}
	for _, secret := range append(links, "alice@mail.example", strings.TrimPrefix(path, "/answer/")) {
		if strings.Contains(p.log.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

// Everybody under people who has the role is told of a call that waits for it, and signs in to decide: the
// mail has no link that answers, so it can be forwarded. Of the questions that no one could be told of, the
// snapshot says so.
func TestARoleIsToldByMail(t *testing.T) {
	server := mailtest.New(t, mailtest.Options{Rcpt: func(to string) error {
		if to == "alice@mail.example" {
			return mailtest.Error(550, smtp.EnhancedCode{5, 1, 1})
		}
		return nil
	}})
	p := start(t, "", mailed(server.Address, `, "texts": true`))
	p.aliceSays("c", "calculate 2+3")
	got := <-server.Got
	l := got.Open(t)
	if !slices.Equal(got.To, []string{"bob@mail.example"}) || l.Subject != "Helper needs your answer" || !strings.Contains(l.Text, "> expression: 2+3") || !slices.Equal(p.linksOf(l), []string{"/?inbox"}) {
		t.Errorf("%v %s\n%s", got.To, l.Subject, l.Text)
	}
	if state := p.stateOf("c"); state != "pending <nil> <nil>" { // erin has no address, but bob was told
		t.Error(state)
	}
	p.aliceSays("d", "select")
	waitFor(t, func() bool { return p.stateOf("d") == "pending <nil> [mail]" })
	if log := p.log.String(); strings.Contains(log, "alice@mail.example") || strings.Contains(log, "words about") || !strings.Contains(log, "refuses the person's address, and replies 550 5.1.1") {
		t.Errorf("%s", log)
	}
	if len(server.Got) != 0 {
		t.Errorf("%d more mails", len(server.Got))
	}
}

// The questions of a program come from it, by its title. Without texts nothing else is said.
func TestAProgramAsksByMail(t *testing.T) {
	server := mailtest.New(t, mailtest.Options{})
	p := start(t, modeltest.New(t).URL, mailed(server.Address, ""))
	p.ask(`{"to": "alice", "question": "MARKER deploy now?", "options": ["yes", "no"], "askedBy": {"name": "deploy", "title": "CI: Größe ✓"}}`)
	l := (<-server.Got).Open(t)
	if l.Subject != "CI: Größe ✓ braucht Ihre Antwort" || strings.Contains(l.Text+l.HTML, "MARKER") {
		t.Errorf("%v\n%s", l.Header, l.Text)
	}
}

// Two nodes tell a person once.
func TestTwoNodesMailOnce(t *testing.T) {
	server := mailtest.New(t, mailtest.Options{})
	redis, files := "ASKGATE_REDIS="+testenv.Redis(t), mailed(server.Address, "")
	here := start(t, "", files, redis)
	there := start(t, "", files, redis, "ASKGATE_STORE=sqlite:"+filepath.Join(here.dir, "askgate.db"))
	const questions = 8
	for i := range questions {
		p := []*process{here, there}[i%2]
		p.ask(fmt.Sprintf(`{"to": "alice", "question": "Question %d?"}`, i))
	}
	seen := map[string]bool{}
	for range questions {
		seen[(<-server.Got).Open(t).Get("Message-ID")] = true
	}
	waitFor(t, func() bool {
		var due int
		here.past("SELECT count(*) FROM notices WHERE stage = 0", &due)
		return due == 0
	})
	if len(seen) != questions || len(server.Got) != 0 {
		t.Errorf("%d messages, %d more", len(seen), len(server.Got))
	}
}

// A node is killed while the mail server reads. Another one sends the message, once its claim has lapsed.
func TestAMailOutlivesItsNode(t *testing.T) {
	reading, proceed := make(chan struct{}), make(chan struct{})
	var first sync.Once
	server := mailtest.New(t, mailtest.Options{Data: func(c *smtp.Conn) error {
		var err error
		first.Do(func() {
			close(reading)
			<-proceed
			err = c.Conn().Close()
		})
		return err
	}})
	dir, store := t.TempDir(), emptyPostgres(t)
	configtest.Files(mailed(server.Address, "")).Write(t, dir)
	env := []string{asProgram + "=1", "ASKGATE_CONFIG=" + dir, "ASKGATE_STORE=" + store}
	doomed := startNode(t, os.Args[0], env...)
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+doomed.address+"/v1/apps/helper/clarifications", strings.NewReader(`{"to": "alice", "question": "Deploy now?"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer ag_ci")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusCreated {
		t.Fatalf("%v %v", resp, err)
	}
	resp.Body.Close()
	<-reading
	doomed.end(syscall.SIGKILL)
	close(proceed)
	startNode(t, os.Args[0], env...)
	db, err := sql.Open("pgx", store)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "UPDATE notices SET due = 0"); err != nil { // as a minute later
		t.Fatal(err)
	}
	if got := <-server.Got; !slices.Equal(got.To, []string{"alice@mail.example"}) {
		t.Errorf("%v", got.To)
	}
	waitFor(t, func() bool {
		var left int
		return db.QueryRowContext(t.Context(), "SELECT count(*) FROM notices WHERE stage = 0").Scan(&left) == nil && left == 0
	})
	if len(server.Got) != 0 {
		t.Errorf("%d more mails", len(server.Got))
	}
}
