package modeltest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

const sound = `{"model":"m","messages":[
 {"role":"system","content":"s"},{"role":"user","content":"u"},
 {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},
 {"role":"tool","tool_call_id":"b","content":""},{"role":"tool","tool_call_id":"a","content":"x"},
 {"role":"assistant","content":"done"},{"role":"user","content":"more"}],
 "tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"description":{"type":"array","items":{"type":"string","description":"i"}}},"additionalProperties":false}}}]}`

func TestCheckAcceptsASoundHistory(t *testing.T) {
	body, found := modeltest.Check([]byte(sound))
	if len(found) > 0 || len(body.Messages) != 7 || body.Messages[1].Text() != "u" {
		t.Errorf("%q in %+v", found, body)
	}
}

func TestCheckFindsWhatStrictProvidersRefuse(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"no model":            {`"model":"m",`, ``, "no model"},
		"call without result": {`{"role":"tool","tool_call_id":"a","content":"x"},`, ``, `call "a" has no result`},
		"late result":         {`{"role":"tool","tool_call_id":"a","content":"x"},`, `{"role":"user","content":"?"},{"role":"tool","tool_call_id":"a","content":"x"},`, `call "a" has no result directly after it (before message 4)`},
		"result twice":        {`{"role":"tool","tool_call_id":"a","content":"x"},`, `{"role":"tool","tool_call_id":"a","content":"x"},{"role":"tool","tool_call_id":"a","content":"x"},`, "not an open call"},
		"stray result":        {`{"role":"user","content":"more"}`, `{"role":"tool","tool_call_id":"z","content":"x"}`, "not an open call"},
		"id twice":            {`"id":"b"`, `"id":"a"`, "used twice"},
		"empty id":            {`"id":"b"`, `"id":""`, "without id"},
		"arguments":           {`"arguments":"{}"}},`, `"arguments":"{"}},`, "not JSON"},
		"call type":           {`"id":"a","type":"function"`, `"id":"a"`, "of type"},
		"call name":           {`"name":"f","arguments":"{}"}},`, `"name":"f g","arguments":"{}"}},`, "function name"},
		"blank assistant":     {`"content":"done"`, `"content":" \n"`, "blank assistant"},
		"null assistant":      {`"content":"done"`, `"content":null`, "no content"},
		"parts":               {`"content":"done"`, `"content":[{"type":"text","text":"done"}]`, "not a plain string"},
		"blank user":          {`"content":"more"`, `"content":""`, "blank user"},
		"second system":       {`{"role":"user","content":"more"}`, `{"role":"system","content":"s"},{"role":"user","content":"more"}`, "not first"},
		"role":                {`{"role":"user","content":"more"}`, `{"role":"developer","content":"s"},{"role":"user","content":"more"}`, "unknown role"},
		"assistant last":      {`,{"role":"user","content":"more"}`, ``, "nothing to answer"},
		"localised tool":      {`"description":"d"`, `"description":{"en":"d"}`, "description is not a plain string"},
		"localised depth":     {`"description":"i"`, `"description":{"en":"i"}`, "parameters.properties.description.items.description"},
		"no schema object":    {`"parameters":{"type":"object"`, `"parameters":{"type":"string"`, "not a schema of type object"},
		"empty tools":         {`"tools":[`, `"tools":[],"x":[`, "empty"},
		"no messages":         {`"messages":[`, `"messages":[],"x":[`, "no messages"},
		"no JSON":             {`{"model"`, `{model`, "not a Chat Completions request"},
		"no UTF-8":            {`"content":"u"`, "\"content\":\"\xff\"", "not UTF-8"},
		"wrong types":         {`"content":"done"`, `"content":5`, "not a plain string"},
		"odd schema":          {`"additionalProperties":false`, `"items":5`, "is not a schema"},
	} {
		t.Run(name, func(t *testing.T) {
			raw := strings.Replace(sound, c.old, c.new, 1)
			if raw == sound {
				t.Fatal("nothing was replaced")
			}
			_, found := modeltest.Check([]byte(raw))
			if len(found) == 0 || !strings.Contains(strings.Join(found, "\n"), c.want) {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(sound))
	f.Add([]byte(`{"tools":[{"function":{"parameters":{"properties":[],"anyOf":{"items":[]}}}}]}`))
	f.Fuzz(func(_ *testing.T, raw []byte) { modeltest.Check(raw) })
}

func post(t *testing.T, c *http.Client, url, body string) (int, http.Header, string, error) {
	t.Helper()
	resp, err := c.Post(url+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		return 0, nil, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, string(text), err
}

// failures is a TB that records what the server reports.
type failures struct {
	list    []string
	cleanup func()
}

func (*failures) Helper() {}
func (f *failures) Errorf(format string, a ...any) {
	f.list = append(f.list, fmt.Sprintf(format, a...))
}
func (f *failures) Cleanup(c func()) { f.cleanup = c }

func TestTheServerPlaysItsScriptAndReportsViolations(t *testing.T) {
	var f failures
	s := modeltest.New(&f,
		modeltest.Response{modeltest.Raw(": hi\n"), modeltest.Text("a\n"), modeltest.Reasoning("r"), modeltest.Call(-1, "c", "f", `{"x`), modeltest.Finish("stop"), modeltest.Tokens(1, 2), modeltest.Done()},
		modeltest.Status(429, `{}`, "Retry-After", "3"),
		modeltest.Response{modeltest.Raw("data: {"), modeltest.Cut()},
	)
	status, header, text, err := post(t, s.Client(), s.URL, sound)
	for _, part := range []string{": hi\n", `"content":"a\n"`, `"reasoning_content":"r"`, `{"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"x"}}]}`, `"finish_reason":"stop"`, `"prompt_tokens":1,"completion_tokens":2`, "data: [DONE]\n\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
	if status != 200 || header.Get("Content-Type") != "text/event-stream" || err != nil {
		t.Error(status, header, err)
	}
	if status, header, text, _ := post(t, s.Client(), s.URL, sound); status != 429 || header.Get("Retry-After") != "3" || text != "{}" {
		t.Error(status, header, text)
	}
	if _, _, text, err := post(t, s.Client(), s.URL, `{}`); err == nil || text != "data: {" {
		t.Errorf("a cut gives %q, %v", text, err)
	}
	if status, _, _, _ := post(t, s.Client(), s.URL, sound); status != 400 {
		t.Errorf("beyond the script: %d", status)
	}
	if r := s.Requests(); len(r) != 4 || string(r[0].Raw) != sound || r[0].Body.Model != "m" || r[0].Header.Get("Content-Type") != "application/json" {
		t.Errorf("recorded %+v", r)
	}
	f.cleanup()
	want := []string{"upstream: request 2: no model", "upstream: request 2: no messages", "upstream: request 3: the script has ended"}
	if strings.Join(f.list, "|") != strings.Join(want, "|") {
		t.Errorf("reported %q", f.list)
	}
}

func TestDelaysAndStallsUseTheBubblesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.NewMemory(t, modeltest.Response{modeltest.Delay(time.Hour), modeltest.Text("a")}, modeltest.Response{modeltest.Stall()})
		start := time.Now()
		if _, _, text, err := post(t, s.Client(), s.URL, sound); err != nil || time.Since(start) != time.Hour || !strings.Contains(text, `"a"`) {
			t.Errorf("%q after %v: %v", text, time.Since(start), err)
		}
		c := *s.Client()
		c.Timeout = time.Minute
		if _, _, _, err := post(t, &c, s.URL, sound); err == nil || time.Since(start) != time.Hour+time.Minute {
			t.Errorf("a stall ends after %v: %v", time.Since(start), err)
		}
	})
}

func TestScriptsFromJSON(t *testing.T) {
	script, err := modeltest.ParseScript([]byte(`[
		{"answer":"Hello you"}, {"calls":[{"id":"a","name":"f","arguments":{"x":1}},{"name":"g","arguments":"{bad"}]},
		[{"text":"a"},{"delay":"150ms"},{"call":{"index":0,"id":"c","name":"f","arguments":"{"}},{"usage":{"input":1,"output":2}},{"cut":true}],
		[{"status":429,"headers":{"Retry-After":"1"},"body":"{}"}]]`))
	if err != nil || len(script) != 4 {
		t.Fatal(script, err)
	}
	if len(script[0]) != 5 || script[0][1].Text != "you" {
		t.Errorf("answer %+v", script[0])
	}
	if call := script[1][2].Call; call.Arguments != `":1}` || script[1][4].Call.Arguments+script[1][5].Call.Arguments != "{bad" {
		t.Errorf("calls %+v", script[1])
	}
	if script[2][1].Delay != modeltest.Duration(150*time.Millisecond) || *script[2][2].Call.Index != 0 || !script[2][4].Cut || script[3][0].Status != 429 {
		t.Errorf("steps %+v", script[2:])
	}
	for _, bad := range []string{`{}`, `[5]`, `[{"anser":"x"}]`, `[[{"delay":5}]]`, `[[{"delay":"soon"}]]`, `[[{"txt":"x"}]]`, ``} {
		if _, err := modeltest.ParseScript([]byte(bad)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

func TestStrictRefuses(t *testing.T) {
	s := modeltest.NewFunc(nil, func(int, modeltest.Request) modeltest.Response {
		return modeltest.Calls(model.ToolCall{ID: "a", Name: "f", Arguments: "{}"})
	})
	defer s.Close()
	s.Strict = true
	if status, _, text, _ := post(t, s.Client(), s.URL, `{"model":"m"}`); status != 400 || !strings.Contains(text, "no messages") {
		t.Errorf("%d %s", status, text)
	}
	if status, _, _, _ := post(t, s.Client(), s.URL, sound); status != 200 {
		t.Errorf("a valid request: %d", status)
	}
	if len(s.Violations()) != 1 {
		t.Errorf("%q", s.Violations())
	}
}

func TestTheGenerator(t *testing.T) {
	for _, g := range []modeltest.Generator{{Chunks: 1000, Size: 30}, {Chunks: 50, Rate: 100000, Size: 30, Stamp: true}, {Chunks: 3, Stamp: true}} {
		server := httptest.NewServer(g)
		_, _, text, err := post(t, server.Client(), server.URL, sound)
		server.Close()
		if err != nil || strings.Count(text, `"content":"`) != g.Chunks || !strings.HasSuffix(text, "data: [DONE]\n\n") {
			t.Errorf("%+v: %d bytes, %v", g, len(text), err)
		}
		_, content, _ := strings.Cut(text, `"content":"`)
		content, _, _ = strings.Cut(content, `"`)
		if g.Size > 0 && len(content) != g.Size {
			t.Errorf("%+v: content %q", g, content)
		}
		if g.Stamp {
			if ns, err := strconv.ParseInt(content[:19], 10, 64); err != nil || time.Since(time.Unix(0, ns)) > time.Hour {
				t.Errorf("stamp %q: %v", content, err)
			}
		}
	}
}
