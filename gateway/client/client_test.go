package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/client"
	"github.com/askgate/askgate/tools"
)

// TestAQuestionIsStoredOnce: whatever is lost on the way, each attempt has the same key, and a key
// that the caller set is used for all attempts.
func TestAQuestionIsStoredOnce(t *testing.T) {
	with(t, func(n int, r *http.Request, _ string) (*http.Response, error) {
		switch n {
		case 1:
			return nil, errDial
		case 2:
			return nil, errReset // it may have been stored
		case 3:
			return refusal(503, "draining", "Retry-After", "2"), nil
		case 4:
			return reply(502, "<html>", "Content-Type", "text/html"), nil
		case 5:
			return silence(r)
		}
		return reply(201, pendingJSON), nil
	}, func(t *testing.T, c *client.Client, w *wire) {
		asked, err := c.Ask(t.Context(), "an app", asking)
		if err != nil || asked.ID != "clr_1" || asked.State != tools.StatePending || string(asked.JSON) != pendingJSON {
			t.Fatalf("%+v, %v", asked, err)
		}
		keys := map[string]bool{}
		for i, body := range w.body {
			var sent struct {
				Key       string `json:"idempotencyKey"`
				To        string `json:"to"`
				Questions []any  `json:"questions"`
			}
			if err := json.Unmarshal([]byte(body), &sent); err != nil || sent.Key == "" || sent.To != "alice" || len(sent.Questions) != 1 {
				t.Errorf("%s, %v", body, err)
			}
			keys[sent.Key] = true
			r := w.seen[i]
			if r.Method != "POST" || r.URL.String() != "https://ask.test/base/v1/apps/an%20app/clarifications" || r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("Accept-Language") != "de" {
				t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
			}
		}
		if len(w.body) != 6 || len(keys) != 1 {
			t.Errorf("%d attempts with %d keys", len(w.body), len(keys))
		}
		if w.at[3]-w.at[2] < 2*time.Second {
			t.Errorf("Retry-After is ignored: %v", w.at)
		}
	})
}

// TestAnUnreachableGatewayIsTriedForAWhile: for 30 s, and not for less.
func TestAnUnreachableGatewayIsTriedForAWhile(t *testing.T) {
	for name, fault := range map[string]func(r *http.Request) (*http.Response, error){
		"connection refused": func(*http.Request) (*http.Response, error) { return nil, errDial },
		"no reply":           silence,
		"another's 502":      func(*http.Request) (*http.Response, error) { return reply(502, ""), nil },
	} {
		t.Run(name, func(t *testing.T) {
			with(t, func(_ int, r *http.Request, _ string) (*http.Response, error) { return fault(r) },
				func(t *testing.T, c *client.Client, w *wire) {
					_, err := c.Ask(t.Context(), "a", asking)
					if took := time.Since(w.begun); took < 29*time.Second || took > 30*time.Second {
						t.Errorf("after %v", took)
					}
					if err == nil || !strings.Contains(err.Error(), "ask.test") || w.requests() < 2 {
						t.Errorf("%v, %d tries", err, w.requests())
					}
				})
		})
	}
}

// TestRefusalsAreFinal: every call returns a refusal at once, with its reason.
func TestRefusalsAreFinal(t *testing.T) {
	for status, code := range map[int]string{
		400: "invalid_request", 401: "unauthenticated", 403: "forbidden", 404: "not_found", 409: "idempotency_conflict", 410: "clarification_closed", 413: "too_large",
	} {
		with(t, func(int, *http.Request, string) (*http.Response, error) { return refusal(status, code), nil },
			func(t *testing.T, c *client.Client, w *wire) {
				for name, call := range map[string]func() error{
					"ask":    func() error { _, err := c.Ask(t.Context(), "a", asking); return err },
					"wait":   func() error { _, err := c.Wait(t.Context(), "clr_1"); return err },
					"answer": func() error { _, err := c.Answer(t.Context(), "clr_1", json.RawMessage(`{}`)); return err },
					"cancel": func() error { _, err := c.Cancel(t.Context(), "clr_1"); return err },
					"list":   func() error { _, err := c.Pending(t.Context()); return err },
					"events": func() error {
						for _, err := range c.Events(t.Context(), "") {
							return err
						}
						return nil
					},
				} {
					before := w.requests()
					p := problemOf(t, call())
					if p.Status != status || p.Code != code || !strings.Contains(p.Error(), "what is wrong") || w.requests() != before+1 || time.Since(w.begun) > 0 {
						t.Errorf("%s: %v, %d attempts, after %v", name, p, w.requests()-before, time.Since(w.begun))
					}
				}
			})
	}
}

