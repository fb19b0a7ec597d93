package mcptool_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// relay is one in memory. It contains what was put and not taken.
type relay struct {
	mu   sync.Mutex
	left map[string][]byte
}

func (r *relay) Put(_ context.Context, key string, message []byte, _ time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left[key] = message
	return nil
}

func (r *relay) Take(_ context.Context, key string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	message := r.left[key]
	delete(r.left, key)
	return message, nil
}

// related returns two nodes with one relay, and a server with an older protocol that asks twice.
func related(t *testing.T) (holder, taker *bench, between *relay) {
	t.Helper()
	between = &relay{left: map[string][]byte{}}
	url := serve(t, inside(form("First?", `{"a":{"type":"integer"}}`, "a"), form("Second?", `{}`)), true)
	node := func() *bench {
		return use(t, mcptool.Options{URL: url, Park: time.Minute}, func(p *mcptool.Pool) { p.Related(between) })
	}
	return node(), node(), between
}

func TestAnAnswerToAnotherNodeReachesAParkedCall(t *testing.T) {
	holder, taker, between := related(t)
	out := holder.call(t, call)
	if out.Question == nil {
		t.Fatalf("%+v %v", out, out.Error)
	}
	if out = taker.answer(t, call, out.Question, value(`3`)); out.Question == nil || out.Question.Parts[0].Question != "Second?" || out.Question.ExpiresIn != time.Minute {
		t.Fatalf("%+v %v", out, out.Error)
	}
	if out = holder.answer(t, call, out.Question, value(`true`)); out.Result != `accept{"a":3};acceptnull;` {
		t.Errorf("%+v %v", out, out.Error)
	}
	if len(between.left) > 0 {
		t.Errorf("left in the relay: %v", between.left)
	}
}

func TestAQuestionClosedByAnotherNodeEndsAParkedCall(t *testing.T) {
	told := make(chan string, 1)
	url := serve(t, newServer(map[string]mcp.ToolHandler{"a": func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := r.Session.Elicit(ctx, form("Well?", `{}`))
		if err != nil {
			answer = &mcp.ElicitResult{Action: err.Error()}
		}
		told <- answer.Action
		return text("done"), err
	}}), true)
	between := &relay{left: map[string][]byte{}}
	join := func(p *mcptool.Pool) { p.Related(between) }
	holder, taker := use(t, mcptool.Options{URL: url, Park: time.Minute}, join), use(t, mcptool.Options{URL: url, Park: time.Minute}, join)
	asked := holder.call(t, call)
	if _, err := taker.Resume(t.Context(), call, *asked.Question, tools.Closing{State: tools.StateSuperseded}); err != nil {
		t.Fatal(err)
	}
	if action := <-told; action != "cancel" {
		t.Errorf("the server gets %s", action)
	}
}

// If no node holds the call, the answer is taken back, and the model gets an error.
func TestAnAnswerThatNoNodeTakesIsTakenBack(t *testing.T) {
	t.Parallel() // this takes as long as an answer may wait
	holder, taker, between := related(t)
	asked := holder.call(t, call)
	holder.Close()
	holder.pool.Wait(context.Background())
	if out := taker.answer(t, call, asked.Question, value(`3`)); out.Error == nil || out.Error.Code != tools.CodeInterrupted {
		t.Errorf("%+v", out)
	}
	if len(between.left) > 0 {
		t.Errorf("left in the relay: %v", between.left)
	}
}

func TestAServerHoldsSoManyCallsOpen(t *testing.T) {
	b := use(t, mcptool.Options{URL: serve(t, inside(form("Well?", `{}`)), true), Park: time.Minute})
	for range mcptool.MaxParked {
		if out := b.call(t, call); out.Question == nil {
			t.Fatalf("%+v %v", out, out.Error)
		}
	}
	if out := b.call(t, call); !strings.HasPrefix(out.Result, "cancelnull;\n[The server wanted to ask the user") {
		t.Errorf("one more: %+v %v", out, out.Error)
	}
}
