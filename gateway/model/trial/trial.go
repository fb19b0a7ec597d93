// Package trial tests a model the way a chat uses it: it has the model ask a person with a tool,
// answers the question, and reports what works.
//
//	the person: "Ask me ..." ──> the model calls the tool ──> the answer ──> the model's last words
//
// The two requests to the model's server cost tokens. Each may be sent again without what the server
// refuses.
package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

// MaxTime bounds a trial.
const MaxTime = 60 * time.Second

// maxText is how many bytes of a model's text are kept.
const maxText = 64 << 10

// The messages of a trial. The demo model knows none of these words, and asks its usual question.
const (
	system = "You are being tried out by an operator. Do what the user wants, in as few words as you can."
	answer = "blue"
)

func request(tool string) string {
	return "Ask me which colour I like: call the tool " + tool + " once, and wait for my answer. Then name that colour in one short sentence."
}

// Result is the result of a trial.
type Result struct {
	Text   bool               // the model wrote text, before its call or after the answer
	Call   bool               // it called the tool, with valid arguments
	Answer bool               // its server accepted the answer, and the model went on
	Usage  model.Usage        // of both requests together
	Finish model.FinishReason // why the last answer ended; "" for none
	Took   time.Duration
	// Err is the error of a request that failed: a *model.Error, or the context's error.
	Err error
}

// Works reports whether the model can ask people.
func (r *Result) Works() bool { return r.Text && r.Call && r.Answer && r.Err == nil }

// Status returns the HTTP status with which the server refused a request, or 0.
func (r *Result) Status() int {
	if failed, ok := errors.AsType[*model.Error](r.Err); ok {
		return failed.Status
	}
	return 0
}

// Problem returns what does not work, for operators, with the server's own reason if it has one. It
// is "" if the model works.
func (r *Result) Problem() string {
	var failed *model.Error
	switch {
	case errors.As(r.Err, &failed):
		text := failed.Error()
		if !strings.Contains(text, failed.Reason) {
			text += "; the server says: " + failed.Reason
		}
		return text
	case errors.Is(r.Err, context.DeadlineExceeded):
		return fmt.Sprintf("the model took longer than %v", MaxTime)
	case r.Err != nil:
		return r.Err.Error()
	case r.Works():
		return ""
	case r.Finish == model.FinishLength:
		return `an answer was cut at its length limit; set a higher "maxTokens" or a lower "reasoning.effort"`
	case !r.Call:
		return "the model did not call the tool as instructed, so it cannot ask people; choose a model that supports tools"
	}
	return "the model wrote nothing after the answer"
}

// Run tests a model with the tool that asks people. It takes at most MaxTime.
func Run(ctx context.Context, m model.Model, tool tools.Definition) (r Result) {
	ctx, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	began := time.Now()
	defer func() { r.Took = time.Since(began) }()
	req := model.Request{
		System: system, Language: "en", Tools: []tools.Definition{tool},
		Messages: []model.Message{{Role: model.RoleUser, Content: request(tool.Name)}},
	}
	asked := r.step(ctx, m, req)
	r.Call = r.Err == nil && calls(asked, tool.Name)
	if !r.Call {
		return r
	}
	req.Messages = append(req.Messages, asked)
	for _, call := range asked.ToolCalls {
		req.Messages = append(req.Messages, model.Message{Role: model.RoleTool, ToolCallID: call.ID, Content: answer})
	}
	r.step(ctx, m, req)
	r.Answer = r.Err == nil
	return r
}

// step sends one request, and returns the model's message as a chat stores it.
func (r *Result) step(ctx context.Context, m model.Model, req model.Request) model.Message {
	said := model.Message{Role: model.RoleAssistant}
	var text []byte
	r.Finish = ""
	for d, err := range m.Stream(ctx, req) {
		if err != nil {
			r.Err = err
			break
		}
		text = append(text, d.Text[:min(len(d.Text), maxText-len(text))]...)
		said.ToolCalls = append(said.ToolCalls, d.ToolCalls...)
		if d.Finish != "" {
			r.Finish = d.Finish
		}
		if d.Made != nil {
			said.Made = *d.Made
		}
		if u := d.Usage; u != nil {
			r.Usage.InputTokens += u.InputTokens
			r.Usage.CachedInputTokens += u.CachedInputTokens
			r.Usage.CacheWriteTokens += u.CacheWriteTokens
			r.Usage.OutputTokens += u.OutputTokens
			r.Usage.ReasoningTokens += u.ReasoningTokens
		}
	}
	said.Content = string(text)
	r.Text = r.Text || !tools.Blank(said.Content)
	seen := map[string]bool{}
	for i := range said.ToolCalls {
		call := &said.ToolCalls[i]
		if call.ID == "" || seen[call.ID] { // as in a chat, each call needs an id of its own
			call.ID = model.WireID("trial " + strconv.Itoa(i))
		}
		seen[call.ID] = true
	}
	return said
}

// calls reports whether a message calls only this tool, with valid arguments.
func calls(said model.Message, tool string) bool {
	for _, call := range said.ToolCalls {
		var arguments map[string]json.RawMessage
		if call.Name != tool || json.Unmarshal([]byte(call.Arguments), &arguments) != nil || arguments == nil {
			return false
		}
	}
	return len(said.ToolCalls) > 0
}
