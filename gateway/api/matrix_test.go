package api_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
)

// principal is a column of the matrix: a caller that tries something with a chat that alice of acme
// has in the app "staff", which is open to the role "staff".
type principal struct {
	name    string
	headers []string
	cookie  string // the key that the caller has signed in with
	app     string // the app in the path, "staff" by default

	known  bool // otherwise 401
	sign   bool // has presented a key that a page may have
	cross  bool // sends from another site's page
	refuse bool // 403, whatever the call is about
	inApp  bool // has the role
	owner  bool // is alice of acme
	ops    bool // has the role metrics
	admin  bool // has the role admin
	texts  bool // has the role admin:texts
}

func bearerOf(key string, more ...string) []string {
	return append([]string{"Authorization", "Bearer " + key}, more...)
}

var principals = []principal{
	{name: "a caller without a key"},
	{name: "a wrong key", headers: bearerOf("ag_wrong")},
	{name: "a wrong key that names the owner", headers: bearerOf("ag_wrong", "X-Askgate-User", "alice")},
	{name: "the owner", sign: true, headers: bearerOf("ag_alice"), known: true, inApp: true, owner: true},
	{name: "the owner without the role", sign: true, headers: bearerOf("ag_alice_norole"), known: true, owner: true},
	{name: "the owner in another app", sign: true, headers: bearerOf("ag_alice"), app: "plain", known: true, inApp: true, owner: true},
	{name: "another subject", sign: true, headers: bearerOf("ag_bob"), known: true, inApp: true},
	{name: "another subject, an operator", sign: true, headers: bearerOf("ag_ops"), known: true, inApp: true, ops: true},
	{name: "another subject, an admin", sign: true, headers: bearerOf("ag_admin"), known: true, admin: true},
	{name: "another subject, an admin who may read texts", sign: true, headers: bearerOf("ag_reader"), known: true, admin: true, texts: true},
	{name: "another subject who may read texts but is not an admin", sign: true, headers: bearerOf("ag_texts"), known: true, texts: true},
	{name: "another subject without a role", sign: true, headers: bearerOf("ag_norole"), known: true},
	{name: "another subject that names the owner", headers: bearerOf("ag_bob", "X-Askgate-User", "alice"), known: true, refuse: true},
	{name: "the same subject of another tenant", sign: true, headers: bearerOf("ag_globex"), known: true, inApp: true},
	{name: "a backend by itself", headers: bearerOf("ag_backend"), known: true, inApp: true},
	{name: "a backend for the owner", headers: bearerOf("ag_backend", "X-Askgate-User", "alice"), known: true, inApp: true, owner: true},
	{name: "a backend for another", headers: bearerOf("ag_backend", "X-Askgate-User", "bob"), known: true, inApp: true},
	{name: "a backend without the role for the owner", headers: bearerOf("ag_backend_norole", "X-Askgate-User", "alice"), known: true, owner: true},
	{name: "the owner's page", cookie: "ag_alice", known: true, inApp: true, owner: true},
	{name: "the owner's page without the role", cookie: "ag_alice_norole", known: true, owner: true},
	{name: "the owner's page in another app", cookie: "ag_alice", app: "plain", known: true, inApp: true, owner: true},
	{name: "another's page", cookie: "ag_bob", known: true, inApp: true},
	{name: "another's page that names the owner", cookie: "ag_bob", headers: []string{"X-Askgate-User", "alice"}, known: true, refuse: true},
	{name: "an operator's page", cookie: "ag_ops", known: true, inApp: true, ops: true},
	{name: "an admin's page", cookie: "ag_admin", known: true, admin: true},
	{name: "another tenant's page", cookie: "ag_globex", known: true, inApp: true},
	{name: "another site's page in the owner's browser", cookie: "ag_alice", headers: []string{"Sec-Fetch-Site", "cross-site"}, known: true, inApp: true, owner: true, cross: true},
	{name: "a sibling's page in the owner's browser", cookie: "ag_alice", headers: []string{"Origin", "http://sibling.example"}, known: true, inApp: true, owner: true, cross: true},
	{name: "the owner's cookie with a wrong key", cookie: "ag_alice", headers: bearerOf("ag_wrong")},
	{name: "a made-up cookie", headers: []string{"Cookie", "askgate=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}},
	{name: "another tenant's backend for its namesake", headers: bearerOf("ag_globex_backend", "X-Askgate-User", "alice"), known: true, inApp: true},
}

func tenantKey(id, tenant, subject, roles string, mayActAs bool) string {
	return strings.Replace(keyEntry(id, "ag_"+id, subject, roles, mayActAs), `"acme"`, fmt.Sprintf("%q", tenant), 1)
}

var matrixFiles = files{
	"gateway.json": `{"models": {"default": {"provider": "demo"}}, "limits": {"requestsPerMinute": 0, "concurrentTurns": 0, "streams": 0}, "audit": {"enabled": true, "texts": true},
		"auth": {"mode": "apiKeys", "keys": [` + strings.Join([]string{
		tenantKey("alice", "acme", "alice", `"staff"`, false), tenantKey("alice_norole", "acme", "alice", ``, false),
		tenantKey("bob", "acme", "bob", `"staff"`, false), tenantKey("norole", "acme", "carol", ``, false),
		tenantKey("admin", "acme", "root", `"admin"`, false), tenantKey("texts", "acme", "dave", `"admin:texts"`, false),
		tenantKey("reader", "acme", "erin", `"admin", "admin:texts"`, false),
		tenantKey("ops", "acme", "ops", `"staff", "metrics"`, false), tenantKey("globex", "globex", "alice", `"staff"`, false),
		tenantKey("backend", "acme", "backend", `"staff"`, true), tenantKey("backend_norole", "acme", "backend2", ``, true),
		tenantKey("globex_backend", "globex", "backend", `"staff"`, true),
	}, ",") + `]}}`,
	"apps/staff.json": `{"id": "staff", "name": "Staff", "system": "s", "tools": ["ask_user"], "access": {"roles": ["staff"]}}`,
}

// row is a call of the matrix. In path and body, CHAT stands for the chat and CLR for its question.
type row struct {
	route string // as the router names it, GET for HEAD as well
	query string
	body  string
	want  func(p principal) int
	// shows lists what a 200 must contain; for callers without access it must not contain anything
	// of alice's. nil: the call shows nothing of hers.
	shows func(p principal) bool
}

// everybody: all may call it, even without a key.
func everybody(principal) int { return http.StatusOK }

// signedIn requires only what every caller needs.
func signedIn(p principal, then int) int {
	switch {
	case !p.known:
		return http.StatusUnauthorized
	case p.refuse:
		return http.StatusForbidden
	}
	return then
}

// signingIn is for callers that present a key other than a backend's: a cookie cannot be exchanged
// for another one.
func signingIn(p principal) int {
	switch {
	case p.cross:
		return http.StatusForbidden
	case p.sign:
		return http.StatusNoContent
	case p.known && p.cookie == "":
		return http.StatusForbidden
	}
	return http.StatusUnauthorized
}

// signingOut requires only a page of the gateway's own.
func signingOut(p principal) int {
	if p.cross {
		return http.StatusForbidden
	}
	return http.StatusNoContent
}

// forCallers: each caller has something of their own there.
func forCallers(p principal) int { return signedIn(p, http.StatusOK) }

// inTheApp: everyone who may use the app finds something there.
func inTheApp(p principal) int {
	if !p.inApp {
		return signedIn(p, http.StatusNotFound)
	}
	return signedIn(p, http.StatusOK)
}

// asking is for all who may use the app.
func asking(p principal) int {
	if !p.inApp {
		return signedIn(p, http.StatusNotFound)
	}
	return signedIn(p, http.StatusCreated)
}

// theOwners is found by the owner only, and only in its own app.
func theOwners(success int) func(principal) int {
	return func(p principal) int {
		if !p.inApp || !p.owner || p.app != "" {
			return signedIn(p, http.StatusNotFound)
		}
		return signedIn(p, success)
	}
}

// theOwnersQuestion is found by its own id, by its owner, if they may use its app.
func theOwnersQuestion(success int) func(principal) int {
	return func(p principal) int {
		if !p.inApp || !p.owner {
			return signedIn(p, http.StatusNotFound)
		}
		return signedIn(p, success)
	}
}

// theirOwn is found by the person it is stored for, whatever apps they may use.
func theirOwn(success int) func(principal) int {
	return func(p principal) int {
		if !p.owner {
			return signedIn(p, http.StatusNotFound)
		}
		return signedIn(p, success)
	}
}

func operators(p principal) int {
	if !p.ops {
		return signedIn(p, http.StatusForbidden)
	}
	return http.StatusOK
}

// admins see how many questions wait and since when, and may cancel them; they see texts only with
// the role for it.
func admins(success int) func(principal) int {
	return func(p principal) int {
		if !p.admin {
			return signedIn(p, http.StatusForbidden)
		}
		return success
	}
}

// noOne: it does not exist, for any caller.
func noOne(principal) int { return http.StatusNotFound }

const chatPath = "/v1/apps/:app/chats/:chatId"

var rows = []row{
	{route: "GET /", want: everybody},
	{route: "GET /admin", want: everybody},
	{route: "GET /assets/*file", want: everybody},
	{route: "GET /page/texts", want: everybody},
	{route: "GET /openapi.yaml", want: everybody},
	{route: "GET /healthz", want: everybody},
	{route: "GET /readyz", want: everybody},
	{route: "GET /answer/:link", want: noOne}, // the holder of a link: see TestAnswerLinks
	{route: "POST /answer/:link", body: `{"value": "yes"}`, want: noOne},
	{route: "POST /answer/:link/files", want: noOne},
	{route: "POST /v1/channels/:channel/slack", want: noOne}, // Slack, which signs: see TestForgedRequestsOfSlack
	{route: "POST /v1/hooks/claude-code", query: "?app=staff", body: `{"hook_event_name": "Notification"}`, want: inTheApp},
	{route: "POST /v1/doctor", body: `{}`, want: everybody},
	{route: "GET /metrics", want: operators},
	{route: "GET /v1/admin/audit", want: admins(200)},
	{route: "GET /v1/admin/clarifications", want: admins(200)},
	{route: "GET /v1/admin/config", want: admins(200)},
	{route: "GET /v1/admin/faults", want: admins(200)},
	{route: "GET /v1/admin/models", want: admins(200)},
	{route: "GET /v1/admin/questions", want: admins(200)},
	{route: "GET /v1/admin/stats", want: admins(200)},
	{route: "GET /v1/admin/tools", query: "?app=staff", want: admins(200)},
	{route: "POST /v1/admin/clarifications/:clarificationId/cancel", want: admins(204)},
	{route: "POST /v1/admin/models/:model/try", want: admins(404)}, // no tool to try here
	{route: "GET /v1/apps", want: forCallers},
	{route: "GET /v1/apps/:app", want: inTheApp},
	{route: "GET /v1/apps/:app/chats", want: inTheApp, shows: func(p principal) bool { return p.owner && p.app == "" }},
	{route: "GET /v1/events", want: forCallers}, // who receives which event: TestEachIsToldWhatConcernsThem
	{route: "GET /v1/clarifications", want: forCallers, shows: func(p principal) bool { return p.owner && (p.inApp || p.app != "") }},
	{route: "GET /v1/clarifications/:clarificationId", want: theOwnersQuestion(200)},
	{route: "POST /v1/apps/:app/clarifications", body: `{"question": "Q"}`, want: asking}, // for themselves; for others: TestWhoMayAskWhom
	{route: "GET /v1/clarifications/:clarificationId/options", query: "?q=fr", want: theOwnersQuestion(200)},
	{route: "POST /v1/clarifications/:clarificationId/answer", body: `{"value": "fr"}`, want: theOwnersQuestion(200)},
	{route: "DELETE /v1/clarifications/:clarificationId/answer", want: theOwnersQuestion(409), shows: func(p principal) bool { return p.owner && p.inApp }}, // it waits; who gave an answer: TestWhoMayDeleteAnAnswer
	{route: "POST /v1/clarifications/:clarificationId/cancel", want: theOwnersQuestion(403)},                                                                // the model asked
	{route: "POST /v1/clarifications/:clarificationId/messages", body: `{"message": "x"}`, want: theOwnersQuestion(403)},
	{route: "POST /v1/clarifications/:clarificationId/files", want: theOwnersQuestion(415)},
	{route: "GET /v1/clarifications/:clarificationId/files/:fileId", want: theOwnersQuestion(404)},
	{route: "POST /v1/clarifications/:clarificationId/seen", want: theOwnersQuestion(204)},
	{route: "PUT /v1/clarifications/:clarificationId/draft", body: `{"draft": {"typed": "CLR"}}`, want: theOwnersQuestion(204)},
	{route: "GET /v1/memory", want: forCallers, shows: func(p principal) bool { return p.owner }},
	{route: "DELETE /v1/memory", want: func(p principal) int { return signedIn(p, http.StatusNoContent) }}, // their own
	{route: "PUT /v1/memory/:memoryId", body: `{"text": "x"}`, want: theirOwn(200)},
	{route: "DELETE /v1/memory/:memoryId", want: theirOwn(204)},
	{route: "GET /v1/session", want: forCallers},
	{route: "POST /v1/session", want: signingIn},
	{route: "DELETE /v1/session", want: signingOut},
	{route: "GET " + chatPath, want: theOwners(200)},
	{route: "GET " + chatPath + "/events", want: inTheApp}, // a chat of their own that has not begun: TestWhatIsSomeoneElsesDoesNotExist
	{route: "GET " + chatPath + "/clarifications/:clarificationId/options", query: "?q=fr", want: theOwners(200)},
	{route: "GET " + chatPath + "/contents/:contentId", want: theOwners(404)}, // each is found by its owner: TestContentsAreTheOwners
	{route: "POST " + chatPath + "/files", want: func(p principal) int { // not a form: refused before anything is looked up
		if status := inTheApp(p); status != http.StatusOK {
			return status
		}
		return http.StatusUnsupportedMediaType
	}},
	{route: "GET " + chatPath + "/files/:fileId", want: theOwners(404)}, // each is found by its owner: TestFilesAreTheirs
	{route: "DELETE " + chatPath + "/files/:fileId", want: theOwners(404)},
	{route: "GET /v1/apps/:app/documents/:tool", query: "?q=x", want: forAllOfTheApp},
	{route: "GET /v1/apps/:app/documents/:tool/:id", want: forAllOfTheApp},
	{route: "PATCH " + chatPath, body: `{"title": "x"}`, want: theOwners(200)},
	{route: "POST " + chatPath + "/stop", want: theOwners(204)},
	{route: "DELETE " + chatPath, want: theOwners(204)},
	{route: "DELETE " + chatPath + "/queued/:messageId", want: theOwners(404)}, // nothing waits there
	{route: "POST " + chatPath + "/queued/:messageId/send", body: `{}`, want: theOwners(404)},
	{route: "DELETE " + chatPath + "/approvals/:tool", want: theOwners(204)},
	{route: "POST " + chatPath + "/resume", body: `{}`, want: theOwners(409)},                                                  // its question waits
	{route: "POST " + chatPath + "/fork", body: `{"clarificationId": "CLR", "answer": {"value": "fr"}}`, want: theOwners(422)}, // it waits
	{route: "POST " + chatPath + "/messages", body: `{"answer": {"clarificationId": "CLR", "value": "fr"}}`, want: theOwners(200)},
	{route: "POST " + chatPath + "/messages", body: `{"message": "hello"}`, want: inTheApp}, // in a chat of their own, for other callers
}

// forAllOfTheApp is the answer to those who look for documents that the app does not have.
func forAllOfTheApp(p principal) int {
	if status := inTheApp(p); status != http.StatusOK {
		return status
	}
	return http.StatusNotFound
}

// request returns the method, path and body of a row for a principal.
func (w row) request(p principal, chat, question string) (method, path, body string) {
	app := p.app
	if app == "" {
		app = "staff"
	}
	method, path, _ = strings.Cut(w.route, " ")
	path = strings.NewReplacer(":app", app, ":chatId", chat, ":clarificationId", question, ":memoryId", "mem_"+chat, ":tool", "clock", "*file", "askgate.js").Replace(path)
	return method, path + w.query, strings.ReplaceAll(w.body, "CLR", question)
}

// Every principal tries every call on a chat of alice's. What a principal has no access to is 404,
// the same as if it did not exist, and stays unchanged.
func TestOwnership(t *testing.T) {
	t.Parallel()
	var db store.Store
	s := realServer(t, matrixFiles, func(o *turn.Options) { db = o.Store })
	var served []string
	page, _, _ := newAPI(t, matrixFiles, func(o *api.Options) { o.Page = http.NotFoundHandler() })
	for _, route := range page.Routes() {
		if method, path, _ := strings.Cut(route, " "); method != http.MethodHead {
			served = append(served, method+" "+path)
		} else if !slices.Contains(page.Routes(), "GET "+path) {
			t.Errorf("%s answers HEAD and not GET: it has no row", path)
		}
	}
	var covered []string
	for _, w := range rows {
		covered = append(covered, w.route)
	}
	slices.Sort(covered)
	if covered = slices.Compact(covered); !slices.Equal(served, covered) {
		t.Fatalf("served\n%s\nin the matrix\n%s", strings.Join(served, "\n"), strings.Join(covered, "\n"))
	}

	cells := 0
	var hers *subject
	signed := slices.Clone(principals)
	for i, p := range signed {
		if p.cookie != "" {
			signed[i].headers = append(slices.Clone(p.headers), "Cookie", s.signIn(p.cookie))
		}
	}
	for _, w := range rows {
		if strings.HasPrefix(w.route, "GET /page") || w.route == "GET /" || w.route == "GET /admin" || strings.HasPrefix(w.route, "GET /assets") {
			s.wantPage(t, w)
			cells += len(principals)
			continue
		}
		for _, p := range signed {
			cells++
			if hers == nil {
				hers = s.subject(t, db, fmt.Sprintf("c%d", cells))
			}
			if !s.cell(t, db, w, p, hers) {
				s.erase(t, db, hers)
				hers = nil
			}
		}
	}
	t.Logf("%d cells: %d principals, %d calls", cells, len(principals), len(rows))
}

// wantPage checks that the handler of the page serves it to all.
func (s *server) wantPage(t *testing.T, w row) {
	t.Helper()
	shown := newServer(t, matrixFiles, func(o *api.Options) {
		o.Page = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "page") })
	})
	for _, p := range principals {
		method, path, body := w.request(p, "c", "")
		if r := shown.call(method, path, body, p.headers...); r.StatusCode != w.want(p) {
			t.Errorf("%s, %s: %d, want %d", p.name, w.route, r.StatusCode, w.want(p))
		}
	}
}

