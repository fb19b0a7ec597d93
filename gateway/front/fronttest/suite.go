package fronttest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// New makes a client of an app that sends a key, "" for none. It finds the gateway by g.URL
// at each request: after a crash that is another.
type New func(g *Gateway, app, key string) Client

// Run has a client do what all fronts promise. Each promise is a test of its own, on a
// gateway that they share.
func Run(t *testing.T, client New) {
	g := Start(t, nil)
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) {
			p.keep(&scene{t: t, g: g, client: client(g, App, ""), new: client, chat: "chat-" + strings.ReplaceAll(p.name, " ", "-")})
		})
	}
	t.Run("a stranger sees nothing", func(t *testing.T) { stranger(t, client) })
	t.Run("a question survives a crash", func(t *testing.T) { crash(t, client) })
}

// scene is one promise on its way.
type scene struct {
	t      *testing.T
	g      *Gateway
	client Client
	new    New
	chat   string
}

var promises = []struct {
	name string
	keep func(s *scene)
}{
	{"plain", func(s *scene) {
		seen := s.say("plain")
		s.ends(seen, Stop, "Good morning, dear.")
	}},
	{"another turn", func(s *scene) {
		s.say("plain")
		s.ends(s.say("tool"), Stop, "Let me see. So it is: 5.")
	}},
	{"reasoning", func(s *scene) { s.ends(s.say("think"), Stop, "Good morning.") }},
	{"single question", func(s *scene) {
		q := s.asked(s.say("ask"), AskUser)
		if id := s.ids(q); id != "city" {
			s.t.Errorf("the question's id is %s", id)
		}
		seen := s.answer(q, `{"answers":{"city":"par"}}`)
		s.ends(seen, Stop)
		s.has(seen, "par")
		s.idle()
	}},
	{"own words", func(s *scene) {
		q := s.asked(s.say("ask"), AskUser)
		s.has(s.answer(q, `{"answers":{"city":"Rome, of course"}}`), "Rome, of course")
	}},
	{"typed answer", func(s *scene) {
		s.asked(s.say("ask"), AskUser)
		seen := s.say("Berlin, Germany")
		s.ends(seen, Stop)
		s.has(seen, "ber")
	}},
	{"form", func(s *scene) {
		q := s.asked(s.say("form"), AskUser)
		if ids := s.ids(q); ids != "name age" {
			s.t.Errorf("the questions' ids are %s", ids)
		}
		seen := s.answer(q, `{"answers":{"age":null,"name":"Ada"}}`)
		s.ends(seen, Stop)
		s.has(seen, "Ada")
	}},
	{"twice in a row", func(s *scene) {
		q := s.asked(s.say("twice"), AskUser)
		q = s.asked(s.answer(q, `{"answers":{"q1":"Rome"}}`), AskUser)
		seen := s.answer(q, `"2027-03-01"`)
		s.ends(seen, Stop)
		s.has(seen, "Rome", "2027-03-01")
	}},
	{"server tool", func(s *scene) {
		seen := s.say("tool")
		s.ends(seen, Stop, "Let me see. So it is: 5.")
		for _, r := range seen.Results {
			if r.Tool != "calculator" || !strings.Contains(r.Output, "5") || r.Failed {
				s.t.Errorf("the calculator came to %+v", r)
			}
		}
	}},
	{"a tool that tells how far it is", func(s *scene) {
		s.client = s.new(s.g, Remote, "")
		seen := s.say("far")
		s.ends(seen, Stop, "Let me see. So it is: counted.")
		s.counted(seen, "remote__count")
	}},
	{"an approved tool that tells how far it is", func(s *scene) {
		s.client = s.new(s.g, Remote, "")
		q := s.approval(s.say("guarded"))
		seen := s.client.Decide(s.t, s.chat, q, true)
		s.ends(seen, Stop)
		s.has(seen, "counted")
		s.counted(seen, "guarded__count")
	}},
	{"a tool beside a question", func(s *scene) {
		q := s.asked(s.say("both"), AskUser)
		seen := s.answer(q, `{"answers":{"q1":"Rome"}}`)
		s.ends(seen, Stop)
		s.has(seen, "5", "Rome")
	}},
	{"approval yes", func(s *scene) {
		q := s.approval(s.say("approve"))
		seen := s.client.Decide(s.t, s.chat, q, true)
		s.ends(seen, Stop)
		s.has(seen, "20") // the year
	}},
	{"approval no", func(s *scene) {
		q := s.approval(s.say("approve"))
		seen := s.client.Decide(s.t, s.chat, q, false)
		s.ends(seen, Stop)
		if strings.Contains(seen.Text, "UTC") {
			s.t.Errorf("a refused call ran: %q", seen.Text)
		}
	}},
	{"client tool", func(s *scene) {
		q := s.asked(s.say("client"), "locate")
		if string(compact(q.Input)) != `{"precise":true}` {
			s.t.Errorf("the client's tool is called with %s", q.Input)
		}
		seen := s.answer(q, `{"place":"Oslo"}`)
		s.ends(seen, Stop)
		s.has(seen, "Oslo")
	}},
	{"error", func(s *scene) {
		seen := s.say("fail")
		if seen.Finish != Failed && seen.Status < 500 || seen.Error == "" && seen.Refusal == "" {
			s.t.Errorf("a model that fails: %+v", seen)
		}
	}},
	{"length", func(s *scene) { s.ends(s.say("length"), Length, "It was a dark and") }},
	{"stop", func(s *scene) {
		g := s.fresh()
		done := make(chan Seen, 1)
		go func() {
			defer close(done) // also where the client gives up
			done <- s.client.Say(s.t, s.chat, "slow")
		}()
		s.until(g, func() bool { return g.Requests() == 2 })
		s.post(g, "/stop", "")
		seen := <-done
		if seen.Finish != Stopped {
			s.t.Errorf("a stop ends the stream with %q", seen.Finish)
		}
	}},
	{"expired", func(s *scene) {
		s.client = s.new(s.g, Brief, "")
		q := s.asked(s.client.Say(s.t, s.chat, "ask"), AskUser)
		s.until(s.g, func() bool { return s.g.Snapshot(Brief, s.chat)["status"] == "idle" })
		s.refused(s.client.Answer(s.t, s.chat, q, json.RawMessage(`"par"`)), http.StatusGone)
	}},
	{"answered elsewhere", func(s *scene) {
		q := s.asked(s.say("ask"), AskUser)
		s.post(s.g, "/messages", `{"answer": {"value": "ber"}}`)
		before := s.g.Requests()
		s.refused(s.answer(q, `"par"`), http.StatusConflict)
		if n := s.g.Requests() - before; n > 0 {
			s.t.Errorf("a second answer cost %d requests", n)
		}
	}},
	{"the same answer again", func(s *scene) {
		q := s.asked(s.say("ask"), AskUser)
		s.ends(s.answer(q, `"par"`), Stop)
		before := s.g.Requests()
		s.refused(s.answer(q, `"par"`), http.StatusConflict)
		if n := s.g.Requests() - before; n > 0 {
			s.t.Errorf("the same answer again cost %d requests", n)
		}
	}},
	{"a lost connection", func(s *scene) {
		g := s.fresh()
		s.client.Leave(s.t, s.chat, "slow")
		s.until(g, func() bool { return g.Requests() == 2 })
		type watched struct {
			seen Seen
			ok   bool
		}
		done := make(chan watched, 1)
		go func() {
			defer close(done)
			seen, ok := s.client.Watch(s.t, s.chat)
			done <- watched{seen, ok}
		}()
		g.Release()
		if w := <-done; w.ok && w.seen.Status == http.StatusOK {
			s.ends(w.seen, Stop, "Let me see. So it is: 5.")
		}
		s.until(g, func() bool { return g.Snapshot(App, s.chat)["status"] == "idle" })
	}},
	{"a history of lies", func(s *scene) {
		s.ends(s.client.Lie(s.t, s.chat, "plain"), Stop, "Good morning, dear.")
		if n := len(s.g.Snapshot(App, s.chat)["messages"].([]any)); n != 2 {
			s.t.Errorf("the chat has %d messages: the client's history counts", n)
		}
	}},
	{"a wrong answer, then a right one", func(s *scene) {
		q := s.asked(s.say("form"), AskUser)
		seen := s.answer(q, `{"answers":{"name":"Ada","age":999}}`)
		s.refused(seen, http.StatusUnprocessableEntity)
		if !strings.Contains(seen.Refusal, "150") {
			s.t.Errorf("the refusal does not say what is wrong: %q", seen.Refusal)
		}
		seen = s.answer(q, `{"answers":{"name":"Ada","age":36}}`)
		s.ends(seen, Stop)
		s.has(seen, "36")
	}},
	{"an error is no answer", func(s *scene) {
		f, ok := s.client.(Failing)
		if !ok {
			return // the format cannot say it
		}
		for _, ask := range []struct {
			word, asked string
			says        []string
		}{{"ask", "Which city?", []string{"2"}}, {"form", "Your name?", []string{"Ada", "36"}}} {
			s.chat += "-" + ask.word
			q := s.asked(s.say(ask.word), AskUser)
			before := s.g.Requests()
			seen := f.Fail(s.t, s.chat, q)
			s.ends(seen, Stop)
			s.has(seen, ask.asked)
			if n := s.g.Requests() - before; n > 0 || len(seen.Asked) > 0 || s.g.Snapshot(App, s.chat)["status"] == "idle" {
				s.t.Errorf("an error costs %d requests, and asks %+v", n, seen.Asked)
			}
			for _, text := range ask.says {
				seen = s.say(text)
				s.ends(seen, Stop)
			}
			s.has(seen, map[string]string{"ask": "par", "form": "Ada"}[ask.word])
			s.idle()
		}
	}},
	{"a foreign chat id", func(s *scene) {
		s.chat = "a chat/of mine ü"
		q := s.asked(s.say("ask"), AskUser)
		s.has(s.answer(q, `"par"`), "par")
	}},
}

