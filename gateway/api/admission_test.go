package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/front/agui"
	"github.com/askgate/askgate/gateway/front/aisdk"
	"github.com/askgate/askgate/gateway/front/mcp"
	"github.com/askgate/askgate/gateway/front/openai"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/notify"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// admissions maps each route that changes something, by its name in the document, to its limit. ""
// means none, because the route reads no body. GETs count as reads.
var admissions = map[string]string{
	"POST /v1/admin/clarifications/{clarificationId}/cancel":     "",
	"POST /v1/admin/models/{model}/try":                          "", // one at a time
	"POST /answer/{link}":                                        "requests",
	"POST /answer/{link}/files":                                  "requests",
	"POST /v1/apps/{app}/ag-ui":                                  "requests",
	"POST /v1/apps/{app}/ai-sdk":                                 "requests",
	"POST /v1/apps/{app}/chats/{chatId}/files":                   "requests",
	"DELETE /v1/apps/{app}/chats/{chatId}/files/{fileId}":        "changes",
	"POST /v1/apps/{app}/chats/{chatId}/fork":                    "requests",
	"POST /v1/apps/{app}/chats/{chatId}/messages":                "requests",
	"POST /v1/apps/{app}/chats/{chatId}/resume":                  "requests",
	"POST /v1/apps/{app}/chats/{chatId}/stop":                    "stops",
	"DELETE /v1/apps/{app}/chats/{chatId}/queued/{messageId}":    "changes",
	"POST /v1/apps/{app}/chats/{chatId}/queued/{messageId}/send": "stops",
	"DELETE /v1/apps/{app}/chats/{chatId}/approvals/{tool}":      "stops",
	"DELETE /v1/apps/{app}/chats/{chatId}":                       "changes",
	"PATCH /v1/apps/{app}/chats/{chatId}":                        "changes",
	"POST /v1/apps/{app}/clarifications":                         "requests",
	"POST /v1/apps/{app}/mcp":                                    "changes",
	"POST /v1/chat/completions":                                  "requests",
	"POST /v1/channels/{channel}/slack":                          "", // who presses is counted once Slack's signature was checked
	"POST /v1/clarifications/{clarificationId}/answer":           "requests",
	"DELETE /v1/clarifications/{clarificationId}/answer":         "changes",
	"POST /v1/clarifications/{clarificationId}/cancel":           "requests",
	"POST /v1/clarifications/{clarificationId}/files":            "requests",
	"POST /v1/clarifications/{clarificationId}/messages":         "requests",
	"POST /v1/clarifications/{clarificationId}/seen":             "drafts",
	"PUT /v1/clarifications/{clarificationId}/draft":             "drafts",
	"POST /v1/hooks/claude-code":                                 "requests",
	"POST /v1/doctor":                                            "doctor",
	"DELETE /v1/memory":                                          "changes",
	"DELETE /v1/memory/{memoryId}":                               "changes",
	"PUT /v1/memory/{memoryId}":                                  "changes",
	"POST /v1/responses":                                         "requests",
	"POST /v1/session":                                           "",
	"DELETE /v1/session":                                         "",
}

// used is a limiter with one scope that the caller has used up; "" means every scope.
type used struct{ scope string }

func (u used) refuses(scope string) bool { return u.scope == "" || u.scope == scope }

func (u used) Allow(_ context.Context, r limit.Rule) (limit.Decision, error) {
	if !u.refuses(r.Scope) || r.PerMinute <= 0 {
		return limit.Decision{Allowed: true}, nil
	}
	return limit.Decision{Scope: r.Scope, Limit: r.PerMinute, Window: limit.Window, RetryAfter: time.Second, Reset: time.Second}, nil
}

func (u used) Acquire(_ context.Context, scope, _ string, places int) (func(), limit.Decision) {
	if !u.refuses(scope) {
		return func() {}, limit.Decision{Allowed: true}
	}
	return func() {}, limit.Decision{Scope: scope, Limit: places, RetryAfter: time.Second}
}

// recorded is a body that records whether it was read.
type recorded struct {
	io.Reader
	read bool
}

func (r *recorded) Read(p []byte) (int, error) {
	r.read = true
	return r.Reader.Read(p)
}

// everyFront lists the fronts that the document describes.
var everyFront = []front.Front{aisdk.Front{}, agui.Front{}, &mcp.Front{}, openai.Chat{}, openai.Responses{}}

