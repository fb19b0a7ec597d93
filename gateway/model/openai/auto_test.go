package openai_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/openai"
	"github.com/askgate/askgate/gateway/model/upstream"
)

const (
	chatPath      = "/v1/chat/completions"
	responsesPath = "/v1/responses"
	// A1: litellm#34569, July 2026
	useResponses = `400 {"error":{"message":"Function tools with reasoning_effort are not supported for gpt-5.6-luna in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.","type":"invalid_request_error","param":"reasoning_effort","code":null}}`
)

var responded = data(`{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hi"}`,
	`{"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[],"usage":{"input_tokens":1,"output_tokens":1}}}`)

// claims.Ask runs a request, and returns its text, its maker and its error.
func askAuto(t *testing.T, m model.Model) (text, maker string, failed error) {
	t.Helper()
	for d, err := range m.Stream(t.Context(), model.Request{Messages: claims.Ask.Messages, Tools: []model.Definition{{Name: "ask_user"}}}) {
		text += string(d.Text)
		if d.Made != nil {
			maker = d.Made.By
		}
		failed = err
	}
	return text, maker, failed
}

// The address, or the configuration, determines which API of a server is used.
func TestTheAPIIsChosen(t *testing.T) {
	for base, want := range map[string]map[string]string{
		"https://api.openai.com/v1":                          {"": responsesPath, "auto": responsesPath, "chat": chatPath, "responses": responsesPath},
		"https://a.openai.azure.com/openai/v1/":              {"auto": "/openai/v1/responses", "chat": "/openai/v1/chat/completions"},
		"https://a.services.ai.azure.com/openai/v1":          {"auto": "/openai/v1/responses"},
		"https://a.openai.azure.com/openai/deployments/d":    {"auto": "/openai/deployments/d/chat/completions"},
		"https://a.openai.azure.com/openai/v10":              {"auto": "/openai/v10/chat/completions"},
		"https://api.openai.com.example.com/v1":              {"auto": chatPath},
		"http://x/v1":                                        {"auto": chatPath, "responses": responsesPath},
		"http://x/v1/responses":                              {"auto": responsesPath, "chat": responsesPath},
		"https://api.openai.com/v1/chat/completions":         {"auto": chatPath, "responses": chatPath},
		"https://a.openai.azure.com/v1/chat/completions?v=1": {"auto": chatPath},
	} {
		for api, path := range want {
			s := &scripted{answers: []string{good, good}}
			_, _, _ = askAuto(t, openai.NewAuto(openai.Options{BaseURL: base, Model: "m", Transport: s, MaxRetries: -1}, api))
			if len(s.paths) != 1 || s.paths[0] != path {
				t.Errorf("%s, %q: asked at %q, want %s", base, api, s.paths, path)
			}
		}
	}
}

// A server that requires its Responses API gets the same request there, and all later ones.
func TestTheServerSendsElsewhere(t *testing.T) {
	s := &scripted{answers: []string{useResponses, responded, responded, `404 {"error":{"message":"model not found"}}`, responded}}
	var learnt []string
	o := openai.Options{BaseURL: "http://x/v1", Model: "m", Transport: s, Notes: upstream.NewNotes(func(a upstream.Adaptation) { learnt = append(learnt, a.What) })}
	m := openai.NewAuto(o, "auto")
	for range 2 {
		if text, maker, err := askAuto(t, m); text != "Hi" || err != nil || maker != model.Maker("openai", "responses", "http://x/v1", "m") {
			t.Errorf("%q by %s, %v", text, maker, err)
		}
	}
	if text, _, err := askAuto(t, m); err == nil { // it has the API: something else is missing
		t.Errorf("%q, no error", text)
	}
	if text, _, err := askAuto(t, m); text != "Hi" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if !slices.Equal(s.paths, []string{chatPath, responsesPath, responsesPath, responsesPath, responsesPath}) || !slices.Equal(learnt, []string{"api"}) {
		t.Errorf("asked at %q, learnt %q", s.paths, learnt)
	}
}

// A server without a Responses API gets requests over the API that it does offer.
func TestTheServerHasNoOtherAPI(t *testing.T) {
	s := &scripted{answers: []string{useResponses, `404 {"detail":"Not Found"}`, useResponses, good, good}}
	m := openai.NewAuto(openai.Options{BaseURL: "http://x/v1", Model: "m", Transport: s, MaxRetries: -1}, "auto")
	for range 2 {
		if text, _, err := askAuto(t, m); text != "Hi" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	}
	if !slices.Equal(s.paths, []string{chatPath, responsesPath, chatPath, chatPath, chatPath}) || !strings.Contains(s.sent[4], `"reasoning_effort":"none"`) {
		t.Errorf("asked at %q, at last %s", s.paths, s.sent[len(s.sent)-1])
	}
}

// An error of Responses is the request's error; nothing is learned and remembered from it.
func TestAFailureElsewhereIsTold(t *testing.T) {
	s := &scripted{answers: []string{useResponses, `401 {"error":{"message":"no"}}`, good}}
	m := openai.NewAuto(openai.Options{BaseURL: "http://x/v1", Model: "m", Transport: s, MaxRetries: -1}, "")
	if text, _, err := askAuto(t, m); text != "" || err == nil || strings.Contains(err.Error(), "Responses") {
		t.Errorf("%q, %v", text, err)
	}
	if text, _, err := askAuto(t, m); text != "Hi" || err != nil || s.paths[2] != chatPath {
		t.Errorf("%q, %v, asked at %q", text, err, s.paths)
	}
}

// Both APIs together get at most six requests for one answer.
func TestRequestsToBothAPIsCountTogether(t *testing.T) {
	refused := func(field string) string {
		return `400 {"error":{"message":"Unsupported parameter: '` + field + `' is not supported with this model.","type":"invalid_request_error","param":"` + field + `","code":"unsupported_parameter"}}`
	}
	temperature := 1.0
	s := &scripted{answers: []string{
		useResponses, refused("temperature"), refused("max_output_tokens"), refused("reasoning.effort"), refused("include"), refused("tools[0].strict"), good, good,
	}}
	o := openai.Options{BaseURL: "http://x/v1", Model: "m", Transport: s, MaxRetries: -1, Temperature: &temperature, MaxTokens: 100, Effort: "low"}
	if text, _, err := askAuto(t, openai.NewAuto(o, "auto")); text != "" || err == nil || len(s.paths) != 6 {
		t.Errorf("%q, %v, asked at %q", text, err, s.paths)
	}
}

// A refusal within a stream that the client adapts to is among the refusals that operators see.
func TestARefusalWithinTheStreamIsNoted(t *testing.T) {
	s := &scripted{answers: []string{
		data(`{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","type":"invalid_request_error","param":"temperature","code":400}}`), good,
	}}
	temperature, notes := 1.0, upstream.NewNotes(nil)
	o := openai.Options{BaseURL: "http://x/v1", Model: "m", Transport: s, MaxRetries: -1, Temperature: &temperature, Notes: notes}
	text, _, err := askAuto(t, openai.NewAuto(o, "chat"))
	if _, refusals := notes.List(); text != "Hi" || err != nil || len(refusals) != 1 || !strings.Contains(refusals[0].Reason, "'temperature'") {
		t.Errorf("%q, %v, refused %+v", text, err, refusals)
	}
}
