package responses_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/responses"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// refusal is an error in OpenAI's words.
func refusal(message, param, code string) modeltest.Response {
	quoted := func(s string) string {
		if s == "" {
			return "null"
		}
		return fmt.Sprintf("%q", s)
	}
	return modeltest.Status(400, fmt.Sprintf(`{"error":{"message":%q,"type":"invalid_request_error","param":%s,"code":%s}}`, message, quoted(param), quoted(code)))
}

// A part that is refused is left out, or changed, once; later requests already omit it, and
// everything else stays.
func TestWhatTheServerRefusesIsLeftOut(t *testing.T) {
	temperature := 0.7
	o := responses.Options{Model: "m", Effort: "max", Show: true, MaxTokens: 4000}
	req := model.Request{Temperature: &temperature, Messages: []model.Message{{Role: model.RoleUser, Content: "Go"}}, Tools: []model.Definition{{Name: "ask_user"}, {Name: "clock"}}}
	const (
		effort  = `"reasoning":{"effort":"max","summary":"auto"},`
		include = `"include":["reasoning.encrypted_content"],`
		warm    = `"temperature":0.7,`
		clock   = `,{"type":"function","name":"clock","parameters":{"type":"object","properties":{}},"strict":false}`
	)
	for name, c := range map[string]struct {
		refusal        modeltest.Response
		what, old, new string
	}{
		// vercel/ai, fixture reasoning-model-temperature-error
		"temperature": {refusal("Unsupported parameter: 'temperature' is not supported with this model.", "temperature", ""), "temperature", warm, ""},
		// continue#12031, 2026-04-03
		"summary": {refusal("Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization.", "reasoning.summary", "unsupported_value"), "reasoning_summary", `,"summary":"auto"`, ""},
		// litellm-docs#1173, 2026-09-03; the parameter as Responses names it
		"a value of the effort": {refusal("Unsupported value: 'max' is not supported with the 'm' model. Supported values are: 'low', 'medium', 'high', and 'xhigh'.", "reasoning.effort", "unsupported_value"), "reasoning_effort", `"effort":"max"`, `"effort":"xhigh"`},
		// baml#2708, 2025-11-08
		"effort": {refusal("Unsupported parameter: 'reasoning.effort' is not supported with this model.", "reasoning.effort", "unsupported_parameter"), "reasoning_effort", effort, ""},
		// hermes-agent#24234, 2026-05-12
		"include": {refusal("Encrypted content is not supported with this model.", "include", ""), "include", include, ""},
		// docs.apiyi.com function-calling, June 2026
		"a tool": {refusal("Invalid schema for function 'clock': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'.", "tools[1].parameters", "invalid_function_parameters"), "tool", clock, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, c.refusal, modeltest.Answer("Hi"), modeltest.Answer("Hi"))
			o := o
			o.BaseURL, o.Notes = s.URL, upstream.NewNotes(nil)
			client := responses.New(o)
			for range 2 {
				if g := claims.Read(t, client, req); g.Text != "Hi" || g.Forgot {
					t.Fatalf("%s (%v)", g, g.Err)
				}
			}
			sent := s.Requests()
			want := strings.Replace(string(sent[0].Raw), c.old, c.new, 1)
			if want == string(sent[0].Raw) || len(sent) != 3 || string(sent[1].Raw) != want || string(sent[2].Raw) != want {
				t.Errorf("%d requests, the first\n%s\nthe last\n%s", len(sent), sent[0].Raw, sent[len(sent)-1].Raw)
			}
			if learnt, _ := o.Notes.List(); len(learnt) != 1 || learnt[0].What != c.what {
				t.Errorf("learnt %+v", learnt)
			}
		})
	}
}

