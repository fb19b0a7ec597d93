package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/stream"
)

// made is an answer with state from a maker, and from a server that refused earlier state.
func made(by, state string, a answer) answer { return lastly(a, by, state, false) }

func forgot(by, state string, a answer) answer { return lastly(a, by, state, true) }

func lastly(a answer, by, state string, forgot bool) answer {
	return func(ctx context.Context, yield func(model.Delta, error) bool) {
		a(ctx, func(d model.Delta, err error) bool {
			if d.Finish != "" {
				bytes := []byte(state)
				d.Made, d.Forgot = &model.Made{By: by, State: bytes}, forgot
				if state == "" {
					d.Made.State = nil
				}
				defer clear(bytes) // they are valid until the next piece
			}
			return yield(d, err)
		})
	}
}

// states returns the maker and the state of the model's messages in a request.
func states(req model.Request) string {
	var list []string
	for _, m := range req.Messages {
		if m.Role == model.RoleAssistant {
			list = append(list, m.Made.By+":"+string(m.Made.State))
		} else if m.Made.By != "" || m.Made.State != nil {
			list = append(list, "another maker's "+string(m.Role))
		}
	}
	return strings.Join(list, " ")
}

func (h *house) wantStates(what string, want string) {
	h.t.Helper()
	if got := states(h.sent(-1)); got != want {
		h.t.Errorf("%s: sent %s, want %s", what, got, want)
	}
}

// awkward is JSON that no encoder would write like this.
const awkward = "{ \"signature\" : \"\\u0045q==\",\n \"b\":1.0,\"a\":\"é<&\"}"

// State that a model handed out with a step is sent back byte for byte, by whichever node
// continues.
func TestStateGoesBackByteForByteOnAnyNode(t *testing.T) {
	h := build(t, `{}`, nil,
		made("a", awkward, asks("call_1", "count_1")), made("a", `"two"`, asks("count_2")), made("a", `"three"`, says("one")),
		made("a", "", asks("call_2")), made("b", `"of another"`, says("two")), says("three"))
	h.drive(h.message("hi"))
	h = h.node(stream.NewLocal())
	h.drive(h.answer("call_1", "x"))
	if m := h.sent(1).Messages[1]; string(m.Made.State) != awkward || m.Made.By != "a" || len(m.ToolCalls) != 2 || m.ToolCalls[0].ID != "call_1" {
		t.Errorf("sent %+v", m)
	}
	h.wantStates("the next step", "a:"+awkward+` a:"two"`)
	h.drive(h.message("more"))
	h = h.node(stream.NewLocal())
	h.drive(h.answer("call_2", "y"))
	h.drive(h.message("and more"))
	h.wantStates("with steps of others", "a:"+awkward+` a:"two" a:"three" a: b:"of another"`)
	if raw, _ := json.Marshal(h.snapshot()); strings.Contains(string(raw), "signature") || strings.Contains(string(raw), "two\\\"") {
		t.Errorf("a snapshot has state: %s", raw)
	}
}

// State is valid for the prompt that it was made for. State from before the prompt changed is left
// out, all of it and permanently; state made afterwards is sent back.
func TestStateOfAnotherPromptStaysOut(t *testing.T) {
	for name, change := range map[string]func(h *house){
		"another system prompt": func(h *house) { h.configure(`"system": "Be brief.", "clarifications": {}`, `{}`) },
		"other tools":           func(h *house) { h.configure(`"clarifications": {}, "memory": true`, `{}`) },
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, `{}`, nil, made("a", "1", asks("count_1")), made("a", "2", says("one")), made("a", "3", says("two")),
				made("a", "4", says("three")), says("four"), says("five"))
			h.drive(h.message("hi"))
			h.drive(h.message("two"))
			h.wantStates("unchanged", "a:1 a:2")
			was := h.engine.Setup().Config
			before := h.log.String()
			if change(h); name == "other tools" { // the tools come from the catalog
				h.engine.Setup().Catalog = h.catalog()
			}
			h.drive(h.message("three"))
			h.wantStates("in another prompt", "a: a: a:")
			if n := strings.Count(h.log.String(), "no longer contain the reasoning") - strings.Count(before, "no longer contain the reasoning"); n != 1 {
				t.Errorf("%d lines in the log", n)
			}
			other := h.node(stream.NewLocal())
			other.drive(other.message("four"))
			h.wantStates("what is made then", "a: a: a: a:4")
			h.engine.Setup().Config = was
			h.engine.Setup().Catalog = h.catalog()
			h.drive(h.message("five"))
			h.wantStates("in the first prompt again", "a: a: a: a: :")
		})
	}
}

