package gemini_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/gemini"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// roundTrip is a transport that responds to each request with an event stream.
type roundTrip func(*http.Request) string

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(f(r)))}, nil
}

// sent returns the request that a client makes, checked against the API's rules.
func sent(t *testing.T, o gemini.Options, req model.Request) (*http.Request, string) {
	t.Helper()
	var got *http.Request
	var raw []byte
	o.Transport = roundTrip(func(r *http.Request) string {
		got = r
		raw, _ = io.ReadAll(r.Body)
		if _, found := modeltest.CheckGemini(r.URL, r.Header, raw); len(found) > 0 {
			t.Errorf("%s\nin %s", strings.Join(found, "\n"), raw)
		}
		return events(said("STOP", `{"text":"a"}`))
	})
	if g := claims.Read(t, gemini.New(o), req); g.Err != nil {
		t.Fatal(g.Err)
	}
	return got, string(raw)
}

// contents returns the contents member of a request.
func contents(t *testing.T, body string) string {
	t.Helper()
	var w struct {
		Contents json.RawMessage `json:"contents"`
	}
	if err := json.Unmarshal([]byte(body), &w); err != nil {
		t.Fatal(err)
	}
	return string(w.Contents)
}

func user(text string) model.Message { return model.Message{Role: model.RoleUser, Content: text} }
func result(id, text string) model.Message {
	return model.Message{Role: model.RoleTool, ToolCallID: id, Content: text}
}

// made is an assistant's message with the maker of o.
func made(t *testing.T, o gemini.Options, text, state string, calls ...model.ToolCall) model.Message {
	t.Helper()
	o.Transport = &claims.Body{Text: events(said("STOP", `{"text":"a"}`))}
	m := model.Message{Role: model.RoleAssistant, Content: text, ToolCalls: calls, Made: *claims.Read(t, gemini.New(o), claims.Ask).Made}
	if state != "" {
		m.Made.State = json.RawMessage(state)
	}
	return m
}

