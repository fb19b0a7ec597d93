package modeltest_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

const soundGemini = `{"generationConfig":{"temperature":1,"maxOutputTokens":9,"thinkingConfig":{"thinkingLevel":"low","includeThoughts":true}},
 "tools":[{"functionDeclarations":[{"name":"f","description":"d","parameters":{"type":"object","properties":{"x":{"type":"string","enum":["a"]},"y":{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"object"}]}}},"required":["x"]}},{"name":"g"}]}],
 "systemInstruction":{"parts":[{"text":"s"}]},"contents":[
 {"role":"user","parts":[{"text":"u"},{"inlineData":{"mimeType":"image/png","data":"AA=="}}]},
 {"role":"model","parts":[{"text":"t","thought":true},{"text":"","thoughtSignature":"e"},{"functionCall":{"id":"a","name":"f","args":{}},"thoughtSignature":"s"},{"functionCall":{"id":"b","name":"g"}}]},
 {"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":"A"}}},{"functionResponse":{"id":"b","name":"g","response":{"output":""}}}]}]}`

func geminiAddress(query string) *url.URL {
	return &url.URL{Path: "/v1beta/models/gemini-3-pro:streamGenerateContent", RawQuery: query}
}

func TestCheckGeminiAcceptsASoundHistory(t *testing.T) {
	if body, found := modeltest.CheckGemini(geminiAddress("alt=sse"), http.Header{}, []byte(soundGemini)); len(found) > 0 || len(body.Contents) != 3 {
		t.Errorf("%q in %+v", found, body)
	}
}

func TestCheckGeminiFindsWhatTheAPIRefuses(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"unknown key":           {`"contents"`, `"tool_choice":{},"contents"`, "unknown field"},
		"assistant":             {`"role":"model"`, `"role":"assistant"`, "unknown role"},
		"model first":           {`{"role":"user","parts":[{"text":"u"},`, `{"role":"model","parts":[{"text":"u"}]},{"role":"user","parts":[`, "first content"},
		"two of the model's":    {`{"role":"model"`, `{"role":"model","parts":[{"text":"u"}]},{"role":"model"`, "behind one of the model"},
		"no parts":              {`{"text":"u"},{"inlineData":{"mimeType":"image/png","data":"AA=="}}`, ``, "no parts"},
		"an empty part":         {`{"text":"u"}`, `{}`, "one initialized field"},
		"an empty text":         {`{"text":"u"}`, `{"text":""}`, "an empty text"},
		"a GIF":                 {`image/png`, `image/gif`, "Unsupported MIME type"},
		"no signature":          {`,"thoughtSignature":"s"`, ``, "missing a thought_signature"},
		"a response less":       {`,{"functionResponse":{"id":"b","name":"g","response":{"output":""}}}`, ``, "number of function response parts"},
		"text among responses":  {`[{"functionResponse"`, `[{"text":"u"},{"functionResponse"`, "not only functionResponse"},
		"another name":          {`{"id":"b","name":"g","response"`, `{"id":"b","name":"f","response"`, "the response 1 is of"},
		"another id":            {`{"id":"b","name":"g","response"`, `{"name":"g","response"`, "the response 1 is of"},
		"an id twice":           {`{"id":"b","name":"g"}`, `{"id":"a","name":"g"}`, "used twice"},
		"no response":           {`"response":{"output":""}`, `"response":null`, "without name or response"},
		"args":                  {`"args":{}`, `"args":[]`, "not an object"},
		"the model last":        {`{"role":"user","parts":[{"functionResponse"`, `{"role":"model","parts":[{"functionResponse"`, "nothing to answer"},
		"system role":           {`{"parts":[{"text":"s"}]}`, `{"role":"system","parts":[{"text":"s"}]}`, "systemInstruction"},
		"function name":         {`{"name":"g"}]}]`, `{"name":"1"}]}]`, "unsound"},
		"no properties":         {`"parameters":{`, `"parameters":{"type":"object"},"description":"","parameters":{"type":"object","properties":{}},"parameters":{"x":1,`, "Unknown name"},
		"additionalProperties":  {`"required":["x"]`, `"additionalProperties":false`, "Unknown name \"additionalProperties\""},
		"a list of types":       {`{"type":"string","enum"`, `{"type":["string","null"],"enum"`, "not repeating"},
		"a number's enum":       {`{"type":"string","enum":["a"]}`, `{"type":"integer","enum":["1"]}`, "only allowed for STRING"},
		"an empty text in enum": {`"enum":["a"]`, `"enum":[""]`, "only allowed for STRING"},
		"a format":              {`"enum":["a"]`, `"format":"uri"`, "'enum' and 'date-time'"},
		"no items":              {`"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"object"}]}`, `"type":"array"`, "items: missing field"},
		"required":              {`"required":["x"]`, `"required":["z"]`, "property is not defined"},
		"parameter name":        {`"x":{"type"`, `"x-y":{"type"`, "a parameter called"},
		"no JSON":               {`{"generationConfig"`, `{generationConfig`, "not a request of the Gemini API"},
		"no UTF-8":              {`"text":"u"`, "\"text\":\"\xff\"", "not UTF-8"},
	} {
		raw := strings.Replace(soundGemini, c.old, c.new, 1)
		if raw == soundGemini {
			t.Fatalf("%s: nothing was replaced", name)
		}
		if _, found := modeltest.CheckGemini(geminiAddress("alt=sse"), http.Header{}, []byte(raw)); !strings.Contains(strings.Join(found, "\n"), c.want) {
			t.Errorf("%s: found %q, want %q", name, found, c.want)
		}
	}
	for _, query := range []string{"", "alt=json", "alt=sse&key=k"} {
		if _, found := modeltest.CheckGemini(geminiAddress(query), http.Header{}, []byte(soundGemini)); len(found) != 1 {
			t.Errorf("?%s: %q", query, found)
		}
	}
	if _, found := modeltest.CheckGemini(geminiAddress("alt=sse"), http.Header{"Authorization": {"Bearer k"}}, []byte(`{"contents":[]}`)); len(found) != 2 {
		t.Errorf("%q", found)
	}
}

