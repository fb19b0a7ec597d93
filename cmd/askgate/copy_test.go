package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"iter"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// emptyPostgres is the URL of a schema of the test's own.
func emptyPostgres(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(testenv.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", u.String())
	if err != nil {
		t.Fatal(err)
	}
	name := "askgate_copy_" + strings.ToLower(rand.Text())
	if _, err := db.ExecContext(t.Context(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = db.ExecContext(context.Background(), "DROP SCHEMA "+name+" CASCADE")
		db.Close()
	})
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String()
}

// TestCopyTakesAnOpenQuestionAlong: a gateway on the copy continues the chat for a client that
// reconnects, takes the answer, and has the audit and the files. None starts on the source.
func TestCopyTakesAnOpenQuestionAlong(t *testing.T) {
	p := start(t, "", map[string]string{
		"gateway.json":     `{"audit": {"enabled": true}, "auth": {"session": {"secret": "0123456789abcdef0123456789abcdef"}}}`,
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["ask_user"]}`,
		"tools.json":       `[{"id": "ask_user", "type": "ask_user"}]`,
	})
	from, to := "sqlite:"+filepath.Join(p.dir, "askgate.db"), emptyPostgres(t)
	seen := p.send("helper", "c1", `{"message":"select"}`)
	if last := seen[len(seen)-2]; last.Name != "clarification" && seen[len(seen)-1].Name != "done" {
		t.Fatalf("not asked: %+v", seen)
	}
	files := filepath.Join(t.TempDir(), "files")
	args := []string{"copy", "--config", p.dir, "--from", from, "--to", to}
	if code, _, stderr := command(t, args...); code != exitFault || !strings.Contains(stderr, "a gateway is running on it") {
		t.Errorf("next to a gateway: exit %d: %s", code, stderr)
	}
	p.stop()
	code, stdout, stderr := command(t, append(args, "--files", files)...)
	if code != exitOK || !strings.Contains(stdout, "Chats: 1, messages: 2, questions: 1") || !strings.Contains(stdout, "The audit is whole. Records: 1") || !strings.Contains(stdout, files) {
		t.Fatalf("exit %d: %s\n%s", code, stdout, stderr)
	}
	if code, _, stderr := command(t, append(args, "--abandon")...); code != exitFault || !strings.Contains(stderr, "its copy is finished") {
		t.Errorf("a finished copy is abandoned: exit %d: %s", code, stderr)
	}
	for _, args := range [][]string{{"serve", "--config", p.dir, "--store", from, "--listen", "127.0.0.1:0"}, {"check", "--connect", "--config", p.dir, "--store", from}} {
		if code, stdout, stderr := command(t, args...); code != exitFault || !strings.Contains(stdout+stderr, "start the gateway on that store") {
			t.Errorf("%s on the source: exit %d: %s%s", args[0], code, stdout, stderr)
		}
	}

	p.env = append(p.env, "ASKGATE_STORE="+to)
	p.run()
	middle := seen[len(seen)/2]
	resp := p.do("GET", "/v1/apps/helper/chats/c1/events", "", "Last-Event-ID", middle.ID)
	next, stop := iter.Pull2(sse.Read(resp.Body))
	if ev, _, _ := next(); resp.StatusCode != http.StatusOK || ev.Name == "snapshot" || ev.ID <= middle.ID {
		t.Errorf("a client that reconnects: %s %+v", resp.Status, ev)
	}
	stop()
	answered := p.send("helper", "c1", `{"answer":{"value":"fr"}}`)
	if last := answered[len(answered)-1]; last.Name != "done" || last.ID <= seen[len(seen)-1].ID {
		t.Errorf("the answer ends with %+v", last)
	}
	code, stdout, stderr = command(t, "audit", "--verify", "--config", p.dir, "--store", to)
	if code != exitOK || !strings.Contains(stdout, "Records: 2") || !strings.Contains(stdout, "with HMAC: 2") {
		t.Errorf("audit --verify: exit %d: %s%s", code, stdout, stderr)
	}
}

// TestCopyRefuses what would copy nothing, or to nowhere.
func TestCopyRefuses(t *testing.T) {
	dir := t.TempDir()
	from := "sqlite:" + filepath.Join(dir, "a.db")
	if _, err := sqldb.Migrate(t.Context(), from); err != nil {
		t.Fatal(err)
	}
	to := "sqlite:" + filepath.Join(dir, "b.db")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--from", from}, exitUsage, "ASKGATE_COPY_TO"},
		{[]string{"--from", from, "--to", from}, exitFault, "same store"},
		{[]string{"--from", from, "--to", to, "--abandon", "--files", dir}, exitUsage, "--abandon copies nothing"},
		{[]string{"--from", from, "--to", to, "--files", filepath.Join(dir, "a.db.files") + "/"}, exitUsage, "already there"},
		{[]string{"--from", from, "--to", to, "--abandon"}, exitFault, "not being copied"},
		{[]string{"--from", "sqlite:" + filepath.Join(dir, "none.db"), "--to", to}, exitFault, "there is no such file"},
		{[]string{"--from", from, "--to", "sqlite:" + filepath.Join(dir, "none", "b.db")}, exitFault, "does not exist; create it"},
		{[]string{"--from", from, "--to", "oracle:x"}, exitFault, "sqlite:PATH"},
	} {
		if code, stdout, stderr := command(t, append([]string{"copy", "--config="}, c.args...)...); code != c.code || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit %d: %s%s; want %q", c.args, code, stdout, stderr, c.says)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none.db")); err == nil {
		t.Error("a source that is missing was created")
	}
	t.Setenv("ASKGATE_COPY_TO", to)
	t.Setenv("ASKGATE_STORE", from)
	if code, stdout, stderr := command(t, "copy", "--config="); code != exitOK || !strings.Contains(stdout, "stays closed") {
		t.Errorf("by variables: exit %d: %s%s", code, stdout, stderr)
	}
}
