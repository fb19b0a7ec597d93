package modeltest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// The strict servers' rules check requests of the other APIs: each API has its own test there.
func TestStrictRulesJudgeTheOtherAPIs(t *testing.T) {
	for api, c := range map[string]struct {
		sound             string
		check             func(raw []byte) []string
		part, wrong, want string
	}{
		"messages": {soundMessages, func(raw []byte) []string { _, found := modeltest.CheckMessages(versioned, raw); return found },
			`"tool_use_id":"b"`, `"tool_use_id":"z"`, "tool_use_id"},
		"messages without version": {soundMessages, func(raw []byte) []string { _, found := modeltest.CheckMessages(http.Header{}, raw); return found },
			`"role":"user"`, `"role":"user"`, "version"},
		"responses": {soundResponses, func(raw []byte) []string { _, found := modeltest.CheckResponses(raw); return found },
			`"call_id":"a","output"`, `"call_id":"z","output"`, "No tool call found"},
		"gemini": {soundGemini, func(raw []byte) []string {
			_, found := modeltest.CheckGemini(geminiAddress("alt=sse"), http.Header{}, raw)
			return found
		}, `"name":"g","response"`, `"name":"f","response"`, "order"},
	} {
		if found := c.check([]byte(c.sound)); len(found) > 0 && c.part != c.wrong {
			t.Errorf("%s: a valid history: %q", api, found)
		}
		if found := c.check([]byte(strings.Replace(c.sound, c.part, c.wrong, 1))); len(found) != 1 || !strings.Contains(found[0], c.want) {
			t.Errorf("%s: found %q, want %q", api, found, c.want)
		}
	}
}
