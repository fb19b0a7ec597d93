package turn_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
)

// Where every user is the operator, people see what to change, matching the cause. Elsewhere they
// see only the class of the error. The server's reason is only in the log.
func TestARefusalSaysWhatToChange(t *testing.T) {
	const reason = "the server said so"
	for name, c := range map[string]struct {
		e          model.Error
		none, keys string
	}{
		"funds":     {model.Error{Fault: model.FaultFunds}, "hint.model_funds", "problem.model_refused"},
		"key":       {model.Error{Fault: model.FaultKey}, "hint.model_key", "problem.model_refused"},
		"model":     {model.Error{Fault: model.FaultModel}, "hint.model_name", "problem.model_refused"},
		"tools":     {model.Error{Fault: model.FaultTools}, "hint.model_tools", "problem.model_refused"},
		"flag":      {model.Error{Fault: model.FaultFlag}, "hint.model_flag", "problem.model_refused"},
		"parameter": {model.Error{Fault: model.FaultParameter}, "hint.model_parameter", "problem.model_refused"},
		"unknown":   {model.Error{Status: 400}, "hint.model_request", "problem.model_refused"},
		"length":    {model.Error{Kind: model.KindTooLong, Status: 400}, "hint.model_context", "problem.context_too_long"},
	} {
		for auth, want := range map[string]string{`{"mode": "none"}`: c.none, `{"mode": "apiKeys", "keys": [{"id": "k", "hash": "sha256:` + strings.Repeat("0", 64) + `", "tenant": "t", "subject": "s", "roles": []}]}`: c.keys} {
			e := c.e
			if e.Reason = reason; e.Kind == "" {
				e.Kind = model.KindError
			}
			h := build(t, `{}`, nil, fails(&e), fails(&e), fails(&e))
			h.configure(`"maxSteps": 10`, `{"auth": `+auth+`, "models": {"default": {"provider": "demo"}}}`)
			stream := h.drive(h.message("hi"))
			for _, ev := range stream.events(t) {
				if strings.Contains(string(ev.Data), reason) {
					t.Errorf("%s: the event %s has the reason", name, ev.Name)
				}
				if ev.Name != "error" {
					continue
				}
				var f chat.Failure
				if err := json.Unmarshal(ev.Data, &f); err != nil || f.Message != want || f.Retryable {
					t.Errorf("%s, %s: %s, want %s", name, auth, ev.Data, want)
				}
			}
			if !strings.Contains(h.log.String(), `reason="`+reason+`"`) {
				t.Errorf("%s: the log has no reason: %s", name, h.log.String())
			}
		}
	}
}
