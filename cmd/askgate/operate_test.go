package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

func (p *process) body(method, path, body string) string {
	p.t.Helper()
	b, err := io.ReadAll(p.do(method, path, body).Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

// A changed file takes effect without a restart, both for apps and for the tools that the model
// gets. A faulty file changes nothing.
func TestConfigurationIsLive(t *testing.T) {
	model := modeltest.NewFunc(t, func(int, modeltest.Request) modeltest.Response { return modeltest.Answer("ok") })
	p := start(t, model.URL, map[string]string{
		"apps/helper.json": `{"id": "helper", "name": "Before", "tools": []}`,
		"tools.json":       `[{"id": "ask_user", "type": "ask_user"}]`,
	})
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.dir, "apps/helper.json"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.send("helper", "c1", `{"message":"hi"}`)

	write(`{"id": "helper", "name": "After", "system": "Be brief.", "tools": ["ask_user"]}`)
	waitFor(t, func() bool { return strings.Contains(p.body("GET", "/v1/apps/helper", ""), `"After"`) })
	p.send("helper", "c1", `{"message":"again"}`)
	requests := model.Requests()
	before, after := requests[0].Body, requests[1].Body
	if len(before.Tools) != 0 || len(after.Tools) != 1 || after.Messages[0].Text() != "Be brief." {
		t.Errorf("before: %d tools; after: %d tools, system %q", len(before.Tools), len(after.Tools), after.Messages[0].Text())
	}

	write(`{"id": "helper", "name": "Broken", "tols": []}`)
	waitFor(t, func() bool { return strings.Contains(p.log.String(), `did you mean \"tools\"`) })
	if got := p.body("GET", "/v1/apps/helper", ""); !strings.Contains(got, `"After"`) {
		t.Errorf("after a faulty file: %s", got)
	}
}

// TestMetricsOfAConversation checks the names, labels and values of contract section 7.
func TestMetricsOfAConversation(t *testing.T) {
	model := modeltest.New(t,
		modeltest.Ask("call_1", `{"question":"Which?","options":["a","b"]}`),
		modeltest.Ask("call_2", `{"questions":[{"question":"One?"},{"question":"Two?"}]}`),
		modeltest.Ask("call_3", `{"question":""}`),
		modeltest.Answer("Done."),
	)
	p := start(t, model.URL, map[string]string{
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["ask_user"]}`,
		"tools.json":       `[{"id": "ask_user", "type": "ask_user"}]`,
	})
	p.send("helper", "c1", `{"message":"private text"}`)
	if got := p.do("POST", "/v1/apps/helper/chats/c1/messages", `{"answer":{"value":"c"}}`).StatusCode; got != 422 {
		t.Errorf("an answer that is none: %d", got)
	}
	scrape := p.body("GET", "/metrics", "")
	if !strings.Contains(scrape, `askgate_clarifications_pending{app="helper"} 1`) {
		t.Error("the pending question is not counted")
	}
	p.send("helper", "c1", `{"answer":{"value":"b"}}`)
	p.send("helper", "c1", `{"answer":{"declined":true}}`)
	waitFor(t, func() bool { // the count of pending questions is up to 15 s old
		scrape = p.body("GET", "/metrics", "")
		return strings.Contains(scrape, `askgate_clarifications_pending{app="helper"} 0`)
	})
	for _, want := range []string{
		`askgate_clarifications_requested_total{app="helper",input_type="select"} 1`,
		`askgate_clarifications_requested_total{app="helper",input_type="form"} 1`,
		`askgate_clarifications_resolved_total{app="helper",input_type="select",outcome="answered"} 1`,
		`askgate_clarifications_resolved_total{app="helper",input_type="form",outcome="declined"} 1`,
		`askgate_clarifications_rejected_total{app="helper",reason="[a-z_]+"} 1`,
		`askgate_clarification_repairs_total{app="helper",kind="[a-z_]+"} \d`,
		`askgate_clarification_answers_rejected_total{app="helper",reason="option"} 1`,
		`askgate_clarification_wait_seconds_bucket{app="helper",outcome="answered",le="604800"} 1`,
		`askgate_clarifications_pending{app="helper"} 0`,
		`askgate_clarification_oldest_pending_seconds{app="helper"} 0`,
		`askgate_runs_total{app="helper",finish_reason="clarification"} 2`,
		`askgate_runs_total{app="helper",finish_reason="stop"} 1`,
		`askgate_run_seconds_count{app="helper"} 3`,
		`askgate_time_to_first_chunk_seconds_count{app="helper"} 1`,
		`askgate_sse_connections{app="helper"} 0`,
		`askgate_rate_limit_decisions_total{app="helper",decision="allowed",scope="requests"} 4`,
		`askgate_model_requests_total{model="default",outcome="ok"} 4`,
		`askgate_model_tokens_total{direction="input",model="default"} 40`,
		`askgate_tool_calls_total{app="helper",outcome="question",tool="ask_user"} 2`,
		`askgate_tool_calls_total{app="helper",outcome="refused",tool="ask_user"} 1`,
		`askgate_http_request_duration_seconds_count{code="422",method="POST",route="/v1/apps/:app/chats/:chatId/messages"} 1`,
		`askgate_build_info{`,
		`go_goroutines `,
		`process_`,
	} {
		pattern := regexp.MustCompile(`(?m)^` + strings.NewReplacer("{", `\{`, "}", `\}`).Replace(want))
		if !pattern.MatchString(scrape) {
			t.Errorf("no %s", want)
		}
	}
	for _, secret := range []string{"private", "c1", "Which"} {
		if strings.Contains(scrape, secret) || secret != "c1" && strings.Contains(p.log.String(), secret) { // runs' lines name their chat
			t.Errorf("%q is in the metrics or in the log", secret)
		}
	}
}

// Answers in the user's own words are counted, in any part of a form, and no others.
func TestAnswersInOnesOwnWordsAreCounted(t *testing.T) {
	const either, again = `{"question":"Which?","options":["a","b"],"allow_other":true}`, `{"question":"Which?","options":["a","b"],"allow_other":true,"again":true}`
	model := modeltest.New(t,
		modeltest.Ask("call_1", either), modeltest.Ask("call_2", again), modeltest.Ask("call_3", again),
		modeltest.Ask("call_4", `{"questions":[`+either+`,`+either+`]}`), modeltest.Answer("Done."),
	)
	p := start(t, model.URL, map[string]string{
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["ask_user"]}`,
		"tools.json":       `[{"id": "ask_user", "type": "ask_user"}]`,
	})
	p.send("helper", "c1", `{"message":"hi"}`)
	p.send("helper", "c1", `{"answer":{"value":"a","note":"other"}}`)
	p.send("helper", "c1", `{"answer":{"other":"c"}}`)
	p.send("helper", "c1", `{"answer":{"declined":true}}`)
	p.send("helper", "c1", `{"answer":{"answers":[{"value":"a"},{"other":"d"}]}}`)
	scrape := p.body("GET", "/metrics", "")
	for _, want := range []string{
		`askgate_clarification_others_total{app="helper",input_type="select"} 1`,
		`askgate_clarification_others_total{app="helper",input_type="form"} 1`,
		`askgate_clarifications_resolved_total{app="helper",input_type="select",outcome="answered"} 2`,
	} {
		if !strings.Contains(scrape, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
}

// Each model that was asked counts under its own name, and the log says why the next one was
// asked.
func TestFallbacksAreSeenByTheOperator(t *testing.T) {
	model := modeltest.New(t, modeltest.Status(529, `{"type":"error","error":{"type":"overloaded_error","message":"private text"}}`), modeltest.Answer("Done."))
	p := start(t, model.URL, map[string]string{
		"gateway.json": `{"models": {
			"default": {"provider": "anthropic", "baseUrl": "$MODEL_URL", "apiKey": "private key", "model": "m", "maxRetries": 0, "fallback": ["spare"]},
			"spare": {"provider": "openai", "baseUrl": "$MODEL_URL", "model": "m"}
		}}`,
		"apps/helper.json": `{"id": "helper", "name": "Helper"}`,
	})
	p.send("helper", "c1", `{"message":"private text"}`)
	scrape, log := p.body("GET", "/metrics", ""), p.log.String()
	for _, want := range []string{
		`askgate_model_fallbacks_total{model="default",to="spare"} 1`,
		`askgate_model_requests_total{model="default",outcome="model_unavailable"} 1`,
		`askgate_model_requests_total{model="spare",outcome="ok"} 1`,
		`askgate_model_tokens_total{direction="input",model="spare"} 10`,
	} {
		if !strings.Contains(scrape, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	if !strings.Contains(log, "level=WARN") || !strings.Contains(log, "model=default to=spare") || !strings.Contains(log, "type=overloaded_error") {
		t.Errorf("the log says\n%s", log)
	}
	if strings.Contains(scrape+log, "private") {
		t.Error("a text or a key is in the metrics or in the log")
	}
}
