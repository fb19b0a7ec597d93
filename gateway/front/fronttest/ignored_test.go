package fronttest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// sent is the response to a request.
type sent struct {
	status  int
	ignored string
	header  http.Header
	body    string
}

func send(t *testing.T, g *fronttest.Gateway, method, path, body string, headers ...string) sent {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, g.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return sent{resp.StatusCode, resp.Header.Get("Askgate-Ignored"), resp.Header, string(data)}
}

// Each front reports the fields of a request that have no effect, by the names of its protocol,
// also where it refuses the request.
func TestWhatIsIgnoredIsNamed(t *testing.T) {
	g := fronttest.Start(t, nil)
	const (
		chat      = "/v1/chat/completions"
		responses = "/v1/responses"
		aisdk     = "/v1/apps/work/ai-sdk"
		agui      = "/v1/apps/work/ag-ui"
	)
	for _, test := range []struct {
		path, body, ignored string
		status              int
	}{
		{chat, `{"model": "work", "user": "u", "messages": [{"role": "user", "content": "plain"}], "n": 1, "temperature": 1, "top_p": null, "stop": [],
			"tools": [{"type": "function", "function": {"name": "ask_user"}}], "tool_choice": "auto", "response_format": {"type": "text"}, "modalities": ["text"]}`, "", 200},
		{chat, `{"model": "work", "messages": [{"role": "developer", "content": "x"}, {"role": "system", "content": "x"}, {"role": "user", "content": "plain"}], "temperature": 0.2, "max_tokens": 5,
			"seed": 7, "stop": "x", "unknown": "secret", "tools": [{"type": "function", "function": {"name": "secret"}}], "tool_choice": "required"}`,
			"system, max_tokens, seed, stop, temperature, tool_choice, tools", 200},
		{chat, `{"model": "work", "stream": true, "messages": [{"role": "user", "content": "never"}, {"role": "assistant", "content": "said"}, {"role": "user", "content": "plain"}], "top_p": 0.5}`, "history, top_p", 200},
		{chat, `{"model": "unknown", "seed": 7, "messages": [{"role": "user", "content": "x"}]}`, "seed", 404},
		{chat, `{"model": "work", "seed": 7, "messages": []}`, "seed", 400},
		{responses, `{"model": "work", "input": "plain", "text": {"format": {"type": "text"}}, "truncation": "disabled", "store": false}`, "", 200},
		{responses, `{"model": "work", "stream": true, "input": [{"role": "system", "content": "x"}, {"role": "assistant", "content": "said"}, {"role": "user", "content": "plain"}], "instructions": "x",
			"include": ["reasoning.encrypted_content"], "reasoning": {"effort": "low"}, "text": {"verbosity": "low"}}`, "system, history, instructions, include, reasoning, text", 200},
		{aisdk, `{"id": "i1", "messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "plain"}]}], "tools": {}, "system": "", "callSettings": {}}`, "", 200},
		{aisdk, `{"id": "i2", "messages": [{"id": "m0", "role": "assistant", "parts": []}, {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "plain"}]}],
			"tools": {"secret": {}}, "system": "x", "callSettings": {"temperature": 1}, "config": {"apiKey": "x"}}`, "system, history, tools, callSettings, config", 200},
		{aisdk, `{"id": "i1", "messages": [{"id": "m0", "role": "assistant", "parts": []}, {"id": "m2", "role": "user", "parts": [{"type": "text", "text": "plain"}]}]}`, "", 200},
		{aisdk, `{"id": "i3", "messages": [], "system": "x"}`, "system", 400},
		{agui, `{"threadId": "g1", "runId": "r", "messages": [{"id": "m1", "role": "user", "content": "plain"}], "tools": [{"name": "ask_user"}], "context": [], "state": {}, "forwardedProps": {"interrupts": true}}`, "", 200},
		{agui, `{"threadId": "g2", "runId": "r", "messages": [{"id": "m0", "role": "assistant", "content": "x"}, {"id": "m1", "role": "user", "content": "plain"}], "tools": [{"name": "ask_user"}, {"name": "secret"}],
			"context": [{"description": "x", "value": "secret"}], "state": {"a": 1}, "parentRunId": "q", "forwardedProps": {"command": {"resume": null}, "model": "x"}}`,
			"history, tools, context, state, parentRunId, forwardedProps", 200},
		{agui, `{"threadId": "g1", "runId": "r2", "messages": [{"id": "m0", "role": "assistant", "content": "x"}, {"id": "m2", "role": "user", "content": "plain"}], "tools": [], "context": []}`, "", 200},
		{agui, `{"context": [{"description": "x", "value": "secret"}]}`, "context", 400},
	} {
		got := send(t, g, "POST", test.path, test.body)
		if got.status != test.status || got.ignored != test.ignored {
			t.Errorf("%s %.200s: %d %q, want %d %q: %.300s", test.path, test.body, got.status, got.ignored, test.status, test.ignored, got.body)
		}
	}
	// A history that matches a chat does not count as ignored.
	got := send(t, g, "POST", chat, `{"model": "work", "messages": [{"role": "user", "content": "plain"}]}`)
	again := send(t, g, "POST", chat, `{"model": "work", "messages": [{"role": "user", "content": "later"}, {"role": "assistant", "content": "x"}, {"role": "user", "content": "plain"}]}`, "X-Chat-Id", got.header.Get("X-Chat-Id"))
	if again.status != 200 || again.ignored != "" {
		t.Errorf("a chat that is named: %d %q", again.status, again.ignored)
	}
	again = send(t, g, "POST", responses, `{"model": "work", "input": [{"role": "assistant", "content": "x"}, {"role": "user", "content": "plain"}]}`, "X-Chat-Id", got.header.Get("X-Chat-Id"))
	if again.status != 200 || again.ignored != "" {
		t.Errorf("a chat that is named: %d %q", again.status, again.ignored)
	}
}

