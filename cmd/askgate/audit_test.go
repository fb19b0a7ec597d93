package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAuditPrintsWhatTheGatewayRecords: beside it, as JSON lines, the same as the API.
func TestAuditPrintsWhatTheGatewayRecords(t *testing.T) {
	p := start(t, "", map[string]string{
		"gateway.json":     `{"audit": {"enabled": true}}`,
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["ask_user"]}`,
		"apps/other.json":  `{"id": "other", "name": "Other", "tools": ["ask_user"]}`,
		"tools.json":       `[{"id": "ask_user", "type": "ask_user"}]`,
	})
	audit := func(flags ...string) string {
		t.Helper()
		args := append([]string{"audit", "--config", p.dir, "--store", "sqlite:" + filepath.Join(p.dir, "askgate.db")}, flags...)
		code, stdout, stderr := command(t, args...)
		if code != 0 || stderr != "" {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		return stdout
	}
	if got := audit(); got != "" {
		t.Errorf("before anything was asked: %s", got)
	}
	p.send("helper", "c1", `{"message":"select"}`)
	p.send("helper", "c1", `{"answer":{"value":"fr","note":"a secret"}}`)
	p.send("other", "c2", `{"message":"text"}`)
	all := audit()
	type record struct {
		ID                      int
		At, What, App, Node     string
		ChatID, Outcome, Answer string
	}
	var list []record
	for line := range strings.Lines(all) {
		var r record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		list = append(list, r)
	}
	if len(list) != 3 || list[0].What != "asked" || list[1].What != "resolved" || list[1].Outcome != "answered" || list[2].App != "other" || list[2].ChatID != "c2" {
		t.Errorf("%s", all)
	}
	if strings.Contains(all, "secret") || strings.Contains(all, "question\":\"") || strings.Contains(all, `"answer"`) {
		t.Errorf("texts are in an audit without them: %s", all)
	}
	if got := p.body("GET", "/v1/admin/audit", ""); got != all {
		t.Errorf("the API tells\n%s\nthe command\n%s", got, all)
	}
	if got := audit("--app", "other"); strings.Count(got, "\n") != 1 || !strings.HasSuffix(all, got) {
		t.Errorf("of one app: %s", got)
	}
	if got := audit("--since", list[1].At); !strings.HasSuffix(all, got) || strings.Count(got, "\n") > 2 || got == "" {
		t.Errorf("from the second on: %s", got)
	}
	if got := audit("--until", "2026-01-01"); got != "" {
		t.Errorf("before all: %s", got)
	}
	if code, stdout, stderr := command(t, "audit", "--since", "yesterday"); code != 2 || stdout != "" || !strings.Contains(stderr, "--since") {
		t.Errorf("no time: exit %d, %s", code, stderr)
	}

	// Restarts change nothing; deletions do.
	p.restart()
	if got := audit(); got != all {
		t.Errorf("after a restart: %s", got)
	}
	p.do("DELETE", "/v1/apps/helper/chats/c1", "")
	if got := audit(); strings.Contains(got, "c1") || strings.Count(got, "\n") != 2 || !strings.Contains(got, `"what":"erased"`) {
		t.Errorf("after a deletion: %s", got)
	}
}

// What reads makes nothing: an export with a wrong path must not be an empty one.
func TestAuditOfNothingIsAFault(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "typo.db")
	code, stdout, stderr := command(t, "audit", "--config", t.TempDir(), "--store", "sqlite:"+missing)
	if code != 1 || stdout != "" || !strings.Contains(stderr, missing) || !strings.Contains(stderr, "--store") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if _, err := os.Stat(missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file was made: %v", err)
	}
	code, _, stderr = command(t, "audit", "--store", "sqlite:"+missing, "--since", "2026-02-07", "--until", "2026-02-06")
	if code != 2 || !strings.Contains(stderr, "--since must be before --until") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