// subject is the target of the matrix: a chat of alice's with a pending question, and a memory of
// hers.
type subject struct {
	chat, question string
	before         string // the chat's snapshot
	kept           chat.Memory
}

func (s *server) subject(t *testing.T, db store.Store, chatID string) *subject {
	t.Helper()
	hers := &subject{chat: chatID, kept: memoryOf(chatID)}
	if err := db.Memory().SaveMemory(t.Context(), hers.kept, 1); err != nil {
		t.Fatal(err)
	}
	var asked struct {
		Clarification struct{ ClarificationID string }
	}
	alice := bearerOf("ag_alice")
	s.call("POST", "/v1/apps/staff/chats/"+chatID+"/messages", `{"message": "select"}`, append(alice, "Accept", "application/json")...).decode(t, 200, &asked)
	hers.question = asked.Clarification.ClarificationID
	hers.before = s.snapshotOf(hers)
	return hers
}

func (s *server) snapshotOf(hers *subject) string {
	return string(s.call("GET", "/v1/apps/staff/chats/"+hers.chat, "", bearerOf("ag_alice")...).body)
}

func (s *server) erase(t *testing.T, db store.Store, hers *subject) {
	t.Helper()
	s.call("DELETE", "/v1/apps/staff/chats/"+hers.chat, "", bearerOf("ag_alice")...)
	if err := db.Memory().DeleteMemory(t.Context(), hers.kept.Tenant, hers.kept.Subject, hers.kept.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
}

// cell tries one call of one principal, and reports whether its target stayed unchanged.
func (s *server) cell(t *testing.T, db store.Store, w row, p principal, hers *subject) (same bool) {
	t.Helper()
	want := w.want(p)
	if p.cross && p.known && !strings.HasPrefix(w.route, "GET ") && !strings.HasSuffix(w.route, "/doctor") && !strings.Contains(w.route, "/answer/") && !strings.Contains(w.route, "/channels/") {
		want = http.StatusForbidden // before anything is revealed
	}
	status, body := s.try(w, p, hers.chat, hers.question)
	kept := &hers.kept
	left, err := db.Memory().Memories(t.Context(), kept.Tenant, kept.Subject, kept.App)
	remembered := len(left) == 1 && reflect.DeepEqual(left[0], *kept)
	if err != nil || !remembered && !p.owner {
		t.Errorf("%s, %s: the memory of alice is now %+v, %v", p.name, w.route, left, err)
	}
	after := s.snapshotOf(hers)
	same = remembered && after == hers.before
	if status != want {
		t.Errorf("%s, %s: %d, want %d: %s", p.name, w.route, status, want, body)
		return same
	}
	if w.shows != nil && status == http.StatusOK && strings.Contains(body, fmt.Sprintf("%q", hers.chat)) != w.shows(p) {
		t.Errorf("%s, %s: alice's chat is shown, or is missing: %.300s", p.name, w.route, body)
	}
	reports := w.route == "GET /v1/admin/questions" && status == http.StatusOK // without their owners
	tells := (w.route == "GET /v1/admin/audit" || w.route == "GET /v1/admin/clarifications") && status == http.StatusOK
	if !p.owner && strings.HasPrefix(w.route, "GET /v1/admin/") && strings.Contains(body, "Which language") != ((tells || reports) && p.texts) {
		t.Errorf("%s, %s: the text of alice's question is shown, or is missing: %.300s", p.name, w.route, body)
	}
	if status < 300 && (p.owner || strings.HasPrefix(w.route, "POST /v1/admin/") || tells) {
		return same // they may change it, or know about it
	}
	if w.shows == nil && strings.Contains(body, hers.question) {
		t.Errorf("%s, %s: alice's question is disclosed: %s", p.name, w.route, body)
	}
	if after != hers.before {
		t.Errorf("%s, %s: changed alice's chat\n%s\n%s", p.name, w.route, hers.before, after)
	}
	if status == http.StatusNotFound {
		if _, absent := s.try(w, p, "absent", "clr_absent"); absent != body {
			t.Errorf("%s, %s: the response differs from that for something that does not exist\n%s\n%s", p.name, w.route, body, absent)
		}
	}
	return same
}

// memoryOf returns the memory of alice while a call about a chat is tried.
func memoryOf(chatID string) chat.Memory {
	return chat.Memory{ID: "mem_" + chatID, Tenant: "acme", Subject: "alice", App: "staff", Key: "k", Text: chatID, UpdatedAt: time.UnixMilli(1).UTC()}
}

// signIn returns the cookie that a key is exchanged for.
func (s *server) signIn(key string) string {
	s.t.Helper()
	r := s.call("POST", "/v1/session", "", bearerOf(key)...)
	if r.StatusCode != http.StatusNoContent || len(r.Cookies()) != 1 {
		s.t.Fatalf("signing in: %d %v %s", r.StatusCode, r.Header, r.body)
	}
	c := r.Cookies()[0]
	return c.Name + "=" + c.Value
}

// try makes the call, and closes streams that have no end.
func (s *server) try(w row, p principal, chat, question string) (status int, body string) {
	method, path, sent := w.request(p, chat, question)
	endless := strings.HasSuffix(w.route, "/events") || strings.HasSuffix(w.route, "/doctor")
	res := s.open(method, path, sent, p.headers...)
	defer res.Body.Close()
	if endless && res.StatusCode == http.StatusOK {
		return res.StatusCode, ""
	}
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(data)
}
