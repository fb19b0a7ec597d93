package api_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// audited is withKeys with an audit, and with a key that may read its texts.
func audited(settings string) files {
	f := files{}
	for name, text := range withKeys {
		f[name] = text
	}
	f["gateway.json"] = strings.Replace(f["gateway.json"], `"auth"`, `"audit": `+settings+`, "auth"`, 1)
	f["gateway.json"] = strings.Replace(f["gateway.json"], `"keys": [`, `"keys": [`+keyEntry("reader", "ag_reader", "reader", `"admin", "admin:texts"`, false)+",", 1)
	return f
}

// records returns the audit as a key reads it, with each record checked against its schema.
func (s *server) records(c schemas, query, key string) (list []chat.AuditRecord, text string) {
	s.t.Helper()
	r := s.call("GET", "/v1/admin/audit"+query, "", "Authorization", "Bearer "+key)
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "application/x-ndjson; charset=utf-8" {
		s.t.Fatalf("%d, %s: %s", r.StatusCode, r.Header.Get("Content-Type"), r.body)
	}
	for line := range strings.Lines(string(r.body)) {
		c.check("AuditRecord", []byte(line))
		var record chat.AuditRecord
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			s.t.Fatal(err)
		}
		list = append(list, record)
	}
	return list, string(r.body)
}

func TestTheAuditTellsWhoAnsweredAndFromWhere(t *testing.T) {
	s, c := realServer(t, audited(`{"enabled": true}, "trustedProxies": ["127.0.0.1", "10.0.0.0/8"]`), nil), loadSchemas(t)
	alice := []string{"Authorization", "Bearer ag_alice", "X-Forwarded-For", "1.1.1.1, 192.0.2.7, 10.1.2.3"}
	bob := []string{"Authorization", "Bearer ag_backend", "X-Askgate-User", "bob@example.org"}
	s.run(c, "c1", `{"message":"text"}`, alice...)
	s.run(c, "c1", `{"answer":{"value":"SE-123","note":"a SECRET note"}}`, alice...)
	asked := find(t, s.run(c, "c2", `{"message":"select"}`, bob...), "clarification")
	s.run(c, "c2", `{"answer":{"value":"fr"}}`, bob...)
	closed := fmt.Sprint(find(t, s.run(c, "c3", `{"message":"confirm"}`, bob...), "clarification")["clarificationId"])
	if r := s.call("POST", "/v1/admin/clarifications/"+closed+"/cancel", "", admin...); r.StatusCode != 204 {
		t.Fatal(r.StatusCode)
	}
	list, text := s.records(c, "", "ag_reader")
	var by []chat.Actor
	for _, r := range list {
		if r.Tenant != "acme" || r.App != "plain" || r.Node != "node" {
			t.Errorf("%+v", r)
		}
		by = append(by, r.By)
	}
	model := chat.Actor{Kind: chat.ActorModel, Model: "default"}
	want := []chat.Actor{
		model, {Kind: chat.ActorCaller, Tenant: "acme", Subject: "alice", Key: "web", From: "192.0.2.7"},
		model, {Kind: chat.ActorCaller, Tenant: "acme", Subject: "bob@example.org", Key: "backend", From: "127.0.0.1"},
		model, {Kind: chat.ActorAdmin, Tenant: "acme", Subject: "root", Key: "root", From: "127.0.0.1"},
	}
	if fmt.Sprint(by) != fmt.Sprint(want) {
		t.Errorf("by\n%+v, want\n%+v", by, want)
	}
	if r := list[2]; r.Subject != "bob@example.org" || r.ChatID != "c2" || r.ClarificationID != asked["clarificationId"] || r.InputType != "select" {
		t.Errorf("%+v", r)
	}
	for _, private := range []string{"SE-123", "SECRET", `"fr"`, fmt.Sprint(asked["question"]), "questions", "answer\""} {
		if strings.Contains(text, private) {
			t.Errorf("%q is in an audit without texts", private)
		}
	}

	// Filters by time span and by app. Deleted records are gone.
	if part, _ := s.records(c, "?since="+time.Time(list[2].At).Format(time.RFC3339Nano)+"&app=plain", "ag_admin"); len(part) != 4 {
		t.Errorf("from the third on: %d", len(part))
	}
	if part, _ := s.records(c, "?until=2026-01-01", "ag_admin"); len(part) != 0 {
		t.Errorf("before this year: %d", len(part))
	}
	if part, _ := s.records(c, "?app=staff", "ag_admin"); len(part) != 0 {
		t.Errorf("of another app: %d", len(part))
	}
	for _, query := range []string{"?since=yesterday", "?until=", "?since=2026-13-01"} {
		s.call("GET", "/v1/admin/audit"+query, "", admin...).wantProblem(t, 400, "invalid_request")
	}
	s.call("DELETE", "/v1/apps/plain/chats/c2", "", bob...)
	list, text = s.records(c, "", "ag_reader")
	if strings.Contains(text, `"c2"`) || len(list) != 5 || list[4].What != chat.AuditErased || list[4].Subject != "" {
		t.Errorf("after a deletion: %s", text)
	}
}

