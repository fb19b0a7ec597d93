package modeltest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

const soundResponses = `{"model":"m","instructions":"s","store":false,"stream":true,"include":["reasoning.encrypted_content"],
 "reasoning":{"effort":"low","summary":"auto"},"max_output_tokens":16,"temperature":1,"prompt_cache_key":"k","input":[
 {"type":"message","role":"user","content":"u"},
 {"type":"reasoning","encrypted_content":"g","summary":[{"type":"summary_text","text":"t"}]},
 {"type":"message","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"t","annotations":[],"logprobs":[]}]},
 {"type":"function_call","call_id":"a","name":"f","arguments":"{}","status":"completed"},
 {"type":"function_call","call_id":"b","name":"f","arguments":"{\"x\":1}"},
 {"type":"function_call_output","call_id":"b","output":"x"},
 {"type":"function_call_output","call_id":"a","output":[{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]},
 {"type":"message","role":"user","content":[{"type":"input_text","text":"more"},{"type":"input_file","filename":"f.pdf","file_data":"data:application/pdf;base64,AAAA"}]}],
 "tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object","properties":{"x":{"type":"string","description":"i"}}},"strict":false}]}`

func FuzzCheckResponses(f *testing.F) {
	f.Add([]byte(soundResponses))
	f.Add([]byte(`{"tools":[{"parameters":{"properties":[],"anyOf":{"items":[]}}}],"input":[{"type":"reasoning"},{"type":"function_call"}]}`))
	f.Fuzz(func(_ *testing.T, raw []byte) { modeltest.CheckResponses(raw) })
}

func TestTheSameScriptSpeaksResponses(t *testing.T) {
	s := modeltest.New(t, modeltest.Response{
		modeltest.Reasoning("r"), modeltest.Text("a\n"), modeltest.Text("b"), modeltest.Call(0, "c", "f", `{"x"`), modeltest.Call(0, "", "", `:1}`),
		modeltest.Finish("tool_calls"), {Usage: &modeltest.Usage{Input: 7, Cached: 5, Output: 2, Reasoning: 1}}, modeltest.Done(),
	}, modeltest.Response{modeltest.Finish("length"), modeltest.Done()}, modeltest.Response{modeltest.Finish("server_error"), modeltest.Done()}, modeltest.Calls(model.ToolCall{ID: "a", Name: "f", Arguments: "{}"}))
	send := func() string {
		resp, err := s.Client().Post(s.URL+"/responses", "application/json", strings.NewReader(soundResponses))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status, err)
		}
		return string(text)
	}
	const response = `"response":{"id":"resp_1","object":"response","created_at":1700000000,"model":"scripted","status":`
	reasoning := `{"type":"reasoning","id":"rs_0","encrypted_content":"sealed_0","summary":[{"type":"summary_text","text":"r"}]}`
	message := `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"a\nb"}]}`
	call := `{"type":"function_call","id":"fc_2","call_id":"c","name":"f","status":"completed","arguments":"{\"x\":1}"}`
	want := []string{
		`"type":"response.created",` + response + `"in_progress","output":[]},"sequence_number":0`,
		`"type":"response.output_item.added","item":{"type":"reasoning","id":"rs_0","encrypted_content":"unfinished","summary":[{"type":"summary_text","text":""}]},"output_index":0,"sequence_number":1`,
		`"type":"response.reasoning_summary_text.delta","summary_index":0,"delta":"r","output_index":0,"sequence_number":2`,
		`"type":"response.output_item.done","item":` + reasoning + `,"output_index":0,"sequence_number":3`,
		`"type":"response.output_item.added","item":{"type":"message","id":"msg_1","role":"assistant","status":"in_progress","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":""}]},"output_index":1,"sequence_number":4`,
		`"type":"response.output_text.delta","content_index":0,"logprobs":[],"delta":"a\n","output_index":1,"sequence_number":5`,
		`"type":"response.output_text.delta","content_index":0,"logprobs":[],"delta":"b","output_index":1,"sequence_number":6`,
		`"type":"response.output_item.done","item":` + message + `,"output_index":1,"sequence_number":7`,
		`"type":"response.output_item.added","item":{"type":"function_call","id":"fc_2","call_id":"c","name":"f","status":"in_progress","arguments":""},"output_index":2,"sequence_number":8`,
		`"type":"response.function_call_arguments.delta","delta":"{\"x\"","output_index":2,"sequence_number":9`,
		`"type":"response.function_call_arguments.delta","delta":":1}","output_index":2,"sequence_number":10`,
		`"type":"response.output_item.done","item":` + call + `,"output_index":2,"sequence_number":11`,
		`"type":"response.completed",` + response + `"completed","output":[` + reasoning + `,` + message + `,` + call + `],` +
			`"usage":{"input_tokens":7,"input_tokens_details":{"cached_tokens":5},"output_tokens":2,"output_tokens_details":{"reasoning_tokens":1},"total_tokens":9}},"sequence_number":12`,
	}
	var got []string
	for line := range strings.Lines(send()) {
		if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: "); ok {
			got = append(got, strings.TrimSuffix(strings.TrimPrefix(data, "{"), "}"))
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("sent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, want := range []string{`"incomplete_details":{"reason":"max_output_tokens"}`, `"error":{"code":"server_error"`, `"call_id":"a"`} {
		if text := send(); !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if r := s.Requests(); len(r[0].Responses.Input) != 8 || r[0].Body.Model != "" {
		t.Errorf("recorded %+v", r[0])
	}
}
