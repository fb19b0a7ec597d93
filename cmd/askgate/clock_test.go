package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/prove/testenv"
)

// mistimed returns the URL of a store whose clock can be set: a function in its schema takes precedence
// over that of the server.
func mistimed(t *testing.T) (store string, set func(by time.Duration)) {
	t.Helper()
	base := testenv.Postgres(t)
	conn, err := pgx.Connect(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	run := func(statement string) {
		t.Helper()
		if _, err := conn.Exec(context.WithoutCancel(t.Context()), statement); err != nil {
			t.Fatal(err)
		}
	}
	schema := "askgate_test_" + strings.ToLower(rand.Text())
	run("CREATE SCHEMA " + schema)
	t.Cleanup(func() {
		run("DROP SCHEMA " + schema + " CASCADE")
		_ = conn.Close(context.WithoutCancel(t.Context()))
	})
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	params := u.Query()
	params.Set("search_path", schema+",pg_catalog")
	params.Set("pool_max_conns", "4")
	u.RawQuery = params.Encode()
	return u.String(), func(by time.Duration) {
		t.Helper()
		run(fmt.Sprintf("CREATE OR REPLACE FUNCTION %s.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS "+
			"$$ SELECT pg_catalog.clock_timestamp() + make_interval(secs => %f) $$", schema, by.Seconds()))
	}
}

// A node whose clock is five minutes ahead reports it. Its questions get their dates, and expire, by
// the clock of the store; so a late answer is 410.
func TestANodeTellsThatItsClockIsWrong(t *testing.T) {
	store, set := mistimed(t)
	set(-5 * time.Minute)
	model := modeltest.New(t, modeltest.Ask("call_1", `{"question":"Which?"}`), modeltest.Answer("Done."))
	p := start(t, model.URL, map[string]string{
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["ask_user"], "clarifications": {"expiresIn": "5m"}}`,
		"tools.json":       `[{"id": "ask_user", "type": "ask_user"}]`,
	}, "ASKGATE_STORE="+store)
	skew := func() float64 {
		t.Helper()
		m := regexp.MustCompile(`(?m)^askgate_clock_skew_seconds (\S+)$`).FindStringSubmatch(p.body("GET", "/metrics", ""))
		if m == nil {
			t.Fatal("no askgate_clock_skew_seconds")
		}
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	clock := func() (part struct{ Status, Since, Hint string }) {
		t.Helper()
		var ready struct {
			Parts map[string]json.RawMessage
		}
		body := p.body("GET", "/readyz?verbose", "")
		if err := json.Unmarshal([]byte(body), &ready); err != nil || json.Unmarshal(ready.Parts["clock"], &part) != nil {
			t.Fatalf("%v: %s", err, body)
		}
		return part
	}
	const slack = 30 // seconds that a slow machine may take
	if got := skew(); math.Abs(got-300) > slack {
		t.Errorf("ahead by %v s", got)
	}
	if c := clock(); c.Status != "degraded" || c.Since == "" || !strings.Contains(c.Hint, "more than a minute") {
		t.Errorf("clock: %+v", c)
	}
	until := time.Now() // five minutes after the store's time
	p.send("helper", "c1", `{"message":"hi"}`)
	var list struct {
		Items []struct{ ExpiresAt time.Time }
	}
	if err := json.Unmarshal([]byte(p.body("GET", "/v1/clarifications", "")), &list); err != nil || len(list.Items) != 1 {
		t.Fatalf("%v, %+v", err, list)
	}
	if got := list.Items[0].ExpiresAt; got.Sub(until).Abs() > slack*time.Second {
		t.Errorf("open until %v, want %v", got, until)
	}
	set(5 * time.Minute) // the store's time goes on; the node measures it with its next heartbeat
	waitFor(t, func() bool { return skew() < -200 })
	if got := p.do("POST", "/v1/apps/helper/chats/c1/messages", `{"answer":{"value":"x"}}`).StatusCode; got != http.StatusGone {
		t.Errorf("a late answer: %d", got)
	}
	set(0)
	waitFor(t, func() bool { return math.Abs(skew()) < slack })
}
