package turn_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

func unavailable() answer {
	return func(_ context.Context, yield func(model.Delta, error) bool) {
		yield(model.Delta{}, &model.Error{Kind: model.KindUnavailable, Err: errors.New("away")})
	}
}

// linesOf returns the lines of the log that have the message, and their attributes of the run.
func (h *house) linesOf(message string) (runs []string) {
	h.t.Helper()
	about := regexp.MustCompile(` requestId=(\S+) turnId=(\S+) chatId=(\S+) app=(\S+) `)
	for line := range strings.Lines(h.log.String()) {
		if !strings.Contains(line, message) {
			continue
		}
		m := about.FindStringSubmatch(line)
		if m == nil {
			h.t.Errorf("a line does not name its run: %s", line)
			continue
		}
		if strings.Count(line, " app=") != 1 {
			h.t.Errorf("the app appears twice: %s", line)
		}
		runs = append(runs, strings.Join(m[1:], " "))
	}
	return runs
}

// broken is a tool that only its operator can fix.
type broken struct{}

func (broken) Run(context.Context, tools.Call) (tools.Outcome, error) {
	return tools.Outcome{}, errors.New("the disk is gone")
}

// TestLinesOfARunSayWhich: lines of the engine, of tools and of models name their run, both in the
// run of a request and in one that a sweep begins.
func TestLinesOfARunSayWhich(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{"expiresIn": "1m"}`, nil, asks("count_1", "call_1"), unavailable())
		h.tool = broken{}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.engine.Sweep(ctx)
		cmd := h.message("hi")
		cmd.RequestID = "req_1"
		run := h.submit(cmd)
		run.Drive(t.Context(), nil)
		id := run.Result().TurnID
		if got := h.linesOf("tool failed"); len(got) != 1 || got[0] != "req_1 "+id+" c1 helper" {
			t.Errorf("of the request's run: %q", got)
		}
		time.Sleep(time.Minute + 5*time.Second) // the question expires, and the turn continues on its own
		synctest.Wait()
		got := h.linesOf("model request failed")
		if len(got) != 1 || !strings.HasPrefix(got[0], "run_") || !strings.HasSuffix(got[0], " "+id+" c1 helper") {
			t.Errorf("of the sweep's run: %q", got)
		}
	})
}
