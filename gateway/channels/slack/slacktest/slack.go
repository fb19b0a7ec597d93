// Package slacktest is a strict stand-in for Slack, made from its documentation: it refuses what Slack
// refuses, and sends what a person presses, signed.
//
// Sources, read in November 2026: https://docs.slack.dev/reference/methods (auth.test, chat.postMessage,
// chat.update, conversations.open, users.info, users.lookupByEmail, views.open),
// https://docs.slack.dev/reference/block-kit, https://docs.slack.dev/reference/views,
// https://docs.slack.dev/reference/interaction-payloads,
// https://docs.slack.dev/authentication/verifying-requests-from-slack and
// https://docs.slack.dev/apis/web-api/rate-limits.
package slacktest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// These are of every workspace here.
const (
	Team   = "T0ASKGATE"
	Token  = "xoxb-1-2-abcdefghijklmnopqrstuvwx" //nolint:gosec // of a test
	Secret = "8f742231b10e8888abcd99yyyzzz85a5"  //nolint:gosec // of a test
)

// User is a user as Slack has it.
type User struct {
	ID              string
	Email           string
	Team            string // default: Team
	Unconfirmed     bool   // the address
	Bot             bool
	Deleted         bool
	Restricted      bool
	UltraRestricted bool
	Stranger        bool
	Locale          string
	ShownAs         string // the name, which each user chooses
}

// Message is a message of the bot.
type Message struct {
	Channel, TS, Thread string
	Text                string
	Blocks              []map[string]any
	Updates             int
}

// Ref returns how the gateway refers to the message.
func (m *Message) Ref() string { return m.Channel + ":" + m.TS }

// Texts returns all texts of the message's blocks, one a line.
func (m *Message) Texts() string {
	var lines []string
	for _, b := range m.Blocks {
		if text, ok := b["text"].(map[string]any); ok {
			lines = append(lines, fmt.Sprint(text["text"]))
		}
	}
	return strings.Join(lines, "\n")
}

// Elements returns the interactive elements of the message.
func (m *Message) Elements() (all []map[string]any) {
	for _, b := range m.Blocks {
		elements, _ := b["elements"].([]any)
		for _, e := range elements {
			if element, ok := e.(map[string]any); ok {
				all = append(all, element)
			}
		}
	}
	return all
}

// Labels returns the labels of the message's buttons, in their order.
func (m *Message) Labels() (labels []string) {
	for _, e := range m.Elements() {
		if text, ok := e["text"].(map[string]any); ok {
			labels = append(labels, fmt.Sprint(text["text"]))
		}
	}
	return labels
}

// Told is what an app showed to one person after a press.
type Told struct {
	Text            string `json:"text"`
	ResponseType    string `json:"response_type"`
	ReplaceOriginal bool   `json:"replace_original"`
}

// View is a modal that an app has opened.
type View struct {
	User            string
	CallbackID      string           `json:"callback_id"`
	PrivateMetadata string           `json:"private_metadata"`
	Blocks          []map[string]any `json:"blocks"`
}

// Slack is a workspace. Its methods are safe for concurrent use.
type Slack struct {
	t    testing.TB
	host *httptest.Server

	mu       sync.Mutex
	scopes   []string
	users    map[string]User
	ims      map[string]string // user to direct message
	messages []*Message
	views    []View
	told     []Told
	triggers map[string]string // to the user; "" once it is exchanged
	next     map[string][]Reply
	calls    []string
	count    int
	changed  chan struct{}
}

// Reply is what a method answers instead.
type Reply struct {
	Status     int // default: 200
	Error      string
	Needed     string
	RetryAfter string
	Text       string // the body, instead of JSON
}

// New starts a workspace. Its API is at URL.
func New(t testing.TB) *Slack {
	s := &Slack{
		t: t, scopes: []string{"chat:write", "im:write", "users:read", "users:read.email"}, users: map[string]User{}, ims: map[string]string{},
		triggers: map[string]string{}, next: map[string][]Reply{}, changed: make(chan struct{}),
	}
	s.host = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.host.Close)
	return s
}

// URL is the address of the API, as in "api" of a channel.
func (s *Slack) URL() string { return s.host.URL + "/api" }

// Add adds or replaces a user.
func (s *Slack) Add(u User) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.Team == "" {
		u.Team = Team
	}
	s.users[u.ID] = u
}

// Without takes a scope from the bot.
func (s *Slack) Without(scope string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scopes = slices.DeleteFunc(s.scopes, func(has string) bool { return has == scope })
}

