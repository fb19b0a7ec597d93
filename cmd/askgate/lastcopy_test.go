//go:build deploy

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/gatewaytest"
)

// TestTheLastReleaseWritesToNoStoreThatIsCopied: a process of the last release, which knows nothing of
// marks, is paused until its lease has ended, and goes on in the middle of a copy. It writes nothing to the
// source, and no other one starts on either store. The question is answered once, in the copy.
func TestTheLastReleaseWritesToNoStoreThatIsCopied(t *testing.T) {
	binary := buildOf(t, lastRelease)
	file := func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "askgate.db") }
	for name, way := range map[string][2]func(*testing.T) string{"SQLite to PostgreSQL": {file, ownSchema}, "PostgreSQL to SQLite": {ownSchema, file}} {
		t.Run(name, func(t *testing.T) {
			conf, uploads, from, to := t.TempDir(), filepath.Join(t.TempDir(), "files"), way[0](t), way[1](t)
			configtest.Files{
				"gateway.json":     `{"files": {"store": "` + uploads + `"}, "auth": {"session": {"secret": "0123456789abcdef0123456789abcdef"}}}`,
				"apps/helper.json": `{"id": "helper", "tools": ["ask_user"], "attachments": true}`,
			}.Write(t, conf)
			env := []string{"HOME=" + conf, "ASKGATE_CONFIG=" + conf}
			old := startNode(t, binary, append(env, "ASKGATE_STORE="+from)...)
			p := &process{t: t, url: "http://" + old.address, client: &http.Client{}}
			p.send("helper", "c1", `{"message":"select"}`)
			sent := upload(t, &upgrade{name: "the last release", url: p.url}, "/v1/apps/helper/chats/c2")
			p.send("helper", "c2", fmt.Sprintf(`{"message": "hello", "files": [%q]}`, sent["fileId"]))
			if code, stdout, stderr := command(t, "migrate", "--store", from); code != exitOK {
				t.Fatalf("exit %d: %s%s", code, stdout, stderr)
			}
			pausedWithoutLease(t, old, from)
			was := writtenTo(t, from)

			// Without the file the copy stays unfinished.
			if err := os.Rename(uploads, uploads+".away"); err != nil {
				t.Fatal(err)
			}
			copied := []string{"copy", "--config", conf, "--from", from, "--to", to, "--files", filepath.Join(t.TempDir(), "files")}
			if code, stdout, stderr := command(t, copied...); code != exitFault || !strings.Contains(stderr, "is not where the source keeps its files") {
				t.Fatalf("exit %d: %s%s", code, stdout, stderr)
			}
			old.process.Signal(syscall.SIGCONT)
			refused := func(when string) {
				t.Helper()
				for _, body := range []string{`{"answer":{"value":"fr"}}`, `{"message":"hello"}`} {
					resp := p.do("POST", "/v1/apps/helper/chats/c1/messages", body)
					if text, _ := io.ReadAll(resp.Body); resp.StatusCode < http.StatusInternalServerError { // it does not know this error of SQLite
						t.Errorf("%s: %s: %s %s", when, body, resp.Status, text)
					}
				}
				if is := writtenTo(t, from); is != was {
					t.Errorf("%s, the source has\n%s\nit had\n%s", when, is, was)
				}
				for _, store := range []string{from, to} {
					if when == "finished" && store == to {
						continue
					}
					next, err := gatewaytest.Program{Path: binary, Args: []string{}, Env: append(env, "ASKGATE_LISTEN=127.0.0.1:0", "ASKGATE_STORE="+store)}.Start(t.Context())
					if err == nil {
						next.Kill()
						t.Errorf("%s: the last release starts on %s", when, strings.SplitN(store, ":", 2)[0])
					} else {
						t.Log(when, err)
					}
				}
			}
			refused("unfinished")
			if err := errors.Join(os.RemoveAll(uploads), os.Rename(uploads+".away", uploads)); err != nil { // a start makes an empty one
				t.Fatal(err)
			}
			if code, stdout, stderr := command(t, copied...); code != exitOK {
				t.Fatalf("exit %d: %s%s", code, stdout, stderr)
			}
			refused("finished")
			old.end(syscall.SIGKILL)

			built := startNode(t, "", append(env, "ASKGATE_STORE="+to)...)
			p.url = "http://" + built.address
			answered := p.send("helper", "c1", `{"answer":{"value":"fr"}}`)
			if last := answered[len(answered)-1]; last.Name != "done" || !strings.Contains(string(last.Data), `"stop"`) {
				t.Errorf("the answer ends with %s %s", last.Name, last.Data)
			}
		})
	}
}

// database opens a store's database.
func database(t *testing.T, store string) *sql.DB {
	t.Helper()
	driver, name := "pgx", store+"&options=-c%20lock_timeout%3D1s"
	if path, ok := strings.CutPrefix(store, "sqlite:"); ok {
		driver, name = "sqlite", path+"?_pragma=busy_timeout(1000)"
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// pausedWithoutLease stops a process where it holds no lock, and ends its lease as time would.
func pausedWithoutLease(t *testing.T, n *gatewayNode, store string) {
	t.Helper()
	db := database(t, store)
	waitFor(t, func() bool {
		n.process.Signal(syscall.SIGSTOP)
		_, err := db.ExecContext(t.Context(), "UPDATE nodes SET lease_until = 0")
		if err != nil {
			n.process.Signal(syscall.SIGCONT)
		}
		return err == nil
	})
}

// writtenTo is what a process would change in a store: messages, questions, runs, leases.
func writtenTo(t *testing.T, store string) string {
	t.Helper()
	db := database(t, store)
	var b strings.Builder
	for _, query := range []string{
		"SELECT count(*), '' FROM messages", "SELECT count(*), '' FROM queue", "SELECT count(*), state FROM clarifications GROUP BY state",
		"SELECT count(*), '' FROM runs", "SELECT max(lease_until), '' FROM nodes",
	} {
		var n int64
		var text string
		if err := db.QueryRowContext(context.WithoutCancel(t.Context()), query).Scan(&n, &text); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		fmt.Fprintln(&b, query, n, text)
	}
	return b.String()
}
