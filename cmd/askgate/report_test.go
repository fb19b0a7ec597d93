package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// While a gateway runs, askgate report prints the same as the API.
func TestReportPrintsWhatBecameOfQuestions(t *testing.T) {
	p := start(t, "", map[string]string{
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["ask_user"]}`,
		"apps/other.json":  `{"id": "other", "name": "Other", "tools": ["ask_user"]}`,
		"tools.json":       `[{"id": "ask_user", "type": "ask_user"}]`,
	})
	report := func(flags ...string) string {
		t.Helper()
		args := append([]string{"report", "--config", p.dir, "--store", "sqlite:" + filepath.Join(p.dir, "askgate.db")}, flags...)
		code, stdout, stderr := command(t, args...)
		if code != 0 || stderr != "" {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		return stdout
	}
	if got := report(); !strings.HasPrefix(got, "Nothing was asked since ") {
		t.Errorf("before anything was asked: %s", got)
	}
	p.send("helper", "c1", `{"message":"select"}`)
	p.send("helper", "c1", `{"answer":{"value":"fr"}}`)
	p.send("other", "c2", `{"message":"text"}`)
	type counts struct {
		Items []struct {
			App, Text       string
			Asked, Answered int
		}
		Models []struct{ Model string }
	}
	parse := func(text string) (c counts) {
		t.Helper()
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return c
	}
	// Only the times differ.
	same := func(text string) string {
		_, rest, _ := strings.Cut(text, `"items"`)
		return rest
	}
	all := report("--json")
	if got := parse(all); len(got.Items) != 2 || got.Items[0].Asked != 1 || got.Items[0].Answered != 1 || got.Items[0].App != "helper" || got.Models[0].Model != "default" {
		t.Errorf("%s", all)
	}
	if got := p.body("GET", "/v1/admin/questions", ""); same(got) == "" || strings.TrimSpace(same(got)) != strings.TrimSpace(same(all)) {
		t.Errorf("the API tells\n%s\nthe command\n%s", got, all)
	}
	if got := parse(report("--json", "--app", "other")); len(got.Items) != 1 || got.Items[0].App != "other" {
		t.Errorf("of one app: %+v", got)
	}
	if got := report("--since", "2999-01-01"); strings.Count(got, "\n") != 1 {
		t.Errorf("in future: %s", got)
	}
	if got := report(); strings.Count(got, "\n") != 7 || !strings.Contains(got, "helper  1") || !strings.Contains(got, parse(all).Items[1].Text[:20]) {
		t.Errorf("the table is\n%s", got)
	}
	if code, stdout, stderr := command(t, "report", "--since", "lately"); code != 2 || stdout != "" || !strings.Contains(stderr, "--since") {
		t.Errorf("no time: exit %d, %s", code, stderr)
	}
	p.do("DELETE", "/v1/apps/helper/chats/c1", "")
	if got := parse(report("--json")); len(got.Items) != 1 {
		t.Errorf("after a deletion: %+v", got)
	}
}
