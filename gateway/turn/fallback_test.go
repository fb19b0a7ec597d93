package turn_test

import (
	"context"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
)

// fails responds with an error after these pieces.
func fails(e *model.Error, pieces ...model.Delta) answer {
	return func(_ context.Context, yield func(model.Delta, error) bool) {
		for _, d := range pieces {
			if !yield(d, nil) {
				return
			}
		}
		yield(model.Delta{}, e)
	}
}

// withFallbacks gives a house the models "other" and "third" after its own.
func withFallbacks(t *testing.T, h *house, other, third *script) {
	t.Helper()
	h.configure(`"maxSteps": 10`, `{"models": {"default": {"provider": "demo", "fallback": ["other", "third"]}, "other": {"provider": "demo"}, "third": {"provider": "demo"}}}`)
	setup := h.engine.Setup()
	setup.Models = map[string]model.Model{"default": h.model, "other": other, "third": third}
}

func TestAModelThatCannotAnswerIsStoodInFor(t *testing.T) {
	unreachable := &model.Error{Kind: model.KindUnavailable}
	limited := &model.Error{Kind: model.KindRateLimited, Status: 429}
	late := &model.Error{Kind: model.KindTimeout}
	refused := &model.Error{Kind: model.KindError, Status: 400}
	cut := &model.Error{Kind: model.KindCut}
	text, thinking := model.Delta{Text: []byte("Half")}, model.Delta{Thinking: []byte("hm")}
	for name, c := range map[string]struct {
		first, other, third []answer
		text                string
		asked               [3]int
		last                string // event before done
	}{
		"first answers":  {[]answer{says("one")}, nil, nil, "one", [3]int{1, 0, 0}, "chunk"},
		"unreachable":    {[]answer{fails(unreachable)}, []answer{says("two")}, nil, "two", [3]int{1, 1, 0}, "chunk"},
		"two of them":    {[]answer{fails(limited)}, []answer{fails(late)}, []answer{says("three")}, "three", [3]int{1, 1, 1}, "chunk"},
		"all of them":    {[]answer{fails(limited)}, []answer{fails(late)}, []answer{fails(unreachable)}, "", [3]int{1, 1, 1}, "error"},
		"only a promise": {[]answer{fails(unreachable, model.Delta{More: true})}, []answer{says("two")}, nil, "two", [3]int{1, 1, 0}, "chunk"},
		"refused":        {[]answer{fails(refused)}, nil, nil, "", [3]int{1, 0, 0}, "error"},
		"in the text":    {[]answer{fails(unreachable, text)}, nil, nil, "Half", [3]int{1, 0, 0}, "error"},
		"while thinking": {[]answer{fails(unreachable, thinking)}, nil, nil, "", [3]int{1, 0, 0}, "error"},
		"cut, then gone": {[]answer{fails(cut, text), fails(unreachable)}, []answer{says("two")}, nil, "two", [3]int{2, 1, 0}, "chunk"},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, `{}`, nil, c.first...)
			other, third := &script{steps: c.other}, &script{steps: c.third}
			withFallbacks(t, h, other, third)
			stream := h.drive(h.message("hi"))
			if got := stream.text(t); got != c.text {
				t.Errorf("text %q", got)
			}
			if events := stream.names(t); !strings.HasSuffix(events, c.last+" done") || c.last != "error" && strings.Contains(events, "error") {
				t.Errorf("events %s", events)
			}
			if asked := [3]int{len(h.model.sent), len(other.sent), len(third.sent)}; asked != c.asked {
				t.Errorf("asked %v", asked)
			}
			if len(other.sent) > 0 && other.sent[0].Messages[0].Content != "hi" {
				t.Errorf("the other got %+v", other.sent[0])
			}
		})
	}
}

// The next step begins with the app's own model again: it may have recovered.
func TestEachRequestBeginsWithTheAppsOwnModel(t *testing.T) {
	h := build(t, `{}`, nil, fails(&model.Error{Kind: model.KindUnavailable, Status: 503}), says("one again"))
	other := &script{steps: []answer{asks("count_1")}}
	withFallbacks(t, h, other, &script{})
	if got := h.drive(h.message("hi")).text(t); got != "one again" || len(other.sent) != 1 || len(h.model.sent) != 2 {
		t.Errorf("%q after %d and %d requests", got, len(h.model.sent), len(other.sent))
	}
}

func TestACancelledRequestGoesNowhereElse(t *testing.T) {
	reached := make(chan struct{})
	h := build(t, `{}`, nil, func(ctx context.Context, yield func(model.Delta, error) bool) {
		close(reached)
		<-ctx.Done()
		yield(model.Delta{}, &model.Error{Kind: model.KindUnavailable, Err: ctx.Err()})
	})
	other := &script{}
	withFallbacks(t, h, other, &script{})
	_, c, ended := h.start(h.message("hi"))
	<-reached
	if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	<-ended
	if events := c.names(t); len(other.sent) != 0 || strings.Contains(events, "error") {
		t.Errorf("%s after %d requests", events, len(other.sent))
	}
}
