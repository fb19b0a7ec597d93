package agents_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// most limits how long an agent may take.
const most = 10 * time.Minute

// agent is an agent from npm, with its configuration as the docs give it. In all texts, MCP_URL is
// the gateway's MCP server, MODEL the address of the model, without a path, and HOME the folder
// that the agent takes for its user's.
type agent struct {
	name    string            // its folder here, which pins its version
	command []string          // from the folder with node_modules
	env     []string          // in addition to PATH and HOME
	files   map[string]string // in HOME
}

// key is the key of the agents and of the person; agents have it in ASKGATE_KEY.
const key = "ag_alice"

// prompt is the instruction to the agents; the model does the same whatever it is.
const prompt = "Ask me which colour I want, and tell me my answer."

// run has an agent ask a person, who answers some time later, and fails if the agent does not
// output the answer.
func (a *agent) run(t *testing.T, later time.Duration) {
	t.Helper()
	dir := npmtest.Install(t, a.name)
	g := fronttest.Start(t, map[string]string{
		"gateway.json": fmt.Sprintf(`{"models": {"default": {"provider": "demo"}}, "limits": {"requestsPerMinute": 0},
			"auth": {"mode": "apiKeys", "keys": [{"id": "alice", "hash": "sha256:%x", "tenant": "acme", "subject": "alice"}]}}`, sha256.Sum256([]byte(key))),
		// Forms are on: without a terminal they are not seen, and they must close nothing.
		"apps/work.json": `{"id": "work", "name": "Work", "tools": ["ask_user"], "mcp": {"elicit": true}}`,
	})
	model, home := newModel(t), t.TempDir()
	fill := strings.NewReplacer("MCP_URL", g.URL+"/v1/apps/work/mcp", "MODEL", model.url, "HOME", home)
	for name, text := range a.files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(fill.Replace(text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	work := filepath.Join(home, "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	var args []string
	for _, arg := range a.command {
		args = append(args, fill.Replace(arg))
	}
	if strings.Contains(args[0], "/") {
		args[0] = filepath.Join(dir, args[0])
	} else {
		args[1] = filepath.Join(dir, args[1])
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.WaitDelay, cmd.SysProcAttr = work, 5*time.Second, &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CI=1", "NO_COLOR=1", "TERM=dumb", "ASKGATE_KEY=" + key}
	for _, e := range a.env {
		name, value, _ := strings.Cut(e, "=")
		cmd.Env = append(cmd.Env, name+"="+fill.Replace(value))
	}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	person := make(chan string, 1)
	go func() { person <- answers(ctx, g.URL, later, "blue") }()
	err := cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) { // it left a program of its own running
		err = nil
	}
	cancel()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	asked := <-person
	if err != nil || asked != "" || !strings.Contains(said.String(), "The answer is blue.") {
		t.Errorf("%v; %s; it said:\n%s\nits model:\n%s", err, asked, &said, model.did())
	}
}

// answers plays the person: it answers the one question that arrives, some time later, and reports
// what failed.
func answers(ctx context.Context, url string, later time.Duration, value string) string {
	var list struct {
		Items []struct{ ClarificationID string }
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for len(list.Items) == 0 {
		select {
		case <-ctx.Done():
			return "no question was asked"
		case <-tick.C:
		}
		if status, body := send(ctx, http.MethodGet, url+"/v1/clarifications", ""); status == http.StatusOK {
			if err := json.Unmarshal(body, &list); err != nil {
				return err.Error()
			}
		}
	}
	select {
	case <-ctx.Done():
		return "the agent ended before it was answered"
	case <-time.After(later):
	}
	if status, body := send(ctx, http.MethodGet, url+"/v1/clarifications", ""); status != http.StatusOK || json.Unmarshal(body, &list) != nil || len(list.Items) != 1 {
		return "not one question waits: " + string(body)
	}
	if status, body := send(ctx, http.MethodPost, url+"/v1/clarifications/"+list.Items[0].ClarificationID+"/answer", `{"value": "`+value+`"}`); status != http.StatusOK {
		return "the answer was refused: " + string(body)
	}
	return ""
}

func send(ctx context.Context, method, url, body string) (status int, data []byte) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, []byte(err.Error())
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer func() { _ = res.Body.Close() }()
	data, _ = io.ReadAll(res.Body)
	return res.StatusCode, data
}
