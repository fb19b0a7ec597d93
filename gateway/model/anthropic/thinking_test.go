package anthropic_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/anthropic"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
)

// parameters returns a request's parameters, except model, tools, system and messages, in the order
// of the body.
func parameters(t *testing.T, body []byte) string {
	t.Helper()
	var w map[string]json.RawMessage
	if err := json.Unmarshal(body, &w); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, name := range []string{"max_tokens", "temperature", "thinking", "output_config"} {
		if w[name] != nil {
			list = append(list, name+"="+string(w[name]))
		}
	}
	return strings.Join(list, " ")
}

// sent returns the parameters of a request with these options.
func sent(t *testing.T, o anthropic.Options, req model.Request) string {
	t.Helper()
	server := &requests{streams: []string{stream(begin, text0, hi, end0, ended(`"end_turn"`), stop)}}
	claims.Read(t, server.client(o), req)
	if _, found := modeltest.CheckMessages(versioned, server.bodies[0]); len(found) > 0 && !strings.HasPrefix(o.Model, "kimi") { // which accepts more
		t.Errorf("%q in %s", found, server.bodies[0])
	}
	return parameters(t, server.bodies[0])
}

var versioned = http.Header{"Anthropic-Version": {"2023-06-01"}}

// Which form each model accepts: platform.claude.com/docs adaptive-thinking and effort (November
// 2026); Oaklight/llm-rosetta#289 (18 June 2026) for models that accept no effort.
func TestHowAModelIsToldToThink(t *testing.T) {
	const (
		adaptive = `thinking={"type":"adaptive","display":"summarized"}`
		none     = "max_tokens=8192"
	)
	budget := func(n int) string { return fmt.Sprintf(`thinking={"type":"enabled","budget_tokens":%d}`, n) }
	for _, c := range []struct{ model, effort, want string }{
		{"claude-opus-5-5", "", none},
		{"claude-haiku-4-5", "", none},
		{"claude-opus-5-5", "high", none + " " + adaptive + ` output_config={"effort":"high"}`},
		{"claude-opus-5-5", "minimal", none + " " + adaptive + ` output_config={"effort":"low"}`},
		{"claude-opus-5-5", "max", none + " " + adaptive + ` output_config={"effort":"max"}`},
		{"claude-opus-5", "none", none + ` thinking={"type":"disabled"}`},
		{"claude-opus-4-6", "low", none + " " + adaptive + ` output_config={"effort":"low"}`},
		{"claude-sonnet-4-6", "low", none + " " + adaptive + ` output_config={"effort":"low"}`},
		{"claude-sonnet-5", "xhigh", none + " " + adaptive + ` output_config={"effort":"xhigh"}`},
		{"claude-haiku-5-5", "medium", none + " " + adaptive + ` output_config={"effort":"medium"}`},
		{"claude-fable-5-1", "medium", none + " " + adaptive + ` output_config={"effort":"medium"}`},
		{"claude-mythos-preview", "medium", none + " " + adaptive + ` output_config={"effort":"medium"}`},
		{"anthropic/claude-opus-4.8", "low", none + " " + adaptive + ` output_config={"effort":"low"}`},
		{"deepseek-v4-pro", "high", none + " " + adaptive + ` output_config={"effort":"high"}`},
		{"claude-opus-4-5-20251101", "high", none + " " + budget(3072) + ` output_config={"effort":"high"}`},
		{"claude-sonnet-4-5", "minimal", none + " " + budget(1024)},
		{"claude-sonnet-4-5", "low", none + " " + budget(1024)},
		{"claude-sonnet-4-5", "medium", none + " " + budget(2048)},
		{"eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "xhigh", none + " " + budget(4096)},
		{"claude-haiku-4-5@20251001", "max", none + " " + budget(4096)},
		{"claude-opus-4-1", "high", none + " " + budget(3072)},
		{"claude-sonnet-4-20250514", "high", none + " " + budget(3072)},
		{"claude-3-7-sonnet-latest", "high", none + " " + budget(3072)},
		{"anthropic/claude-4.5-sonnet", "high", none + " " + budget(3072)},
		{"claude-haiku-4-5", "none", none}, // it does not think by default
	} {
		if got := sent(t, anthropic.Options{Model: c.model, Effort: c.effort, Show: true}, claims.Ask); got != c.want {
			t.Errorf("%s, %q: %s\nwant %s", c.model, c.effort, got, c.want)
		}
	}
	for name, c := range map[string]struct {
		o    anthropic.Options
		want string
	}{
		"nothing is shown":          {anthropic.Options{Effort: "high"}, `max_tokens=8192 thinking={"type":"adaptive"} output_config={"effort":"high"}`},
		"half of the limit":         {anthropic.Options{Model: "claude-haiku-4-5", Effort: "max", MaxTokens: 64000}, `max_tokens=64000 thinking={"type":"enabled","budget_tokens":32000}`},
		"a limit with some room":    {anthropic.Options{Model: "claude-haiku-4-5", Effort: "max", MaxTokens: 2048}, `max_tokens=2048 thinking={"type":"enabled","budget_tokens":1024}`},
		"a limit without":           {anthropic.Options{Model: "claude-haiku-4-5", Effort: "max", MaxTokens: 2047}, `max_tokens=2047`},
		"no temperature with it":    {anthropic.Options{Model: "claude-haiku-4-5", Effort: "low", Temperature: new(float64)}, `max_tokens=8192 thinking={"type":"enabled","budget_tokens":1024}`},
		"nor at newer models":       {anthropic.Options{Model: "claude-opus-4-6", Effort: "low", Temperature: new(float64)}, `max_tokens=8192 thinking={"type":"adaptive"} output_config={"effort":"low"}`},
		"but at others":             {anthropic.Options{Model: "kimi-k3", Effort: "low", Temperature: new(float64)}, `max_tokens=8192 temperature=0 thinking={"type":"adaptive"} output_config={"effort":"low"}`},
		"and where it is disabled":  {anthropic.Options{Model: "claude-opus-4-6", Effort: "none", Temperature: new(float64)}, `max_tokens=8192 temperature=0 thinking={"type":"disabled"}`},
		"temperature of the model":  {anthropic.Options{Temperature: new(float64)}, `max_tokens=8192 temperature=0`},
		"the admin's own parameter": {anthropic.Options{Effort: "low", Body: map[string]json.RawMessage{"thinking": json.RawMessage("null"), "output_config": json.RawMessage(`{"effort":"max"}`)}}, `max_tokens=8192 output_config={"effort":"max"}`},
	} {
		if got := sent(t, c.o, claims.Ask); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
	cold := 0.5
	req := claims.Ask
	req.Temperature = &cold
	if got := sent(t, anthropic.Options{Temperature: new(float64)}, req); got != "max_tokens=8192 temperature=0.5" {
		t.Errorf("an app's own temperature: %s", got)
	}
}

// A model with a thinking budget requires the thinking that its turn began with: "Expected
// `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final
// `assistant` message must start with a thinking block" (anomalyco/opencode#3077). Where there is
// none, it does not think until the turn is over.
func TestATurnThatBeganWithoutThinkingGoesOnWithout(t *testing.T) {
	const claude = "claude-sonnet-4-5"
	thinking := stream(begin, think(0), thought(0, "hm"), sign(0, "s"), over(0), use(1, "t1", "f", "{}"), over(1), ended(`"tool_use"`), stop)
	silent := stream(begin, use(0, "t2", "f", "{}"), over(0), ended(`"tool_use"`), stop)
	server := &requests{streams: []string{thinking, silent}}
	own := server.client(anthropic.Options{Model: claude})
	began, later := kept(t, claims.Read(t, own, claims.Ask)), kept(t, claims.Read(t, own, claims.Ask))
	foreign := model.Message{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "c", Name: "f", Arguments: "{}"}}, Made: model.Made{By: "another"}}
	lost := began
	lost.Made.State = nil // left out by the engine
	done := func(m model.Message) []model.Message {
		return []model.Message{m, {Role: model.RoleTool, ToolCallID: m.ToolCalls[0].ID, Content: "done"}}
	}
	user, answer := model.Message{Role: model.RoleUser, Content: "Next"}, model.Message{Role: model.RoleAssistant, Content: "Done."}
	for name, c := range map[string]struct {
		history []model.Message
		want    bool
	}{
		"the first step":                     {nil, true},
		"a question answered":                {done(began), true},
		"its own later step, without":        {append(done(began), done(later)...), true},
		"begun by another":                   {done(foreign), false},
		"gone on by another":                 {append(done(began), done(foreign)...), false},
		"begun by another, then its own":     {append(done(foreign), done(later)...), false},
		"the state is left out":              {done(lost), false},
		"begun without thinking":             {done(later), false},
		"a message in place of an answer":    {append(done(foreign), user), false},
		"the next turn":                      {append(done(foreign), answer, user), true},
		"the next turn, begun with thinking": {append(append(done(foreign), answer, user), done(began)...), true},
	} {
		req := model.Request{Messages: append([]model.Message{{Role: model.RoleUser, Content: "Go"}}, c.history...)}
		got := sent(t, anthropic.Options{Model: claude, Effort: "low"}, req)
		if strings.Contains(got, "enabled") != c.want {
			t.Errorf("%s: %s", name, got)
		}
		if got := sent(t, anthropic.Options{Model: "claude-opus-5-5", Effort: "low"}, req); !strings.Contains(got, "adaptive") {
			t.Errorf("%s: a model without a budget does not think: %s", name, got)
		}
	}
}

