package api_test

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

const optionsPath = "/v1/apps/plain/chats/c1/clarifications/clr_1/options"

func TestOptionsAreSearchedAsAsked(t *testing.T) {
	e := &fakeEngine{}
	s := newServer(t, nil, withEngine(e))
	var page struct {
		Items      []tools.Option
		NextCursor *string
		Total      int
	}
	s.call("GET", optionsPath+"?q="+url.QueryEscape("Zür & Co")+"&limit=7&cursor=40&question=2", "").decode(t, 200, &page)
	if len(page.Items) != 1 || page.Total != 1000 || page.NextCursor == nil || *page.NextCursor != "41" {
		t.Errorf("%+v", page)
	}
	s.call("GET", optionsPath, "").decode(t, 200, &page)
	want := []turn.OptionQuery{{ClarificationID: "clr_1", Part: 2, Text: "Zür & Co", Skip: 40, Limit: 7}, {ClarificationID: "clr_1", Limit: 20}}
	if !reflect.DeepEqual(e.searched, want) {
		t.Errorf("%+v", e.searched)
	}
}

func TestSearchesThatAreNoneAreRefused(t *testing.T) {
	e := &fakeEngine{}
	s := newServer(t, nil, withEngine(e))
	for query, field := range map[string]string{
		"q=" + strings.Repeat("x", 101): "q", "limit=0": "limit", "limit=101": "limit", "cursor=x": "cursor", "cursor=-1": "cursor",
		"cursor=99999999999": "cursor", "question=-1": "question", "question=a": "question",
	} {
		if p := s.call("GET", optionsPath+"?"+query, "").wantProblem(t, 400, "invalid_request"); p.Field != field {
			t.Errorf("%s: the error is in %q", query, p.Field)
		}
	}
	if len(e.searched) != 0 {
		t.Errorf("the engine was called: %+v", e.searched)
	}
	if r := s.call("GET", optionsPath+"?q="+url.QueryEscape(strings.Repeat("ä", 100)), ""); r.StatusCode != 200 {
		t.Errorf("100 characters: %d", r.StatusCode)
	}
}

func TestSearchesHaveALimitOfTheirOwn(t *testing.T) {
	s := newServer(t, files{"apps/plain.json": strings.Replace(plainApp, "{", `{"limits": {"requestsPerMinute": 1, "burst": 1}, `, 1)}, withEngine(&fakeEngine{}))
	for i := range 10 {
		if r := s.call("GET", optionsPath, ""); r.StatusCode != 200 {
			t.Fatalf("search %d: %d", i+1, r.StatusCode)
		}
	}
	r := s.call("GET", optionsPath, "")
	if p := r.wantProblem(t, 429, "rate_limited"); p.Scope != "options" || r.Header.Get("Retry-After") == "" {
		t.Errorf("%+v %v", p, r.Header)
	}
	if r := s.post("c1", `{"message":"hi"}`); r.StatusCode != 200 {
		t.Errorf("a message after so many searches: %d", r.StatusCode)
	}
}

func TestAnOptionThatIsGoneIsToldWithWhatThereIs(t *testing.T) {
	c := &chat.Clarification{ID: "clr_1", ToolCallID: "call_1"}
	for _, now := range [][]tools.Option{{{Label: "A", Value: "a"}}, nil} {
		stale := &tools.StaleError{Question: 1, Options: now, Total: len(now)}
		s := newServer(t, nil, withEngine(&fakeEngine{err: &chat.Error{Code: chat.CodeStaleOption, Clarification: c, Err: stale}}))
		r := s.post("c1", `{"answer":{"value":"x"}}`, "Accept-Language", "de")
		p := r.wantProblem(t, http.StatusConflict, "stale_option")
		if p.Question == nil || *p.Question != 1 || p.Options == nil || len(p.Options) != len(now) || p.ClarificationID != "clr_1" || !strings.Contains(p.Detail, "Wählen Sie") {
			t.Errorf("%s", r.body)
		}
	}
	s := newServer(t, nil, withEngine(&fakeEngine{err: &chat.Error{Code: chat.CodeOptionsUnavailable, Clarification: c}}))
	r := s.call("GET", optionsPath, "", "Accept-Language", "fr")
	if r.wantProblem(t, 503, "options_unavailable"); r.Header.Get("Retry-After") == "" || r.Header.Get("Content-Language") != "fr" {
		t.Errorf("%v", r.Header)
	}
}
