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
 "tools":[{"functionDeclarations":[{"name":"f","description":"d","parameters":{"type":"object","properties":{"x":{"type":"string","enum":["a"]},"y":{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"boolean"}]}}},"required":["x"]}},{"name":"g"}]}],
 "systemInstruction":{"parts":[{"text":"s"}]},"contents":[
 {"role":"user","parts":[{"text":"u"},{"inlineData":{"mimeType":"image/png","data":"AA=="}}]},
 {"role":"model","parts":[{"text":"t","thought":true},{"text":"","thoughtSignature":"e"},{"functionCall":{"id":"a","name":"f","args":{}},"thoughtSignature":"s"},{"functionCall":{"id":"b","name":"g"}}]},
 {"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":"A"}}},{"functionResponse":{"id":"b","name":"g","response":{"output":""}}}]}]}`

func geminiAddress(query string) *url.URL {
	return &url.URL{Path: "/v1beta/models/gemini-3-pro:streamGenerateContent", RawQuery: query}
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
