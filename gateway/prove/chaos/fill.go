package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A key may fill chats with stored data, and request all of it.

const (
	// fullQuestions is the number tried in each chat: as many as may wait there.
	fullQuestions = 1_000
	// fullParallel is the number of simultaneous requests of one kind.
	fullParallel = 10
	fullChat     = "full"
	// fullPause is how long an attacker waits from ten requests to the next.
	fullPause = 250 * time.Millisecond
	draftChat = "drafts"
	queuePath = "/v1/apps/" + appQueue + "/chats/queue"
	// queueTime is how long it may take until a message is queued.
	queueTime = 2 * time.Second
	// closedQuestions were asked in the full chat before: each adds a row to a report.
	closedQuestions = 150
	// queuedMessages is as many as may wait in a chat.
	queuedMessages = 20
	// shortFill is a fraction of what a chat is filled with, where only few rounds are run.
	shortFill = 10
)

// fills are the attacker's preparations before it requests all of it.
func (e *exhaustion) fills() []func(context.Context) error {
	return []func(context.Context) error{e.mark, e.fillChats, e.fillClosed, e.fillQuestions, e.fillDrafts, e.fillQueue}
}

// most returns n, or a part of it in a short run.
func (e *exhaustion) most(n int) int {
	if e.o.rounds < enough {
		return max(1, n/shortFill)
	}
	return n
}

// mark records where the attacker's stream of everything begins.
func (e *exhaustion) mark(ctx context.Context) error {
	resp, err := request(ctx, "GET", e.life.URL+"/v1/events", "", "Authorization", "Bearer attacker")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			e.since = id
			return nil
		}
	}
	return errors.New("/v1/events sent no event id")
}

// fillChats creates the chat that is read, copies of it, which make a search long, and a list of
// chats with titles of the maximum length.
func (e *exhaustion) fillChats(ctx context.Context) error {
	for range e.most(largeMessages) {
		if err := e.say(ctx, "attacker", "large", "quick "+strings.Repeat("\U0001F600", largeMessage-len("quick "))); err != nil {
			return err
		}
	}
	var err error
	if e.newest, err = e.newestMessage(ctx, "large"); err != nil {
		return err
	}
	for i := range e.most(100) {
		chat := fmt.Sprint("titled", i)
		if err := e.say(ctx, "attacker", chat, "quick"); err != nil {
			return err
		}
		title := fmt.Sprintf(`{"title":%q}`, strings.Repeat("\U0001F600", 100))
		if err := e.must(ctx, http.StatusOK, "PATCH", "/v1/apps/"+appTalk+"/chats/"+chat, title); err != nil {
			return err
		}
	}
	for i := range e.most(10) {
		if err := e.must(ctx, http.StatusOK, "POST", "/v1/apps/"+appTalk+"/chats/large/fork", e.fork(fmt.Sprint("copy", i))); err != nil {
			return err
		}
	}
	return nil
}

// newestMessage is the id of the newest message of the attacker's in a chat.
func (e *exhaustion) newestMessage(ctx context.Context, chat string) (string, error) {
	resp, err := request(ctx, "GET", chatURL(e.life.URL, appTalk, chat)+"?limit=2", "", "Authorization", "Bearer attacker")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var shot snapshot
	if err := json.NewDecoder(resp.Body).Decode(&shot); err != nil {
		return "", err
	}
	for _, m := range shot.Messages {
		if m.Role == "user" {
			return m.ID, nil
		}
	}
	return "", fmt.Errorf("the chat %s has no message", chat)
}

// fork is the body of a fork of the large chat at its newest message; to "": to a chat with a new
// name.
func (e *exhaustion) fork(to string) string {
	if to == "" {
		to = fmt.Sprint("fork", e.serial.next())
	}
	return fmt.Sprintf(`{"messageId":%q,"message":"quick","newChatId":%q}`, e.newest, to)
}

// must sends a request of the attacker's that must get a given status.
func (e *exhaustion) must(ctx context.Context, want int, method, path, body string) error {
	status, answer, err := e.call(ctx, "attacker", method, path, body)
	if err == nil && status != want {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, status, answer)
	}
	return err
}