// Next makes the next call of a method answer something else.
func (s *Slack) Next(method string, r Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next[method] = append(s.next[method], r)
}

// Reset ends what Next has begun.
func (s *Slack) Reset(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.next, method)
}

// ExpireTriggers makes all triggers too old for a modal.
func (s *Slack) ExpireTriggers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.triggers {
		s.triggers[id] = ""
	}
}

// Wait waits until ok holds; ok is called with what is there now. The test's own deadline ends it.
func (s *Slack) Wait(ok func(messages []Message, told []Told) bool) ([]Message, []Told) {
	s.t.Helper()
	for {
		s.mu.Lock()
		messages, told, changed := s.now(), slices.Clone(s.told), s.changed
		s.mu.Unlock()
		if ok(messages, told) {
			return messages, told
		}
		select {
		case <-changed:
		case <-s.t.Context().Done():
			s.t.Fatalf("Slack was not called in time: %+v %+v", messages, told)
		}
	}
}

func (s *Slack) now() []Message {
	all := make([]Message, len(s.messages))
	for i, m := range s.messages {
		all[i] = *m
	}
	return all
}

// Messages returns the bot's messages, Told what it showed after presses, Views its modals, and Calls
// the methods it has called.
func (s *Slack) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now()
}

// Told returns what the bot showed to one person after a press.
func (s *Slack) Told() []Told {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.told)
}

// Views returns the modals that the bot has opened.
func (s *Slack) Views() []View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.views)
}

// Calls returns the methods that were called, in their order.
func (s *Slack) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// needs are the scopes of the methods that need one.
var needs = map[string]string{
	"users.lookupByEmail": "users:read.email", "users.info": "users:read", "conversations.open": "im:write", "chat.postMessage": "chat:write", "chat.update": "chat:write",
}

func (s *Slack) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		close(s.changed)
		s.changed = make(chan struct{})
	}()
	if strings.HasPrefix(r.URL.Path, "/response/") {
		var told Told
		if err := json.NewDecoder(r.Body).Decode(&told); err != nil || told.Text == "" {
			http.Error(w, "invalid_payload", http.StatusBadRequest)
			return
		}
		s.told = append(s.told, told)
		_, _ = io.WriteString(w, "ok")
		return
	}
	method, ok := strings.CutPrefix(r.URL.Path, "/api/")
	if !ok || r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	s.calls = append(s.calls, method)
	if list := s.next[method]; len(list) > 0 {
		s.next[method] = list[1:]
		reply(w, list[0])
		return
	}
	args, token, err := arguments(r)
	scope := needs[method]
	var fields map[string]any
	switch {
	case err != "":
		reply(w, Reply{Error: err})
		return
	case token == "":
		reply(w, Reply{Error: "not_authed"})
		return
	case token != Token:
		reply(w, Reply{Error: "invalid_auth"})
		return
	case scope != "" && !slices.Contains(s.scopes, scope):
		reply(w, Reply{Error: "missing_scope", Needed: scope})
		return
	}
	if fields, err = s.call(method, args); err != "" {
		reply(w, Reply{Error: err})
		return
	}
	fields["ok"] = true
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(fields)
}

func reply(w http.ResponseWriter, r Reply) {
	if r.RetryAfter != "" {
		w.Header().Set("Retry-After", r.RetryAfter)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if r.Status != 0 {
		w.WriteHeader(r.Status)
	}
	if r.Text != "" {
		_, _ = io.WriteString(w, r.Text)
		return
	}
	fields := map[string]any{"ok": false, "error": r.Error}
	if r.Needed != "" {
		fields["needed"], fields["provided"] = r.Needed, "chat:write"
	}
	_ = json.NewEncoder(w).Encode(fields)
}

// arguments reads a form, or JSON with the token in the header.
func arguments(r *http.Request) (args map[string]string, token, fault string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, "", "fatal_error"
	}
	args = map[string]string{}
	token = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind {
	case "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return nil, "", "invalid_form_data"
		}
		for name := range form {
			args[name] = form.Get(name)
		}
		if token == "" {
			token = args["token"]
		}
	case "application/json":
		var fields map[string]json.RawMessage
		if json.Unmarshal(body, &fields) != nil {
			return nil, "", "invalid_json"
		}
		for name, raw := range fields {
			var text string
			if json.Unmarshal(raw, &text) != nil {
				text = string(raw)
			}
			args[name] = text
		}
	default:
		return nil, "", "invalid_post_type"
	}
	return args, token, ""
}

