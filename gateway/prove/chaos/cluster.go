package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/askgate/askgate/gateway/gatewaytest"
)

// The environment variables that name the servers, the same as for the tests.
const (
	postgresVariable = "ASKGATE_TEST_POSTGRES"
	redisVariable    = "ASKGATE_TEST_REDIS"
)

// crashTag is the build tag that puts the crash points in.
const crashTag = "crashpoints"

// build builds the gateway's binary, with its crash points, in dir.
func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "askgate")
	if err := gatewaytest.Build(ctx, binary, "-tags", crashTag); err != nil {
		return "", err
	}
	return binary, nil
}

// Apps of the configuration; they differ in what happens around questions.
const (
	appTalk  = "talk"  // defaults
	appHasty = "hasty" // questions expire after a second
	appQueue = "queue" // a message while a turn runs, or asks, waits
	appCaps  = "caps"  // few questions, and a message supersedes them
	appGuard = "guard" // calls need approval
)

// Tools of appGuard whose server counts their calls, by what their one argument names.
const (
	toolPost = "post" // the person who approves a call may change its arguments
	toolRead = "read" // could be repeated if it needed no approval
	toolKeep = "keep" // an approval is remembered
	toolPay  = "pay"  // two holders of roleFinance must approve
)

// guarded lists the tools of appGuard; counted is the address that their calls go to.
func guarded(counted string) []object {
	tools := []object{{"id": "calculator", "needsApproval": true}}
	for id, more := range map[string]object{
		toolPost: {"editable": true}, toolRead: {}, toolKeep: {"editable": true, "approvalRemember": "chat"},
		toolPay: {"needsApproval": object{"by": object{"role": roleFinance}, "quorum": 2}},
	} {
		method := "POST"
		if id == toolRead {
			method = "GET"
		}
		tool := object{
			"id": id, "type": "http", "needsApproval": true, "http": object{"method": method, "url": counted + "/{key}"},
			"parameters": object{"type": "object", "properties": object{"key": object{"type": "string"}}, "required": []string{"key"}},
		}
		for k, v := range more {
			tool[k] = v
		}
		tools = append(tools, tool)
	}
	return tools
}

// The caps of appCaps.
const (
	capConversation = 7
	capTurn         = 2
)

type object map[string]any

// configure writes the gateway's configuration with a model at that address, and tools whose calls
// are counted. more contains further files, and keys of gateway.json that replace those here.
func configure(dir, model, counted string, shutdown time.Duration, more, keys object) error {
	gateway := object{
		"models":          object{"default": object{"provider": "openai", "baseUrl": model, "model": "scripted", "timeout": "10m"}},
		"limits":          object{"requestsPerMinute": 1_000_000, "burst": 1_000_000, "concurrentTurns": 0, "streams": 0},
		"clarifications":  object{"perConversation": 1000, "perTurn": 1000, "approvalsPerTurn": 1000},
		"audit":           object{"enabled": true},
		"shutdownTimeout": shutdown.String(),
	}
	maps.Copy(gateway, keys)
	files := object{
		"gateway.json":                     gateway,
		"tools.json":                       []object{{"id": "ask_user", "type": "ask_user"}},
		"apps/" + appGuard + "/tools.json": guarded(counted),
	}
	for id, more := range map[string]object{
		appTalk:  {},
		appGuard: {"tools": []string{"ask_user", "calculator", toolPost, toolRead, toolKeep, toolPay}},
		appHasty: {"clarifications": object{"expiresIn": "1s"}},
		appQueue: {"clarifications": object{"onMessageWhileRunning": "queue", "onMessageWhilePending": "queue"}},
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
	maps.Copy(files, more)
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

// plant is what worlds are built from: the binary, a directory, a source of stores.
type plant struct {
	binary    string
	dir       string
	databases databases
	redis     string // "" for none
	serial    counter
	calls     *callServer
	linked    bool // stores are reached through a link
}

// newPlant builds what is needed; close removes it.
func newPlant(ctx context.Context, o common) (*plant, error) {
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		return nil, err
	}
	p := &plant{binary: o.askgate, dir: dir, redis: o.redis, calls: newCallServer()}
	if p.databases, err = newDatabases(o.store, dir); err == nil && p.binary == "" {
		p.binary, err = build(ctx, dir)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *plant) close() {
	p.calls.Close()
	_ = os.RemoveAll(p.dir)
}

// cluster is some nodes on one store.
type cluster struct {
	nodes  []*node
	store  string               // its URL
	remove func()               // the store
	link   *link                // to the store; nil where there is none between
	called func(key string) int // how often a tool of appGuard was called with this key
}

// cluster prepares nodes on an empty store; none of them runs yet.
func (p *plant) cluster(ctx context.Context, size int, model string, shutdown time.Duration) (*cluster, error) {
	return p.clusterWith(ctx, size, model, shutdown, nil, nil)
}

// clusterWith is cluster with more in its configuration (see configure).
func (p *plant) clusterWith(ctx context.Context, size int, model string, shutdown time.Duration, more, keys object) (*cluster, error) {
	config := filepath.Join(p.dir, fmt.Sprintf("config%d", p.serial.next()))
	counted := "/" + filepath.Base(config)
	if err := configure(config, model, p.calls.URL+counted, shutdown, more, keys); err != nil {
		return nil, err
	}
	store, remove, err := p.databases.fresh(ctx)
	if err != nil {
		return nil, err
	}
	var through *link
	if p.linked {
		if through, store, err = newLink(store); err != nil {
			remove()
			return nil, err
		}
	}
	c := &cluster{store: store, remove: remove, link: through, called: func(key string) int { return p.calls.times(counted + "/" + key) }}
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

// close kills the running nodes and removes the store.
func (c *cluster) close() {
	for _, n := range c.nodes {
		n.stop()
	}
	if c.link != nil {
		c.link.close()
	}
	c.remove()
}
