package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

var adminCalls = [][2]string{
	{"GET", "/v1/admin/config"}, {"GET", "/v1/admin/faults"}, {"GET", "/v1/admin/tools?app=plain"}, {"GET", "/v1/admin/tools"},
	{"GET", "/v1/admin/clarifications"}, {"POST", "/v1/admin/clarifications/clr_x/cancel"}, {"GET", "/v1/admin/stats"},
	{"GET", "/v1/admin/audit"}, {"GET", "/v1/admin/questions"}, {"POST", "/v1/admin/models/default/try"}, {"GET", "/v1/admin/models"},
}

var admin = []string{"Authorization", "Bearer ag_admin"}

func TestAdminNeedsTheRole(t *testing.T) {
	engine := &fakeEngine{}
	s := newServer(t, withKeys, func(o *api.Options) {
		o.Engine = engine
		o.Definitions = func(*turn.Setup, string, string) []tools.Definition { return nil }
	})
	for _, call := range adminCalls {
		s.call(call[0], call[1], "").wantProblem(t, 401, "unauthenticated")
		for _, key := range []string{"ag_alice", "ag_ops", "ag_backend"} {
			s.call(call[0], call[1], "", "Authorization", "Bearer "+key).wantProblem(t, 403, "forbidden")
		}
		s.call(call[0], call[1], "", "Authorization", "Bearer ag_backend", "X-Askgate-User", "root").wantProblem(t, 403, "forbidden")
	}
	if len(engine.cancelled) != 0 {
		t.Errorf("cancelled %q", engine.cancelled)
	}
	for _, call := range adminCalls {
		if r := s.call(call[0], call[1], "", admin...); r.StatusCode == 401 || r.StatusCode == 403 || r.StatusCode >= 500 {
			t.Errorf("%s: %d", call, r.StatusCode)
		}
	}
	if len(engine.cancelled) != 1 || engine.cancelled[0] != "clr_x" {
		t.Errorf("cancelled %q", engine.cancelled)
	}
}