// fresh has the scene go on with a gateway of its own, whose model nobody else stops.
func (s *scene) fresh() *Gateway {
	s.g = Start(s.t, nil)
	s.client = s.new(s.g, App, "")
	return s.g
}

func (s *scene) say(text string) Seen { return s.client.Say(s.t, s.chat, text) }

func (s *scene) answer(q Asked, output string) Seen {
	return s.client.Answer(s.t, s.chat, q, json.RawMessage(output))
}

// ends checks that a run came to its end, once; texts, if one is given, is all it said.
func (s *scene) ends(seen Seen, how Finish, text ...string) {
	s.t.Helper()
	if seen.Status != http.StatusOK || seen.Finish != how || seen.Ends != 1 {
		s.t.Errorf("the run ended with %q, %d times, want %q once: %+v", seen.Finish, seen.Ends, how, seen)
	}
	if len(text) > 0 && seen.Text != text[0] {
		s.t.Errorf("the text is %q, want %q", seen.Text, text[0])
	}
}

func (s *scene) has(seen Seen, words ...string) {
	s.t.Helper()
	for _, w := range words {
		if !strings.Contains(seen.Text, w) {
			s.t.Errorf("the text %q does not have %q: %+v", seen.Text, w, seen)
		}
	}
}

// counted checks what was told of a call of the MCP server's: where the format has a place for
// it, how far it came, up to its end.
func (s *scene) counted(seen Seen, tool string) {
	s.t.Helper()
	before := 0.0
	for _, p := range seen.Progress {
		if p.ToolName != tool || p.Progress <= before || p.Total != Steps || p.Message != fmt.Sprintf("step %v of %d", p.Progress, Steps) {
			s.t.Errorf("it is told that a call of %s has come so far: %+v", tool, p)
		}
		before = p.Progress
	}
	if len(seen.Progress) > 0 && before != Steps {
		s.t.Errorf("the call is told to have come to %v of %d: %+v", before, Steps, seen.Progress)
	}
}

