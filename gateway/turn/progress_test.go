package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// running is a tool that is a function.
type running func(ctx context.Context, call tools.Call) string

func (r running) Run(ctx context.Context, call tools.Call) (tools.Outcome, error) {
	return tools.Outcome{Result: r(ctx, call)}, nil
}

// clocked is a client's stream with the times of its events.
type clocked struct {
	mu   sync.Mutex
	list []timed
}

type timed struct {
	sse.Event
	at time.Time
	of chat.ToolCallProgress
}

func (c *clocked) Write(events stream.Events) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ev, err := range sse.Read(strings.NewReader(string(events.Frames))) {
		if err != nil {
			return err
		}
		ev.Data = append([]byte(nil), ev.Data...)
		one := timed{Event: ev, at: time.Now()}
		if err := json.Unmarshal(ev.Data, &one.of); err != nil {
			return err
		}
		c.list = append(c.list, one)
	}
	return nil
}

// calls returns the names of the events of calls, with their progress.
func (c *clocked) calls() string {
	var list []string
	for _, e := range c.list {
		switch name, _ := strings.CutPrefix(e.Name, "tool.call."); name {
		case "progress":
			list = append(list, fmt.Sprint(e.of.ToolCallID, " ", e.of.Progress.Progress))
		case "end":
			list = append(list, e.of.ToolCallID+" end")
		}
	}
	return strings.Join(list, ", ")
}

// most returns the highest number of events in any second.
func most(list []timed) (n int) {
	for i := range list {
		in := 0
		for _, e := range list[i:] {
			if e.at.Sub(list[i].at) < time.Second {
				in++
			}
		}
		n = max(n, in)
	}
	return n
}

// TestProgressComesAtAPaceThatPeopleCanRead: four a second for one call, in order and without an
// id, and the last right before its end.
func TestProgressComesAtAPaceThatPeopleCanRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("count_1"), says("Done."))
		total := 1000.
		h.tool = running(func(_ context.Context, call tools.Call) string {
			for i := range 1000 {
				call.Report(tools.Progress{Progress: float64(i + 1), Total: &total, Message: fmt.Sprint("step ", i+1)})
				time.Sleep(10 * time.Millisecond)
			}
			return "counted"
		})
		var c clocked
		h.submit(h.message("hi")).Drive(t.Context(), &c)
		var told []timed
		before := 0.
		for i, e := range c.list {
			if e.Name != "tool.call.progress" {
				continue
			}
			told = append(told, e)
			if e.ID != "" {
				t.Errorf("it has the id %s", e.ID)
			}
			if e.of.Progress.Progress <= before || e.of.ToolCallID != "count_1" || e.of.ToolName != "calculator" || e.of.ChatID != "c1" || *e.of.Total != total || e.of.Message != fmt.Sprint("step ", e.of.Progress.Progress) {
				t.Errorf("after %v: %s", before, e.Data)
			}
			if before = e.of.Progress.Progress; before == 1000 && c.list[i+1].Name != "tool.call.end" {
				t.Errorf("after the last one comes %s", c.list[i+1].Name)
			}
		}
		if n := len(told); before != 1000 || n < 40 || n > 42 || most(told[:n-1]) != 4 {
			t.Errorf("%d events, %d in a second, the last %v", n, most(told[:n-1]), before)
		}
		if s, _ := json.Marshal(h.snapshot()); strings.Contains(string(s), "step 1") {
			t.Errorf("the snapshot has it: %s", s)
		}
	})
}

