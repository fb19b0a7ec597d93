package api_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// shelf is a tool whose texts people read. A search returns its own arguments.
type shelf struct {
	*askuser.Tool
	err    error
	called []string
	open   bool // it searches until it is told to end
}

func (s *shelf) Passage(context.Context, string) (tools.Passage, bool, error) {
	return tools.Passage{}, false, nil
}
func (s *shelf) Searches() string { return "clock__search" }
func (s *shelf) Facets() tools.Facets {
	return tools.Facets{Versions: true, Fields: map[string]tools.Facet{"status": {Type: "enum", Values: []string{"current", "repealed"}}, "day": {Type: "date"}}}
}

func (s *shelf) Search(ctx context.Context, arguments string, together *tools.Processor) (string, error) {
	s.called = append(s.called, arguments)
	if together == nil {
		return "", errors.New("nothing counts the time of the processor")
	}
	if s.open {
		<-ctx.Done()
		return "", ctx.Err()
	}
	return `{"items":[{"id":"i","title":"T","work":"W","link":"/l","snippet":"<b>s</b>","validFrom":"2020-01-01","fields":{"status":"current","day":"2020-01-01","n":1,"l":["a"]}}],"nextCursor":null}`, s.err
}

func newLibrary(t *testing.T, conf files, l *shelf) *server {
	t.Helper()
	l.Tool = askuser.New(askuser.Limits{}, nil)
	all := files{"tools.json": `[{"id": "ask_user", "type": "ask_user"}, {"id": "clock", "name": {"de": "Uhr"}}]`, "apps/plain.json": `{"id": "plain", "tools": ["clock"]}`, "apps/bare.json": `{"id": "bare", "tools": ["ask_user"]}`}
	for name, text := range conf {
		all[name] = text
	}
	return newServer(t, all, func(o *api.Options) {
		snap := o.Setup().Config
		catalog, err := toolexec.NewCatalog(snap, toolexec.Factories{
			config.TypeAskUser: func(*config.App, *config.Tool) (tools.Tool, error) { return askuser.New(askuser.Limits{}, nil), nil },
			toolexec.Approval:  func(*config.App, *config.Tool) (tools.Tool, error) { return askuser.New(askuser.Limits{}, nil), nil },
			"clock":            func(*config.App, *config.Tool) (tools.Tool, error) { return l, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		setup := &turn.Setup{Config: snap, Catalog: catalog}
		o.Setup = func() *turn.Setup { return setup }
	})
}

// The query parameters, and nothing else, become the arguments of the tool's search. Its result is the
// answer.
func TestDocumentsAreSearchedAsTheToolDoes(t *testing.T) {
	l := &shelf{}
	s, c := newLibrary(t, nil, l), loadSchemas(t)
	for query, want := range map[string]string{
		"":            `{}`,
		"q=x":         `{"query":"x"}`,
		"q=&limit=-1": `{"limit":-1,"query":""}`,
		"q=a%22b&asOf=2020-01-31&versions=all&limit=5&cursor=10&filter=" + url.QueryEscape(`{"status": ["current"]}`) + "&other=1": `{"asOf":"2020-01-31","cursor":"10","filter":{"status":["current"]},"limit":5,"query":"a\"b","versions":"all"}`,
	} {
		l.called = nil
		r := s.call("GET", "/v1/apps/plain/documents/clock?"+query, "")
		if r.StatusCode != 200 || len(l.called) != 1 || l.called[0] != want {
			t.Fatalf("%q: %d, called with %q, want %q", query, r.StatusCode, l.called, want)
		}
		if r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%q may be cached", query)
		}
		c.check("FoundPassages", r.body)
	}
}

func TestSearchesThatAreRefused(t *testing.T) {
	l := &shelf{}
	s := newLibrary(t, nil, l)
	for query, field := range map[string]string{
		"q=x&limit=ten": "limit", "q=x&filter={": "filter", "q=x&filter=": "filter",
		"q=x&filter=" + url.QueryEscape(`{"status": "`+strings.Repeat("x", 8<<10)+`"}`): "filter",
	} {
		if p := s.call("GET", "/v1/apps/plain/documents/clock?"+query, "").wantProblem(t, 400, "invalid_request"); p.Field != field || len(l.called) != 0 {
			t.Errorf("%.40s: %+v, called %q", query, p, l.called)
		}
	}
	for _, path := range []string{"plain/documents/nothing", "plain/documents/clock__search", "none/documents/clock", "bare/documents/clock"} {
		s.call("GET", "/v1/apps/"+path+"?q=x", "").wantProblem(t, 404, "not_found")
	}
	const why = "`query` has no words; write what to look for"
	l.err = &tools.Error{Code: tools.CodeInvalidArguments, Message: why}
	if p := s.call("GET", "/v1/apps/plain/documents/clock?q=x", "", "Accept-Language", "de").wantProblem(t, 400, "invalid_request"); !strings.HasPrefix(p.Detail, "Die Suche") || !strings.HasSuffix(p.Detail, why) {
		t.Errorf("%+v", p)
	}
	for _, err := range []error{&tools.Error{Code: tools.CodeToolTimeout, Message: "used up"}, &tools.Error{Code: tools.CodeToolFailed, Message: "later", Cause: "no index"}, errors.New("broken")} {
		l.err = err
		s.call("GET", "/v1/apps/plain/documents/clock?q=secretive", "").wantProblem(t, 503, "overloaded")
	}
	if log := s.log.String(); !strings.Contains(log, "no index") || strings.Contains(log, "secretive") {
		t.Error("the log does not say why, or says what was searched for: ", log)
	}
}

// A search ends when its caller has left.
func TestASearchEndsWithItsRequest(t *testing.T) {
	l := &shelf{open: true}
	s := newLibrary(t, nil, l)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	s.api.Handler().ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", s.URL+"/v1/apps/plain/documents/clock?q=x", nil))
	if len(l.called) != 1 || w.Code == 200 || strings.Contains(s.log.String(), "cannot search") {
		t.Error(l.called, w.Code, s.log)
	}
}

// An app says which documents people may search: those whose search it lists.
func TestAnAppTellsOfItsDocuments(t *testing.T) {
	s, c := newLibrary(t, nil, &shelf{}), loadSchemas(t)
	r := s.call("GET", "/v1/apps/plain", "", "Accept-Language", "de")
	c.check("App", r.body)
	if want := `"documents":[{"tool":"clock","name":"Uhr","fields":{"day":{"type":"date"},"status":{"type":"enum","values":["current","repealed"]}},"versions":true}]`; !strings.Contains(string(r.body), want) {
		t.Errorf("%s, want %s", r.body, want)
	}
	if r := s.call("GET", "/v1/apps/bare", ""); strings.Contains(string(r.body), "documents") {
		t.Errorf("%s", r.body)
	}
}

// People do not search where an approval could ask someone, or deny the search.
func TestApprovalsAreNotEvaded(t *testing.T) {
	for approval, free := range map[string]bool{
		`true`: false, `{"by": {"role": "finance"}}`: false,
		`{"rules": [{"when": {"properties": {"query": {"const": "x"}}}, "then": "deny"}], "otherwise": "allow"}`:                         false,
		`{"rules": [{"when": {"properties": {"query": {"const": "x"}}, "required": ["query"]}, "then": "allow"}], "otherwise": "allow"}`: true,
	} {
		l := &shelf{}
		s := newLibrary(t, files{"tools.json": `[{"id": "ask_user", "type": "ask_user"}, {"id": "clock", "needsApproval": ` + approval + `}]`}, l)
		r, app := s.call("GET", "/v1/apps/plain/documents/clock?q=y", ""), s.call("GET", "/v1/apps/plain", "")
		if (r.StatusCode == 200) != free || (len(l.called) == 1) != free || strings.Contains(string(app.body), `"documents"`) != free {
			t.Errorf("%s: %d, called with %q, %s", approval, r.StatusCode, l.called, app.body)
		}
	}
}

// Searches count in the same limit as searches for options.
func TestSearchesCountAsThoseOfOptions(t *testing.T) {
	s := newLibrary(t, files{"apps/plain.json": `{"id": "plain", "tools": ["clock"], "limits": {"requestsPerMinute": 1, "burst": 1}}`}, &shelf{})
	var last reply
	for range 12 {
		last = s.call("GET", "/v1/apps/plain/documents/clock?q=x", "")
	}
	if p := last.wantProblem(t, 429, "rate_limited"); p.Scope != "options" {
		t.Errorf("%+v", p)
	}
}
