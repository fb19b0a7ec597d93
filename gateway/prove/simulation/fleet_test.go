package simulation

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/prove/testdb"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/calculator"
)

// fleet is many nodes on one store and one hub.
type fleet struct {
	t     *testing.T
	line  *line
	store store.Store
	hub   stream.Hub
	nodes []*node
	turns []*turned
	over  context.Context //nolint:containedctx // ends with the simulation
	all   sync.WaitGroup  // of everything that runs in it
}

// node is one gateway.
type node struct {
	fleet  *fleet
	link   *link
	engine *turn.Engine
	reader *follow.Reader
	alive  context.Context //nolint:containedctx // ends when the node is lost
	die    context.CancelFunc
}

// memory is a folder that costs no disk, where the machine has one.
const memory = "/dev/shm"

func newFleet(t *testing.T, size int) *fleet {
	if info, err := os.Stat(memory); err == nil && info.IsDir() {
		t.Setenv("TMPDIR", memory)
	}
	over, end := context.WithCancel(context.Background())
	f := &fleet{t: t, line: &line{}, store: testdb.Open(t), hub: stream.NewLocal(), over: over}
	t.Cleanup(func() {
		end()
		f.all.Wait()
	})
	snap := load(t)
	for range size {
		f.nodes = append(f.nodes, f.node(snap))
	}
	return f
}

// load reads a configuration with one app, whose model may use a tool.
func load(t *testing.T) *config.Snapshot {
	dir := filepath.Join(t.TempDir(), "config")
	configtest.Files{
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["calculator"]}`,
	}.Write(t, dir)
	snap, err := config.Load(config.Options{
		Dir: dir, Env: func(string) (string, bool) { return "", false }, Tools: []config.ToolType{config.Builtin("calculator", nil)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// node starts a node at some moment of the next two seconds: a fleet does not tick in step.
func (f *fleet) node(snap *config.Snapshot) *node {
	n := &node{fleet: f, link: &link{Store: f.store, line: f.line}}
	n.alive, n.die = context.WithCancel(f.over)
	catalog, err := toolexec.NewCatalog(snap, toolexec.Factories{
		"calculator": func(*config.App, *config.Tool) (tools.Tool, error) { return calculator.Tool{}, nil },
	})
	if err != nil {
		f.t.Fatal(err)
	}
	setup := &turn.Setup{Config: snap, Catalog: catalog, Models: map[string]model.Model{"default": author{n}}}
	log, registry := slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError})), prometheus.NewRegistry()
	n.engine, err = turn.New(f.over, turn.Options{
		Store: n.link, Hub: f.hub, Executor: toolexec.New(registry, log), Setup: func() *turn.Setup { return setup },
		Text: func(_, id string, _ map[string]any) string { return id }, Registry: registry, Log: log, Node: fmt.Sprint("node", len(f.nodes)), Shared: true,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	n.reader = &follow.Reader{Store: n.link, Hub: f.hub, Shared: true}
	f.all.Go(func() {
		if pause(n.alive, rand.N(2*time.Second)) == nil {
			n.engine.Sweep(n.alive)
		}
	})
	return n
}

// lose ends a node without a last word.
func (n *node) lose() {
	n.link.lost.Store(true)
	n.die()
}

// turned is one turn, with its viewer.
type turned struct {
	chat.Ref
	words  int  // one every wordEvery
	tool   bool // a call comes first, so the model is asked twice
	asked  atomic.Int64
	newest atomic.Pointer[request] // to the model
	viewer viewer
}

// request is one to the model.
type request struct {
	by *node
	at time.Time
}

// needs returns how often the model must be asked for the turn.
func (t *turned) needs() int {
	if t.tool {
		return 2
	}
	return 1
}

// begin begins a turn and its viewer on the node.
func (n *node) begin(words int, tool bool) {
	f := n.fleet
	number := len(f.turns)
	t := &turned{Ref: chat.Ref{Tenant: "t", Subject: fmt.Sprint("s", number), App: "helper", ChatID: "c"}, words: words, tool: tool}
	f.turns = append(f.turns, t)
	text := fmt.Sprint(number)
	accepted, err := n.engine.Submit(f.over, turn.Command{Ref: t.Ref, Message: &text, Interactive: true})
	if err != nil {
		f.t.Fatal(err)
	}
	f.all.Go(func() { accepted.(turn.Begun).Drive(nil) })
	t.viewer = viewer{of: t}
	f.all.Go(func() { t.viewer.watch(n) })
}

// author is the model as a node reaches it. A turn's message is its number.
type author struct{ node *node }

func (a author) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		var number int
		last := req.Messages[len(req.Messages)-1]
		if _, err := fmt.Sscan(req.Messages[0].Content, &number); err != nil {
			yield(model.Delta{}, &model.Error{Kind: model.KindError, Detail: err.Error()})
			return
		}
		t := a.node.fleet.turns[number]
		t.asked.Add(1)
		t.newest.Store(&request{a.node, time.Now()})
		if t.tool && last.Role != model.RoleTool {
			if a.word(ctx, yield, "thinking ") {
				call := model.ToolCall{ID: "call_" + fmt.Sprint(t.asked.Load()), Name: "calculator", Arguments: `{"expression":"1"}`}
				yield(model.Delta{ToolCalls: []model.ToolCall{call}, Finish: model.FinishToolCalls}, nil)
			}
			return
		}
		for i := range t.words {
			if !a.word(ctx, yield, fmt.Sprint(i, " ")) {
				return
			}
		}
		yield(model.Delta{Finish: model.FinishStop, Usage: &model.Usage{InputTokens: 3, OutputTokens: 1}}, nil)
	}
}

// word yields some text after a while, unless the run or its node ends.
func (a author) word(ctx context.Context, yield func(model.Delta, error) bool, text string) bool {
	select {
	case <-time.After(wordEvery):
		return yield(model.Delta{Text: []byte(text)}, nil)
	case <-a.node.alive.Done():
		<-a.node.fleet.over.Done() // nothing comes back from there
	case <-ctx.Done():
	}
	yield(model.Delta{}, context.Canceled)
	return false
}
