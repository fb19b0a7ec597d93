package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/turn/budget"
)

// keyed is a configuration in which alice and bob belong to one tenant and eve to another; their
// keys are their names.
func keyed(more string) files {
	var keys []string
	for subject, tenant := range map[string]string{"alice": "acme", "bob": "acme", "eve": "globex"} {
		sum := sha256.Sum256([]byte(subject))
		keys = append(keys, fmt.Sprintf(`{"id": %q, "hash": "sha256:%s", "tenant": %q, "subject": %q}`, subject, hex.EncodeToString(sum[:]), tenant, subject))
	}
	return files{
		"gateway.json":    `{"models": {"default": {"provider": "demo"}}, "auth": {"mode": "apiKeys", "keys": [` + strings.Join(keys, ",") + `]}, ` + more + `}`,
		"apps/other.json": `{"id": "other", "name": "Other", "system": "s", "tools": []}`,
	}
}

func TestRequestsOfATenantAreLimitedOverUsersAndApps(t *testing.T) {
	s := newServer(t, keyed(`"limits": {"requestsPerMinutePerTenant": 2}`), nil)
	post := func(app, key string) reply {
		return s.call("POST", "/v1/apps/"+app+"/chats/c/messages", `{"message":"hi"}`, "Authorization", "Bearer "+key)
	}
	first := post("plain", "alice")
	if got := first.Header.Get("RateLimit-Policy"); got != `"requests";q=60;w=60, "requests_tenant";q=2;w=60` {
		t.Errorf("policies %s", got)
	}
	if got := first.Header.Get("RateLimit"); !strings.HasPrefix(got, `"requests";r=19;t=1, "requests_tenant";r=1;t=`) {
		t.Errorf("state %s", got)
	}
	if r := post("other", "bob"); r.StatusCode != 200 {
		t.Errorf("%d %s", r.StatusCode, r.body)
	}
	for _, key := range []string{"alice", "bob"} {
		r := post("other", key)
		if p := r.wantProblem(t, 429, "rate_limited"); p.Scope != "requests_tenant" || !strings.HasPrefix(r.Header.Get("RateLimit"), `"requests_tenant";r=0;t=`) || r.Header.Get("Retry-After") == "" {
			t.Errorf("%s %v", r.body, r.Header)
		}
	}
	if r := post("plain", "eve"); r.StatusCode != 200 {
		t.Errorf("another tenant: %d %s", r.StatusCode, r.body)
	}
	if r := s.call("GET", "/v1/apps", "", "Authorization", "Bearer alice"); r.StatusCode != 200 {
		t.Errorf("reading: %d", r.StatusCode)
	}
	s.wantMetric(`askgate_rate_limit_decisions_total{app="other",decision="limited",scope="requests_tenant"} 2`)
}