// TestEveryRouteIsAdmittedBeforeItsBodyIsRead takes the routes from the document, so that a new
// route without a limit fails.
func TestEveryRouteIsAdmittedBeforeItsBodyIsRead(t *testing.T) {
	waits := chat.Clarification{
		ID: "clr_1", Ref: chat.Ref{Tenant: "default", Subject: "anonymous", App: "plain", ChatID: "c"}, Asker: "anonymous",
		ExpiresAt: time.Now().Add(time.Hour), State: tools.StatePending, Question: tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{Question: "Q?"}}},
	}
	link := notify.SealLink(&config.Session{Secret: sealing}, &waits)
	values := map[string]string{"app": "plain", "chatId": "c", "clarificationId": "clr_1", "link": link, "model": "default"}
	conf := files{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "auth": {"session": {"secret": "` + sealing + `"}}}`}
	server := func(t *testing.T, scope string) http.Handler {
		a, _, _ := newAPI(t, conf, func(o *api.Options) {
			o.Store, o.Fronts, o.Page, o.Limiter = fakeStore{one: &waits}, everyFront, http.NotFoundHandler(), used{scope}
		})
		return a.Handler()
	}
	for path, item := range loadDocument(t).Paths {
		for method := range item {
			if method = strings.ToUpper(method); method == "PARAMETERS" {
				continue
			}
			t.Run(method+" "+path, func(t *testing.T) {
				scope, changes := admissions[method+" "+path]
				switch {
				case method == http.MethodGet && strings.HasPrefix(path, "/v1/"):
					scope = "reads"
				case method != http.MethodGet && !changes:
					t.Fatal("the table does not have the limit of this route")
				}
				target := regexp.MustCompile(`\{(\w+)\}`).ReplaceAllStringFunc(path, func(name string) string {
					if v, ok := values[strings.Trim(name, "{}")]; ok {
						return v
					}
					return "x"
				})
				for _, usedUp := range []string{"", scope} {
					body := &recorded{Reader: strings.NewReader(`{"model":"plain","messages":[{"role":"user","content":"hi"}],"message":"hi"}`)}
					req := httptest.NewRequest(method, target, body)
					req.Host, req.RemoteAddr = "localhost", "127.0.0.1:1"
					req.Header.Set("Content-Type", "application/json")
					w := httptest.NewRecorder()
					server(t, usedUp).ServeHTTP(w, req)
					if body.read {
						t.Errorf("its body was read beyond the limit (%q used up): %d %s", usedUp, w.Code, w.Body)
					}
					if got := w.Header().Get("RateLimit"); scope != "" && (w.Code != http.StatusTooManyRequests || !strings.HasPrefix(got, `"`+scope+`"`)) {
						t.Errorf("%q used up: %d %s %s", usedUp, w.Code, got, w.Body)
					}
				}
			})
		}
	}
}

// fewRequests is a configuration that limits how many requests a user may send per minute in an
// app.
func fewRequests(n int) files {
	return keyed(fmt.Sprintf(`"limits": {"requestsPerMinute": %d, "burst": %d}`, n, n))
}

// Scopes are counted separately: a user who may send no more messages can still stop, revoke and
// delete.
func TestWhoMaySendNoMoreCanStillStop(t *testing.T) {
	s := newServer(t, fewRequests(2), nil)
	call := func(method, path string, want int) {
		t.Helper()
		body := ""
		if method == http.MethodPost || method == http.MethodPatch {
			body = `{"message":"hi"}`
		}
		if r := s.call(method, path, body, "Authorization", "Bearer alice"); r.StatusCode != want {
			t.Errorf("%s %s: %d %s", method, path, r.StatusCode, r.body)
		}
	}
	const at = "/v1/apps/plain/chats/c"
	for _, want := range []int{200, 200, 429} {
		call("POST", at+"/messages", want)
	}
	call("DELETE", at, 204)
	call("DELETE", at+"/files/f", 204)
	call("DELETE", at, 429)
	call("PATCH", at, 429)
	call("DELETE", "/v1/apps/other/chats/c", 204) // another app
	call("POST", at+"/stop", 204)
	call("DELETE", at+"/approvals/x", 204)
	call("POST", at+"/stop", 429)
}

// completion requests a completion with a body that records whether it was read.
func completion(h http.Handler, key, body string) (code int, read bool) {
	b := &recorded{Reader: strings.NewReader(body)}
	req := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", b)
	req.Host = "gateway"
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w.Code, b.read
}

// Where the body names the app, as many refused bodies are read as requests are allowed.
func TestBodiesThatNameTheAppAreReadUntilAsManyWereRefused(t *testing.T) {
	const good = `{"model":"plain","messages":[{"role":"user","content":"hi"}]}`
	for name, bad := range map[string]string{
		"no JSON": `{`, "no app": strings.Replace(good, "plain", "nosuch", 1), "no message": `{"model":"plain","messages":[]}`, "beyond the app's limit": good,
	} {
		t.Run(name, func(t *testing.T) {
			a, _, _ := newAPI(t, fewRequests(2), func(o *api.Options) { o.Fronts = everyFront })
			h := a.Handler()
			for range 2 { // bodies that are accepted do not count as refused
				if code, _ := completion(h, "alice", good); code != 200 {
					t.Fatalf("a valid one: %d", code)
				}
			}
			for i := range 2 {
				if code, read := completion(h, "alice", bad); code < 400 || !read {
					t.Errorf("refused body %d: %d, read %t", i, code, read)
				}
			}
			if code, read := completion(h, "alice", bad); code != 429 || read {
				t.Errorf("the next: %d, read %t", code, read)
			}
			if code, read := completion(h, "bob", good); code != 200 || !read {
				t.Errorf("another caller: %d, read %t", code, read)
			}
		})
	}
}

// listing records searches for chats.
type listing struct {
	fakeStore
	n *int
}

func (l listing) Conversations(context.Context, string, string, string, store.Page) ([]store.Listed, string, error) {
	*l.n++
	return nil, "", errors.New("looked for")
}

// A history whose chat has to be searched for among many is searched for only within the limit.
func TestAHistoryIsSearchedAfterAdmission(t *testing.T) {
	const body = `{"model":"plain","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`
	n := 0
	a, _, _ := newAPI(t, fewRequests(1), func(o *api.Options) { o.Fronts, o.Store = everyFront, listing{n: &n} })
	for i, want := range []int{500, 429} {
		if code, _ := completion(a.Handler(), "alice", body); code != want || n != 1 {
			t.Errorf("request %d: %d, searched %d times", i, code, n)
		}
	}
}