// Where callers have no keys, the admin is the person at the machine.
func TestAdminWithoutKeysIsForThisMachine(t *testing.T) {
	s := newServer(t, nil, nil)
	try := func(remote, host string, headers ...string) int {
		req := httptest.NewRequest("GET", "/v1/admin/config", nil)
		req.RemoteAddr, req.Host = remote, host
		for i := 0; i < len(headers); i += 2 {
			req.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		s.api.Handler().ServeHTTP(w, req)
		return w.Code
	}
	for _, host := range []string{"127.0.0.1:8080", "localhost", "LocalHost:80", "[::1]:8080", "[::1]", "127.8.8.8", "chat.example.org"} {
		for _, remote := range []string{"127.0.0.1:5000", "[::1]:5000", "[::ffff:127.0.0.1]:5000"} {
			if code := try(remote, host); code != 200 {
				t.Errorf("from %s to %s: %d", remote, host, code)
			}
		}
	}
	for _, test := range []struct {
		remote, host string
		headers      []string
	}{
		{"192.0.2.1:5000", "127.0.0.1:8080", nil},
		{"[2001:db8::1]:5000", "localhost", nil},
		{"", "localhost", nil},
		{"192.0.2.1:5000", "chat.example.org", nil},
		{"127.0.0.1:5000", "localhost", []string{"X-Forwarded-For", "192.0.2.1"}},
		{"127.0.0.1:5000", "localhost", []string{"Forwarded", "for=192.0.2.1"}},
		{"127.0.0.1:5000", "localhost", []string{"Via", "1.1 proxy"}},
		{"127.0.0.1:5000", "localhost", []string{"X-Real-IP", "192.0.2.1"}},
		{"127.0.0.1:5000", "localhost", []string{"X-Forwarded-Host", "chat.example.org"}},
		{"127.0.0.1:5000", "localhost", []string{"X-Forwarded-Host", ""}},
	} {
		if code := try(test.remote, test.host, test.headers...); code != 403 {
			t.Errorf("%+v: %d", test, code)
		}
	}
	s.call("POST", "/v1/admin/clarifications/clr_x/cancel", "", "Sec-Fetch-Site", "cross-site").wantProblem(t, 403, "forbidden")
}

func TestAdminSeesTheConfigurationWithoutItsSecrets(t *testing.T) {
	c := loadSchemas(t)
	s := newServer(t, files{
		"gateway.json": `{"models": {"default": {"provider": "demo", "apiKey": "SECRET-model", "fallback": ["spare"]},
			"spare": {"provider": "anthropic", "model": "m", "maxTokens": 4096, "apiKey": "SECRET-spare", "fallback": ["last"], "temperature": 0.5,
				"reasoning": {"effort": "high", "show": false}, "headers": {"X-Team": "SECRET-header"}, "body": {"metadata": {"user": "SECRET-body"}, "service_tier": "SECRET-tier"},
				"prices": {"currency": "EUR", "input": 2, "output": 10}}, "last": {"provider": "demo"}},
			"audit": {"enabled": true}, "retention": "90d", "auth": {"mode": "apiKeys", "keys": [` +
			keyEntry("SECRET-id", "ag_admin", "SECRET-subject", `"admin"`, false) + `]}, "store": "sqlite:SECRET.db"}`,
		"apps/off.json": `{"id": "off", "enabled": false, "name": "Off", "system": "SECRET-prompt", "model": "default", "tools": ["glossary"],
			"access": {"roles": ["admin"]}}`,
		"apps/own/app.json":   `{"id": "own", "name": {"en": "Own", "de": "Eigene"}, "tools": ["ask_user", "clock"], "clarifications": {"perConversation": 3, "expiresIn": "24h", "keys": {"tone": {"remember": "user", "rememberFor": "90d", "silent": true}}}, "retention": "30d"}`,
		"tool.json":           `[]`,
		"apps/own/tools.json": `[{"id": "clock", "name": "Own clock"}]`,
		"tools.json": `[{"id": "ask_user", "type": "ask_user", "description": {"en": "Ask.", "fr": "Demande."}},
			{"id": "glossary", "type": "http", "description": "Looks up.", "parameters": {"type": "object", "properties": {"term": {"type": "string"}}, "required": ["term"]}, "http": {"method": "POST",
				"url": "https://terms.example.org:8443/SECRET-path/{term}?key=SECRET-query", "headers": {"X-Token": "SECRET-header"}, "timeout": "7s", "allowPrivate": true}}]`,
	}, nil)
	r := s.call("GET", "/v1/admin/config", "", append([]string{"Accept-Language", "de"}, admin...)...)
	c.check("AdminConfig", r.body)
	if strings.Contains(string(r.body), "SECRET") || strings.Contains(string(r.body), "sha256") {
		t.Errorf("a secret is in the response: %s", r.body)
	}
	type tool struct {
		ID, App, Method, Server, Timeout, Name string
		Headers, Apps                          []string
		AllowPrivate                           bool
	}
	var got struct {
		Auth   string
		Audit  struct{ Enabled, Texts bool }
		Models []struct {
			Name      string
			MaxTokens int
			Fallbacks []string
			API       string
			Headers   []string
			Body      []string
		}
		Apps []struct {
			ID, Name, Model string
			Retention       string
			Enabled         bool
			Tools           []string
			Clarifications  struct {
				PerConversation int
				ExpiresIn       string
			}
			Limits    struct{ RequestsPerMinute int }
			Roles     []string
			Languages []string
		}
		Tools    []tool
		Warnings []struct{ File, Message string }
	}
	r.decode(t, 200, &got)
	var apps []string
	for _, a := range got.Apps {
		apps = append(apps, fmt.Sprint(a.ID, " ", a.Name, " ", a.Enabled, " ", a.Model, " ", a.Tools, " ", a.Clarifications, " ", a.Limits, " ", a.Roles, " ", a.Languages, " ", a.Retention))
	}
	want := []string{
		"off Off false default [glossary] {10 } {60} [admin] [] 90d",
		"own Eigene true default [ask_user clock] {3 1d} {60} [] [de en fr] 30d",
		"plain Schlicht true default [ask_user] {10 } {60} [] [de en fr it] 90d",
	}
	if fmt.Sprintf("%q", apps) != fmt.Sprintf("%q", want) {
		t.Errorf("apps\n%q, want\n%q", apps, want)
	}
	if models := fmt.Sprint(got.Models); models != "[{default 0 [spare last]  [] []} {last 0 []  [] []} {spare 4096 [last]  [X-Team] [metadata service_tier]}]" || !got.Audit.Enabled || got.Audit.Texts {
		t.Errorf("models %s, audit %+v", models, got.Audit)
	}
	if len(got.Warnings) != 1 || !strings.HasSuffix(got.Warnings[0].File, "tool.json") || !strings.Contains(got.Warnings[0].Message, "tools.json") {
		t.Errorf("warnings %+v", got.Warnings)
	}
	var list []string
	for _, tool := range got.Tools {
		list = append(list, fmt.Sprint(tool))
	}
	want = []string{
		"{ask_user      [] [own plain] false}", "{calculator      [] [] false}", "{clock      [] [] false}",
		"{glossary  POST https://terms.example.org:8443 7s  [X-Token] [] true}", "{clock own    Own clock [] [own] false}",
	}
	if fmt.Sprintf("%q", list) != fmt.Sprintf("%q", want) {
		t.Errorf("tools\n%q, want\n%q", list, want)
	}
}

func TestAdminSeesFaults(t *testing.T) {
	c := loadSchemas(t)
	begin := time.Date(2026, 2, 6, 10, 30, 0, 0, time.UTC)
	last := config.Reload{At: begin, Loaded: begin}
	s := newServer(t, nil, func(o *api.Options) { o.LastReload = func() config.Reload { return last } })
	read := func() string {
		t.Helper()
		r := s.call("GET", "/v1/admin/faults", "")
		c.check("AdminFaults", r.body)
		return string(r.body)
	}
	if got := read(); got != `{"at":"2026-02-06T10:30:00.000Z","loadedAt":"2026-02-06T10:30:00.000Z","items":[]}` {
		t.Error(got)
	}
	last = config.Reload{At: begin.Add(time.Minute), Loaded: begin, Faults: config.Faults{{File: "conf/tools.json", Line: 3, Col: 7, Message: "fix it"}}}
	if got := read(); got != `{"at":"2026-02-06T10:31:00.000Z","loadedAt":"2026-02-06T10:30:00.000Z","items":[{"file":"conf/tools.json","line":3,"column":7,"message":"fix it"}]}` {
		t.Error(got)
	}
	never := newServer(t, nil, nil).call("GET", "/v1/admin/faults", "")
	if c.check("AdminFaults", never.body); string(never.body) != `{"at":null,"loadedAt":null,"items":[]}` {
		t.Errorf("%s", never.body)
	}
}

func TestAdminSeesDefinitions(t *testing.T) {
	c := loadSchemas(t)
	s := newServer(t, withKeys, func(o *api.Options) {
		o.Definitions = func(_ *turn.Setup, app, language string) []tools.Definition {
			return []tools.Definition{{Name: app, Description: "in " + language, Parameters: []byte(`{"type":"object","properties":{"a<b":{}}}`)}}
		}
	})
	for query, language := range map[string]string{
		"?app=plain": "en", "?app=plain&language=de": "de", "?app=plain&language=pt-BR": "pt-BR", "?app=staff&language=fr": "fr",
	} {
		r := s.call("GET", "/v1/admin/tools"+query, "", admin...)
		c.check("AdminDefinitions", r.body)
		var got struct {
			Language string
			Items    []struct {
				Name, Description string
				Parameters        struct{ Properties map[string]any }
			}
		}
		r.decode(t, 200, &got)
		if got.Language != language || got.Items[0].Description != "in "+language || got.Items[0].Parameters.Properties["a<b"] == nil {
			t.Errorf("%s: %s", query, r.body)
		}
	}
	for query, status := range map[string]int{"": 400, "?app=": 400, "?app=plain&language=": 400, "?app=plain&language=a_!": 400, "?app=off": 404, "?app=nosuch": 404} {
		if r := s.call("GET", "/v1/admin/tools"+query, "", admin...); r.StatusCode != status {
			t.Errorf("%q: %d, want %d", query, r.StatusCode, status)
		}
	}
}

func TestAdminSeesWhatWaitsButNotWhatIsAskedOfWhom(t *testing.T) {
	c := loadSchemas(t)
	s := realServer(t, withKeys, nil)
	alice, bob := []string{"Authorization", "Bearer ag_alice"}, []string{"Authorization", "Bearer ag_backend", "X-Askgate-User", "bob"}
	text := find(t, s.run(c, "chat-of-alice", `{"message":"text"}`, alice...), "clarification")
	form := find(t, s.run(c, "chat-of-bob", `{"message":"form"}`, bob...), "clarification")
	r := s.call("GET", "/v1/admin/clarifications?limit=1", "", admin...)
	c.check("AdminClarificationList", r.body)
	type page struct {
		Items []struct {
			ClarificationID string
			App, Kind       string
			InputType       string `json:"input_type"`
			Number          int    `json:"clarificationNumber"`
			Questions       []string
		}
		NextCursor string
	}
	var first, second page
	r.decode(t, 200, &first)
	s.call("GET", "/v1/admin/clarifications?cursor="+first.NextCursor, "", admin...).decode(t, 200, &second)
	got := append(first.Items, second.Items...)
	if len(first.Items) != 1 || len(got) != 2 || second.NextCursor != "" || got[0].ClarificationID != text["clarificationId"] || got[1].ClarificationID != form["clarificationId"] ||
		got[0].App != "plain" || got[0].Kind != "question" || got[0].InputType != "text" || got[1].InputType != "form" || got[0].Number != 1 {
		t.Errorf("%+v", got)
	}
	all := string(s.call("GET", "/v1/admin/clarifications", "", admin...).body)
	for _, private := range []string{"alice", "bob", "acme", "questions", fmt.Sprint(text["question"])} {
		if strings.Contains(all, private) {
			t.Errorf("%q is disclosed: %s", private, all)
		}
	}
	for _, query := range []string{"?limit=0", "?limit=x", "?cursor=x"} {
		s.call("GET", "/v1/admin/clarifications"+query, "", admin...).wantProblem(t, 400, "invalid_request")
	}

	open := realServer(t, nil, nil) // a single user, who is the admin
	asked := find(t, open.run(c, "c1", `{"message":"text"}`), "clarification")
	r = open.call("GET", "/v1/admin/clarifications", "")
	c.check("AdminClarificationList", r.body)
	var only page
	r.decode(t, 200, &only)
	if len(only.Items) != 1 || len(only.Items[0].Questions) != 1 || only.Items[0].Questions[0] != asked["question"] {
		t.Errorf("%s", r.body)
	}
}

func TestAdminCancelsAQuestion(t *testing.T) {
	c := loadSchemas(t)
	s := realServer(t, withKeys, nil)
	alice := []string{"Authorization", "Bearer ag_alice"}
	id := fmt.Sprint(find(t, s.run(c, "c1", `{"message":"select"}`, alice...), "clarification")["clarificationId"])
	path := "/v1/admin/clarifications/" + id + "/cancel"
	s.call("POST", path, "", alice...).wantProblem(t, 403, "forbidden")
	if r := s.call("POST", path, "", admin...); r.StatusCode != 204 || len(r.body) != 0 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	p := s.call("POST", path, "", admin...).wantProblem(t, 410, "clarification_closed")
	if p.State != "cancelled" {
		t.Errorf("%+v", p)
	}
	s.post("c1", `{"answer":{"clarificationId":"`+id+`","value":"fr"}}`, alice...).wantProblem(t, 410, "clarification_closed")
	s.call("POST", "/v1/admin/clarifications/clr_none/cancel", "", admin...).wantProblem(t, 404, "not_found")

	id = fmt.Sprint(find(t, s.run(c, "c2", `{"message":"text"}`, alice...), "clarification")["clarificationId"])
	s.run(c, "c2", `{"answer":{"value":"AB-123"}}`, alice...)
	r := s.call("POST", "/v1/admin/clarifications/"+id+"/cancel", "", admin...)
	if p := r.wantProblem(t, 409, "already_answered"); p.Outcome != "answered" || p.Answer != nil || strings.Contains(string(r.body), "AB-123") {
		t.Errorf("a user's answer is disclosed: %s", r.body)
	}
}

func TestAdminSeesWhatBecameOfQuestions(t *testing.T) {
	c := loadSchemas(t)
	var db store.Store
	s := realServer(t, files{"apps/plain.json": `{"id": "plain", "name": "Plain", "system": "s", "tools": ["ask_user"], "clarifications": {"perConversation": 1}}`},
		func(o *turn.Options) { db = o.Store })
	type counts struct {
		Asked, Pending, Answered, Declined, Superseded, Remembered int
		WaitSeconds                                                *struct{ Count int }
	}
	type stats struct {
		From, To, CapsSince time.Time
		SpanSeconds         int
		Apps                []struct {
			App string
			counts
			CapsReached struct{ Conversation, Turn int }
			Spans       []struct {
				Start time.Time
				counts
			}
		}
	}
	read := func(query string) (got stats) {
		t.Helper()
		r := s.call("GET", "/v1/admin/stats"+query, "")
		c.check("AdminStats", r.body)
		r.decode(t, 200, &got)
		return got
	}
	if got := read(""); len(got.Apps) != 0 {
		t.Errorf("before anything was asked: %+v", got)
	}
	s.run(c, "c1", `{"message":"select"}`)
	s.run(c, "c1", `{"answer":{"value":"fr"}}`)
	s.run(c, "c1", `{"message":"select"}`) // over the cap
	s.run(c, "c2", `{"message":"text"}`)
	s.run(c, "c2", `{"answer":{"declined":true}}`)
	s.run(c, "c3", `{"message":"text"}`)
	if err := db.Update(t.Context(), chat.Ref{Tenant: "default", Subject: "anonymous", App: "plain", ChatID: "c3"}, func(tx store.Tx) error {
		asked, err := tx.Clarifications().Pending()
		if err != nil {
			return err
		}
		asked[0].ID, asked[0].State = "clr_unasked", tools.StateRemembered
		return tx.AddClarification(asked[0])
	}); err != nil {
		t.Fatal(err)
	}
	for query, span := range map[string]int{"": 3600, "?hours=1": 300, "?hours=6": 900, "?hours=72": 3600, "?hours=336": 21600, "?hours=2160": 86400} {
		got := read(query)
		if len(got.Apps) != 1 || got.SpanSeconds != span || got.CapsSince.After(got.To) {
			t.Fatalf("%s: %+v", query, got)
		}
		app, total := got.Apps[0], counts{}
		if got.From.Unix()%int64(span) != 0 || app.App != "plain" || app.Asked != 4 || app.Answered != 1 || app.Declined != 1 || app.Pending != 1 || app.Remembered != 1 ||
			app.WaitSeconds == nil || app.WaitSeconds.Count != 2 || app.CapsReached.Conversation != 1 || app.CapsReached.Turn != 0 {
			t.Errorf("%s: %+v", query, app)
		}
		for _, part := range app.Spans {
			total.Asked += part.Asked
			total.Pending += part.Pending
			if part.Start.Before(got.From) || part.Start.After(got.To) || part.Start.Sub(got.From)%(time.Duration(span)*time.Second) != 0 {
				t.Errorf("%s: a span begins at %v", query, part.Start)
			}
		}
		if total.Asked != 4 || total.Pending != 1 {
			t.Errorf("%s: the sum of the spans is %+v", query, total)
		}
	}
	for _, query := range []string{"?hours=0", "?hours=2161", "?hours=-1", "?hours=x", "?hours="} {
		s.call("GET", "/v1/admin/stats"+query, "").wantProblem(t, 400, "invalid_request")
	}
}

// Each cap that the metric counts has its own count.
func TestAdminSeesWhichCapsWereHit(t *testing.T) {
	s := newServer(t, nil, nil)
	rejected := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "askgate_clarifications_rejected_total", Help: "h"}, []string{"app", "reason"})
	s.registry.MustRegister(rejected)
	for i, reason := range []string{"too_long", "limit_conversation", "limit_turn", "limit_principal", "limit_app", "limit_approvals"} {
		rejected.WithLabelValues("plain", reason).Add(float64(i))
	}
	r := s.call("GET", "/v1/admin/stats", "")
	loadSchemas(t).check("AdminStats", r.body)
	var got struct {
		Apps []struct{ CapsReached json.RawMessage }
	}
	r.decode(t, 200, &got)
	if want := `{"conversation":1,"turn":2,"principal":3,"app":4,"approvals":5}`; len(got.Apps) != 1 || string(got.Apps[0].CapsReached) != want {
		t.Errorf("%s, want %s", r.body, want)
	}
}