func TestTheAuditsTextsAreForThoseWhoMayReadThem(t *testing.T) {
	s, c := realServer(t, audited(`{"enabled": true, "texts": true}`), nil), loadSchemas(t)
	alice := []string{"Authorization", "Bearer ag_alice", "X-Forwarded-For", "1.1.1.1"}
	asked := find(t, s.run(c, "c1", `{"message":"text"}`, alice...), "clarification")
	s.run(c, "c1", `{"answer":{"value":"AB-123","note":"<SECRET>"}}`, alice...)
	list, text := s.records(c, "", "ag_reader")
	if len(list) != 2 || list[0].Questions[0].Question != asked["question"] || list[1].Answer.Note != "<SECRET>" || !strings.Contains(text, "AB-123") {
		t.Errorf("%s", text)
	}
	if list[1].By.From != "127.0.0.1" { // the peer is not configured as a proxy
		t.Errorf("from %s", list[1].By.From)
	}
	_, text = s.records(c, "", "ag_admin")
	for _, private := range []string{"AB-123", "SECRET", fmt.Sprint(asked["question"]), "questions", "answer\""} {
		if strings.Contains(text, private) {
			t.Errorf("an admin without the role reads %q: %s", private, text)
		}
	}
	var waits struct {
		Items []struct{ Questions []string }
	}
	asked = find(t, s.run(c, "c2", `{"message":"text"}`, alice...), "clarification")
	r := s.call("GET", "/v1/admin/clarifications", "", "Authorization", "Bearer ag_reader")
	r.decode(t, 200, &waits)
	if c.check("AdminClarificationList", r.body); len(waits.Items) != 1 || waits.Items[0].Questions[0] != asked["question"] {
		t.Errorf("%s", r.body)
	}
}

