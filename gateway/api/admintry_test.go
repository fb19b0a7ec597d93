package api_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools"
)

// colourist is a model that calls the tool, and says thanks for the answer.
type colourist struct{ err error }

func (m colourist) Stream(_ context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		switch {
		case m.err != nil:
			yield(model.Delta{}, m.err)
		case len(req.Messages) == 1:
			yield(model.Delta{ToolCalls: []model.ToolCall{{ID: "c", Name: req.Tools[0].Name, Arguments: "{}"}}, Usage: &model.Usage{InputTokens: 3}}, nil)
		default:
			yield(model.Delta{Text: []byte("Thanks."), Usage: &model.Usage{InputTokens: 5, CachedInputTokens: 2, OutputTokens: 4, ReasoningTokens: 1}}, nil)
		}
	}
}

// waiting is a model that does not answer until it is released.
type waiting struct {
	asked chan struct{}
	model model.Model
	may   chan struct{}
}

func (m waiting) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	m.asked <- struct{}{}
	<-m.may
	return m.model.Stream(ctx, req)
}

func TestAdminTriesAModel(t *testing.T) {
	c := loadSchemas(t)
	wait := waiting{make(chan struct{}, 2), colourist{}, make(chan struct{})}
	answer := sync.OnceFunc(func() { close(wait.may) })
	defer answer() // otherwise a failing test waits for the server
	notes := upstream.NewNotes(nil)
	notes.Learnt(upstream.Adaptation{What: "temperature", Detail: "not sent", At: time.Now()})
	s := newServer(t, withKeys, func(o *api.Options) {
		o.Trial = tools.Definition{Name: "ask_user", Parameters: json.RawMessage(`{}`)}
		o.Setup().Models = map[string]model.Model{
			"default": colourist{}, "waits": wait,
			"a/b": colourist{&model.Error{Kind: model.KindError, Status: 400, Reason: "no tools here", Detail: "refused"}},
		}
		o.ModelNotes = func(name string) *upstream.Notes { return map[string]*upstream.Notes{"default": notes}[name] }
	})
	try := func(name string) reply { return s.call("POST", "/v1/admin/models/"+name+"/try", "", admin...) }
	type tried struct {
		Works, Text, ToolCall, Answer bool
		Reason                        string
		Status                        int
		Adaptations                   []struct{ What, Detail string }
		Usage                         struct{ InputTokens, CachedInputTokens, OutputTokens, ReasoningTokens int }
	}
	var got tried
	r := try("default")
	c.check("AdminModelTrial", r.body)
	r.decode(t, 200, &got)
	if !got.Works || !got.Text || !got.ToolCall || !got.Answer || got.Reason != "" || len(got.Adaptations) != 1 || got.Adaptations[0].What != "temperature" ||
		got.Usage.InputTokens != 8 || got.Usage.CachedInputTokens != 2 || got.Usage.OutputTokens != 4 || got.Usage.ReasoningTokens != 1 {
		t.Errorf("%s", r.body)
	}
	got = tried{}
	r = try("a%2Fb")
	c.check("AdminModelTrial", r.body)
	r.decode(t, 200, &got)
	if got.Works || got.ToolCall || got.Status != 400 || !strings.Contains(got.Reason, "no tools here") || got.Adaptations == nil {
		t.Errorf("%s", r.body)
	}
	try("none").wantProblem(t, 404, "not_found")

	// One trial at a time: a second one is refused until the first has ended.
	ended := make(chan reply)
	go func() { ended <- try("waits") }()
	<-wait.asked
	if p := try("default").wantProblem(t, 429, "rate_limited"); p.Scope != "trials" {
		t.Errorf("%+v", p)
	}
	answer()
	if r := <-ended; r.StatusCode != 200 {
		t.Errorf("%d: %s", r.StatusCode, r.body)
	}
	if r := try("default"); r.StatusCode != 200 {
		t.Errorf("once the place is free: %d", r.StatusCode)
	}
}
