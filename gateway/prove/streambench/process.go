package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// process is a server that is measured from outside.
type process struct {
	cmd *exec.Cmd
	url string
}

// spawn starts a server, by way of the command before if there is one, and waits
// until it answers at the path ready.
func spawn(ctx context.Context, ready string, before []string, name string, args ...string) (*process, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	p := &process{url: "http://" + address}
	command := slices.Concat(before, []string{name}, args, []string{"--listen", address})
	p.cmd = exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // our own programs
	p.cmd.Stderr = os.Stderr
	p.cmd.Env = append(os.Environ(), "ASKGATE_LOG_LEVEL=error", "GOMAXPROCS=1")
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	for range 500 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+ready, nil)
		if err != nil {
			return nil, err
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
			return p, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.stop()
	return nil, fmt.Errorf("%s does not listen", name)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (p *process) stop() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// cpu is the processor time that all threads have used so far, by the
// scheduler's own count in nanoseconds.
func (p *process) cpu() time.Duration {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	var sum int64
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		n, _ := strconv.ParseInt(strings.Fields(string(b))[0], 10, 64)
		sum += n
	}
	return time.Duration(sum)
}

// memory is the resident set in bytes.
func (p *process) memory() int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10
		}
	}
	return 0
}

// configure writes a gateway configuration with an app for each workload.
func configure(dir, upstream string) error {
	models := map[string]any{}
	for _, w := range workloads {
		models[w.name] = map[string]any{"provider": "openai", "baseUrl": upstream + w.path(), "model": "m", "timeout": "10m"}
		app := map[string]any{"id": w.name, "name": w.name, "model": w.name, "tools": []string{}}
		if err := writeJSON(filepath.Join(dir, "apps", w.name+".json"), app); err != nil {
			return err
		}
	}
	models["default"] = models[workloads[0].name]
	return writeJSON(filepath.Join(dir, "gateway.json"), map[string]any{
		"models": models, "limits": map[string]int{"requestsPerMinute": 1_000_000, "burst": 1_000_000, "concurrentTurns": 1_000_000},
	})
}

func writeJSON(path string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}
