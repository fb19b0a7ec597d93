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

func TestCheckMessagesAcceptsASoundHistory(t *testing.T) {
	body, found := modeltest.CheckMessages(versioned, []byte(soundMessages))
	if len(found) > 0 || len(body.Messages) != 3 || *body.Messages[0].Content[0].Text != "u" || *body.MaxTokens != 9 {
		t.Errorf("%q in %+v", found, body)
	}
}

func TestCheckMessagesFindsWhatTheAPIRefuses(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"no model":            {`"model":"m",`, ``, "no model"},
		"no max_tokens":       {`"max_tokens":9,`, ``, "no max_tokens"},
		"max_tokens 0":        {`"max_tokens":9`, `"max_tokens":0`, "below 1"},
		"unknown key":         {`"stream":true`, `"stream_options":{}`, "unknown field"},
		"temperature":         {`"temperature":1`, `"temperature":1.5`, "not from 0 to 1"},
		"blank system":        {`"system":"s"`, `"system":" "`, "blank system"},
		"role":                {`{"role":"user","content":[{"type":"text"`, `{"role":"system","content":[{"type":"text"`, "unknown role"},
		"assistant first":     {`{"role":"user","content":[{"type":"text","text":"u"}]},`, ``, "not the user's"},
		"no alternation":      {`{"role":"assistant","content":[`, `{"role":"user","content":[{"type":"text","text":"u"}]},{"role":"assistant","content":[`, "do not alternate"},
		"empty message":       {`{"type":"text","text":"u"}`, ``, "no content"},
		"blank text":          {`{"type":"text","text":"t"}`, `{"type":"text","text":" \n"}`, "blank text"},
		"no text":             {`{"type":"text","text":"t"}`, `{"type":"text"}`, "blank text"},
		"image":               {`{"type":"text","text":"t"}`, `{"type":"image"}`, `of type "image"`},
		"image without bytes": {`{"type":"text","text":"more"}`, `{"type":"image","source":{"type":"base64","media_type":"image/png","data":""}}`, "empty"},
		"a PDF as an image":   {`{"type":"text","text":"more"}`, `{"type":"image","source":{"type":"base64","media_type":"application/pdf","data":"AA=="}}`, "application/pdf"},
		"title":               {`{"type":"text","text":"more"}`, `{"type":"document","title":"a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"AA=="}}`, `called "a.pdf"`},
		"unsigned thinking":   {`{"type":"text","text":"t"}`, `{"type":"thinking","thinking":"t"}`, "without its text or signature"},
		"marked thinking":     {`{"type":"text","text":"t"}`, `{"type":"thinking","thinking":"","signature":"s","cache_control":{"type":"ephemeral"}}`, "with cache_control"},
		"redacted, no data":   {`{"type":"text","text":"t"}`, `{"type":"redacted_thinking"}`, "without data"},
		"the user's thinking": {`{"type":"text","text":"u"}`, `{"type":"thinking","thinking":"t","signature":"s"}`, `of type "thinking"`},
		"five marks":          {`{"type":"text","text":"t"}`, strings.Repeat(`{"type":"text","text":"t","cache_control":{"type":"ephemeral"}},`, 5) + `{"type":"text","text":"t"}`, "Found 5"},
		"mark":                {`"text":"u"`, `"text":"u","cache_control":{"type":"forever"}`, "cache_control of type"},
		"system block":        {`"system":"s"`, `"system":[{"type":"text","text":""}]`, "blank system"},
		"result's block":      {`"content":"x"`, `"content":[{"type":"tool_use"}]`, `of type "tool_use"`},
		"low budget":          {`"stream":true`, `"thinking":{"type":"enabled","budget_tokens":5}`, "budget"},
		"thinking's type":     {`"stream":true`, `"thinking":{"type":"on"}`, "thinking of type"},
		"hot thinking":        {`"temperature":1`, `"temperature":0.5,"thinking":{"type":"adaptive"}`, "beside thinking"},
		"effort":              {`"stream":true`, `"output_config":{"effort":"none"}`, "effort"},
		"the user's call":     {`{"type":"text","text":"u"}`, `{"type":"tool_use","id":"u","name":"f","input":{}}`, `of type "tool_use"`},
		"odd id":              {`"id":"a"`, `"id":"f:0"`, "with the id"},
		"id twice":            {`"id":"b"`, `"id":"a"`, "used twice"},
		"name":                {`"id":"a","name":"f"`, `"id":"a","name":"f.g"`, "has the name"},
		"input":               {`"input":{}`, `"input":"{}"`, "no object"},
		"no input":            {`,"input":{}`, ``, "no object"},
		"call without result": {`{"type":"tool_result","tool_use_id":"a"},`, ``, `call "a" has no result`},
		"two user messages":   {`{"type":"tool_result","tool_use_id":"a"},`, `{"type":"text","text":"m"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},`, `call "a" has no result directly after it (before message 2)`},
		"late result":         {`{"type":"tool_result","tool_use_id":"a"},{"type":"text","text":"more"}`, `{"type":"text","text":"more"},{"type":"tool_result","tool_use_id":"a"}`, "not first"},
		"stray result":        {`"tool_use_id":"a"`, `"tool_use_id":"z"`, "no open tool_use"},
		"result twice":        {`"tool_use_id":"a"`, `"tool_use_id":"b"`, "no open tool_use"},
		"blank result":        {`"content":"x"`, `"content":""`, "blank tool_result"},
		"assistant last":      {`{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"x"},{"type":"tool_result","tool_use_id":"a"},{"type":"text","text":"more"}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"b"},{"type":"tool_result","tool_use_id":"a"}]},{"role":"assistant","content":[{"type":"text","text":"t"}]}`, "nothing to answer"},
		"no tools":            {`"tools":[{"name":"f","description":"d","input_schema":{"type":"object","properties":{"x":{"type":"string","description":"i"}}}}],`, ``, "but no tools"},
		"tool name":           {`{"name":"f","description"`, `{"name":"f g","description"`, "unsound"},
		"schema":              {`"input_schema":{"type":"object"`, `"input_schema":{"type":"string"`, "no schema of type object"},
		"schema at the top":   {`"input_schema":{"type":"object"`, `"input_schema":{"type":"object","anyOf":[{}]`, "anyOf at the top"},
		"argument name":       {`"properties":{"x"`, `"properties":{"ü"`, "an argument called"},
		"localised depth":     {`"description":"i"`, `"description":{"en":"i"}`, "input_schema.properties.x.description"},
		"tool choice":         {`{"type":"none"}`, `{"type":"some"}`, "tool_choice"},
		"no JSON":             {`{"model"`, `{model`, "no Messages API request"},
		"no UTF-8":            {`"text":"u"`, "\"text\":\"\xff\"", "not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			raw := strings.Replace(soundMessages, c.old, c.new, 1)
			if raw == soundMessages {
				t.Fatal("nothing was replaced")
			}
			_, found := modeltest.CheckMessages(versioned, []byte(raw))
			if len(found) == 0 || !strings.Contains(strings.Join(found, "\n"), c.want) {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
	if _, found := modeltest.CheckMessages(http.Header{}, []byte(soundMessages)); len(found) != 1 || !strings.Contains(found[0], "anthropic-version") {
		t.Errorf("without the version's header: %q", found)
	}
	if _, found := modeltest.CheckMessages(versioned, []byte(`{"model":"m","max_tokens":1,"messages":[]}`)); len(found) != 1 || found[0] != "no messages" {
		t.Errorf("without messages: %q", found)
	}
}

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
	if text := send(); strings.Count(text, "content_block_start") != 2 || !strings.Contains(text, `"stop_reason":"tool_use"`) { // in the event's name and its type
		t.Errorf("a whole answer of calls: %s", text)
	}
	if r := s.Requests(); len(r[0].Messages.Messages) != 3 || r[0].Body.Model != "" {
		t.Errorf("recorded %+v", r[0])
	}
}
