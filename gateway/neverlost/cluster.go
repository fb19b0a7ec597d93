package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// The environment variables that say where the servers are, as for the tests.
const (
	postgresVariable = "ASKGATE_TEST_POSTGRES"
	redisVariable    = "ASKGATE_TEST_REDIS"
)

// crashTag is the build tag that puts the crash points in.
const crashTag = "crashpoints"

// build makes the gateway's binary, with its crash points, in dir.
func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "askgate")
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", crashTag, "-o", binary, "github.com/askgate/askgate/cmd/askgate") //nolint:gosec // our own program
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building the gateway: %w", err)
	}
	return binary, nil
}

// Apps of the configuration; they differ in what happens around questions.
const (
	appTalk  = "talk"  // defaults
	appHasty = "hasty" // questions expire after a second
	appQueue = "queue" // a message while a turn runs waits
	appCaps  = "caps"  // few questions, and a message supersedes them
	appGuard = "guard" // a calculation needs approval
)

// The caps of appCaps.
const (
	capConversation = 7
	capTurn         = 2
)

type object map[string]any

// configure writes the gateway's configuration with a model at that address.
func configure(dir, model string, shutdown time.Duration) error {
	files := map[string]any{
		"gateway.json": object{
			"models":          object{"default": object{"provider": "openai", "baseUrl": model, "model": "scripted", "timeout": "10m"}},
			"limits":          object{"requestsPerMinute": 1_000_000, "burst": 1_000_000, "concurrentTurns": 0},
			"clarifications":  object{"perConversation": 1000, "perTurn": 1000},
			"audit":           object{"enabled": true},
			"shutdownTimeout": shutdown.String(),
		},
		"tools.json":                       []object{{"id": "ask_user", "type": "ask_user"}},
		"apps/" + appGuard + "/tools.json": []object{{"id": "calculator", "needsApproval": true}},
	}
	for id, more := range map[string]object{
		appTalk:  {},
		appGuard: {},
		appHasty: {"clarifications": object{"expiresIn": "1s"}},
		appQueue: {"onMessageWhileRunning": "queue"},
		appCaps: {"clarifications": object{
			"perConversation": capConversation, "perTurn": capTurn, "onMessageWhilePending": "supersede",
		}},
	} {
		app := object{"id": id, "name": id, "tools": []string{"ask_user", "calculator"}}
		for k, v := range more {
			app[k] = v
		}
		files["apps/"+id+".json"] = app
	}
	for name, content := range files {
		b, err := json.MarshalIndent(content, "", "  ")
		if err != nil {
			return err
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// plant is what worlds are made in: the binary, a directory, where stores come from.
type plant struct {
	binary    string
	dir       string
	databases databases
	redis     string // "" for none
	serial    counter
}

// newPlant builds what is needed; close removes it.
func newPlant(ctx context.Context, o common) (*plant, error) {
	dir, err := os.MkdirTemp("", "neverlost")
	if err != nil {
		return nil, err
	}
	p := &plant{binary: o.askgate, dir: dir, redis: o.redis}
	if p.databases, err = newDatabases(o.store, dir); err == nil && p.binary == "" {
		p.binary, err = build(ctx, dir)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *plant) close() { _ = os.RemoveAll(p.dir) }

// cluster is some nodes on one store.
type cluster struct {
	nodes  []*node
	store  string // its URL
	remove func() // the store
}

// cluster prepares nodes on an empty store; none of them runs yet.
func (p *plant) cluster(ctx context.Context, size int, model string, shutdown time.Duration) (*cluster, error) {
	config := filepath.Join(p.dir, fmt.Sprintf("config%d", p.serial.next()))
	if err := configure(config, model, shutdown); err != nil {
		return nil, err
	}
	store, remove, err := p.databases.fresh(ctx)
	if err != nil {
		return nil, err
	}
	c := &cluster{store: store, remove: remove}
	args := []string{"serve", "--config", config, "--store", store, "--listen", "127.0.0.1:0"}
	if p.redis != "" {
		args = append(args, "--redis", p.redis)
	}
	for i := range size {
		c.nodes = append(c.nodes, &node{name: string(rune('A' + i)), binary: p.binary, args: args})
	}
	return c, nil
}

// start starts all nodes, the first one alone: it migrates the store.
func (c *cluster) start(ctx context.Context) error {
	for _, n := range c.nodes {
		if _, err := n.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// close kills what runs and removes the store.
func (c *cluster) close() {
	for _, n := range c.nodes {
		n.stop()
	}
	c.remove()
}