// asked is the one call that a run ended with.
func (s *scene) asked(seen Seen, tool string) Asked {
	s.t.Helper()
	s.ends(seen, Question)
	if len(seen.Asked) != 1 || seen.Asked[0].Tool != tool {
		s.t.Fatalf("want one call of %s: %+v", tool, seen)
	}
	return seen.Asked[0]
}

// approval is the one call that waits for a yes or no.
func (s *scene) approval(seen Seen) Asked {
	s.t.Helper()
	s.ends(seen, Question)
	if len(seen.Asked) != 1 || !seen.Asked[0].Approval && seen.Asked[0].Tool != AskUser {
		s.t.Fatalf("want one approval: %+v", seen)
	}
	return seen.Asked[0]
}

// AskUser is the tool that questions are calls of.
const AskUser = "ask_user"

func (s *scene) refused(seen Seen, status int) {
	s.t.Helper()
	if seen.Status != status || seen.Refusal == "" {
		s.t.Errorf("want a refusal with %d and a sentence: %+v", status, seen)
	}
}

func (s *scene) ids(q Asked) string {
	s.t.Helper()
	var input struct{ Questions []struct{ ID string } }
	if err := json.Unmarshal(q.Input, &input); err != nil {
		s.t.Fatalf("input %s: %v", q.Input, err)
	}
	ids := make([]string, len(input.Questions))
	for i, one := range input.Questions {
		ids[i] = one.ID
	}
	return strings.Join(ids, " ")
}

