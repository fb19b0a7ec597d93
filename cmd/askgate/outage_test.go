package main

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/outage"
	"github.com/askgate/askgate/gateway/prove/redistest"
	"github.com/askgate/askgate/gateway/prove/testenv"
)

// outageLines are the messages about PostgreSQL and Redis, and the value of "for" in them.
var outageLines = []struct{ down, back, of string }{
	{"the store is unavailable", "the store is available again", ""},
	{"redis is unavailable: live events of other nodes come from the store", "redis is in use again", "events"},
	{"redis is unavailable: this node limits by itself", "redis is in use again", "limits"},
}

// TestAnOutageIsToldInFewLines: while PostgreSQL and Redis are cut off, the log has a line at the beginning,
// one every 10 s with a count, and one at the end, but none for each request. A question that was asked
// before is answered after.
func TestAnOutageIsToldInFewLines(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			conf := t.TempDir()
			configtest.Files{
				"gateway.json":     `{"limits": {"requestsPerMinute": 1000000, "burst": 1000000}, "auth": {"session": {"secret": "0123456789abcdef0123456789abcdef"}}}`,
				"apps/helper.json": `{"id": "helper", "tools": ["ask_user"]}`,
			}.Write(t, conf)
			store, storeURL := redistest.NewProxy(t, emptyPostgres(t))
			redis, redisURL := redistest.NewProxy(t, testenv.Redis(t))
			n := startNode(t, "", "HOME="+conf, "ASKGATE_CONFIG="+conf, "ASKGATE_LOG_FORMAT="+format, "ASKGATE_STORE="+storeURL, "ASKGATE_REDIS="+redisURL)
			p := &process{t: t, url: "http://" + n.address, client: &http.Client{}}
			asked := p.send("helper", "c1", `{"message":"select"}`)
			if last := asked[len(asked)-2]; last.Name != "clarification" {
				t.Fatalf("not asked: %+v", asked)
			}

			store.Cut()
			redis.Cut()
			refused := 0
			waitFor(t, func() bool {
				resp := p.do("GET", "/v1/apps/helper/chats/c1", "")
				if text, _ := io.ReadAll(resp.Body); resp.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(text), "store_unavailable") {
					refused++
				}
				return refused >= 20 && outagesLast(n.log.String()) // a request waits for up to 3 s
			})
			store.Heal()
			redis.Heal()
			waitFor(t, func() bool {
				p.do("GET", "/v1/apps/helper/chats/c1", "")
				return outagesEnded(n.log.String())
			})
			answered := p.send("helper", "c1", `{"answer":{"value":"fr"}}`)
			if last := answered[len(answered)-1]; last.Name != "done" || !strings.Contains(string(last.Data), `"stop"`) {
				t.Errorf("the answer ends with %s %s", last.Name, last.Data)
			}
			wantOutages(t, n.log.String())
		})
	}
}

// logLine is a line of either format, with its attributes as texts.
type logLine map[string]string

var textAttribute = regexp.MustCompile(`([\w.]+)=("(?:[^"\\]|\\.)*"|\S*)`)

func logLines(log string) (list []logLine) {
	for line := range strings.Lines(log) {
		attrs, fields := logLine{}, map[string]any{}
		if json.Unmarshal([]byte(line), &fields) == nil {
			for name, value := range fields {
				text, _ := json.Marshal(value)
				attrs[name] = strings.Trim(string(text), `"`)
			}
		} else {
			for _, m := range textAttribute.FindAllStringSubmatch(line, -1) {
				attrs[m[1]] = strings.Trim(m[2], `"`)
			}
		}
		list = append(list, attrs)
	}
	return list
}

// outagesLast reports whether each outage has lasted for long enough that a second line tells of it.
func outagesLast(log string) bool {
	for _, o := range outageLines {
		lines := 0
		for _, l := range logLines(log) {
			if l["msg"] == o.down {
				lines++
			}
		}
		if lines < 2 {
			return false
		}
	}
	return true
}

func outagesEnded(log string) bool {
	for _, o := range outageLines {
		ended := false
		for _, l := range logLines(log) {
			ended = ended || l["msg"] == o.back && l["for"] == o.of
		}
		if !ended {
			return false
		}
	}
	return true
}

// wantOutages fails unless a log tells of each outage as it should, and has no other warnings.
func wantOutages(t *testing.T, log string) {
	t.Helper()
	number := func(l logLine, name string) float64 {
		f, err := strconv.ParseFloat(l[name], 64)
		if err != nil {
			t.Errorf("%s is not a number: %v", name, l)
		}
		return f
	}
	lines := logLines(log)
	known := map[string]bool{"this node's leases had lapsed: the node was paused, or the store was unavailable": true}
	for _, o := range outageLines {
		known[o.down] = true
		down, ends, failures := 0, 0, 0.0
		for _, l := range lines {
			switch {
			case l["msg"] == o.down && l["for"] == o.of:
				if _, counts := l["failures"]; l["level"] != "WARN" || counts != (down > 0) || l["error"] == "" {
					t.Errorf("line %d about %q: %v", down+1, o.down, l)
				} else if least := float64(down) * float64(outage.Every.Milliseconds()); down > 0 {
					failures += number(l, "failures")
					if got := number(l, "duration_ms"); got < least {
						t.Errorf("line %d after %g ms: %v", down+1, got, l)
					}
				}
				down++
			case l["msg"] == o.back && l["for"] == o.of:
				ends++
				if all := number(l, "failures"); l["level"] != "INFO" || all <= failures || number(l, "duration_ms") < float64(outage.Every.Milliseconds()) {
					t.Errorf("after %g failures: %v", failures, l)
				}
			}
		}
		if down < 2 || ends != 1 {
			t.Errorf("%q: %d lines, and %d at the end", o.down, down, ends)
		}
	}
	for _, l := range lines {
		if l["level"] != "INFO" && !known[l["msg"]] {
			t.Errorf("a line too many: %v", l)
		}
		if _, raw := l["duration"]; raw {
			t.Errorf("a duration without a unit: %v", l)
		}
	}
}