func TestThePagesTextsAreInTheLanguageAskedFor(t *testing.T) {
	s := newServer(t, nil, nil)
	withPage := newServer(t, nil, func(o *api.Options) { o.Page = s.api.Handler() })
	var got struct{ Texts map[string]string }
	withPage.call("GET", "/page/texts?lang=de", "").decode(t, 200, &got)
	if got.Texts["admin.sign_in"] != "Anmelden" || got.Texts["page.send"] != "Senden" {
		t.Errorf("%v", got.Texts)
	}
	for accept, zipped := range map[string]bool{"gzip, deflate, br": true, "br": false, "gzip;q=0, br": false} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/page/texts?lang=de", nil)
		r.Header.Set("Accept-Encoding", accept)
		withPage.api.Handler().ServeHTTP(w, r)
		body := io.Reader(w.Body)
		if z, err := gzip.NewReader(bytes.NewReader(w.Body.Bytes())); err == nil {
			body = z
		}
		var again struct{ Texts map[string]string }
		if err := json.NewDecoder(body).Decode(&again); err != nil || !maps.Equal(again.Texts, got.Texts) {
			t.Errorf("%s: other texts, %v", accept, err)
		}
		if (w.Header().Get("Content-Encoding") == "gzip") != zipped || !strings.Contains(strings.Join(w.Header().Values("Vary"), ","), "Accept-Encoding") {
			t.Errorf("%s: %v", accept, w.Header())
		}
	}
}
