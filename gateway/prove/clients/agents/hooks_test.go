//go:build agents

package agents_test

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// Claude Code wants to run a command, and asks for permission through a hook of type http. The
// person takes longer than the response is silent, and the command runs.
func TestAHookOfClaudeCodeIsAnswered(t *testing.T) {
	dir := npmtest.Install(t, "claude-code")
	g := fronttest.Start(t, map[string]string{"apps/work.json": `{"id": "work", "name": "Work", "tools": ["ask_user"]}`})
	work := t.TempDir()
	play := modeltest.Handler(func(_ int, r modeltest.Request) modeltest.Response {
		switch raw := string(r.Raw); {
		case strings.Contains(raw, `"tool_result"`):
			return modeltest.Answer("It ran.")
		case strings.Contains(raw, `"name":"Bash"`):
			return modeltest.Response{modeltest.Call(0, "toolu_1", "Bash", `{"command":"node -e 'require(\"fs\").writeFileSync(\"made\",\"1\")'"}`), modeltest.Finish("tool_calls"), modeltest.Tokens(10, 10), modeltest.Done()}
		}
		return modeltest.Answer("Fine.")
	})
	model := httptest.NewServer(play)
	t.Cleanup(model.Close)
	hooks := `{"hooks": {"PermissionRequest": [{"matcher": "Bash", "hooks": [{"type": "http", "url": "` + g.URL + `/v1/hooks/claude-code?app=work", "timeout": 300}]}]}}`
	settings := filepath.Join(work, "settings.json")
	if err := os.WriteFile(settings, []byte(hooks), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "node_modules/@anthropic-ai/claude-code-linux-x64/claude"), "-p", "Make it.", "--settings", settings)
	cmd.Dir, cmd.WaitDelay = work, 5*time.Second
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "CI=1", "NO_COLOR=1", "TERM=dumb",
		"ANTHROPIC_BASE_URL=" + model.URL, "ANTHROPIC_API_KEY=sk-none", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	person := make(chan string, 1)
	go func() { person <- answers(ctx, g.URL, min(*after, 20*time.Second), "yes") }()
	err := cmd.Wait()
	cancel()
	asked := <-person
	if _, none := os.Stat(filepath.Join(work, "made")); err != nil || asked != "" || none != nil || !strings.Contains(said.String(), "It ran.") {
		t.Errorf("%v; %s; %v; it said:\n%s", err, asked, none, &said)
	}
}