// from sends a request from an address, with X-Forwarded-For.
func from(h http.Handler, peer, key string, forwarded ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(http.MethodGet, "/v1/apps", nil)
	req.RemoteAddr = peer
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header["X-Forwarded-For"] = forwarded
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

func TestGuessingKeysIsLimitedByAddressBeforeTheKeyIsLookedAt(t *testing.T) {
	a, _, _ := newAPI(t, keyed(`"limits": {"requestsPerMinutePerAddress": 3}`), nil)
	for i, want := range []int{401, 401, 401, 429, 429} {
		if w := from(a.Handler(), "192.0.2.1:1000", fmt.Sprint("guess", i)); w.Code != want {
			t.Errorf("guess %d: %d, want %d", i, w.Code, want)
		}
	}
	w := from(a.Handler(), "192.0.2.1:2000", "alice")
	if w.Code != 429 || !strings.Contains(w.Body.String(), `"scope":"requests_address"`) || w.Header().Get("Retry-After") == "" || w.Header().Get("WWW-Authenticate") != "" {
		t.Errorf("the right key, after too many guesses: %d %s %v", w.Code, w.Body, w.Header())
	}
	if w := from(a.Handler(), "192.0.2.2:1000", "alice"); w.Code != 200 || !strings.HasPrefix(w.Header().Get("RateLimit"), `"requests_address";r=2;t=`) {
		t.Errorf("another address: %d %v", w.Code, w.Header())
	}
	metrics := httptest.NewRecorder()
	a.AdminHandler().ServeHTTP(metrics, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if want := `askgate_rate_limit_decisions_total{app="",decision="limited",scope="requests_address"} 3`; !strings.Contains(metrics.Body.String(), want) {
		t.Errorf("the metrics lack %s", want)
	}
}

// Two calls come from the same address if the second finds the bucket of the first empty.
func TestTheAddressIsThatOfTheConnectionUnlessATrustedProxySaysAnother(t *testing.T) {
	type call struct {
		peer      string
		forwarded []string
	}
	at := func(peer string, forwarded ...string) call { return call{peer, forwarded} }
	for name, c := range map[string]struct {
		a, b call
		same bool
	}{
		"another port":                  {at("192.0.2.1:1"), at("192.0.2.1:2"), true},
		"another host":                  {at("192.0.2.1:1"), at("192.0.2.2:1"), false},
		"IPv4 in IPv6":                  {at("192.0.2.1:1"), at("[::ffff:192.0.2.1]:1"), true},
		"one customer's IPv6":           {at("[2001:db8:0:1::1]:1"), at("[2001:db8:0:1:ffff::2]:1"), true},
		"two customers":                 {at("[2001:db8:0:1::1]:1"), at("[2001:db8:0:2::1]:1"), false},
		"no address":                    {at("@"), at("@"), true},
		"an untrusted peer's header":    {at("192.0.2.1:1", "198.51.100.1"), at("192.0.2.1:1", "198.51.100.2"), true},
		"a proxy's header":              {at("10.0.0.5:1", "198.51.100.1"), at("10.0.0.5:1", "198.51.100.2"), false},
		"one client behind two proxies": {at("10.0.0.5:1", "198.51.100.1"), at("10.0.0.6:1", "198.51.100.1"), true},
		"the client's own before":       {at("10.0.0.5:1", "1.1.1.1, 198.51.100.1"), at("10.0.0.5:1", "2.2.2.2, 198.51.100.1"), true},
		"several headers":               {at("10.0.0.5:1", "1.1.1.1", "198.51.100.1"), at("10.0.0.5:1", "198.51.100.1"), true},
		"through two trusted proxies":   {at("10.0.0.5:1", "198.51.100.1, 10.0.0.9"), at("10.0.0.5:1", "198.51.100.2, 10.0.0.9"), false},
		"with ports":                    {at("10.0.0.5:1", "198.51.100.1:4711"), at("10.0.0.5:1", "198.51.100.1:4712"), true},
		"IPv6 with a port":              {at("10.0.0.5:1", "[2001:db8::1]:4711"), at("10.0.0.5:1", "2001:db8::1"), true},
		"in brackets":                   {at("10.0.0.5:1", "[2001:db8::1]"), at("10.0.0.5:1", "2001:db8::1"), true},
		"nonsense is the proxy":         {at("10.0.0.5:1", "unknown"), at("10.0.0.5:1"), true},
		"nonsense in between":           {at("10.0.0.5:1", "198.51.100.1, _hidden"), at("10.0.0.5:1", "198.51.100.2, _hidden"), true},
		"an empty header":               {at("10.0.0.5:1", ""), at("10.0.0.5:1", " , ,"), true},
		"all trusted":                   {at("10.0.0.5:1", "10.0.0.7, 10.0.0.8"), at("10.0.0.5:1", "10.0.0.7"), true},
	} {
		t.Run(name, func(t *testing.T) {
			a, _, _ := newAPI(t, keyed(`"limits": {"requestsPerMinutePerAddress": 1}, "trustedProxies": ["10.0.0.0/24"]`), nil)
			if w := from(a.Handler(), c.a.peer, "alice", c.a.forwarded...); w.Code != 200 {
				t.Fatalf("the first: %d %s", w.Code, w.Body)
			}
			if w := from(a.Handler(), c.b.peer, "alice", c.b.forwarded...); (w.Code == 429) != c.same {
				t.Errorf("the second: %d; the same address: %t", w.Code, c.same)
			}
		})
	}
}

func TestTheProxyOfAuthIsTrustedWithAddressesToo(t *testing.T) {
	f := files{"gateway.json": strings.Replace(withProxy["gateway.json"], `"auth"`, `"limits": {"requestsPerMinutePerAddress": 1}, "auth"`, 1)}
	a, _, _ := newAPI(t, f, nil)
	for forwarded, want := range map[string]int{"198.51.100.1": 401, "198.51.100.2": 401} { // no caller is identified
		if w := from(a.Handler(), "10.0.0.5:1", "", forwarded); w.Code != want {
			t.Errorf("%s: %d", forwarded, w.Code)
		}
	}
	if w := from(a.Handler(), "10.0.0.5:1", "", "198.51.100.1"); w.Code != 429 {
		t.Errorf("again: %d", w.Code)
	}
}

// Whatever a client sends, it is attributed to the address that it calls from.
func FuzzForwardedFor(f *testing.F) {
	for _, seed := range []string{"", "1.1.1.1", "10.0.0.5", "1.1.1.1, 10.0.0.5", "[::1]:80", "%", ",,,", "unknown", "::ffff:10.0.0.5"} {
		f.Add(seed)
	}
	a, _, _ := newAPI(f, keyed(`"limits": {"requestsPerMinutePerAddress": 1}, "trustedProxies": ["10.0.0.0/8"]`), nil)
	h := a.Handler()
	var next atomic.Uint32
	f.Fuzz(func(t *testing.T, forwarded string) {
		n := next.Add(1)
		peer := netip.AddrPortFrom(netip.AddrFrom4([4]byte{172, byte(n >> 16), byte(n >> 8), byte(n)}), 1).String()
		if w := from(h, peer, "alice"); w.Code != 200 {
			t.Fatalf("%s: %d", peer, w.Code)
		}
		if w := from(h, peer, "alice", forwarded); w.Code != 429 {
			t.Errorf("%q is attributed to another address: %d", forwarded, w.Code)
		}
		from(h, "10.0.0.5:1", "alice", forwarded) // and nothing that a proxy passes on breaks it
	})
}

func TestBudgetsStandInTheHeadersAndRefuse(t *testing.T) {
	engine := &fakeEngine{budget: []budget.Budget{
		{Scope: budget.ScopePrincipal, Max: 100_000, Left: 87_650, Window: 24 * time.Hour, Reset: time.Hour},
		{Scope: budget.ScopeTenant, Max: 1_000_000_000_000, Left: 1, Window: 7 * 24 * time.Hour, Reset: 90*time.Second + 1},
	}}
	s := newServer(t, limited(`{"requestsPerMinute": 0}`), withEngine(engine))
	for _, accept := range []string{"text/event-stream", "application/json"} {
		r := s.post("c1", `{"message":"hi"}`, "Accept", accept)
		if got := r.Header.Get("RateLimit-Policy"); got != `"tokens_principal";q=100000;w=86400;qu="tokens", "tokens_tenant";q=1000000000000;w=604800;qu="tokens"` {
			t.Errorf("policies %s", got)
		}
		if got := r.Header.Get("RateLimit"); got != `"tokens_principal";r=87650;t=3600, "tokens_tenant";r=1;t=91` {
			t.Errorf("state %s", got)
		}
	}
	spent := newServer(t, limited(`{}`), withEngine(&fakeEngine{err: &budget.SpentError{Budget: budget.Budget{
		Scope: budget.ScopePrincipal, Max: 10, Left: -3, Window: 24 * time.Hour, Reset: 90 * time.Second,
	}}}))
	for language, want := range map[string]string{
		"en": "It renews in 2 minutes.", "de": "Es wird in 2 Minuten erneuert.", "fr": "Il sera renouvelé dans 2 minutes.", "es": "Se renovará dentro de 2 minutos.",
	} {
		r := spent.post("c1", `{"answer":{"value":"x"}}`, "Accept-Language", language)
		p := r.wantProblem(t, 429, "rate_limited")
		if p.Scope != "tokens_principal" || !strings.HasSuffix(p.Detail, want) || r.Header.Get("Retry-After") != "90" ||
			r.Header.Get("RateLimit") != `"tokens_principal";r=0;t=90` || r.Header.Get("RateLimit-Policy") != `"tokens_principal";q=10;w=86400;qu="tokens"` {
			t.Errorf("%s %v", r.body, r.Header)
		}
	}
	spent.wantMetric(`askgate_rate_limit_decisions_total{app="plain",decision="limited",scope="tokens_principal"} 4`)
	s.wantMetric(`askgate_rate_limit_decisions_total{app="plain",decision="allowed",scope="tokens_tenant"} 2`)
}

// End to end: a question is asked, the budget is used up, the answer is refused but not lost, and
// other users go on.
func TestAnAnswerThatABudgetRefusesIsNotLost(t *testing.T) {
	f := keyed(`"limits": {"tokens": {"perPrincipal": {"max": 1, "window": "366d"}}}`)
	s, c := realServer(t, f, nil), loadSchemas(t)
	alice, bob := []string{"Authorization", "Bearer alice"}, []string{"Authorization", "Bearer bob"}
	find(t, s.run(c, "c1", `{"message":"select"}`, alice...), "clarification")
	before := s.call("GET", "/v1/apps/plain/chats/c1", "", alice...)
	r := s.post("c1", `{"answer":{"value":"fr"},"idempotencyKey":"k"}`, alice...)
	c.check("Problem", r.body)
	if p := r.wantProblem(t, 429, "rate_limited"); p.Scope != "tokens_principal" {
		t.Errorf("%s", r.body)
	}
	after := s.call("GET", "/v1/apps/plain/chats/c1", "", alice...)
	if string(before.body) != string(after.body) || !strings.Contains(string(after.body), `"status":"awaiting_input"`) {
		t.Errorf("a refused answer changed the chat:\n%s\n%s", before.body, after.body)
	}
	find(t, s.run(c, "c1", `{"message":"select"}`, bob...), "clarification")
}
