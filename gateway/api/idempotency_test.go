package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestTheKeyOfTheHeader: it counts where the body has no key, by the body's rules.
func TestTheKeyOfTheHeader(t *testing.T) {
	const bare, keyed = `{"message":"hi"}`, `{"message":"hi","idempotencyKey":"body"}`
	long := strings.Repeat("é", 200)
	for _, c := range []struct {
		name, body string
		header     []string
		want       string // "" is 400
	}{
		{"alone", bare, []string{"8e03978e-40d5"}, "8e03978e-40d5"},
		{"the body's wins", keyed, []string{"header"}, "body"},
		{"so a bad one does nothing", keyed, []string{""}, "body"},
		{"the longest", bare, []string{long}, long},
		{"as it stands", bare, []string{`"quoted, 1"`}, `"quoted, 1"`},
		{"too long", bare, []string{long + "x"}, ""},
		{"empty", bare, []string{""}, ""},
		{"not printable", bare, []string{"a\tb"}, ""},
		{"no UTF-8", bare, []string{"a\xff"}, ""},
		{"twice", bare, []string{"a", "a"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			engine := &fakeEngine{}
			s := newServer(t, nil, withEngine(engine))
			req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/v1/apps/plain/chats/c1/messages", strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header["Idempotency-Key"] = c.header
			res, err := s.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if c.want != "" {
				if got := engine.only(t).IdempotencyKey; res.StatusCode != 200 || got != c.want {
					t.Errorf("%d, key %q", res.StatusCode, got)
				}
				return
			}
			if res.StatusCode != 400 || len(engine.commands) != 0 {
				t.Errorf("%d, commands %v", res.StatusCode, engine.commands)
			}
		})
	}
	p := newServer(t, nil, nil).post("c1", bare, "Idempotency-Key", strings.Repeat("k", 201)).wantProblem(t, 400, "invalid_request")
	if p.Field != "Idempotency-Key" || !strings.Contains(p.Detail, "Idempotency-Key") {
		t.Errorf("%+v", p)
	}
}

// TestTheHeaderRepeatsARun: with a real engine, as with the key in the body.
func TestTheHeaderRepeatsARun(t *testing.T) {
	s := realServer(t, nil, nil)
	say := func(body string, header ...string) reply {
		return s.post("c1", body, header...)
	}
	first := say(`{"message":"confirm"}`, "Idempotency-Key", "k")
	for name, again := range map[string]reply{
		"by the header": say(`{"message":"confirm"}`, "Idempotency-Key", "k"),
		"by the body":   say(`{"message":"confirm","idempotencyKey":"k"}`),
	} {
		if a, b := find(t, events(t, string(first.body)), "turn.start"), find(t, events(t, string(again.body)), "turn.start"); a["turnId"] != b["turnId"] {
			t.Errorf("%s: another turn", name)
		}
	}
	say(`{"message":"date"}`, "Idempotency-Key", "k").wantProblem(t, 409, "idempotency_conflict")
}