// call answers a method with its fields, or with the code of its error.
func (s *Slack) call(method string, args map[string]string) (fields map[string]any, fault string) {
	switch method {
	case "auth.test":
		return map[string]any{"url": "https://askgate.slack.com/", "team": "AskGate", "user": "askgate", "team_id": Team, "user_id": "U0BOT", "bot_id": "B0BOT"}, ""
	case "users.lookupByEmail":
		for _, u := range s.users {
			if args["email"] != "" && strings.EqualFold(u.Email, args["email"]) && !u.Deleted {
				return map[string]any{"user": u.wire()}, ""
			}
		}
		return nil, "users_not_found"
	case "users.info":
		u, ok := s.users[args["user"]]
		if !ok {
			return nil, "user_not_found"
		}
		return map[string]any{"user": u.wire()}, ""
	case "conversations.open":
		u, ok := s.users[args["users"]]
		switch {
		case !ok:
			return nil, "user_not_found"
		case u.Deleted:
			return nil, "user_disabled"
		case u.Bot:
			return nil, "cannot_dm_bot"
		case s.ims[u.ID] == "":
			s.ims[u.ID] = "D0" + strings.TrimPrefix(u.ID, "U0")
		}
		return map[string]any{"channel": map[string]any{"id": s.ims[u.ID]}}, ""
	case "chat.postMessage":
		return s.post(args)
	case "chat.update":
		return s.update(args)
	case "views.open":
		return s.open(args)
	}
	return nil, "unknown_method"
}

func (u *User) wire() map[string]any {
	w := map[string]any{
		"id": u.ID, "team_id": u.Team, "name": u.ShownAs, "real_name": u.ShownAs, "deleted": u.Deleted, "is_bot": u.Bot, "is_restricted": u.Restricted || u.UltraRestricted,
		"is_ultra_restricted": u.UltraRestricted, "is_stranger": u.Stranger, "is_email_confirmed": !u.Unconfirmed, "is_app_user": false, "updated": 1502138686,
		"profile": map[string]any{"real_name": u.ShownAs, "display_name": u.ShownAs, "email": u.Email, "team": u.Team},
	}
	if u.Locale != "" {
		w["locale"] = u.Locale
	}
	return w
}

// content checks the text and blocks of a message.
func content(args map[string]string) (blocks []map[string]any, fault string) {
	const maxText = 40_000
	switch {
	case args["text"] == "" && args["blocks"] == "":
		return nil, "no_text"
	case length(args["text"]) > maxText:
		return nil, "msg_too_long"
	}
	return checkBlocks(args["blocks"])
}

func (s *Slack) post(args map[string]string) (fields map[string]any, fault string) {
	known := false
	for _, im := range s.ims {
		known = known || im == args["channel"]
	}
	if !known {
		return nil, "channel_not_found"
	}
	blocks, fault := content(args)
	if fault != "" {
		return nil, fault
	}
	s.count++
	m := &Message{Channel: args["channel"], TS: "1764460800." + fmt.Sprintf("%06d", s.count), Thread: args["thread_ts"], Text: args["text"], Blocks: blocks}
	s.messages = append(s.messages, m)
	return map[string]any{"channel": m.Channel, "ts": m.TS}, ""
}

func (s *Slack) update(args map[string]string) (fields map[string]any, fault string) {
	i := slices.IndexFunc(s.messages, func(m *Message) bool { return m.Channel == args["channel"] && m.TS == args["ts"] })
	if i < 0 {
		return nil, "message_not_found"
	}
	blocks, fault := content(args)
	if fault != "" {
		return nil, fault
	}
	m := s.messages[i]
	m.Text, m.Blocks, m.Updates = args["text"], blocks, m.Updates+1
	return map[string]any{"channel": m.Channel, "ts": m.TS, "text": m.Text}, ""
}

func (s *Slack) open(args map[string]string) (fields map[string]any, fault string) {
	user, ok := s.triggers[args["trigger_id"]]
	switch {
	case !ok:
		return nil, "invalid_trigger_id"
	case user == "":
		return nil, "expired_trigger_id"
	}
	v, fault := checkView(args["view"])
	if fault != "" {
		return nil, fault
	}
	s.triggers[args["trigger_id"]] = ""
	v.User = user
	s.views = append(s.views, v)
	return map[string]any{"view": map[string]any{"id": "V" + strconv.Itoa(len(s.views)), "team_id": Team, "type": "modal"}}, ""
}