func TestStateThatTheServerRefusesGoesOutWhole(t *testing.T) {
	for name, refused := range map[string]modeltest.Response{
		// codex#8132, 2025-12-16
		"encrypted content": refusal("The encrypted content gAAA...Rg== could not be verified.", "", "invalid_encrypted_content"),
		// vercel/ai#7543, 2025-07-25
		"not stored": modeltest.Status(404, `{"error":{"message":"Item with id 'rs_1' not found. Items are not persisted when `+"`store`"+` is set to false. Try again with `+"`store`"+` set to true, or remove this item from your input.","type":"invalid_request_error","param":"input","code":null}}`),
		// mastra#8738
		"pairs": refusal("Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.", "input", ""),
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, refused, modeltest.Answer("Hi"), modeltest.Answer("Hi"))
			client := responses.New(responses.Options{BaseURL: s.URL, Model: "m"})
			m := own(`[{`+sealed+`},{`+calculate+`}]`, "call_AB6")
			m.Made.By = model.Maker("openai", "responses", s.URL, "m")
			g := claims.Read(t, client, model.Request{Messages: results(m)})
			if g.Text != "Hi" || !g.Forgot {
				t.Fatalf("%s, forgot %v (%v)", g, g.Forgot, g.Err)
			}
			first, second := s.Requests()[0].Responses.Input, s.Requests()[1].Responses.Input
			if first[1].Type != "reasoning" || len(second) != 4 || second[1].Type != "message" || second[2].CallID != "call_AB6" || second[3].CallID != "call_AB6" {
				t.Errorf("sent %+v", second)
			}
			// The engine no longer sends that state; later state is sent back again.
			if g := claims.Read(t, client, model.Request{Messages: results(m)}); g.Forgot || s.Requests()[2].Responses.Input[1].Type != "reasoning" {
				t.Errorf("forgot %v, sent %+v", g.Forgot, s.Requests()[2].Responses.Input)
			}
		})
	}
}

func TestAskUserIsNeverLeftOut(t *testing.T) {
	s := modeltest.New(t, refusal("Invalid schema for function 'ask_user': no.", "tools[0].parameters", "invalid_function_parameters"), modeltest.Answer("Hi"))
	g := claims.Read(t, responses.New(responses.Options{BaseURL: s.URL, Model: "m"}), model.Request{Messages: claims.Ask.Messages, Tools: []model.Definition{{Name: "ask_user"}}})
	if g.Err == nil || len(s.Requests()) != 1 {
		t.Errorf("%s after %d requests", g, len(s.Requests()))
	}
}

// A phase that another server does not know is removed from the items, which are otherwise
// unchanged.
func TestAPhaseThatIsRefusedIsTakenOut(t *testing.T) {
	s := modeltest.New(t, refusal("Unknown parameter: 'input[1].phase'.", "input[1].phase", "unknown_parameter"), modeltest.Answer("Hi"))
	m := own(`[{` + final + `}]`)
	m.Made.By = model.Maker("openai", "responses", s.URL, "m")
	history := append(results(m), model.Message{Role: model.RoleUser, Content: "More"})
	if g := claims.Read(t, responses.New(responses.Options{BaseURL: s.URL, Model: "m"}), model.Request{Messages: history}); g.Text != "Hi" || g.Forgot {
		t.Fatalf("%s (%v)", g, g.Err)
	}
	want := strings.Replace(string(s.Requests()[0].Raw), `,"phase":"final_answer"`, "", 1)
	if got := string(s.Requests()[1].Raw); got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
}

func TestWhatTheAdminWroteIsKept(t *testing.T) {
	s := modeltest.New(t, refusal("Unsupported parameter: 'temperature' is not supported with this model.", "temperature", ""))
	g := claims.Read(t, responses.New(responses.Options{BaseURL: s.URL, Model: "m", Body: map[string]json.RawMessage{"temperature": json.RawMessage("1")}}), claims.Ask)
	if g.Err == nil || len(s.Requests()) != 1 {
		t.Errorf("%s after %d requests", g, len(s.Requests()))
	}
}

// A proxy that has begun to respond can refuse only within the stream.
func TestARefusalWithinTheStreamIsReadLikewise(t *testing.T) {
	temperature := 0.7
	s := modeltest.New(t, modeltest.Response{modeltest.Raw(stream(created, `{"type":"error","error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","type":"invalid_request_error","param":"temperature","code":null}}`))}, modeltest.Answer("Hi"))
	g := claims.Read(t, responses.New(responses.Options{BaseURL: s.URL, Model: "m", MaxRetries: -1}), model.Request{Messages: claims.Ask.Messages, Temperature: &temperature})
	if g.Text != "Hi" || len(s.Requests()) != 2 || s.Requests()[1].Responses.Temperature != nil {
		t.Errorf("%s after %d requests (%v)", g, len(s.Requests()), g.Err)
	}
}