// A field that no response can honor, and whose absence its client would misread, is refused by
// name.
func TestWhatCannotBeHonouredIsRefused(t *testing.T) {
	g := fronttest.Start(t, nil)
	for body, param := range map[string]string{
		`"n": 2`: "n", `"n": "x"`: "n", `"logprobs": true`: "logprobs", `"top_logprobs": 3`: "top_logprobs", `"modalities": ["text", "audio"]`: "modalities",
		`"response_format": {"type": "json_object"}`: "response_format", `"response_format": "x"`: "response_format", `"response_format": {"type": "json_schema", "json_schema": {}}`: "response_format",
		`"n": null, "logprobs": false, "top_logprobs": 0, "modalities": ["text"], "response_format": null`: "",
	} {
		refused(t, send(t, g, "POST", "/v1/chat/completions", `{"model": "work", "messages": [{"role": "user", "content": "plain"}], `+body+`}`), body, param)
	}
	for body, param := range map[string]string{
		`"top_logprobs": 3`: "top_logprobs", `"include": ["message.output_text.logprobs"]`: "include", `"text": {"format": {"type": "json_schema"}}`: "text.format",
		`"text": {"format": null, "verbosity": "low"}, "include": [], "top_logprobs": 0`: "",
	} {
		refused(t, send(t, g, "POST", "/v1/responses", `{"model": "work", "input": "plain", `+body+`}`), body, param)
	}
}

func refused(t *testing.T, got sent, body, param string) {
	t.Helper()
	var v struct {
		Error struct{ Message, Code, Param string }
	}
	_ = json.Unmarshal([]byte(got.body), &v) // otherwise it is not a refusal
	want := 400
	if param == "" {
		want = 200
	}
	if got.status != want || v.Error.Param != param || param != "" && !strings.Contains(v.Error.Message, `"`+param+`"`) {
		t.Errorf("%s: %d %.300s", body, got.status, got.body)
	}
}

// The refusal of an unknown model repeats the caller's own name for it.
func TestAnUnknownModelIsTold(t *testing.T) {
	g := fronttest.Start(t, nil)
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"model": "gpt-4o", "messages": [{"role": "user", "content": "x"}]}`,
		"/v1/responses":        `{"model": "gpt-4o", "input": "x"}`,
		"/v1/models/gpt-4o":    "",
	} {
		method := "POST"
		if body == "" {
			method = "GET"
		}
		got := send(t, g, method, path, body)
		if got.status != 404 || !strings.Contains(got.body, `"code":"model_not_found"`) || !strings.Contains(got.body, "The app gpt-4o does not exist. Available apps: brief, keyed, remote, work.") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	long := strings.Repeat("x", 1000)
	if got := send(t, g, "POST", "/v1/responses", `{"model": "`+long+`\u202e", "input": "x"}`); got.status != 404 || len(got.body) > 400 {
		t.Errorf("a long name: %d %s", got.status, got.body)
	}
}

// Something that does not exist is refused in the format of the API that was called.
func TestAnAddressThatIsMissingIsRefusedInItsShape(t *testing.T) {
	g := fronttest.Start(t, nil)
	for _, test := range []struct {
		method, path, header, shape string
		status                      int
	}{
		{"POST", "/v1/nothing", "", `"title":`, 404},
		{"POST", "/v1/embeddings", "", `"type":"not_found_error","code":"not_found"`, 404},
		{"POST", "/v1/completions", "", `"type":"not_found_error","code":"not_found"`, 404},
		{"GET", "/v1/responses/resp_1", "", `"type":"not_found_error","code":"not_found"`, 404},
		{"GET", "/v1/chat/completions", "", `"code":"method_not_allowed"`, 405},
		{"POST", "/v1/models", "", `"type":"invalid_request_error","code":"method_not_allowed"`, 405},
		{"POST", "/v1/messages", "", `"type":"error"`, 404},
		{"POST", "/v1/messages/count_tokens", "", `"type":"not_found_error"`, 404},
		{"POST", "/v1/models", "2023-06-01", `"type":"error"`, 405},
		{"POST", "/v2/messages", "2023-06-01", `"title":`, 404},
		{"POST", "/v1/session/x", "", `"title":`, 404},
	} {
		headers := []string{}
		if test.header != "" {
			headers = append(headers, "anthropic-version", test.header)
		}
		got := send(t, g, test.method, test.path, "{}", headers...)
		if got.status != test.status || !strings.Contains(got.body, test.shape) || test.status == 405 && got.header.Get("Allow") == "" {
			t.Errorf("%s %s %s: %d %s", test.method, test.path, test.header, got.status, got.body)
		}
	}
}
