package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// askgate audit prints the records of a running gateway as JSON lines, the same as the API.
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
	if code, stdout, stderr := command(t, "audit", "--since", "lately"); code != 2 || stdout != "" || !strings.Contains(stderr, "--since") {
		t.Errorf("no time: exit %d, %s", code, stderr)
	}

	// A restart does not change the audit; a deletion does.
	p.restart()
	if got := audit(); got != all {
		t.Errorf("after a restart: %s", got)
	}
	p.do("DELETE", "/v1/apps/helper/chats/c1", "")
	if got := audit(); strings.Contains(got, `"c1"`) || strings.Count(got, "\n") != 2 || !strings.Contains(got, `"what":"erased"`) {
		t.Errorf("after a deletion: %s", got)
	}
}

// Reading creates no store: an export with a wrong path must fail, and not be empty.
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

// askgate audit --verify finds a record that was changed in the database. A chat that the gateway
// deleted is not a fault.
func TestTheAuditIsVerified(t *testing.T) {
	p := start(t, "", map[string]string{
		"gateway.json":     `{"audit": {"enabled": true}}`,
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["ask_user"]}`,
		"tools.json":       `[{"id": "ask_user", "type": "ask_user"}]`,
	})
	file := filepath.Join(p.dir, "askgate.db")
	verify := func(want int, flags ...string) string {
		t.Helper()
		code, stdout, stderr := command(t, append([]string{"audit", "--verify", "--config", p.dir, "--store", "sqlite:" + file}, flags...)...)
		if code != want {
			t.Fatalf("exit %d: %s%s", code, stdout, stderr)
		}
		return stdout + stderr
	}
	if got := verify(0); !strings.Contains(got, "Records: 0, erased: 0, chains: 0, with HMAC: 0, head: none") {
		t.Errorf("of nothing: %s", got)
	}
	for _, c := range []string{"c1", "c2"} {
		p.send("helper", c, `{"message":"select"}`)
		p.send("helper", c, `{"answer":{"value":"fr"}}`)
	}
	p.do("DELETE", "/v1/apps/helper/chats/c1", "")
	whole := verify(0)
	if !strings.Contains(whole, "Records: 3, erased: 2, chains: 1, with HMAC: 0, head: sha256:") {
		t.Errorf("with an erased chat: %s", whole)
	}
	var config struct {
		Audit struct {
			Head struct {
				ID   int64
				Hash string
			}
		}
	}
	if err := json.Unmarshal([]byte(p.body("GET", "/v1/admin/config", "")), &config); err != nil {
		t.Fatal(err)
	}
	if head := config.Audit.Head; head.ID != 5 || !strings.HasSuffix(whole, head.Hash+"\n") {
		t.Errorf("the admin view tells of %+v: %s", head, whole)
	}
	scrape := p.body("GET", "/metrics", "")
	for _, want := range []string{`what="asked"} 2`, `what="resolved"} 2`, `what="erased"} 1`} {
		if !strings.Contains(scrape, "askgate_audit_records_total{"+want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if got := verify(2, "--app", "helper"); !strings.Contains(got, "--verify checks all records") {
		t.Errorf("of one app: %s", got)
	}
	p.restart()
	if log := p.log.String(); !strings.Contains(log, "audit head") || !strings.Contains(log, config.Audit.Head.Hash) {
		t.Error("the log does not have the head's hash")
	}

	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{"DROP TRIGGER audit_unchanged", `UPDATE audit SET record = replace(record, '"answered"', '"declined"') WHERE id = 4`} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if got := verify(1); !strings.Contains(got, "broken at record 4: its content does not match its hash") {
		t.Errorf("after a change: %s", got)
	}
}

// After the secret was changed, --verify asks for the former one, and reads it from a file.
func TestTheAuditIsVerifiedWithItsSecrets(t *testing.T) {
	const first, second = "0123456789abcdef0123456789abcdef", "another-secret-of-at-least-32-bytes"
	conf := func(secret string) string {
		return `{"audit": {"enabled": true}, "auth": {"session": {"secret": "` + secret + `"}}}`
	}
	p := start(t, "", map[string]string{
		"gateway.json":     conf(first),
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["ask_user"]}`,
		"tools.json":       `[{"id": "ask_user", "type": "ask_user"}]`,
	})
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(p.dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	verify := func(want int, part string, flags ...string) {
		t.Helper()
		args := append([]string{"audit", "--verify", "--config", p.dir, "--store", "sqlite:" + filepath.Join(p.dir, "askgate.db")}, flags...)
		code, stdout, stderr := command(t, args...)
		if code != want || !strings.Contains(stdout+stderr, part) || strings.Contains(stdout+stderr, first) || strings.Contains(stdout+stderr, second) {
			t.Errorf("%v: exit %d: %s%s", flags, code, stdout, stderr)
		}
	}
	p.send("helper", "c1", `{"message":"select"}`)
	verify(0, "chains: 1, with HMAC: 1, head: sha256:")
	write("gateway.json", conf(second))
	p.restart()
	p.send("helper", "c2", `{"message":"select"}`)
	verify(1, "cannot be checked")
	verify(0, "chains: 2, with HMAC: 2, head: sha256:", "--secret-file", write("former.txt", first+"\n"))
	verify(1, "cannot be checked", "--secret-file", write("wrong.txt", "some-other-secret-of-32-bytes-or-more"))
	verify(1, "empty", "--secret-file", write("empty.txt", "\n"))
	verify(1, "64 KiB", "--secret-file", write("large.txt", strings.Repeat("x", 70_000)))
	verify(1, "none.txt", "--secret-file", filepath.Join(p.dir, "none.txt"))
	if code, _, stderr := command(t, "audit", "--config", p.dir, "--secret-file", "former.txt"); code != 2 || !strings.Contains(stderr, "--verify") {
		t.Errorf("without --verify: exit %d: %s", code, stderr)
	}
}