// A server that refused earlier state does not get it again; the state of its own answer is sent
// back.
func TestStateThatWasRefusedStaysOut(t *testing.T) {
	h := build(t, `{}`, nil, made("a", "1", asks("count_1")), forgot("a", "2", asks("count_2")), made("a", "3", asks("call_1")), says("one"), says("two"))
	h.drive(h.message("hi"))
	h.wantStates("the next step", "a: a:2")
	h = h.node(stream.NewLocal())
	h.drive(h.answer("call_1", "x"))
	h.wantStates("on another node", "a: a:2 a:3")
	h.configure(`"clarifications": {}`, withContext(1_000_000)) // what fits is determined again
	h.drive(h.message("more"))
	h.wantStates("with another setting of the model", "a: a:2 a:3 :")
}

// Where older turns are left out, so is the state of all that stay; a step made then has its own.
func TestStateGoesWithTheTurnsThatAreLeftOut(t *testing.T) {
	h := build(t, `{}`, nil)
	h.configure(`"clarifications": {}`, withContext(contextTokens))
	trimmed := false
	last := 0
	for n := 1; n <= 60; n++ {
		h.model.add(made("a", fmt.Sprint(n), says(fmt.Sprintf("answer-%d", n))))
		h.drive(h.message(longMessage(n)))
		first := turnsSent(t, h.sent(-1))[0]
		if first != last && last != 0 {
			trimmed = true
			if got := states(h.sent(-1)); strings.Trim(got, "a: ") != "" {
				t.Errorf("turn %d, where the prompt begins with turn %d: sent %s", n, first, got)
			}
		} else if got := states(h.sent(-1)); n > 1 && !strings.HasSuffix(got, fmt.Sprint("a:", n-1)) {
			t.Errorf("turn %d: the newest state is missing: %s", n, got)
		}
		last = first
	}
	if !trimmed {
		t.Fatal("nothing was left out")
	}
}

// Each model of an app has its own prompt: state that is dropped for one may still be sent to
// another.
func TestWhatOneModelForgetsAnotherIsSent(t *testing.T) {
	h := build(t, `{}`, nil, made("a", "1", asks("count_1")), forgot("a", "2", says("one")), fails(away), says("three"))
	other := &script{steps: []answer{made("b", "3", says("two"))}}
	withFallbacks(t, h, other, &script{})
	h.drive(h.message("hi"))
	h.drive(h.message("two"))
	if got := states(other.sent[0]); got != "a:1 a:2" {
		t.Errorf("the other got %s", got)
	}
	h.drive(h.message("three"))
	h.wantStates("the app's model again", "a: a:2 b:3")
}

// A fork has the state of the copied messages, except for state that the chat itself no longer
// sends.
func TestAForkSendsTheStateOfWhatItCopied(t *testing.T) {
	h := build(t, `{}`, nil, made("a", "1", says("one")), made("a", "2", says("two")), says("forked"), forgot("a", "3", says("three")), says("forked again"))
	h.drive(h.message("first"))
	h.drive(h.message("second"))
	third := "third"
	second := h.snapshot().Messages[2].ID
	h.chat("c2").drive(h.fork(chat.Fork{MessageID: second}, &third, nil))
	h.wantStates("in the fork", "a:1")
	h.drive(h.message("third"))
	cmd := h.fork(chat.Fork{MessageID: second}, &third, nil)
	cmd.Ref.ChatID = "c3"
	h.chat("c3").drive(cmd)
	h.wantStates("in a fork of a chat that sends it no more", "a:")
}

