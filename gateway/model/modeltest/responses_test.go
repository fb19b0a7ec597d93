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
 {"type":"function_call_output","call_id":"a","output":[{"type":"input_image","image_url":"data:image/png;base64,aa"}]},
 {"type":"message","role":"user","content":[{"type":"input_text","text":"more"},{"type":"input_file","filename":"f.pdf","file_data":"data:application/pdf;base64,aa"}]}],
 "tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object","properties":{"x":{"type":"string","description":"i"}}},"strict":false}]}`

func TestCheckResponsesAcceptsASoundHistory(t *testing.T) {
	body, found := modeltest.CheckResponses([]byte(soundResponses))
	if len(found) > 0 || len(body.Input) != 8 || body.Input[1].EncryptedContent != "g" || *body.MaxOutputTokens != 16 {
		t.Errorf("%q in %+v", found, body)
	}
}

func TestCheckResponsesFindsWhatTheAPIRefuses(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"no model":             {`"model":"m",`, ``, "no model"},
		"stored":               {`"store":false`, `"store":true`, "store"},
		"store by default":     {`"store":false,`, ``, "store"},
		"unknown key":          {`"stream":true`, `"messages":[]`, "unknown field"},
		"tool_choice":          {`"stream":true`, `"tool_choice":"required"`, "unknown field"},
		"blank instructions":   {`"instructions":"s"`, `"instructions":" "`, "blank instructions"},
		"output":               {`"max_output_tokens":16`, `"max_output_tokens":15`, "below 16"},
		"temperature":          {`"temperature":1`, `"temperature":2.5`, "not from 0 to 2"},
		"effort":               {`"effort":"low"`, `"effort":"very"`, "reasoning"},
		"summary":              {`"summary":"auto"`, `"summary":"none"`, "reasoning"},
		"include":              {`"include":["reasoning`, `"include":["thinking`, "include"},
		"item id":              {`{"type":"reasoning",`, `{"type":"reasoning","id":"rs_1",`, "not stored"},
		"call id of the item":  {`"call_id":"a","name"`, `"id":"fc_1","call_id":"a","name"`, "not stored"},
		"no type":              {`{"type":"message","role":"user","content":"u"}`, `{"role":"user","content":"u"}`, `of type ""`},
		"reference":            {`{"type":"message","role":"user","content":"u"}`, `{"type":"item_reference"}`, `of type "item_reference"`},
		"role":                 {`"role":"user","content":"u"`, `"role":"tool","content":"u"`, "unknown role"},
		"blank":                {`"content":"u"`, `"content":" "`, "blank message"},
		"no content":           {`,"content":"u"`, ``, "neither"},
		"user's output_text":   {`{"type":"input_text"`, `{"type":"output_text"`, `of type "output_text"`},
		"the model's input":    {`"content":[{"type":"output_text"`, `"content":[{"type":"input_text"`, `of type "input_text"`},
		"phase":                {`"phase":"commentary"`, `"phase":"end"`, "phase"},
		"bare reasoning":       {`"encrypted_content":"g",`, ``, "without encrypted_content"},
		"no summary":           {`,"summary":[{"type":"summary_text","text":"t"}]`, ``, "without summary"},
		"reasoning of nothing": {`"summary":[{"type":"summary_text","text":"t"}]},`, `"summary":[]},{"type":"message","role":"user","content":"u"},`, "required following item"},
		"call_id":              {`"call_id":"a","name"`, `"call_id":"` + strings.Repeat("a", 65) + `","name"`, "with the call_id"},
		"call_id twice":        {`"call_id":"b","name"`, `"call_id":"a","name"`, "used twice"},
		"name":                 {`"name":"f","arguments":"{}"`, `"name":"f.g","arguments":"{}"`, "has the name"},
		"no arguments":         {`,"arguments":"{}"`, ``, "no arguments"},
		"arguments":            {`"arguments":"{}"`, `"arguments":{}`, "not a Responses API request"},
		"no result":            {`{"type":"function_call_output","call_id":"b","output":"x"},`, ``, `call "b" has no result`},
		"stray result":         {`"call_id":"b","output"`, `"call_id":"z","output"`, "no tool call found"},
		"no output":            {`,"output":"x"`, ``, "neither"},
		"image":                {`data:image/png`, `https://x/image/png`, "input_image"},
		"file":                 {`"filename":"f.pdf",`, ``, "input_file"},
		"tool name":            {`"name":"f","description"`, `"name":"f g","description"`, "unsound"},
		"nested tool":          {`"name":"f","description":"d","parameters"`, `"function":{"name":"f"},"parameters"`, "unknown field"},
		"strict":               {`,"strict":false`, ``, "strict"},
		"schema":               {`"parameters":{"type":"object","properties":{"x":{"type":"string","description":"i"}}}`, `"parameters":{"type":"object"}`, "with properties"},
		"schema at the top":    {`"parameters":{"type":"object"`, `"parameters":{"type":"object","anyOf":[{}]`, "anyOf at the top"},
		"no JSON":              {`{"model"`, `{model`, "not a Responses API request"},
		"no UTF-8":             {`"content":"u"`, "\"content\":\"\xff\"", "not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			raw := strings.Replace(soundResponses, c.old, c.new, 1)
			if raw == soundResponses {
				t.Fatal("nothing was replaced")
			}
			_, found := modeltest.CheckResponses([]byte(raw))
			if len(found) == 0 || !strings.Contains(strings.Join(found, "\n"), c.want) {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
	for body, want := range map[string]string{
		`{"model":"m","store":false,"input":[]}`: "no input",
		`{"model":"m","store":false,"input":[{"type":"message","role":"user","content":"u"},{"type":"message","role":"assistant","content":"t"}]}`: "the last item is a message: nothing to answer",
	} {
		if _, found := modeltest.CheckResponses([]byte(body)); len(found) != 1 || found[0] != want {
			t.Errorf("%s: %q", body, found)
		}
	}
}

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
