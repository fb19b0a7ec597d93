package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// askgate listen prints what waits and what happens to it, line by line, and continues after the
// gateway was killed.
func TestListenGoesOn(t *testing.T) {
	n := startNode(t, os.Args[0], asProgram+"=1", "ASKGATE_STORE=sqlite:"+t.TempDir()+"/a.db")
	url := "http://" + n.address
	a := newAsker(t, url, "ASKGATE_APP=assistant")
	r, w := io.Pipe()
	listening := a.startWith(nil, w, "listen")
	lines := bufio.NewScanner(r)
	next := func(event, part string) {
		t.Helper()
		for lines.Scan() {
			var line struct {
				Event string          `json:"event"`
				ID    string          `json:"id"`
				Data  json.RawMessage `json:"data"`
			}
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil || line.ID == "" {
				t.Fatalf("%v: %s", err, lines.Text())
			}
			if line.Event != event {
				continue // such as the done of a question
			}
			if !strings.Contains(string(line.Data), part) {
				t.Fatalf("%s", lines.Text())
			}
			return
		}
		t.Fatalf("no %s", event)
	}
	next("snapshot", `"pending":[]`)
	a.start("", "ask", "Why?")
	id := waiting(t, url)
	next("clarification", id)
	n.end(syscall.SIGKILL)
	n.start()
	answers(t, url, `{"value":"because"}`)
	next("clarification.resolved", id)
	if err := listening.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code, _, _ := listening.end(); code != 130 {
		t.Errorf("exit %d", code)
	}
}
