package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/trace/tracetest"
)

// tracedFiles configure an app that may ask and calculate.
var tracedFiles = map[string]string{
	"apps/helper.json": `{"id": "helper", "name": "private name", "system": "private prompt", "tools": ["ask_user", "calculator"]}`,
	"tools.json":       `[{"id": "ask_user", "type": "ask_user"}]`,
}

// traceOf returns the trace id of a turn, as documented.
func traceOf(t *testing.T, event []byte) string {
	t.Helper()
	var data struct{ TurnID string }
	if err := json.Unmarshal(event, &data); err != nil || data.TurnID == "" {
		t.Fatalf("%s: %v", event, err)
	}
	sum := sha256.Sum256([]byte(data.TurnID))
	return hex.EncodeToString(sum[:16])
}

// only returns the only span with this name and parent.
func only(t *testing.T, c *tracetest.Collector, name, parent string) tracetest.Span {
	t.Helper()
	var found []tracetest.Span
	for _, s := range c.Named(name) {
		if s.Parent == parent {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans %q below %q, want one; there are %+v", len(found), name, parent, c.Spans())
	}
	return found[0]
}

// A turn is one trace, even if it is asked on one node and answered on another. The collector gets none
// of the texts.
func TestATurnIsOneTraceAcrossItsPauses(t *testing.T) {
	collector := tracetest.New(t)
	t.Setenv("OTEL_SERVICE_NAME", "askgate-test")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "3600000") // it is the end of the process that sends them
	upstream := modeltest.New(t,
		append(modeltest.Response{modeltest.Reasoning("private thought"), modeltest.Text("private text")}, modeltest.Calls(
			model.ToolCall{ID: "call_sum", Name: "calculator", Arguments: `{"expression":"61283*1"}`},
			model.ToolCall{ID: "call_bad", Name: "private_tool", Arguments: `{"private":1}`},
			model.ToolCall{ID: "call_ask", Name: "ask_user", Arguments: `{"question":"private question?","options":["private option","other"]}`},
		)...),
		modeltest.Answer("private answer"),
	)
	environment := []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL, "OPENAI_API_KEY=private key"}
	asking := start(t, upstream.URL, tracedFiles, environment...)
	const caller = "0af7651916cd43dd8448eb211c80319c"
	answering := &process{t: t, dir: asking.dir, model: asking.model, env: environment, client: &http.Client{}}
	answering.run()
	t.Cleanup(func() { answering.stop() })

	resp := asking.do("POST", "/v1/apps/helper/chats/private-chat/messages", `{"message":"private message"}`, "traceparent", "00-"+caller+"-b7ad6b7169203331-01")
	asked := events(t, resp.Body)
	answering.send("helper", "private-chat", `{"answer":{"value":"private option","note":"private note"}}`)
	asking.stop()
	answering.stop()

	id := traceOf(t, asked[0].Data)
	for _, s := range collector.Spans() {
		if s.Trace != id {
			t.Errorf("%s is in trace %s, not in the turn's", s.Name, s.Trace)
		}
		if s.Service["service.name"] != "askgate-test" || s.Service["service.version"] == "" {
			t.Errorf("%s is of %v", s.Name, s.Service)
		}
	}
	if n := len(collector.Spans()); n != 7 {
		t.Errorf("%d spans", n)
	}
	var first, second tracetest.Span
	for _, run := range collector.Named("invoke_agent helper") {
		switch run.Attributes["askgate.run.started_by"] {
		case "message":
			first = run
		case "clarification":
			second = run
		}
	}
	if first.ID == "" || second.ID == "" || first.Parent+second.Parent != "" || first.Attributes["askgate.node"] == second.Attributes["askgate.node"] {
		t.Errorf("runs %+v, %+v", first, second)
	}
	if first.Attributes["askgate.finish_reason"] != "clarification" || second.Attributes["askgate.finish_reason"] != "stop" {
		t.Errorf("they ended with %v, %v", first.Attributes["askgate.finish_reason"], second.Attributes["askgate.finish_reason"])
	}
	if len(first.Links) != 1 || first.Links[0].Trace != caller || first.Links[0].Attributes["askgate.link"] != "caller" {
		t.Errorf("the caller: %+v", first.Links)
	}
	holdAsk(t, collector, first, second)
	for i, run := range []tracetest.Span{first, second} {
		step := only(t, collector, "chat scripted", run.ID)
		for key, want := range map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "scripted",
			"gen_ai.request.stream": true, "gen_ai.usage.input_tokens": 10, "server.address": "127.0.0.1",
		} {
			if step.Attributes[key] != want {
				t.Errorf("step %d: %s is %v, want %v", i, key, step.Attributes[key], want)
			}
		}
		if step.Kind != "CLIENT" || step.Error || step.Attributes["gen_ai.usage.output_tokens"] == 0 || step.Attributes["server.port"] == nil {
			t.Errorf("step %d: %+v", i, step)
		}
		wait, _ := step.Attributes["gen_ai.response.time_to_first_chunk"].(float64)
		if wait <= 0 || wait > step.Seconds {
			t.Errorf("step %d: first chunk after %v s of %v s", i, wait, step.Seconds)
		}
		reasons, _ := step.Attributes["gen_ai.response.finish_reasons"].([]any)
		if want := []string{"tool_calls", "stop"}[i]; len(reasons) != 1 || reasons[0] != want {
			t.Errorf("step %d: finish reasons %v", i, reasons)
		}
	}
	sum, bad := only(t, collector, "execute_tool calculator", first.ID), only(t, collector, "execute_tool unknown", first.ID)
	if sum.Error || sum.Attributes["gen_ai.tool.call.id"] != "call_sum" || sum.Attributes["gen_ai.operation.name"] != "execute_tool" {
		t.Errorf("%+v", sum)
	}
	if !bad.Error || bad.Attributes["error.type"] != "TOOL_NOT_AVAILABLE" {
		t.Errorf("%+v", bad)
	}
	raw, _ := collector.Raw()
	for _, text := range []string{"private", "61283"} {
		if strings.Contains(string(raw), text) {
			t.Errorf("%q is in the spans", text)
		}
	}
}