func TestTheRequest(t *testing.T) {
	temperature := 0.5
	r, body := sent(t, gemini.Options{
		Model: "gemini-3-pro", APIKey: "secret-key", MaxTokens: 9000, Temperature: &temperature, Effort: "xhigh", Show: true,
		Header: http.Header{"X-Own": {"v"}}, Body: map[string]json.RawMessage{"generationConfig": json.RawMessage(`{"maxOutputTokens":500,"temperature":null}`)},
	}, model.Request{
		System: "Be brief.", Messages: []model.Message{user("Hi <b>")},
		Tools: []model.Definition{
			{Name: "ask_user", Description: "d", Parameters: json.RawMessage(`{"type":"object","properties":{"q":{"type":["string","null"],"const":"x"}},"required":["q"],"additionalProperties":false}`)},
			{Name: "now", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
		},
	})
	if got := r.URL.String(); got != "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse" {
		t.Errorf("sent to %s", got)
	}
	if r.Header.Get("X-Goog-Api-Key") != "secret-key" || r.Header.Get("X-Own") != "v" || r.Header.Get("Authorization") != "" {
		t.Errorf("headers %v", r.Header)
	}
	if want := `{"generationConfig":{"maxOutputTokens":500,"thinkingConfig":{"thinkingLevel":"high","includeThoughts":true}},` +
		`"tools":[{"functionDeclarations":[{"name":"ask_user","description":"d","parameters":{"type":"object","properties":{"q":{"type":"string","enum":["x"]}}}},{"name":"now"}]}],` +
		`"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"Hi <b>"}]}]}`; body != want {
		t.Errorf("sent\n%s\nwant\n%s", body, want)
	}
	if _, body = sent(t, gemini.Options{Model: "gemini-3-pro", Show: true}, claims.Ask); body != `{"contents":[{"role":"user","parts":[{"text":"secret words"}]}]}` {
		t.Errorf("without settings: %s", body)
	}
}

func TestAddresses(t *testing.T) {
	for _, c := range [][3]string{
		{"", "m", "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse"},
		{"https://x/v1beta/", "m", "https://x/v1beta/models/m:streamGenerateContent?alt=sse"},
		{"https://x/v1beta/models", "m", "https://x/v1beta/models/m:streamGenerateContent?alt=sse"},
		{"https://x/v1beta/models/m:streamGenerateContent?alt=json&a=b", "m", "https://x/v1beta/models/m:streamGenerateContent?a=b&alt=sse"},
		{"https://x/v1beta", "tunedModels/t", "https://x/v1beta/tunedModels/t:streamGenerateContent?alt=sse"},
		{"https://x/v1beta", "models/m", "https://x/v1beta/models/m:streamGenerateContent?alt=sse"},
	} {
		if r, _ := sent(t, gemini.Options{BaseURL: c[0], Model: c[1]}, claims.Ask); r.URL.String() != c[2] {
			t.Errorf("%s and %s: %s, want %s", c[0], c[1], r.URL, c[2])
		}
	}
}

func TestThinking(t *testing.T) {
	for _, c := range []struct {
		name, effort string
		most         int
		want         string
	}{
		{"gemini-3-pro", "low", 0, `{"thinkingLevel":"low"}`}, {"gemini-3.7-flash", "none", 0, `{"thinkingLevel":"minimal"}`},
		{"gemini-flash-latest", "max", 0, `{"thinkingLevel":"high"}`}, {"models/gemini-3-pro", "medium", 9, `{"thinkingLevel":"medium"}`},
		{"gemini-2.5-flash", "none", 0, `{"thinkingBudget":0}`}, {"gemini-2.5-flash", "high", 0, `{"thinkingBudget":16384}`},
		{"gemini-2.5-pro", "high", 8000, `{"thinkingBudget":4000}`}, {"models/gemini-2.5-pro", "low", 1500, `{"thinkingBudget":1024}`},
	} {
		_, body := sent(t, gemini.Options{Model: c.name, Effort: c.effort, MaxTokens: c.most}, claims.Ask)
		if !strings.Contains(body, `"thinkingConfig":`+c.want) {
			t.Errorf("%s, %s: %s", c.name, c.effort, body)
		}
	}
}

// State that a server handed out is sent back to it unchanged; ids that the engine replaced are
// those of the message.
func TestTheMakerGetsItsPartsBack(t *testing.T) {
	o := gemini.Options{Model: "gemini-3-pro"}
	a, b := model.ToolCall{ID: "a1", Name: "f", Arguments: `{"x":1}`}, model.ToolCall{ID: "b1", Name: "g", Arguments: `{}`}
	for name, c := range map[string]struct{ text, state, want, answers string }{
		"as it came": {
			"so ", `[{"text":"t","thought":true},3,{"functionCall": {"args":{ "x" : 1.0, "y":"\u003c" },"id":"a1","name":"f"},"thoughtSignature":"s<=="},{"functionCall":{"id":"b1","name":"g"}}]`,
			`{"text":"t","thought":true},{"text":"so "},{"functionCall": {"args":{ "x" : 1.0, "y":"\u003c" },"id":"a1","name":"f"},"thoughtSignature":"s<=="},{"functionCall":{"id":"b1","name":"g"}}`,
			`{"functionResponse":{"id":"a1","name":"f","response":{"output":"A"}}},{"functionResponse":{"id":"b1","name":"g","response":{"output":"B"}}}`,
		},
		"without ids": {
			"", `[{"functionCall":{"name":"f","args":{"x":1}},"thoughtSignature":"s"},{"functionCall":{"name":"g","args":{}}}]`,
			`{"functionCall":{"name":"f","args":{"x":1}},"thoughtSignature":"s"},{"functionCall":{"name":"g","args":{}}}`,
			`{"functionResponse":{"name":"f","response":{"output":"A"}}},{"functionResponse":{"name":"g","response":{"output":"B"}}}`,
		},
		"an id twice": {
			"", `[{"functionCall":{"id":"a1","name":"f","args":{"x":1}},"thoughtSignature":"s"},{"functionCall":{"id":"a1","name":"g","args":{"é":"<"}}}]`,
			`{"functionCall":{"id":"a1","name":"f","args":{"x":1}},"thoughtSignature":"s"},{"functionCall":{"args":{"é":"<"},"id":"b1","name":"g"}}`,
			`{"functionResponse":{"id":"a1","name":"f","response":{"output":"A"}}},{"functionResponse":{"id":"b1","name":"g","response":{"output":"B"}}}`,
		},
		"arguments that are a text": {
			"", `[{"functionCall":{"id":"a1","name":"f","args":"{\"x\":1}"},"thoughtSignature":"s"},{"functionCall":{"id":"b1","name":"g","args":"{"}}]`,
			`{"functionCall":{"args":{"x":1},"id":"a1","name":"f"},"thoughtSignature":"s"},{"functionCall":{"args":{},"id":"b1","name":"g"}}`,
			`{"functionResponse":{"id":"a1","name":"f","response":{"output":"A"}}},{"functionResponse":{"id":"b1","name":"g","response":{"output":"B"}}}`,
		},
		"texts around a signed one": {
			"one two three", `[4,{"text":"two","thoughtSignature":"x"},6,{"functionCall":{"id":"a1","name":"f","args":{}},"thoughtSignature":"s"},{"functionCall":{"id":"b1","name":"g","args":{}}}]`,
			`{"text":"one "},{"text":"two","thoughtSignature":"x"},{"text":" three"},{"functionCall":{"id":"a1","name":"f","args":{}},"thoughtSignature":"s"},{"functionCall":{"id":"b1","name":"g","args":{}}}`,
			`{"functionResponse":{"id":"a1","name":"f","response":{"output":"A"}}},{"functionResponse":{"id":"b1","name":"g","response":{"output":"B"}}}`,
		},
	} {
		_, body := sent(t, o, model.Request{Messages: []model.Message{user("u"), made(t, o, c.text, c.state, a, b), result("b1", "B"), result("a1", "A")}})
		if want := `[{"role":"user","parts":[{"text":"u"}]},{"role":"model","parts":[` + c.want + `]},{"role":"user","parts":[` + c.answers + `]}]`; contents(t, body) != want {
			t.Errorf("%s: sent\n%s\nwant\n%s", name, contents(t, body), want)
		}
	}
}

// State is not sent to any other server, or if it is damaged; the first call of a step then
// declares that its signature is not known.
func TestStateThatDoesNotFitIsNotSent(t *testing.T) {
	o := gemini.Options{Model: "gemini-3-pro"}
	a, b := model.ToolCall{ID: "functions.f:0", Name: "f", Arguments: `{"x":1}`}, model.ToolCall{ID: "call_2", Name: "g.h", Arguments: `[]`}
	generic := func(x, y string) string {
		return `[{"role":"user","parts":[{"text":"u"}]},{"role":"model","parts":[{"text":"so"},{"functionCall":{"id":"` + x + `","name":"f","args":{"x":1}},"thoughtSignature":"skip_thought_signature_validator"},` +
			`{"functionCall":{"id":"` + y + `","name":"g_h_daf359c8dc0ecab9","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"` + x + `","name":"f","response":{"error":"{\"error\":{}}"}}},` +
			`{"functionResponse":{"id":"` + y + `","name":"g_h_daf359c8dc0ecab9","response":{"output":"B"}}}]}]`
	}
	whole := `[2,{"functionCall":{"id":"functions.f:0","name":"f","args":{}},"thoughtSignature":"s"},{"functionCall":{"id":"call_2","name":"g.h","args":{}}}]`
	for name, m := range map[string]model.Message{
		"another model's":     made(t, gemini.Options{Model: "gemini-3-flash"}, "so", whole, a, b),
		"another address's":   made(t, gemini.Options{Model: "gemini-3-pro", BaseURL: "https://x/v1beta"}, "so", whole, a, b),
		"without a maker":     {Role: model.RoleAssistant, Content: "so", ToolCalls: []model.ToolCall{a, b}},
		"dropped":             made(t, o, "so", "", a, b),
		"no JSON":             made(t, o, "so", `[2`, a, b),
		"too few calls":       made(t, o, "so", `[2,{"functionCall":{"name":"f"}}]`, a, b),
		"too many calls":      made(t, o, "so", `[2,{"functionCall":{"name":"f"}},{"functionCall":{"name":"f"}},{"functionCall":{"name":"f"}}]`, a, b),
		"less text":           made(t, o, "so", `[1,{"functionCall":{"name":"f"}},{"functionCall":{"name":"f"}}]`, a, b),
		"more text":           made(t, o, "so", `[3,{"functionCall":{"name":"f"}},{"functionCall":{"name":"f"}}]`, a, b),
		"another signed text": made(t, o, "so", `[{"text":"si","thoughtSignature":"s"},{"functionCall":{"name":"f"}},{"functionCall":{"name":"f"}}]`, a, b),
		"of another kind":     made(t, o, "so", `["so",{"functionCall":{"name":"f"}},{"functionCall":{"name":"f"}}]`, a, b),
	} {
		_, body := sent(t, o, model.Request{Messages: []model.Message{user("u"), m, result(a.ID, `{"error":{}}`), result(b.ID, "B")}})
		want := generic(model.WireID(a.ID), model.WireID(b.ID))
		if m.Made.By == made(t, o, "", "").Made.By {
			want = generic(a.ID, b.ID)
		}
		if got := contents(t, body); got != want {
			t.Errorf("%s: sent\n%s\nwant\n%s", name, got, want)
		}
	}
	// Older models do not require one, and do not know the word.
	_, body := sent(t, gemini.Options{Model: "gemini-2.5-pro"}, model.Request{Messages: []model.Message{user("u"), {Role: model.RoleAssistant, ToolCalls: []model.ToolCall{a}}, result(a.ID, "A")}})
	if strings.Contains(body, "ignature") {
		t.Errorf("to 2.5: %s", body)
	}
	// The model's own steps without a signature at their calls get the word as well; steps with one
	// never do.
	for state, want := range map[string]int{
		`[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"g","args":{}}}]`:                        1,
		`[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"g","args":{}},"thoughtSignature":"s"}]`: 0,
	} {
		m := made(t, o, "", state, a, b)
		raw := ""
		func() {
			o := o
			o.Transport = roundTrip(func(r *http.Request) string {
				b, _ := io.ReadAll(r.Body)
				raw = string(b)
				return events(said("STOP"))
			})
			claims.Read(t, gemini.New(o), model.Request{Messages: []model.Message{user("u"), m, result(a.ID, "A"), result(b.ID, "B")}})
		}()
		if strings.Count(raw, "skip_thought_signature_validator") != want {
			t.Errorf("%s is sent as %s", state, raw)
		}
	}
}

func TestTheOrderOfContents(t *testing.T) {
	call := func(id string) model.ToolCall { return model.ToolCall{ID: id, Name: "f", Arguments: "{}"} }
	picture, gif := model.Image{Media: "image/png", Data: []byte{1}}, model.Image{Media: "image/gif", Data: []byte{2}}
	_, body := sent(t, gemini.Options{Model: "gemini-2.5-pro"}, model.Request{Messages: []model.Message{
		user("u"), user("v"),
		{Role: model.RoleAssistant, Content: " "},
		{Role: model.RoleAssistant, Content: "t"},
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{call("a"), call("b")}},
		{Role: model.RoleTool, ToolCallID: "b", Content: "B", Images: []model.Image{picture}},
		{Role: model.RoleTool, ToolCallID: "a", Content: "A", PDFs: []model.PDF{{Name: "p", Data: []byte{3}}}},
		{Role: model.RoleUser, Content: "w", Images: []model.Image{picture, gif}},
	}})
	var w modeltest.GeminiBody
	if err := json.Unmarshal([]byte(body), &w); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range w.Contents {
		line := c.Role
		for _, p := range c.Parts {
			switch {
			case p.Text != nil:
				line += " " + strings.Fields(*p.Text)[0]
			case p.Data != nil:
				line += " " + p.Data.Media
			case p.Call != nil:
				line += " call"
			case p.Response != nil:
				line += " " + p.Response.Response["output"].(string)
			}
		}
		got = append(got, line)
	}
	if want := []string{"user u v", "model t call call", "user A B", "user application/pdf image/png", "user w image/png [An"}; !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
	_, body = sent(t, gemini.Options{Model: "gemma-4-27b-it"}, model.Request{System: "s", Messages: []model.Message{user("u")}})
	if body != `{"contents":[{"role":"user","parts":[{"text":"s"},{"text":"u"}]}]}` {
		t.Errorf("to Gemma: %s", body)
	}
}