// TestWhatIsWrongWithAQuestionIsNamed: each error of a 422, one per line.
func TestWhatIsWrongWithAQuestionIsNamed(t *testing.T) {
	with(t, func(int, *http.Request, string) (*http.Response, error) {
		return reply(422, `{"title":"T","status":422,"detail":"D","code":"invalid_clarification","errors":[{"question":0,"field":"options","code":"no_options","message":"M1"},{"question":1,"field":"question","code":"blank_question","message":"M2"}]}`), nil
	}, func(t *testing.T, c *client.Client, _ *wire) {
		_, err := c.Ask(t.Context(), "a", asking)
		if want := "D\n  question 1, options: M1\n  question 2, question: M2 (422 invalid_clarification)"; err == nil || err.Error() != want {
			t.Errorf("%v", err)
		}
	})
}

// TestALongWaitIsNotForTheClient: a cap that resets only tomorrow is reported at once.
func TestALongWaitIsNotForTheClient(t *testing.T) {
	with(t, func(int, *http.Request, string) (*http.Response, error) {
		return refusal(429, "clarification_limit", "Retry-After", "3600"), nil
	}, func(t *testing.T, c *client.Client, w *wire) {
		_, err := c.Ask(t.Context(), "a", asking)
		if p := problemOf(t, err); p.RetryAfter != time.Hour || w.requests() != 1 {
			t.Errorf("%v, %d tries", p, w.requests())
		}
	})
}

// TestWaitingGoesOnForEver: through two days without a gateway, and through every way in which it
// can be unreachable.
func TestWaitingGoesOnForEver(t *testing.T) {
	const outage = 48 * time.Hour
	var begun time.Time
	with(t, func(n int, r *http.Request, _ string) (*http.Response, error) {
		switch {
		case n == 1:
			begun = time.Now()
			<-time.After(55 * time.Second)
			return reply(200, pendingJSON), nil
		case time.Since(begun) > outage:
			return reply(200, answeredJSON), nil
		}
		switch n % 5 {
		case 0:
			return silence(r)
		case 1:
			return nil, errDial
		case 2:
			return nil, errReset
		case 3:
			return refusal(503, "store_unavailable"), nil
		}
		return reply(504, "<html>"), nil
	}, func(t *testing.T, c *client.Client, w *wire) {
		got, err := c.Wait(t.Context(), "clr_1")
		if err != nil || got.State != tools.StateAnswered || got.AnsweredBy.Subject != "alice" {
			t.Fatalf("%+v, %v", got, err)
		}
		if late := time.Since(begun) - outage; late > 2*time.Minute {
			t.Errorf("%v late", late)
		}
		if u := w.seen[0].URL; u.Path != "/base/v1/clarifications/clr_1" || u.RawQuery != "wait=55" {
			t.Errorf("%s", u)
		}
	})
}

// TestAWaitThatEndsEarlyIsNotRepeatedAtOnce, as when a node stops.
func TestAWaitThatEndsEarlyIsNotRepeatedAtOnce(t *testing.T) {
	with(t, func(int, *http.Request, string) (*http.Response, error) { return reply(200, pendingJSON), nil },
		func(t *testing.T, c *client.Client, w *wire) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, err := c.Wait(ctx, "clr_1"); !errors.Is(err, context.DeadlineExceeded) || w.requests() > 30 {
				t.Errorf("%v, %d requests in a minute", err, w.requests())
			}
		})
}

// TestWaitingEndsWithItsContext, with the context's cause.
func TestWaitingEndsWithItsContext(t *testing.T) {
	with(t, func(_ int, r *http.Request, _ string) (*http.Response, error) { return silence(r) },
		func(t *testing.T, c *client.Client, _ *wire) {
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("the user has left")
			time.AfterFunc(time.Second, func() { cancel(why) })
			if _, err := c.Wait(ctx, "clr_1"); !errors.Is(err, why) {
				t.Errorf("%v", err)
			}
		})
}

// TestAnAnswerIsNotSentTwice when it is unknown whether the first attempt was accepted.
func TestAnAnswerIsNotSentTwice(t *testing.T) {
	for name, c := range map[string]struct {
		first error
		tries int
	}{"lost on the way": {errReset, 1}, "not sent": {errDial, 2}} {
		with(t, func(n int, _ *http.Request, _ string) (*http.Response, error) {
			if n == 1 {
				return nil, c.first
			}
			return reply(200, answeredJSON), nil
		}, func(t *testing.T, cl *client.Client, w *wire) {
			_, err := cl.Answer(t.Context(), "clr_1", json.RawMessage(`{"value":"y"}`))
			if (err == nil) != (c.tries == 2) || w.requests() != c.tries || w.body[0] != `{"value":"y"}` || w.seen[0].URL.Path != "/base/v1/clarifications/clr_1/answer" {
				t.Errorf("%s: %v, %q", name, err, w.body)
			}
		})
	}
}

