package api_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// The admin view shows what decides about the calls of a tool, without the arguments that it is for.
func TestAdminSeesTheRulesOfATool(t *testing.T) {
	c := loadSchemas(t)
	s := newServer(t, files{
		"gateway.json": `{"models": {"default": {"provider": "demo"}}, "auth": {"mode": "apiKeys", "keys": [` + keyEntry("a", "ag_admin", "s", `"admin"`, false) + `]}, "store": "sqlite:x.db"}`,
		"tools.json": `[{"id": "refund", "type": "http", "http": {"url": "http://h"}, "respond": true, "editable": true, "needsApproval": {"by": {"role": "finance"}, "rules": [
			{"when": {"properties": {"iban": {"const": "SECRET"}}, "required": ["iban"]}, "then": "allow"},
			{"when": {"properties": {"amount": {"type": "number", "minimum": 9}}, "required": ["amount"]}, "then": "ask", "quorum": 2, "escalate": [{"after": "24h", "to": {"role": "lead"}}], "reason": {"en": "A lot.", "de": "Viel."}}], "otherwise": "deny"}},
			{"id": "clock"}]`,
	}, nil)
	r := s.call("GET", "/v1/admin/config", "", append([]string{"Accept-Language", "de"}, admin...)...)
	c.check("AdminConfig", r.body)
	if strings.Contains(string(r.body), "SECRET") {
		t.Errorf("an argument is in the response: %s", r.body)
	}
	var got struct {
		Tools []struct {
			ID                               string
			NeedsApproval, Editable, Respond bool
			Approval                         json.RawMessage
		}
	}
	r.decode(t, 200, &got)
	want := map[string]string{
		"refund": `{"rules":[{"then":"allow"},{"then":"ask","by":"finance","quorum":2,"escalate":[{"after":"1d","role":"lead"}],"reason":"Viel."}],"otherwise":{"then":"deny"}}`,
		"clock":  ``,
	}
	for _, tool := range got.Tools {
		w, listed := want[tool.ID]
		if !listed {
			continue
		}
		delete(want, tool.ID)
		if string(tool.Approval) != w || tool.NeedsApproval != (w != "") || tool.Editable != (tool.ID == "refund") || tool.Respond != tool.Editable {
			t.Errorf("%s: %+v %s", tool.ID, tool, tool.Approval)
		}
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}