// TestWhereACallerIs: what a trusted proxy reports about its own peer counts, and nothing else.
func TestWhereACallerIs(t *testing.T) {
	for name, test := range map[string]struct {
		peer      string
		forwarded []string
		want      string
	}{
		"a peer":                                {"192.0.2.1:5000", nil, "192.0.2.1"},
		"a peer that claims another address":    {"192.0.2.1:5000", []string{"203.0.113.1"}, "192.0.2.1"},
		"a proxy":                               {"10.0.0.5:5000", []string{"203.0.113.1"}, "203.0.113.1"},
		"a proxy that sends no header":          {"10.0.0.5:5000", nil, "10.0.0.5"},
		"a trusted login proxy":                 {"172.16.0.1:5000", []string{"203.0.113.1"}, "203.0.113.1"},
		"a chain of proxies":                    {"10.0.0.5:5000", []string{"203.0.113.1", "10.0.0.6,10.0.0.7"}, "203.0.113.1"},
		"a client that made up one part":        {"10.0.0.5:5000", []string{"198.51.100.1, 10.9.9.9, 203.0.113.1"}, "203.0.113.1"},
		"a proxy that sends an invalid address": {"10.0.0.5:5000", []string{"unknown"}, "10.0.0.5"},
		"a proxy that sends the port as well":   {"10.0.0.5:5000", []string{"[2001:db8::1]:443, 10.0.0.6:80"}, "2001:db8::1"},
		"proxies only":                          {"10.0.0.5:5000", []string{"10.0.0.6"}, "10.0.0.6"},
		"an IPv4 address in IPv6":               {"[::ffff:192.0.2.1]:5000", nil, "192.0.2.1"},
		"an address with a zone":                {"[fe80::1%eth0]:5000", nil, "fe80::1"},
		"no address":                            {"@", nil, ""},
	} {
		engine := &fakeEngine{}
		auth := `{"mode": "none"}`
		if strings.HasPrefix(test.peer, "172.") {
			auth = `{"mode": "proxy", "proxy": {"from": ["172.16.0.0/12"]}}`
		}
		f := files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "audit": {"enabled": true}, "trustedProxies": ["10.0.0.0/8"], "hosts": ["example.com"], "auth": ` + auth + `}`}
		a, _, _ := newAPI(t, f, withEngine(engine))
		req := httptest.NewRequest("POST", "/v1/apps/plain/chats/c1/messages", strings.NewReader(`{"message":"hi"}`))
		req.RemoteAddr = test.peer
		req.Header = http.Header{"Content-Type": {"application/json"}, "X-Remote-User": {"alice"}, "X-Forwarded-For": test.forwarded}
		a.Handler().ServeHTTP(httptest.NewRecorder(), req)
		if got := engine.only(t).By.From; got != test.want {
			t.Errorf("%s: from %q, want %q", name, got, test.want)
		}
	}
}

func TestWithoutAnAuditNobodyIsNoted(t *testing.T) {
	engine := &fakeEngine{}
	s := newServer(t, nil, withEngine(engine))
	s.post("c1", `{"message":"hi"}`)
	if by := engine.only(t).By; by != (chat.Actor{}) {
		t.Errorf("%+v", by)
	}
}

// TestTheAuditIsStreamed: each page is sent before the next one is read, so that an audit of any
// length fits in the gateway's memory.
func TestTheAuditIsStreamed(t *testing.T) {
	read, pages := make(chan struct{}), 0
	record := chat.AuditRecord{ID: 1, What: chat.AuditAsked, Outcome: tools.StatePending}
	s := newServer(t, nil, func(o *api.Options) {
		o.Store = fakeStore{audit: func(_ store.AuditSpan, p store.Page) ([]chat.AuditRecord, string, error) {
			if pages++; pages == 2 {
				<-read
			}
			if p.Limit > 200 || pages > 1 && p.Cursor != fmt.Sprint(pages-1) {
				t.Errorf("page %d: %+v", pages, p)
			}
			if pages == 50 {
				return []chat.AuditRecord{record}, "", nil
			}
			return []chat.AuditRecord{record, record}, fmt.Sprint(pages), nil
		}}
	})
	res := s.open("GET", "/v1/admin/audit", "")
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Scan()
	close(read)
	n := 1
	for lines.Scan() {
		n++
	}
	if n != 99 || lines.Err() != nil {
		t.Errorf("%d lines, %v", n, lines.Err())
	}
}

// TestAnAuditThatBreaksOffDoesNotEndOrderly: a partial audit must not look complete.
func TestAnAuditThatBreaksOffDoesNotEndOrderly(t *testing.T) {
	away := fmt.Errorf("disk: %w", store.ErrUnavailable)
	s := newServer(t, nil, func(o *api.Options) {
		o.Store = fakeStore{audit: func(_ store.AuditSpan, p store.Page) ([]chat.AuditRecord, string, error) {
			if p.Cursor != "" {
				return nil, "", away
			}
			return []chat.AuditRecord{{ID: 1}}, "next", nil
		}}
	})
	res := s.open("GET", "/v1/admin/audit", "")
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) || res.StatusCode != 200 {
		t.Errorf("%d %q, %v", res.StatusCode, text, err)
	}
	gone := newServer(t, nil, func(o *api.Options) { o.Store = fakeStore{err: away} })
	gone.call("GET", "/v1/admin/audit", "").wantProblem(t, 503, "store_unavailable")
}