// TestTheKeyStaysWithTheGateway: a redirect is reported, and not followed.
func TestTheKeyStaysWithTheGateway(t *testing.T) {
	with(t, func(int, *http.Request, string) (*http.Response, error) {
		return reply(307, "", "Location", "https://elsewhere.test/"), nil
	}, func(t *testing.T, c *client.Client, w *wire) {
		_, err := c.Ask(t.Context(), "a", asking)
		if err == nil || w.requests() != 1 || !strings.Contains(err.Error(), "https://elsewhere.test/") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, %d requests", err, w.requests())
		}
	})
}

// TestWhatIsNoGatewayIsToldAtOnce: the client does not wait.
func TestWhatIsNoGatewayIsToldAtOnce(t *testing.T) {
	page := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }
	plain, secure := httptest.NewServer(http.HandlerFunc(page)), httptest.NewUnstartedServer(http.HandlerFunc(page))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer plain.Close()
	defer secure.Close()
	for name, url := range map[string]string{
		"another site": plain.URL, "an unknown certificate": secure.URL, "TLS where there is none": strings.Replace(plain.URL, "http", "https", 1),
	} {
		c, err := client.New(client.Options{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if _, err := c.Ask(t.Context(), "a", asking); err == nil || time.Since(begun) > 20*time.Second {
			t.Errorf("%s: %v after %v", name, err, time.Since(begun))
		}
	}
	for _, url := range []string{"ask.example.org", "ftp://ask.example.org", "http://", "http://a b"} {
		if _, err := client.New(client.Options{URL: url}); err == nil {
			t.Errorf("%q is accepted as an address", url)
		}
	}
}

// TestListsAreReadToTheirEnd, page by page.
func TestListsAreReadToTheirEnd(t *testing.T) {
	with(t, func(n int, r *http.Request, _ string) (*http.Response, error) {
		if r.URL.Query().Get("status") != "pending" || (r.URL.Query().Get("cursor") == "next") != (n == 2) {
			t.Errorf("%s", r.URL)
		}
		if n == 1 {
			return reply(200, `{"items":[`+pendingJSON+`],"nextCursor":"next"}`), nil
		}
		return reply(200, `{"items":[`+pendingJSON+`],"nextCursor":null}`), nil
	}, func(t *testing.T, c *client.Client, _ *wire) {
		if list, err := c.Pending(t.Context()); err != nil || len(list) != 2 || list[1].Questions[0].Options[0].Value != "y" {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

// TestTroubleIsToldWhileItLasts: why an attempt is repeated, and that it succeeded.
func TestTroubleIsToldWhileItLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{serve: func(n int, _ *http.Request, _ string) (*http.Response, error) {
			if n < 3 {
				return nil, errDial
			}
			return reply(201, pendingJSON), nil
		}}
		var told []error
		c, err := client.New(client.Options{HTTP: &http.Client{Transport: w}, Trouble: func(err error) { told = append(told, err) }})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Ask(t.Context(), "a", asking); err != nil || len(told) != 3 || told[0] == nil || told[1] == nil || told[2] != nil {
			t.Errorf("%v, %v", told, err)
		}
	})
}

func TestValuesOfAnAnswer(t *testing.T) {
	one := `"questions":[{"id":"q1"}]`
	two := `"questions":[{"id":"env"},{"id":"day"}]`
	for in, want := range map[string]string{
		`{` + one + `,"answer":null}`:                                            `null`,
		`{` + one + `,"answer":{"value":"fr"}}`:                                  `[{"ID":"q1","Values":["fr"]}]`,
		`{` + one + `,"answer":{"value":1.50}}`:                                  `[{"ID":"q1","Values":["1.50"]}]`,
		`{` + one + `,"answer":{"values":["a","b"],"other":"c d"}}`:              `[{"ID":"q1","Values":["a","b","c d"]}]`,
		`{` + one + `,"answer":{"other":" as\ntyped "}}`:                         `[{"ID":"q1","Values":[" as\ntyped "]}]`,
		`{` + one + `,"answer":{"skipped":true}}`:                                `[{"ID":"q1","Values":null}]`,
		`{` + one + `,"answer":{"answers":[{"value":"x"}]}}`:                     `[{"ID":"q1","Values":["x"]}]`,
		`{` + two + `,"answer":{"answers":[{"value":"live"},{"skipped":true}]}}`: `[{"ID":"env","Values":["live"]},{"ID":"day","Values":null}]`,
		`{` + two + `,"answer":{"declined":true}}`:                               `[{"ID":"env","Values":null},{"ID":"day","Values":null}]`,
		`{"kind":"input",` + one + `,"answer":{"result":{"a":1}}}`:               `[{"ID":"","Values":["{\"a\":1}"]}]`,
		`{"kind":"input",` + one + `,"answer":{"error":"no printer"}}`:           `[{"ID":"","Values":["no printer"]}]`,
	} {
		var c client.Clarification
		if err := json.Unmarshal([]byte(in), &c); err != nil {
			t.Fatal(err)
		}
		if got, _ := json.Marshal(c.Values()); string(got) != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}
