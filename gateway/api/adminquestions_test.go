package api_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/store"
)

// TestAdminSeesWhatBecameOfEachQuestion: grouped by text and options, since a given time, in one
// app. Only admins who may read texts see them; the advice is in the admin's language.
func TestAdminSeesWhatBecameOfEachQuestion(t *testing.T) {
	s, c := realServer(t, audited(`{"enabled": true}`), nil), loadSchemas(t)
	alice := []string{"Authorization", "Bearer ag_alice"}
	type row struct {
		App, Text                                                 string
		Options                                                   []string
		Asked, Shown, Pending, Answered, Declined, Other, Offered int
		Again                                                     struct{ Same, Other int }
		Seconds                                                   *struct{ P50, P90 float64 }
		Models                                                    map[string]int
	}
	type reply struct {
		Items  []row
		Others int
		Models []struct {
			App, Model string
			Asked      int
		}
	}
	read := func(key, query string) (got reply) {
		t.Helper()
		r := s.call("GET", "/v1/admin/questions"+query, "", "Authorization", "Bearer "+key)
		c.check("AdminQuestions", r.body)
		r.decode(t, 200, &got)
		return got
	}
	if got := read("ag_admin", ""); len(got.Items) != 0 || len(got.Models) != 0 {
		t.Errorf("before anything was asked: %+v", got)
	}
	s.run(c, "c1", `{"message":"select"}`, alice...)
	s.run(c, "c1", `{"answer":{"value":"fr"}}`, alice...)
	s.run(c, "c2", `{"message":"select"}`, alice...)
	s.run(c, "c2", `{"answer":{"value":"fr"}}`, alice...)
	s.run(c, "c3", `{"message":"text"}`, alice...)
	s.run(c, "c3", `{"answer":{"declined":true}}`, alice...)
	s.run(c, "c4", `{"message":"select"}`, alice...)
	asked := find(t, s.run(c, "c5", `{"message":"text"}`, "Authorization", "Bearer ag_backend", "X-Askgate-User", "bob"), "clarification")

	got := read("ag_reader", "")
	if len(got.Items) != 2 || len(got.Models) != 1 || got.Models[0].Asked != 5 || got.Models[0].Model != "default" {
		t.Fatalf("%+v", got)
	}
	choice, text := got.Items[0], got.Items[1]
	if choice.App != "plain" || choice.Asked != 3 || choice.Answered != 2 || choice.Pending != 1 || choice.Again.Same != 1 || choice.Again.Other != 0 ||
		choice.Seconds == nil || choice.Models["default"] != 3 || len(choice.Options) < 2 || choice.Text == "" {
		t.Errorf("the choice is %+v", choice)
	}
	if text.Asked != 2 || text.Declined != 1 || text.Pending != 1 || text.Text != asked["question"] {
		t.Errorf("the text is %+v, asked %v", text, asked["question"])
	}
	for _, row := range read("ag_admin", "").Items {
		if row.Text != "" || row.Options != nil || row.Asked == 0 {
			t.Errorf("an admin without the role for texts reads %+v", row)
		}
	}
	if got := read("ag_reader", "?limit=1&since=1h&app=plain"); len(got.Items) != 1 || got.Others != 1 {
		t.Errorf("one row: %+v", got)
	}
	for _, query := range []string{"?app=staff", "?since=2999-01-01"} {
		if got := read("ag_reader", query); len(got.Items) != 0 {
			t.Errorf("%s: %+v", query, got)
		}
	}
	for _, query := range []string{"?since=", "?since=soon", "?limit=0", "?limit=501", "?limit=x"} {
		s.call("GET", "/v1/admin/questions"+query, "", admin...).wantProblem(t, 400, "invalid_request")
	}
}

// TestAdviceIsInTheLanguageAskedFor: what to do about a question, and why, in the requested
// language.
func TestAdviceIsInTheLanguageAskedFor(t *testing.T) {
	found := store.Questions{Rows: []store.QuestionRow{{App: "plain", Template: "format",
		QuestionCounts: store.QuestionCounts{Asked: 50, Answered: 50, Recommended: 50, Taken: 49}}}}
	s := newServer(t, nil, func(o *api.Options) { o.Store = fakeStore{questions: found} })
	for language, want := range map[string]string{
		"en": "People choose the recommended option 98% of the time. Make it the default.", "de": "Die Empfehlung wird zu 98 % gewählt. Machen Sie sie zur Vorgabe.",
	} {
		if r := s.call("GET", "/v1/admin/questions", "", "Accept-Language", language); r.StatusCode != 200 || !strings.Contains(string(r.body), `"advice":"`+want+`"`) {
			t.Errorf("%s: %d %s", language, r.StatusCode, r.body)
		}
	}
	s = newServer(t, nil, func(o *api.Options) { o.Store = fakeStore{err: store.ErrUnavailable} })
	s.call("GET", "/v1/admin/questions", "").wantProblem(t, 503, "store_unavailable")
}
