package modeltest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

const soundMessages = `{"model":"m","max_tokens":9,"system":"s","temperature":1,"stream":true,"messages":[
 {"role":"user","content":[{"type":"text","text":"u"}]},
 {"role":"assistant","content":[{"type":"text","text":"t"},{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{"x":1}}]},
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"x"},{"type":"tool_result","tool_use_id":"a"},{"type":"text","text":"more"}]}],
 "tools":[{"name":"f","description":"d","input_schema":{"type":"object","properties":{"x":{"type":"string","description":"i"}}}}],"tool_choice":{"type":"none"}}`

var versioned = http.Header{"Anthropic-Version": {"2023-06-01"}}

func FuzzCheckMessages(f *testing.F) {
	f.Add([]byte(soundMessages))
	f.Add([]byte(`{"tools":[{"input_schema":{"properties":[],"anyOf":{"items":[]}}}],"messages":[{"content":[{"type":"tool_use"}]}]}`))
	f.Fuzz(func(_ *testing.T, raw []byte) { modeltest.CheckMessages(versioned, raw) })
}

func TestTheSameScriptSpeaksMessages(t *testing.T) {
	s := modeltest.New(t, modeltest.Response{
		modeltest.Reasoning("r"), modeltest.Text("a\n"), modeltest.Text("b"), modeltest.Call(0, "c", "f", `{"x"`), modeltest.Call(0, "", "", `:1}`), modeltest.Call(1, "d", "g", ""),
		modeltest.Finish("tool_calls"), modeltest.Tokens(7, 2), modeltest.Done(),
	}, modeltest.Calls(model.ToolCall{ID: "a", Name: "f", Arguments: "{}"}))
	send := func() string {
		req, err := http.NewRequest(http.MethodPost, s.URL+"/messages", strings.NewReader(soundMessages))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = versioned.Clone()
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := []string{
		`"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"scripted","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":1}}`,
		`"type":"ping"`,
		`"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}`,
		`"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"r"}`,
		`"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"signature 0"}`,
		`"type":"content_block_stop","index":0`,
		`"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}`,
		`"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"a\n"}`,
		`"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"b"}`,
		`"type":"content_block_stop","index":1`,
		`"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c","name":"f","input":{}}`,
		`"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"x\""}`,
		`"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":":1}"}`,
		`"type":"content_block_stop","index":2`,
		`"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"d","name":"g","input":{}}`,
		`"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}`,
		`"type":"content_block_stop","index":3`,
		`"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":2}`,
		`"type":"message_stop"`,
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
	if text := send(); strings.Count(text, "content_block_start") != 2 || !strings.Contains(text, `"stop_reason":"tool_use"`) { // in the event's name and in its type
		t.Errorf("a complete answer of calls: %s", text)
	}
	if r := s.Requests(); len(r[0].Messages.Messages) != 3 || r[0].Body.Model != "" {
		t.Errorf("recorded %+v", r[0])
	}
}