// The part that the server may cache ends with the last tool, the system prompt and the history.
func TestTheCacheIsTold(t *testing.T) {
	shape := stream(begin, think(0), sign(0, "s"), over(0), use(1, "t1", "f", "{}"), over(1), ended(`"tool_use"`), stop)
	server := &requests{streams: []string{shape}}
	req := turn(kept(t, claims.Read(t, server.client(anthropic.Options{}), claims.Ask)))
	req.System, req.Tools = "You help.", []model.Definition{{Name: "f"}, {Name: "g"}}
	claims.Read(t, server.client(anthropic.Options{Cache: true}), req)
	const mark = `"cache_control":{"type":"ephemeral"}`
	for _, want := range []string{
		`"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}},{"name":"g","input_schema":{"type":"object","properties":{}},` + mark + `}]`,
		`"system":[{"type":"text","text":"You help.",` + mark + `}]`,
		`{"type":"thinking","thinking":"","signature":"s"}`,
		`"content":[{"type":"tool_result","tool_use_id":"t1","content":"done",` + mark + `}]}]}`,
	} {
		if !strings.Contains(string(server.bodies[1]), want) {
			t.Errorf("%s\nis not in\n%s", want, server.bodies[1])
		}
	}
	if n := strings.Count(string(server.bodies[1]), mark); n != 3 {
		t.Errorf("%d marks", n)
	}
	if _, found := modeltest.CheckMessages(versioned, server.bodies[1]); len(found) > 0 {
		t.Errorf("%q", found)
	}
	req.Messages = append(req.Messages, model.Message{Role: model.RoleUser, Content: "Look", Images: []model.Image{{Media: "image/png", Data: []byte("picture")}}})
	claims.Read(t, server.client(anthropic.Options{Cache: true}), req)
	if want := `"data":"cGljdHVyZQ=="},` + mark + `}]}]}`; !strings.HasSuffix(string(server.bodies[2]), want) {
		t.Errorf("%s", server.bodies[2])
	}
	claims.Read(t, server.client(anthropic.Options{}), req)
	if strings.Contains(string(server.bodies[3]), "cache_control") || !strings.Contains(string(server.bodies[3]), `"system":"You help."`) {
		t.Errorf("without: %s", server.bodies[3])
	}
}

// Each request of a chat begins with the bytes of the previous one, up to the cache marker.
func TestTheNextRequestBeginsWithThisOne(t *testing.T) {
	shape := stream(begin, think(0), thought(0, "hm"), sign(0, "s"), over(0), use(1, "t1", "f", "{}"), part(1, `{"a": 1}`), over(1), ended(`"tool_use"`), stop)
	server := &requests{streams: []string{shape}}
	c := server.client(anthropic.Options{Effort: "high", Show: true})
	req := claims.Ask
	req.System, req.Tools = "You help.", []model.Definition{{Name: "f"}}
	for range 5 {
		m := kept(t, claims.Read(t, c, req))
		m.ToolCalls[0].ID += fmt.Sprint(len(req.Messages)) // the engine makes ids unique
		req.Messages = append(req.Messages[:len(req.Messages):len(req.Messages)], turn(m).Messages[1:]...)
	}
	for i := 1; i < len(server.bodies); i++ {
		if before := strings.TrimSuffix(string(server.bodies[i-1]), "]}"); !strings.HasPrefix(string(server.bodies[i]), before) {
			t.Errorf("request %d\n%s\ndoes not begin with\n%s", i, server.bodies[i], before)
		}
	}
}