func FuzzCheckGemini(f *testing.F) {
	f.Add([]byte(soundGemini))
	f.Add([]byte(`{"contents":[{"parts":[{"functionCall":{"args":[]}},null]}],"tools":[{"functionDeclarations":[{"parameters":{"properties":[],"anyOf":{},"items":5,"required":{}}}]}]}`))
	f.Fuzz(func(_ *testing.T, raw []byte) { modeltest.CheckGemini(geminiAddress("alt=sse"), http.Header{}, raw) })
}

func TestTheSameScriptSpeaksGemini(t *testing.T) {
	s := modeltest.New(t, modeltest.Response{
		modeltest.Reasoning("r"), modeltest.Text("a"), modeltest.Call(0, "c", "f", `{"x"`), modeltest.Call(0, "", "", `:1}`), modeltest.Call(1, "", "g", ""),
		modeltest.Finish("tool_calls"), modeltest.Tokens(7, 2), modeltest.Done(),
	})
	resp, err := s.Client().Post(s.URL+"/models/gemini-3-pro:streamGenerateContent?alt=sse", "application/json", strings.NewReader(soundGemini))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(raw)) {
		if _, part, ok := strings.Cut(line, `"parts": [`); ok {
			part, _, _ = strings.Cut(part, `],"role"`)
			got = append(got, part)
		}
	}
	want := `{"text":"r","thought":true} {"text":"a"} {"functionCall":{"id":"c","name":"f","args":{"x":1}}} {"functionCall":{"name":"g","args":{}}}`
	if strings.Join(got, " ") != want || strings.Count(string(raw), `"finishReason":"STOP"`) != 1 || !strings.Contains(string(raw), `{"promptTokenCount":7,"candidatesTokenCount":2,"totalTokenCount":9}`) {
		t.Errorf("sent %s", raw)
	}
}
