package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/sse"
)

// gate is the gateway's binary, built once.
var gate string

func TestMain(m *testing.M) {
	testenv.Clear()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "chaos")
		if err == nil {
			defer os.RemoveAll(dir)
			gate, err = build(context.Background(), dir)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// onEach runs a test on SQLite, and on PostgreSQL with Redis, at the same time.
func onEach(t *testing.T, test func(t *testing.T, place common)) {
	t.Run(sqlite, func(t *testing.T) {
		t.Parallel()
		test(t, common{askgate: gate, store: sqlite})
	})
	t.Run(postgres, func(t *testing.T) {
		testenv.Postgres(t)
		redis := testenv.Redis(t)
		t.Parallel()
		test(t, common{askgate: gate, store: postgres, redis: redis})
	})
}

func TestACrashAtAnyPointLosesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, place common) {
		o := crashOptions{common: place, nodes: 1, parallel: 10, points: append(slices.Clone(points), moments...)}
		if place.redis != "" {
			o.nodes = 2 // the other one takes over, and has the viewers
		}
		o.seeds = len(o.points) // each once, as the first crash
		if err := crashes(t.Context(), o, t.Output()); err != nil {
			t.Error(err)
		}
	})
}

func TestNoReplyToACommitIsMissed(t *testing.T) {
	testenv.Postgres(t)
	t.Parallel()
	o := repliesOptions{common: common{askgate: gate, store: postgres}, seed: 1, seeds: 4, parallel: 4, nodes: 1, most: 8, within: 60}
	if err := replies(t.Context(), o, t.Output()); err != nil {
		t.Error(err)
	}
}

func TestOneOfManyAnswersWinsAndCapsAreExact(t *testing.T) {
	onEach(t, func(t *testing.T, place common) {
		o := stormOptions{common: place, seed: 1, nodes: 3, answers: 60, rounds: 2, chats: 4}
		if err := storm(t.Context(), o, t.Output()); err != nil {
			t.Error(err)
		}
	})
}

func TestProgramsAskAndNothingIsLost(t *testing.T) {
	onEach(t, func(t *testing.T, place common) {
		o := asksOptions{common: place, seeds: len(askPoints), nodes: 2, askers: 5, people: 10, questions: 40}
		if err := asks(t.Context(), o, t.Output()); err != nil {
			t.Error(err)
		}
	})
}

func TestASilentStoreCostsNoLiveTurn(t *testing.T) {
	testenv.Postgres(t)
	t.Parallel()
	o := silenceOptions{common: common{askgate: gate, store: postgres}, nodes: 3, turns: 12, lengths: []time.Duration{7 * time.Second}}
	if err := silence(t.Context(), o, t.Output()); err != nil {
		t.Error(err)
	}
}

func TestLimitsAreExactOverNodes(t *testing.T) {
	onEach(t, func(t *testing.T, place common) {
		o := limitsOptions{common: place, nodes: 2, sent: 60, most: 20}
		if err := limits(t.Context(), o, t.Output()); err != nil {
			t.Error(err)
		}
	})
}

// Each shape three times. Time limits for slow connections are tested with a virtual clock, in
// gateway/api and cmd/askgate.
func TestHostileRequestsHarmNobody(t *testing.T) {
	onEach(t, func(t *testing.T, place common) {
		o := hostileOptions{common: place, seed: 1, requests: 3 * len(shapes()), parallel: 16, talks: 2, streams: 200, rounds: 1}
		if err := hostile(t.Context(), o, t.Output()); err != nil {
			t.Error(err)
		}
	})
}

// TestAPictureIsWhatAFrontendShows tests the measuring tool itself: the events that a viewer gets
// add up to what is stored, and text that arrives twice does not.
func TestAPictureIsWhatAFrontendShows(t *testing.T) {
	const (
		asked       = `user.message {"messageId":"m","content":"hi"}`
		text        = `chunk {"content":"Once upon"}`
		rest        = `chunk {"content":" a time"}`
		again       = `step.restart {}`
		ended       = `done {"finishReason":"stop"}`
		call        = `tool.call.start {"toolCallId":"c","toolName":"calculator","arguments":{}}`
		got         = `tool.call.end {"toolCallId":"c","result":"4"}`
		failed, cut = `done {"finishReason":"error"}`, `done {"finishReason":"length"}`
		resumed     = `turn.start {"resumed":true}`
		torn        = `snapshot {"status":"idle","finishReason":"cancelled","messages":[{"id":"m","role":"user","content":"hi"},{"role":"assistant","content":"Once"}]}`
		whole       = `snapshot {"status":"idle","messages":[{"id":"m","role":"user","content":"hi"},{"role":"assistant","content":"Once upon a time"}]}`
	)
	stored := picture{Status: "idle", Messages: []message{{ID: "m", Role: "user", Content: "hi"}, {Role: "assistant", Content: "Once upon a time"}}}
	for name, c := range map[string]struct {
		events []string
		differ string
	}{
		"undisturbed":         {[]string{asked, text, rest, ended}, ""},
		"begun again":         {[]string{asked, text, again, text, rest, ended}, ""},
		"a snapshot":          {[]string{asked, text, whole}, ""},
		"a turn resumed":      {[]string{asked, text, failed, resumed, again, text, rest, ended}, ""},
		"torn, by a snapshot": {[]string{torn, resumed, again, text, rest, ended}, ""},
		"a limit resumed":     {[]string{asked, text, cut, resumed, again, text, rest, ended}, "3 messages"},
		"not discarded":       {[]string{asked, text, failed, resumed, text, rest, ended}, "Once uponOnce upon"},
		"doubled":             {[]string{asked, text, text, rest, ended}, "Once uponOnce upon"},
		"doubled snapshot":    {[]string{whole, text, rest}, "3 messages"},
		"never ended":         {[]string{asked, text, rest}, "status"},
		"the message lost":    {[]string{text, rest, ended}, "1 messages"},
		"a call too many":     {[]string{asked, text, rest, call, got, ended}, "calculator"},
	} {
		t.Run(name, func(t *testing.T) {
			var p picture
			for _, ev := range c.events {
				kind, data, _ := strings.Cut(ev, " ")
				if err := p.apply(sse.Event{Name: kind, Data: []byte(data)}); err != nil {
					t.Fatal(err)
				}
			}
			if got := differs(p, stored, true); got == "" != (c.differ == "") || !strings.Contains(got, c.differ) {
				t.Errorf("differs: %q, want %q", got, c.differ)
			}
		})
	}
	for name, events := range map[string][]string{
		"a result of nothing":    {got},
		"two results":            {call, got, `tool.call.end {"toolCallId":"c","result":"5"}`},
		"a question asked twice": {`clarification {"toolCallId":"c"}`, `clarification {"toolCallId":"c"}`},
		"a question closed twice": {
			`clarification.resolved {"toolCallId":"c","outcome":"answered"}`, `clarification.resolved {"toolCallId":"c","outcome":"answered"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var p picture
			var err error
			for _, ev := range events {
				kind, data, _ := strings.Cut(ev, " ")
				if err == nil {
					err = p.apply(sse.Event{Name: kind, Data: []byte(data)})
				}
			}
			if err == nil {
				t.Error("accepted without an error")
			}
		})
	}
}
