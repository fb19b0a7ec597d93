//go:build agents

package agents_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// Codex has an app as its model: the app's model asks Codex's user, who answers in the next run,
// and calls Codex's tool. All of it is one chat, by the id of the thread, which is kept although
// Codex has nothing stored, and does not appear in any list.
func TestCodexHasAnAppAsItsModel(t *testing.T) {
	dir := npmtest.Install(t, "codex")
	model := modeltest.NewFunc(t, func(_ int, r modeltest.Request) modeltest.Response {
		last := r.Body.Messages[len(r.Body.Messages)-1]
		call := func(name, arguments string) modeltest.Response {
			return modeltest.Response{modeltest.Call(0, "call_1", name, arguments), modeltest.Finish("tool_calls"), modeltest.Tokens(10, 10), modeltest.Done()}
		}
		switch {
		case last.Role == "tool":
			return modeltest.Answer("So it is: " + last.Text())
		case strings.Contains(last.Text(), "ask me"):
			return call("ask_user", `{"question":"Which colour?","input_type":"select","options":[{"label":"Red","value":"red"},{"label":"Blue","value":"blue"}]}`)
		case strings.Contains(last.Text(), "run it"):
			return call("exec_command", `{"cmd":"echo from-$((6*7))"}`)
		}
		return modeltest.Answer("Fine.")
	})
	g := fronttest.Start(t, map[string]string{
		"gateway.json":   fmt.Sprintf(`{"models": {"default": {"provider": "openai", "baseUrl": %q, "model": "scripted", "maxRetries": 0}}}`, model.URL),
		"apps/open.json": `{"id": "open", "name": "Open", "tools": ["ask_user"], "clientTools": "on"}`,
	})
	home := t.TempDir()
	for _, folder := range []string{".codex", "work"} {
		if err := os.MkdirAll(filepath.Join(home, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	config := `model = "open"
model_provider = "askgate"

[model_providers.askgate]
name = "askgate"
base_url = "` + g.URL + `/v1"
wire_api = "responses"
env_key = "ASKGATE_KEY"
`
	if err := os.WriteFile(filepath.Join(home, ".codex/config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	codex := func(args ...string) string {
		t.Helper()
		args = append(append([]string{filepath.Join(dir, "node_modules/@openai/codex/bin/codex.js"), "exec"}, args...),
			"--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
		cmd := exec.CommandContext(ctx, "node", args...)
		cmd.Dir, cmd.WaitDelay = filepath.Join(home, "work"), 5*time.Second
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CI=1", "NO_COLOR=1", "TERM=dumb", "ASKGATE_KEY=none"}
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, &said)
		}
		return said.String()
	}
	first := codex("ask me")
	thread := regexp.MustCompile(`session id: (\S+)`).FindStringSubmatch(first)
	if thread == nil || !strings.Contains(first, "Which colour?") || !strings.Contains(first, "2. Blue") {
		t.Fatalf("it is not asked:\n%s", first)
	}
	if second := codex("resume", "--last", "2"); !strings.Contains(second, "blue") {
		t.Errorf("its answer is not accepted:\n%s", second)
	}
	if third := codex("resume", "--last", "run it"); !strings.Contains(third, "So it is: ") || !strings.Contains(third, "from-42") {
		t.Errorf("its tool did not run:\n%s", third)
	}
	var chat struct {
		Messages []struct{ Role, Content string }
	}
	read(t, g.URL+"/v1/apps/open/chats/"+thread[1], &chat)
	var said []string
	for _, m := range chat.Messages {
		if m.Role == "user" {
			said = append(said, m.Content)
		}
	}
	if got := strings.Join(said, ", "); got != "ask me, run it" {
		t.Errorf("its chat has the messages %s", got)
	}
	var list struct{ Items []json.RawMessage }
	if read(t, g.URL+"/v1/apps/open/chats", &list); len(list.Items) != 0 {
		t.Errorf("it is in the list: %s", list.Items)
	}
}

// read reads JSON from the gateway.
func read(t *testing.T, url string, into any) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || json.Unmarshal(data, into) != nil {
		t.Fatalf("%s: %s %v %s", url, resp.Status, err, data)
	}
}