// holdAsk checks the span of the question in the first run, and that the second run links to it.
func holdAsk(t *testing.T, c *tracetest.Collector, first, second tracetest.Span) {
	t.Helper()
	ask := only(t, c, "ask question", first.ID)
	for key, want := range map[string]any{
		"askgate.clarification.kind": "question", "askgate.clarification.input_type": "select",
		"gen_ai.tool.name": "ask_user", "gen_ai.tool.call.id": "call_ask",
	} {
		if ask.Attributes[key] != want {
			t.Errorf("the question: %s is %v", key, ask.Attributes[key])
		}
	}
	if len(second.Links) != 1 {
		t.Fatalf("the answer's run has the links %+v", second.Links)
	}
	link := second.Links[0]
	if link.Trace != ask.Trace || link.Span != ask.ID || link.Attributes["askgate.clarification.id"] != ask.Attributes["askgate.clarification.id"] {
		t.Errorf("the answer links to %+v, the question is %+v", link, ask)
	}
	waited, ok := link.Attributes["askgate.clarification.wait_seconds"].(float64)
	if link.Attributes["askgate.clarification.outcome"] != "answered" || !ok || waited < 0 {
		t.Errorf("the answer: %+v", link.Attributes)
	}
}

// If the collector cannot be reached, a turn runs as without traces. The operator sees it,
// and the shutdown is not delayed.
func TestNoCollectorNoHarm(t *testing.T) {
	collector := tracetest.New(t)
	collector.Answer(http.StatusForbidden)
	upstream := modeltest.New(t, modeltest.Ask("call_1", `{"question":"Which?"}`), modeltest.Answer("Done."),
		modeltest.Status(400, `{}`), modeltest.Answer("Again."))
	p := start(t, upstream.URL, tracedFiles, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL)
	p.send("helper", "c1", `{"message":"hi"}`)
	waitFor(t, func() bool {
		return strings.Contains(p.body("GET", "/readyz?verbose", ""), `"traces":{"status":"degraded"`)
	})
	if got := p.do("GET", "/readyz", "").StatusCode; got != http.StatusOK {
		t.Errorf("ready: %d", got)
	}
	collector.Hang()
	list := p.send("helper", "c1", `{"answer":{"value":"this"}}`)
	if last := list[len(list)-1]; last.Name != "done" || !strings.Contains(string(last.Data), `"stop"`) {
		t.Errorf("the answer ended with %s %s", last.Name, last.Data)
	}
	failing := p.send("helper", "c2", `{"message":"hi"}`)
	if want := "traceId=" + traceOf(t, failing[0].Data); !strings.Contains(p.log.String(), want) {
		t.Errorf("the log of a failure does not say %s:\n%s", want, p.log.String())
	}
	p.send("helper", "c3", `{"message":"hi"}`)
	p.stop()
	if !strings.Contains(p.log.String(), "the last traces were not sent") {
		t.Error("the end waited for a collector that hangs")
	}
	if got := strings.Count(p.log.String(), "cannot send traces"); got != 1 {
		t.Errorf("told %d times:\n%s", got, p.log.String())
	}
}

// By default there are no traces, and no metrics about them.
func TestTracesAreOffByDefault(t *testing.T) {
	upstream := modeltest.New(t, modeltest.Answer("Done."))
	p := start(t, upstream.URL, tracedFiles)
	p.send("helper", "c1", `{"message":"hi"}`)
	if seen := p.body("GET", "/readyz?verbose", "") + p.body("GET", "/metrics", ""); strings.Contains(seen, "trace") {
		t.Error("traces are in the metrics or the health of a gateway without")
	}
}