// TestProgressOfAChatIsBounded: consecutive calls do not each get the pace of a single one.
func TestProgressOfAChatIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ids []string
		for i := range 24 {
			ids = append(ids, fmt.Sprint("count_", i))
		}
		h := build(t, `{}`, nil, asks(ids...), says("Done."))
		h.tool = running(func(_ context.Context, call tools.Call) string {
			for i := range 300 {
				call.Report(tools.Progress{Progress: float64(i + 1)})
				time.Sleep(time.Millisecond)
			}
			return "counted"
		})
		var c clocked
		h.submit(h.message("hi")).Drive(t.Context(), &c)
		var live []timed
		last := map[string]float64{}
		for i, e := range c.list {
			if e.Name != "tool.call.progress" {
				continue
			}
			last[e.of.ToolCallID] = e.of.Progress.Progress
			if c.list[i+1].Name != "tool.call.end" {
				live = append(live, e)
			}
		}
		if n := most(live); n > 16 || n < 12 {
			t.Errorf("%d in a second", n)
		}
		for _, id := range ids {
			if last[id] != 300 {
				t.Errorf("the last of %s is %v", id, last[id])
			}
		}
	})
}

// TestStepsShareThePaceOfTheirChat: a step that begins at once also waits for its turn.
func TestStepsShareThePaceOfTheirChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("count_1"), asks("count_2"), asks("count_3"), says("Done."))
		h.tool = running(func(_ context.Context, call tools.Call) string {
			call.Report(tools.Progress{Progress: 1})
			time.Sleep(10 * time.Millisecond)
			call.Report(tools.Progress{Progress: 2})
			return "counted"
		})
		var c clocked
		h.submit(h.message("hi")).Drive(t.Context(), &c)
		if got, want := c.calls(), "count_1 1, count_1 2, count_1 end, count_2 2, count_2 end, count_3 2, count_3 end"; got != want {
			t.Errorf("told %s, want %s", got, want)
		}
	})
}

// TestProgressAndEndsOfCallsThatEndTogether: each call's last progress comes right before its end.
func TestProgressAndEndsOfCallsThatEndTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("count_1", "count_2"), says("Done."))
		h.factories["calculator"] = func(*config.App, *config.Tool) (tools.Tool, error) { return again{late{h}}, nil }
		h.engine.Setup().Catalog = h.catalog()
		h.tool = running(func(_ context.Context, call tools.Call) string {
			call.Report(tools.Progress{Progress: 1})
			time.Sleep(150 * time.Millisecond)
			call.Report(tools.Progress{Progress: 2}) // held back
			call.Report(tools.Progress{Progress: 3})
			return "counted"
		})
		var c clocked
		h.submit(h.message("hi")).Drive(t.Context(), &c)
		_, got, _ := strings.Cut(c.calls(), "1, ") // the order of the calls is unspecified
		_, got, _ = strings.Cut(got, "1, ")
		if want := "count_1 3, count_1 end, count_2 3, count_2 end"; got != want {
			t.Errorf("told %s", c.calls())
		}
	})
}

// again is a tool whose calls may run twice, so that their results are stored together.
type again struct{ late }

func (again) Repeatable(tools.Call) bool { return true }

// TestAStoppedRunTellsNoProgress, and leaves no timer behind.
func TestAStoppedRunTellsNoProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("count_1"))
		stopped := make(chan struct{})
		h.tool = running(func(_ context.Context, call tools.Call) string { // ignores its context
			call.Report(tools.Progress{Progress: 1})
			time.Sleep(time.Second)
			call.Report(tools.Progress{Progress: 2})
			time.Sleep(100 * time.Millisecond)
			call.Report(tools.Progress{Progress: 3}) // held back
			<-stopped
			for i := range 10 {
				call.Report(tools.Progress{Progress: float64(i + 4)})
				time.Sleep(time.Second)
			}
			return "counted"
		})
		var c clocked
		run := h.submit(h.message("hi"))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			run.Drive(context.Background(), &c)
		}()
		time.Sleep(1150 * time.Millisecond)
		go h.engine.Cancel(context.Background(), h.ref)
		synctest.Wait()
		close(stopped)
		<-ended
		if got, want := c.calls(), "count_1 1, count_1 2, count_1 end"; got != want {
			t.Errorf("told %s, want %s", got, want)
		}
	})
}
