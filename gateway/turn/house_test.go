package turn_test

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/toolexec"
)

// load makes a configuration with one app.
func load(t *testing.T, dir, clarifications string) *config.Snapshot {
	t.Helper()
	files := map[string]string{
		"apps/helper.json": fmt.Sprintf(`{"id": "helper", "name": "Helper", "tools": ["ask_user", "calculator"], "clarifications": %s}`, clarifications),
		"tools.json":       `[{"id": "ask_user", "type": "ask_user"}]`,
	}
	for name, content := range files {
		path := filepath.Join(dir, "config", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	snap, err := config.Load(config.Options{Dir: filepath.Join(dir, "config"), Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// again is another process on the same store and with the same model.
func (h *house) again() *turn.Engine {
	registry := prometheus.NewRegistry()
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	o := h.engine.Options
	o.Hub, o.Registry, o.Log, o.Node = stream.NewLocal(), registry, log, "another node"
	o.Executor = toolexec.New(registry, log)
	return turn.New(o)
}
