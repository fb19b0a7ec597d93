package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// start runs the command until the test ends, and returns its base URL.
func start(t *testing.T, args ...string) (base string, log *bufio.Reader) {
	t.Helper()
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(run(append(args, "--listen", "127.0.0.1:0"), w)) }() // serves until the process ends
	log = bufio.NewReader(r)
	line, err := log.ReadString('\n')
	_, base, found := strings.Cut(strings.TrimSpace(line), "OPENAI_BASE_URL=")
	if err != nil || !found {
		t.Fatalf("first line %q: %v", line, err)
	}
	return base, log
}

func post(t *testing.T, base string) string {
	t.Helper()
	resp, err := http.Post(base+"/chat/completions", "application/json", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":""}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.Status + "\n" + string(text)
}

func file(t *testing.T, script string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(name, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAScriptIsPlayedAndViolationsAreLogged(t *testing.T) {
	base, log := start(t, "--repeat", "--script", file(t, `[{"answer":"Hi"}]`))
	lines := make(chan string, 10)
	go func() {
		for {
			line, err := log.ReadString('\n')
			if err != nil {
				return
			}
			lines <- line
		}
	}()
	for range 2 {
		if got := post(t, base); !strings.Contains(got, `"content":"Hi"`) {
			t.Error(got)
		}
		if a, b := <-lines, <-lines; !strings.Contains(a, "1 messages, 0 tools") || !strings.Contains(b, "VIOLATION: message 0: a blank user message") {
			t.Errorf("logged %q, %q", a, b)
		}
	}
	// Requests of the other APIs are counted as well.
	resp, err := http.Post(strings.TrimSuffix(base, "/v1")+"/v1beta/models/m:streamGenerateContent?alt=sse", "application/json",
		strings.NewReader(`{"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if line := <-lines; !strings.Contains(line, "1 messages, 1 tools") {
		t.Errorf("logged %q", line)
	}
}

func TestChunksAreGenerated(t *testing.T) {
	base, _ := start(t, "--chunks", "7", "--size", "3")
	if got := post(t, base); strings.Count(got, `"content":"xxx"`) != 7 {
		t.Error(got)
	}
	resp, err := http.Get(base + "/models")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Error(resp.Status)
	}
}

func TestFaultsAreReported(t *testing.T) {
	for _, args := range [][]string{
		{"--script", file(t, `[]`)}, {"--script", file(t, `{`)}, {"--script", "no/such/file"}, {"--no-such-flag"}, {"--listen", "nowhere:x"},
	} {
		if run(args, io.Discard) == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