func (s *scene) idle() {
	s.t.Helper()
	if status := s.g.Snapshot(App, s.chat)["status"]; status != "idle" {
		s.t.Errorf("the chat is %v", status)
	}
}

// until waits for something that the gateway does by itself.
func (s *scene) until(_ *Gateway, is func() bool) {
	s.t.Helper()
	for range 600 {
		if is() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.t.Fatal("it did not happen within 30 s")
}

// post sends something by the native API.
func (s *scene) post(g *Gateway, path, body string) {
	s.t.Helper()
	resp, err := http.Post(g.URL+"/v1/apps/"+App+"/chats/"+s.chat+path, "application/json", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	if out, _ := io.ReadAll(resp.Body); resp.StatusCode >= 300 {
		s.t.Fatalf("%s: %s %s", path, resp.Status, out)
	}
}

func compact(data json.RawMessage) []byte {
	var b bytes.Buffer
	_ = json.Compact(&b, data)
	return b.Bytes()
}

// stranger: what one caller is asked does not exist for another.
func stranger(t *testing.T, client New) {
	hash := func(key string) string {
		sum := sha256.Sum256([]byte(key))
		return "sha256:" + hex.EncodeToString(sum[:])
	}
	keys := fmt.Sprintf(`"auth": {"mode": "apiKeys", "keys": [
		{"id": "a", "hash": %q, "tenant": "t", "subject": "ada"}, {"id": "b", "hash": %q, "tenant": "t", "subject": "bob"}]}`, hash("key-of-ada"), hash("key-of-bob"))
	g := Start(t, map[string]string{"gateway.json": strings.Replace(files["gateway.json"], "{", "{"+keys+", ", 1)})
	s := &scene{t: t, g: g, client: client(g, App, "key-of-ada"), chat: "hers"}
	q := s.asked(s.say("ask"), AskUser)
	before := g.Requests()
	s.refused(client(g, App, "key-of-bob").Answer(t, "hers", q, json.RawMessage(`"par"`)), http.StatusNotFound)
	s.refused(client(g, App, "key-of-nobody").Answer(t, "hers", q, json.RawMessage(`"par"`)), http.StatusUnauthorized)
	if n := g.Requests() - before; n > 0 {
		t.Errorf("a stranger's answer cost %d requests", n)
	}
	s.has(s.answer(q, `"ber"`), "ber")
}

// crash: a question is answered after the process that asked it was killed.
func crash(t *testing.T, client New) {
	g := Start(t, nil)
	s := &scene{t: t, g: g, client: client(g, App, ""), chat: "c"}
	q := s.asked(s.say("ask"), AskUser)
	g.Crash()
	s.has(s.answer(q, `"par"`), "par")
}