func TestWhatIsKeptOfStateIsBounded(t *testing.T) {
	of := func(bytes int) string { return `"` + strings.Repeat("x", bytes-2) + `"` }
	const half = chat.MaxStepState / 2
	sizes := func(req model.Request) (list []int) {
		for _, m := range req.Messages {
			if m.Role == model.RoleAssistant {
				list = append(list, len(m.Made.State))
			}
		}
		return list
	}
	want := func(h *house, what string, want ...int) {
		t.Helper()
		if got := sizes(h.sent(-1)); !slices.Equal(got, want) {
			t.Errorf("%s: %v bytes of state are sent, want %v", what, got, want)
		}
	}
	t.Run("a step", func(t *testing.T) {
		h := build(t, `{}`, nil, made("a", of(chat.MaxStepState), says("one")), made("a", of(chat.MaxStepState+1), says("two")), made("a", of(9), says("three")), says("four"))
		h.drive(h.message("1"))
		h.drive(h.message("2"))
		want(h, "before the large one", chat.MaxStepState)
		if h.drive(h.message("3")); states(h.sent(-1)) != "a: a:" { // a gap would count as a change
			t.Error("the makers of the steps are not known, or there is a gap")
		}
		h.drive(h.message("4"))
		want(h, "behind the large one", 0, 0, 9)
		if log := h.log.String(); strings.Count(log, "exceeds a limit and is dropped") != 1 || strings.Contains(log, strings.Repeat("x", 26)) {
			t.Errorf("the log: %.2000s", log)
		}
	})
	t.Run("older turns", func(t *testing.T) {
		h := build(t, `{}`, nil)
		for n := range 16 {
			h.model.add(made("a", of(half), says("text")))
			h.drive(h.message(fmt.Sprint(n)))
		}
		h.model.add(made("a", of(half), asks("count_1")), made("a", of(10), says("text")), says("over"))
		h.drive(h.message("begins"))
		want(h, "with the step that made room", append(make([]int, 16), half)...)
		h.node(stream.NewLocal()).drive(h.message("goes on"))
		want(h, "on another node", append(make([]int, 16), half, 10)...)
		if log := h.log.String(); strings.Count(log, "exceeds a limit and is dropped") != 1 {
			t.Errorf("the log: %.2000s", log)
		}
	})
	t.Run("the newest turn", func(t *testing.T) {
		h := buildApp(t, `"maxSteps": 50`, nil)
		h.model.add(made("a", of(half), says("text")))
		h.drive(h.message("1"))
		for n := range 16 {
			h.model.add(made("a", of(half), asks(fmt.Sprint("count_", n))))
		}
		h.model.add(made("a", of(10), asks("count_16")), made("a", of(20), asks("count_17")), says("over"))
		h.drive(h.message("2"))
		if got := sizes(h.sent(16)); got[0] != half || got[15] != half { // 16 of them, the limit
			t.Errorf("up to the limit %v", got)
		}
		if got := sizes(h.sent(17)); got[0] != 0 || got[1] != half || got[16] != half {
			t.Errorf("the older turn's is dropped first: %v", got)
		}
		want(h, "beyond it", append(make([]int, 18), 20)...)
		h.model.add(says("on"))
		h.node(stream.NewLocal()).drive(h.message("3"))
		want(h, "on another node", append(make([]int, 18), 20, 0)...)
	})
}

// A step that is sent in parts has no state: it belongs to all its calls together.
func TestAStepInPartsIsSentWithoutState(t *testing.T) {
	var ids []string
	for i := range 130 {
		ids = append(ids, fmt.Sprint("count_", i))
	}
	h := build(t, `{}`, nil, made("a", "1", asks(ids...)), says("done"))
	h.drive(h.message("hi"))
	h.wantStates("in parts", "a: a:")
}

