package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
)

// kept is the response to the single GET.
func (s *server) kept(c schemas, id string, headers ...string) map[string]any {
	s.t.Helper()
	r := s.call("GET", "/v1/clarifications/"+id, "", headers...)
	var k map[string]any
	r.decode(s.t, 200, &k)
	c.check("KeptClarification", r.body)
	return k
}

func asJSON(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

// ask begins a chat in which the demo model asks a question.
func (s *server) ask(c schemas, chatID, kind string, headers ...string) (id string, asked map[string]any) {
	s.t.Helper()
	asked = find(s.t, s.run(c, chatID, `{"message":"`+kind+`"}`, headers...), "clarification")
	return fmt.Sprint(asked["clarificationId"]), asked
}

// The snapshot, the list, the single GET and clarification.resolved agree with what the event
// contained, before and after the question ends.
func TestAClosedQuestionIsOneFactEverywhere(t *testing.T) {
	s, c := realServer(t, withKeys, nil), loadSchemas(t)
	alice := []string{"Authorization", "Bearer ag_alice"}
	for name, test := range map[string]struct {
		kind  string
		close func(id string) map[string]any // clarification.resolved; nil where no stream carries it
		state string
		by    string
	}{
		"answer": {"select", func(string) map[string]any {
			return find(t, s.run(c, "answer", `{"answer":{"value":"fr","note":"formal"}}`, alice...), "clarification.resolved")
		}, "answered", `{"channel":"api","subject":"alice"}`},
		"message": {"text", func(string) map[string]any {
			return find(t, s.run(c, "message", `{"message":"AB-123"}`, alice...), "clarification.resolved")
		}, "answered", `{"channel":"message","subject":"alice"}`},
		"refusal": {"text", func(string) map[string]any {
			return find(t, s.run(c, "refusal", `{"answer":{"declined":true}}`, alice...), "clarification.resolved")
		}, "declined", `{"channel":"api","subject":"alice"}`},
		"superseded": {"number", func(string) map[string]any {
			return find(t, s.run(c, "superseded", `{"message":"something else"}`, alice...), "clarification.resolved")
		}, "superseded", `null`},
		"cancelled": {"confirm", func(id string) map[string]any {
			if r := s.call("POST", "/v1/admin/clarifications/"+id+"/cancel", "", admin...); r.StatusCode != 204 {
				t.Fatalf("%d %s", r.StatusCode, r.body)
			}
			return nil
		}, "cancelled", `{"channel":"admin","subject":"alice"}`},
	} {
		id, asked := s.ask(c, name, test.kind, alice...)
		open := s.kept(c, id, alice...)
		if open["state"] != "pending" || open["answer"] != nil || open["answeredAt"] != nil || open["answeredBy"] != nil || open["app"] != "plain" {
			t.Errorf("%s: open: %v", name, open)
		}
		resolved := test.close(id)
		got := s.kept(c, id, alice...)
		for key, value := range asked {
			if asJSON(got[key]) != asJSON(value) || asJSON(open[key]) != asJSON(value) {
				t.Errorf("%s: %s was %v, is %v", name, key, value, got[key])
			}
		}
		if got["state"] != test.state || asJSON(got["answeredBy"]) != test.by || got["answeredAt"] == nil {
			t.Errorf("%s: %v by %s", name, got["state"], asJSON(got["answeredBy"]))
		}
		if resolved != nil && asJSON([]any{resolved["outcome"], resolved["answer"], resolved["answeredAt"], resolved["by"]}) !=
			asJSON([]any{got["state"], got["answer"], got["answeredAt"], got["answeredBy"]}) {
			t.Errorf("%s: resolved %v, kept %v", name, resolved, got)
		}
		r := s.call("GET", "/v1/apps/plain/chats/"+name, "", alice...)
		c.check("Snapshot", r.body)
		var snapshot struct {
			Messages []struct{ ToolCalls []struct{ Clarification any } }
		}
		r.decode(t, 200, &snapshot)
		if stored := snapshot.Messages[1].ToolCalls[0].Clarification; asJSON(stored) != asJSON(got) {
			t.Errorf("%s: in the snapshot\n%s\nalone\n%s", name, asJSON(stored), asJSON(got))
		}
		r = s.call("GET", "/v1/clarifications?status=closed&chat="+name, "", alice...)
		c.check("ClarificationList", r.body)
		var list struct{ Items []any }
		r.decode(t, 200, &list)
		if len(list.Items) != 1 || asJSON(list.Items[0]) != asJSON(got) {
			t.Errorf("%s: in the list\n%s", name, r.body)
		}
	}
}

func TestListsOfQuestionsAreFiltered(t *testing.T) {
	s, c := realServer(t, withKeys, nil), loadSchemas(t)
	alice, bob := []string{"Authorization", "Bearer ag_alice"}, []string{"Authorization", "Bearer ag_backend", "X-Askgate-User", "bob"}
	before := time.Now().Add(-time.Second).UTC()
	s.ask(c, "open", "text", alice...)
	s.ask(c, "done", "text", alice...)
	s.run(c, "done", `{"answer":{"value":"AB-123"}}`, alice...)
	s.ask(c, "open", "text", bob...)
	ids := func(query string) string {
		t.Helper()
		r := s.call("GET", "/v1/clarifications"+query, "", alice...)
		var list struct {
			Items []struct{ ChatID, State string }
		}
		r.decode(t, 200, &list)
		c.check("ClarificationList", r.body)
		var found []string
		for _, item := range list.Items {
			found = append(found, item.ChatID+" "+item.State)
		}
		return strings.Join(found, ", ")
	}
	for query, want := range map[string]string{
		"": "open pending", "?status=pending": "open pending", "?status=closed": "done answered", "?status=all": "open pending, done answered",
		"?status=all&app=plain": "open pending, done answered", "?status=all&app=other": "", "?status=all&chat=done": "done answered",
		"?status=all&app=plain&chat=open": "open pending", "?status=closed&chat=open": "",
		"?status=all&since=" + before.Format(time.RFC3339):                                               "open pending, done answered",
		"?status=all&since=" + url.QueryEscape(before.In(time.FixedZone("", 7200)).Format(time.RFC3339)): "open pending, done answered",
		"?status=all&since=9999-12-31T23:59:59.9999Z":                                                    "", "?since=9999-12-31T23:59:59Z": "", "?status=all&since=0001-01-01t00:00:00z": "open pending, done answered",
	} {
		if got := ids(query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	for query, field := range map[string]string{
		"status=answered": "status", "status=": "status", "status=PENDING": "status", "app=": "app", "app=a%20b": "app", "app=" + strings.Repeat("a", 65): "app",
		"chat=": "chat", "chat=a/b": "chat", "chat=" + strings.Repeat("a", 65): "chat",
		"since=": "since", "since=yesterday": "since", "since=2026-01-01T0:00:00Z": "since", "since=2026-01-01T00:00:00,5Z": "since", "since=2026-01-01T00:00:00%2B24:00": "since", "since=2026-11-22": "since", "since=1795000000": "since", "since=2026-11-22T10:00:00+02:00": "since",
	} {
		if p := s.call("GET", "/v1/clarifications?"+query, "", alice...).wantProblem(t, 400, "invalid_request"); p.Field != field {
			t.Errorf("%s: %+v", query, p)
		}
	}
}

func TestADraftIsThereForTheOwnersOtherDevicesUntilTheEnd(t *testing.T) {
	s, c := realServer(t, audited(`{"enabled": true, "texts": true}`), nil), loadSchemas(t)
	alice := []string{"Authorization", "Bearer ag_alice"}
	id, _ := s.ask(c, "c1", "text", alice...)
	put := func(body string, headers ...string) reply {
		return s.call("PUT", "/v1/clarifications/"+id+"/draft", body, headers...)
	}
	draft := func(want string) {
		t.Helper()
		var snapshot struct {
			Clarification map[string]any
			Pending       []map[string]any
		}
		s.call("GET", "/v1/apps/plain/chats/c1", "", alice...).decode(t, 200, &snapshot)
		var list struct{ Items []map[string]any }
		s.call("GET", "/v1/clarifications", "", alice...).decode(t, 200, &list)
		for where, k := range map[string]map[string]any{
			"alone": s.kept(c, id, alice...), "snapshot": snapshot.Clarification, "pending": snapshot.Pending[0], "list": list.Items[0],
		} {
			if got, there := k["draft"]; asJSON(got) != want || there != (want != "null") {
				t.Errorf("%s: the draft is %s, want %s", where, asJSON(got), want)
			}
		}
	}
	draft("null")
	largest := `"` + strings.Repeat("x", 16<<10-2) + `"`
	for _, d := range []string{`{"n":[1,null,true],"typed":"a DRAFT"}`, `"text"`, `1`, `false`, `[]`, largest} {
		if r := put(`{"draft":`+d+`}`, alice...); r.StatusCode != 204 || len(r.body) != 0 {
			t.Fatalf("%.40s: %d %s", d, r.StatusCode, r.body)
		}
		draft(d)
	}
	for body, want := range map[string]int{
		`{"draft":"` + strings.Repeat("x", 16<<10-1) + `"}`: 413, `{"draft":[` + strings.Repeat(" ", 16<<10) + `]}`: 413, strings.Repeat(" ", 2<<20): 413,
		`{}`: 400, `{"draft":1,"draft":2}`: 400, `{"draft":1,"more":2}`: 400, `{"draft":`: 400, `[]`: 400, `"x"`: 400, `{"draft":"\ud800"}`: 400,
		`{"draft":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`: 400,
	} {
		if r := put(body, alice...); r.StatusCode != want {
			t.Errorf("%.40s: %d, want %d: %s", body, r.StatusCode, want, r.body)
		}
	}
	draft(largest)
	put(`{"draft":1}`, append([]string{"Content-Type", "text/plain"}, alice...)...).wantProblem(t, 415, "unsupported_media_type")
	if r := put(`{"draft":null}`, alice...); r.StatusCode != 204 {
		t.Fatal(r.StatusCode)
	}
	draft("null")
	put(`{"draft":{"typed":"a DRAFT"}}`, alice...)
	draft(`{"typed":"a DRAFT"}`)

	s.run(c, "c1", `{"answer":{"value":"AB-123"}}`, alice...)
	if k := s.kept(c, id, alice...); k["draft"] != nil || k["state"] != "answered" {
		t.Errorf("after the end: %v", k)
	}
	if p := put(`{"draft":1}`, alice...).wantProblem(t, 409, "already_answered"); p.Outcome != "answered" {
		t.Errorf("%+v", p)
	}
	id, _ = s.ask(c, "c2", "text", alice...)
	put(`{"draft":"a DRAFT"}`, alice...)
	s.call("POST", "/v1/admin/clarifications/"+id+"/cancel", "", admin...)
	if p := put(`{"draft":1}`, alice...).wantProblem(t, 410, "clarification_closed"); p.State != "cancelled" {
		t.Errorf("%+v", p)
	}
	s.call("DELETE", "/v1/apps/plain/chats/c2", "", alice...)
	put(`{"draft":1}`, alice...).wantProblem(t, 404, "not_found")

	if _, text := s.records(c, "", "ag_reader"); strings.Contains(text, "DRAFT") || !strings.Contains(text, "AB-123") {
		t.Errorf("the audit: %s", text)
	}
	if log := s.log.String(); strings.Contains(log, "DRAFT") {
		t.Errorf("the log: %s", log)
	}
	if r := s.call("GET", "/v1/admin/clarifications", "", "Authorization", "Bearer ag_reader"); strings.Contains(string(r.body), "DRAFT") {
		t.Errorf("an admin sees a draft: %s", r.body)
	}
}

func TestDraftsAndReadsOfOneQuestionAreLimited(t *testing.T) {
	s, c := realServer(t, files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "limits": {"requestsPerMinute": 1, "burst": 1}}`}, nil), loadSchemas(t)
	id, _ := s.ask(c, "c1", "text")
	path := "/v1/clarifications/" + id
	for range 10 {
		if r := s.call("PUT", path+"/draft", `{"draft":1}`); r.StatusCode != 204 {
			t.Fatalf("%d %s", r.StatusCode, r.body)
		}
	}
	if p := s.call("PUT", path+"/draft", `{"draft":1}`).wantProblem(t, 429, "rate_limited"); p.Scope != "drafts" {
		t.Errorf("%+v", p)
	}
	for range 5 {
		s.call("GET", path, "")
	}
	if p := s.call("GET", path, "").wantProblem(t, 429, "rate_limited"); p.Scope != "reads" {
		t.Errorf("%+v", p)
	}
}

// FuzzDraft: whatever is put, the response is empty or a problem.
func FuzzDraft(f *testing.F) {
	for _, seed := range []string{`{"draft":{"a":[1.50,null]}}`, `{"draft":null}`, `{"draft":1,"draft":2}`, `{}`, `[`, "\xff", `{"draft":"\ud800"}`, `{"draft":1e999}`} {
		f.Add([]byte(seed))
	}
	a, _, _ := newAPI(f, nil, func(o *api.Options) {
		o.Store = fakeStore{one: &chat.Clarification{ID: "clr_1", Ref: chat.Ref{Tenant: "default", Subject: "anonymous", App: "plain", ChatID: "c1"}}}
	})
	handler := a.Handler()
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest(http.MethodPut, "/v1/clarifications/clr_1/draft", strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code == http.StatusNoContent && !json.Valid(body) || w.Code != http.StatusNoContent && w.Code != 400 && w.Code != 413 && w.Code != 429 {
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}