// A chat's next request begins with the bytes of the previous one, no matter which model made which
// message.
func TestARequestIsTheBeginningOfTheNext(t *testing.T) {
	o := gemini.Options{Model: "gemini-3-pro", Effort: "low"}
	c := model.ToolCall{ID: "a", Name: "f", Arguments: "{}"}
	history := []model.Message{
		user("u"), {Role: model.RoleAssistant, ToolCalls: []model.ToolCall{c}}, result("a", "A"),
		made(t, o, "", `[{"functionCall":{"name":"f"},"thoughtSignature":"s"}]`, model.ToolCall{ID: "b", Name: "f", Arguments: "{}"}), result("b", "B"),
		made(t, o, "so", `[2,{"text":"","thoughtSignature":"x"}]`), user("v"),
	}
	before := ""
	for _, n := range []int{1, 3, 5, 7} {
		_, body := sent(t, o, model.Request{System: "s", Messages: history[:n]})
		if !strings.HasPrefix(body, before) {
			t.Errorf("with %d messages\n%s\ndoes not begin with\n%s", n, body, before)
		}
		before = strings.TrimSuffix(body, "]}")
	}
}

func TestToolsWithoutAForm(t *testing.T) {
	var told []string
	notes := upstream.NewNotes(func(a upstream.Adaptation) { told = append(told, a.What+" "+a.Detail) })
	tools := []model.Definition{{Name: "bad", Parameters: json.RawMessage(`{"properties":{"größe":{"type":"string"}}}`)}, {Name: "1 good", Parameters: json.RawMessage(`{}`)}}
	var bodies []string
	c := gemini.New(gemini.Options{Model: "gemini-3-pro", Notes: notes, Transport: roundTrip(func(r *http.Request) string {
		b, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(b))
		return events(said("STOP", `{"functionCall":{"name":"_1_good_530c623b76eebc3e","args":{}}}`))
	})})
	for range 2 {
		g := claims.Read(t, c, model.Request{Messages: claims.Ask.Messages, Tools: tools})
		if len(g.Calls) != 1 || g.Calls[0].Name != "1 good" {
			t.Errorf("%s after %s", g, bodies)
		}
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], "tool the tool bad is left out: ") || strings.Contains(bodies[0], "bad") {
		t.Errorf("%q of %s was reported", told, bodies[0])
	}
	tools[0].Name = "ask_user"
	if g := claims.Read(t, c, model.Request{Messages: claims.Ask.Messages, Tools: tools}); g.Err == nil || !strings.Contains(g.Err.Error(), "ask_user") || len(bodies) != 2 {
		t.Errorf("without ask_user: %s", g)
	}
}

func TestTheAddressHasNoKey(t *testing.T) {
	r, _ := sent(t, gemini.Options{Model: "m", APIKey: "secret-key"}, claims.Ask)
	if u, _ := url.QueryUnescape(r.URL.String()); strings.Contains(u, "secret") {
		t.Errorf("sent to %s", u)
	}
}
