package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

func TestEachOfTooManyCallsGetsItsResult(t *testing.T) {
	ids := []string{"call_q"} // a question, after which the turn continues
	for i := range 299 {
		ids = append(ids, fmt.Sprint("count_", i))
	}
	h := build(t, `{}`, nil, asks(ids...), says("Done."))
	h.tool = counter{h.calls}
	h.drive(h.message("hi"))
	if got := h.drive(h.answer("call_q", "yes")).text(t); got != "Done." {
		t.Fatal(got)
	}
	if n := h.calls.Load(); n != 127 {
		t.Errorf("%d calls ran", n)
	}
	results := map[string]string{}
	calls := 0
	for _, m := range h.model.sent[1].Messages {
		if len(m.ToolCalls) > 128 {
			t.Errorf("a message with %d calls: no provider accepts that", len(m.ToolCalls))
		}
		calls += len(m.ToolCalls)
		if m.Role == model.RoleTool {
			if _, twice := results[m.ToolCallID]; twice {
				t.Errorf("%s has two results", m.ToolCallID)
			}
			results[m.ToolCallID] = m.Content
		}
	}
	if len(results) != 300 || calls != 300 || results["count_126"] != "counted" || !strings.Contains(results["count_127"], "first 128") || !strings.Contains(results["count_298"], tools.CodeCancelled) {
		t.Errorf("%d results of %d calls: %s, %s", len(results), calls, results["count_126"], results["count_127"])
	}
	if s := h.snapshot(); len(s.Messages[1].ToolCalls) != 300 {
		t.Errorf("%d calls are shown", len(s.Messages[1].ToolCalls))
	}
}

// However large the pieces are, the stored and shown part of a step is bounded, including
// reasoning.
func TestAHugeDeltaIsCut(t *testing.T) {
	const most = 4 << 20
	huge := []byte(strings.Repeat("ü", 15<<19))
	for name, c := range map[string]struct {
		deltas []model.Delta
		text   int
	}{
		"text":             {[]model.Delta{{Text: []byte("a")}, {Text: huge}}, most - 1},
		"reasoning":        {[]model.Delta{{Thinking: huge}, {Text: []byte("a")}}, 0},
		"both":             {[]model.Delta{{Thinking: huge[:most/2]}, {Text: huge}}, most / 2},
		"in many":          {[]model.Delta{{Thinking: huge[:most/2]}, {Text: huge[:most/4]}, {Thinking: huge[:most/4]}, {Text: []byte("a")}}, most / 4},
		"exactly":          {[]model.Delta{{Text: huge[:most]}, {Finish: model.FinishStop}}, most},
		"with calls in it": {[]model.Delta{{Text: huge, ToolCalls: []model.ToolCall{{ID: "count_1", Name: "calculator", Arguments: "{}"}}}}, most},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, `{}`, nil, func(_ context.Context, yield func(model.Delta, error) bool) {
				for _, d := range c.deltas {
					if !yield(d, nil) {
						return
					}
				}
			})
			events := h.drive(h.message("hi"))
			shown := 0
			for _, e := range events.events(t) {
				var piece chat.Chunk
				if e.Name == "chunk" || e.Name == "thinking" {
					if err := json.Unmarshal(e.Data, &piece); err != nil {
						t.Fatal(err)
					}
				}
				shown += len(piece.Content)
			}
			s := h.snapshot()
			kept := 0
			if len(s.Messages) > 1 {
				kept = len(s.Messages[1].Content)
			}
			if kept != c.text || shown > most {
				t.Errorf("%d bytes are kept, %d shown", kept, shown)
			}
		})
	}
}