// State belongs to the calls that it was made with.
func TestStateOfCallsThatWereDroppedIsNotKept(t *testing.T) {
	ends := func(finish model.FinishReason) answer {
		return func(_ context.Context, yield func(model.Delta, error) bool) {
			_ = yield(model.Delta{Text: []byte("Half")}, nil) && yield(model.Delta{
				ToolCalls: []model.ToolCall{{ID: "count_1", Name: "calculator", Arguments: `{"expression":"1"}`}}, Finish: finish,
			}, nil)
		}
	}
	for _, finish := range []model.FinishReason{model.FinishLength, model.FinishContentFilter} {
		t.Run(string(finish), func(t *testing.T) {
			h := build(t, `{}`, nil, made("a", "1", ends(finish)), says("rest"))
			if got := h.drive(h.message("hi")); got.names(t) != "turn.start user.message chunk done" || got.text(t) != "Half" {
				t.Errorf("events %s", got.b.String())
			}
			if h.calls.Load() > 0 || string(h.snapshot().FinishReason) != string(finish) {
				t.Errorf("%d calls ran, and it ended with %q", h.calls.Load(), h.snapshot().FinishReason)
			}
			h.drive(h.message("more"))
			h.wantStates("the next turn", "a:")
		})
	}
}

// The chat has one key for prompt caches, whichever node asks, and no other chat has it.
func TestAChatHasItsOwnCacheKey(t *testing.T) {
	h := build(t, `{}`, nil, asks("count_1"), says("one"), says("two"), says("three"), says("four"))
	h.drive(h.message("hi"))
	other := h.node(stream.NewLocal())
	other.drive(other.message("more"))
	h.in("c9").drive(h.in("c9").message("hi"))
	h.of("t", "another").drive(h.of("t", "another").message("hi"))
	var keys []string
	for n := range 5 {
		keys = append(keys, h.sent(n).CacheKey)
	}
	if len(keys[0]) != 32 || keys[1] != keys[0] || keys[2] != keys[0] || keys[3] == keys[0] || keys[4] == keys[0] || keys[4] == keys[3] {
		t.Errorf("keys %v", keys)
	}
}

// TestStateStaysOutOnceAPictureIsLeftOut: a picture that is no longer shown changes what the model
// reads before its later steps, so the earlier state is left out as well.
func TestStateStaysOutOnceAPictureIsLeftOut(t *testing.T) {
	h, _ := attaching(t, made("a", "1", says("One.")), made("a", "2", says("Two.")), made("a", "3", says("Three.")))
	h.takes(config.Attachments{MaxFiles: 6, MaxBytes: 100_000, Accept: []string{"image/png"}})
	pictures := func(text string, n int) {
		cmd := h.message(text)
		for range n {
			cmd.Files = append(cmd.Files, h.upload("photo.png", png).ID)
		}
		h.drive(cmd)
	}
	pictures("one", 2)
	pictures("two", 6)
	h.wantStates("while all are shown", "a:1")
	pictures("three", 1)
	h.wantStates("behind one that is not", "a: a:")
	shown := 0
	for _, m := range h.sent(-1).Messages {
		shown += len(m.Images)
	}
	if first := h.sent(-1).Messages[0]; shown != 8 || len(first.Images) != 1 || !strings.Contains(first.Content, "but not their content: photo.png") {
		t.Errorf("%d are shown; the first message is %q with %d", shown, first.Content, len(first.Images))
	}
}

// TestReasoningAloneIsKept: a step that ends before its first word shows the same after a reload,
// and its reasoning is dropped when the turn continues.
func TestReasoningAloneIsKept(t *testing.T) {
	reasons := func(last model.Delta, failed error) answer {
		return func(_ context.Context, yield func(model.Delta, error) bool) {
			_ = yield(model.Delta{Thinking: []byte("Hm")}, nil) && yield(last, failed)
		}
	}
	for name, end := range map[string]answer{
		"it failed":                      reasons(model.Delta{}, &model.Error{Kind: model.KindError, Failed: true}),
		"it used up its answer's length": reasons(model.Delta{Finish: model.FinishLength}, nil),
		"its server's filter stopped it": reasons(model.Delta{Finish: model.FinishContentFilter}, nil),
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, `{}`, nil, end, says("Done."))
			h.drive(h.message("hi"))
			s := h.snapshot()
			if n := len(s.Messages); n != 2 || s.Messages[1].Thinking != "Hm" || s.Messages[1].Content != "" {
				t.Fatalf("the snapshot has %+v", s.Messages)
			}
			h.drive(h.message("again"))
			for _, m := range h.sent(-1).Messages {
				if m.Role == model.RoleAssistant && m.Content == "" {
					t.Errorf("the model is sent a blank message: %+v", h.sent(-1).Messages)
				}
			}
		})
	}
}