// ask has the attacker's program ask a question in the full chat.
func (e *exhaustion) ask(ctx context.Context, to string, question []byte) (status int, id string, err error) {
	body := fmt.Sprintf(`{"to":%s,"chatId":%q,"askedBy":{"name":"flood"},%s`, to, fullChat, question[1:])
	status, answer, err := e.call(ctx, "attacker", "POST", "/v1/apps/"+appTalk+"/clarifications", body)
	switch _, rest, ok := bytes.Cut(answer, []byte(`"clarificationId":"`)); {
	case err != nil || status == http.StatusTooManyRequests:
	case status != http.StatusCreated || !ok:
		err = fmt.Errorf("a question: %d %.300s", status, answer)
	default:
		name, _, _ := bytes.Cut(rest, []byte(`"`))
		id = string(name)
	}
	return status, id, err
}

// fillClosed makes it ask questions that all differ, and withdraw them.
func (e *exhaustion) fillClosed(ctx context.Context) error {
	for i := range e.most(closedQuestions) {
		large, err := largeQuestion(fmt.Sprint(i, ": "))
		if err != nil {
			return err
		}
		_, id, err := e.ask(ctx, `"attacker"`, large)
		if err == nil {
			err = e.must(ctx, http.StatusOK, "POST", "/v1/clarifications/"+id+"/cancel", "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fillQuestions makes it ask until it is refused permanently: itself, and a role.
func (e *exhaustion) fillQuestions(ctx context.Context) error {
	large, err := largest()
	if err != nil {
		return err
	}
	for _, to := range []string{`{"role":"staff"}`, `"attacker"`} {
		refused := 0
		for i := 0; i < fullQuestions && refused < e.most(20); i++ {
			status, _, err := e.ask(ctx, to, large)
			if err != nil {
				return err
			}
			if status == http.StatusTooManyRequests {
				refused++
			}
		}
	}
	return nil
}

// fillDrafts asks a small question in another chat, and drafts long answers to it, until that is
// refused.
func (e *exhaustion) fillDrafts(ctx context.Context) error {
	draft := fmt.Sprintf(`{"draft":%q}`, strings.Repeat("x", 16<<10-100))
	for range e.most(fullQuestions) {
		_, answer, err := e.call(ctx, "attacker", "POST", "/v1/apps/"+appTalk+"/clarifications",
			`{"to":"attacker","chatId":"`+draftChat+`","askedBy":{"name":"flood"},"question":"Which?"}`)
		if err != nil {
			return err
		}
		_, rest, _ := bytes.Cut(answer, []byte(`"clarificationId":"`))
		id, _, ok := bytes.Cut(rest, []byte(`"`))
		if !ok {
			return nil // its questions are used up
		}
		status, answer, err := e.call(ctx, "attacker", "PUT", "/v1/clarifications/"+string(id)+"/draft", draft)
		if err != nil || status == http.StatusTooManyRequests || status == http.StatusRequestEntityTooLarge {
			return err
		}
		if status != http.StatusNoContent {
			return fmt.Errorf("a draft: %d %.300s", status, answer)
		}
	}
	return nil
}

// fillQueue makes a chat ask, and sends it messages that wait, each of the maximum length.
func (e *exhaustion) fillQueue(ctx context.Context) error {
	if status, answer, err := e.call(ctx, "attacker", "POST", queuePath+"/messages", `{"message":"choose"}`); err != nil || status != http.StatusOK {
		return fmt.Errorf("a question of the model's: %d %.300s %w", status, answer, err)
	}
	long := fmt.Sprintf(`{"message":"quick %s"}`, strings.Repeat("\U0001F600", largeMessage-len("quick ")))
	var all sync.WaitGroup
	for range queuedMessages {
		all.Go(func() {
			sent, leave := context.WithTimeout(ctx, queueTime)
			defer leave()
			_, _, _ = e.call(sent, "attacker", "POST", queuePath+"/messages", long) // it waits, and is left
		})
	}
	all.Wait()
	return nil
}

// largest is the largest question that the gateway accepts: some 230 KB.
func largest() ([]byte, error) { return largeQuestion("") }

// largeQuestion is a largest question that begins with a text.
func largeQuestion(begins string) ([]byte, error) {
	text := func(n int) string { return strings.Repeat("\U0001F600", n) }
	questions := make([]object, 5)
	for i := range questions {
		options := make([]object, 20)
		for j := range options {
			options[j] = object{"label": fmt.Sprintf("%d %s", j, text(90)), "value": fmt.Sprintf("%d %s", j, text(90)), "description": text(300)}
		}
		questions[i] = object{"question": fmt.Sprintf("%s%d %s", begins, i, text(390)), "context": text(500), "input_type": "select", "options": options}
	}
	return json.Marshal(object{"questions": questions})
}

// call is one request with a key, whose response is read to its end, as it arrives: the cost of
// unpacking is not the gateway's.
func (e *exhaustion) call(ctx context.Context, key, method, path, body string) (status int, answer []byte, err error) {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, e.life.URL+path, reader)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Accept-Encoding", "gzip")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := web.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, 300))
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body) // of a stream: until it is left
	}
	return resp.StatusCode, answer, err
}

// fullRoute is a request that reads the stored data, or a list that contains it.
type fullRoute struct {
	name, method, path string
	body               func() string // nil: none
	stream             bool
	key                string // "": the attacker's
}

// say returns a body that is always the same.
func say(body string) func() string { return func() string { return body } }

func (e *exhaustion) routes() []fullRoute {
	const app = "/v1/apps/" + appTalk
	chat, large := app+"/chats/"+fullChat, app+"/chats/large"
	list := []fullRoute{
		{name: "lists of what waits", method: "GET", path: "/v1/clarifications?limit=100"},
		{name: "lists of all", method: "GET", path: "/v1/clarifications?status=all&limit=100"},
		{name: "views of everything", method: "GET", path: "/v1/events", stream: true},
		{name: "views of everything since the beginning", method: "GET", path: "/v1/events?lastEventId=" + e.since, stream: true},
		{name: "lists of chats", method: "GET", path: app + "/chats?limit=100"},
		{name: "searches", method: "GET", path: app + "/chats?limit=100&q=zebra"},
		{name: "older messages", method: "GET", path: large + "?before=" + e.newest},
		{name: "forks", method: "POST", path: large + "/fork", body: func() string { return e.fork("") }},
		{name: "snapshots with drafts", method: "GET", path: app + "/chats/" + draftChat},
		{name: "snapshots with a queue", method: "GET", path: queuePath},
		{name: "messages to a queue", method: "POST", path: queuePath + "/messages", body: say(`{"message":"7"}`)},
		{name: "memory", method: "GET", path: "/v1/memory?limit=100"},
		{name: "all that waits, by an admin", method: "GET", path: "/v1/admin/clarifications?limit=100", key: "admin"},
		{name: "reports, by an admin", method: "GET", path: "/v1/admin/questions?limit=500", key: "admin"},
		{name: "statistics, by an admin", method: "GET", path: "/v1/admin/stats?hours=2160", key: "admin"},
		{name: "the audit, by an admin", method: "GET", path: "/v1/admin/audit", key: "admin"},
		{name: "snapshots", method: "GET", path: chat},
		{name: "views", method: "GET", path: chat + "/events", stream: true},
		{name: "messages", method: "POST", path: chat + "/messages", body: say(`{"message":"7"}`)},
		{name: "answers to nothing", method: "POST", path: chat + "/messages", body: say(`{"answer":{"toolCallId":"call_x","value":"7"}}`)},
		{name: "answers that name nothing", method: "POST", path: chat + "/messages", body: say(`{"answer":{"value":"7"}}`)},
		{name: "questions", method: "POST", path: app + "/clarifications", body: say(`{"chatId":"` + fullChat + `","askedBy":{"name":"flood"},"question":"Which?"}`)},
		{name: "stops", method: "POST", path: chat + "/stop"},
		{name: "deletes", method: "DELETE", path: chat},
	}
	return list
}

// repeat sends ten of a request at once, and ten more a while after all got a response, until the
// attack is over.
func (e *exhaustion) repeat(ctx context.Context, routes ...fullRoute) {
	for ctx.Err() == nil {
		var all sync.WaitGroup
		for _, r := range routes {
			e.asked.Add(fullParallel)
			for range fullParallel {
				all.Go(func() {
					defer e.done.Add(1)
					e.try(ctx, r)
				})
			}
		}
		all.Wait()
		select {
		case <-ctx.Done():
		case <-time.After(fullPause):
		}
	}
}

// try sends a request and reads its response; a stream is left after a while.
func (e *exhaustion) try(ctx context.Context, r fullRoute) {
	if r.stream {
		var leave context.CancelFunc
		ctx, leave = context.WithTimeout(ctx, fullPause)
		defer leave()
	}
	body := ""
	if r.body != nil {
		body = r.body()
	}
	status, _, err := e.call(ctx, cmp.Or(r.key, "attacker"), r.method, r.path, body)
	if err != nil && status == 0 {
		return
	}
	count, _ := e.answers.LoadOrStore(strconv.Itoa(status), new(atomic.Int64))
	count.(*atomic.Int64).Add(1)
}
