package mcp_test

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
)

// user is a client's own user, who gives one answer after another.
func user(t *testing.T, seen *[]*sdk.ElicitParams, answers ...*sdk.ElicitResult) *sdk.ClientOptions {
	return &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		*seen = append(*seen, r.Params)
		if len(answers) == 0 {
			t.Error("asked too often")
			return &sdk.ElicitResult{Action: "cancel"}, nil
		}
		a := answers[0]
		answers = answers[1:]
		return a, nil
	}}
}

func accept(content map[string]any) *sdk.ElicitResult {
	return &sdk.ElicitResult{Action: "accept", Content: content}
}

// A client that can ask its own user does so, in each version, if the app allows it; after an
// invalid answer it asks again.
func TestTheClientAsksItsUser(t *testing.T) {
	question := map[string]any{"question": "Which tag?", "validation": map[string]any{"pattern": "v[0-9]+", "message": "like v12"}}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			d := newDesk(t)
			d.app.MCP.Elicit = true
			var seen []*sdk.ElicitParams
			s := connect(t, d.url, version, user(t, &seen, accept(map[string]any{"q1": "twelve"}), accept(map[string]any{"q1": "v12"})))
			g := read(t, callTool(t, s, "ask_user", question))
			if want := (got{Status: "answered", Answers: map[string]any{"q1": "v12"}, Text: "v12"}); !reflect.DeepEqual(g, want) {
				t.Errorf("%+v", g)
			}
			if len(seen) != 2 || seen[0].Message != "Which tag?" || !strings.HasPrefix(seen[1].Message, "That is not an answer.") {
				t.Errorf("%+v", seen)
			}
			if d.only(t).State != tools.StateAnswered {
				t.Errorf("%+v", d.only(t))
			}
		})
	}
}

// A person who has read the form declines.
func TestTheClientsUserDeclines(t *testing.T) {
	for _, version := range versions {
		d := newDesk(t)
		d.app.MCP.Elicit = true
		s := connect(t, d.url, version, &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			d.ahead.Store(int64(2 * time.Second))
			return &sdk.ElicitResult{Action: "decline"}, nil
		}})
		if g := read(t, callTool(t, s, "ask_user", yesNo)); g.Status != "declined" || g.Note != "" {
			t.Errorf("%s: %+v", version, g)
		}
	}
}

// A form that is cancelled, or declined faster than a person can read, closes nothing: the call
// waits for another screen, and the result says whose answer it has.
func TestFormsThatNobodyReadCloseNothing(t *testing.T) {
	for _, version := range versions {
		for _, action := range []string{"decline", "cancel", "else"} {
			d := newDesk(t)
			d.app.MCP.Elicit = true
			var seen []*sdk.ElicitParams
			s := connect(t, d.url, version, user(t, &seen, &sdk.ElicitResult{Action: action}))
			go func() {
				<-d.waits
				if version < "2026" {
					<-d.taken
				}
				d.answer(t, d.only(t).ID, tools.Answer{Value: json.RawMessage(`"no"`)})
			}()
			g := read(t, callTool(t, s, "ask_user", yesNo))
			if g.Status != "answered" || g.Text != "no" || !strings.HasPrefix(g.Note, "alice answered on another screen") {
				t.Errorf("%s %s: %+v", version, action, g)
			}
		}
	}
}

// A form that is filled in after another screen has answered does not count.
func TestAFormThatIsLateDoesNotCount(t *testing.T) {
	for _, version := range versions {
		d := newDesk(t)
		d.app.MCP.Elicit = true
		s := connect(t, d.url, version, &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			d.answer(t, d.only(t).ID, tools.Answer{Value: json.RawMessage(`"no"`)})
			return accept(map[string]any{"q1": "yes"}), nil
		}})
		if g := read(t, callTool(t, s, "ask_user", yesNo)); g.Text != "no" || !strings.HasPrefix(g.Note, "alice answered on another screen") {
			t.Errorf("%s: %+v", version, g)
		}
	}
}

// A call that joins a question of its session does not ask the client's user again.
func TestOneFormAQuestion(t *testing.T) {
	for _, version := range versions[:2] {
		d := newDesk(t)
		d.app.MCP.Elicit = true
		asked := make(chan struct{}, 2)
		s := connect(t, d.url, version, &sdk.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		got := make(chan got, 2)
		for range 2 {
			go func() { got <- read(t, callTool(t, s, "ask_user", yesNo)) }()
		}
		<-d.waits
		<-d.waits
		<-asked
		d.answer(t, d.only(t).ID, tools.Answer{Value: json.RawMessage(`"no"`)})
		for range 2 {
			if g := <-got; g.Text != "no" {
				t.Errorf("%s: %+v", version, g)
			}
		}
		if len(asked) != 0 {
			t.Errorf("%s: its user was asked twice", version)
		}
	}
}

// No client asks its user where the app does not allow it, where another person is asked, or where
// the question asks for a file, which no form supports.
func TestNoClientAsksUnasked(t *testing.T) {
	for _, version := range versions {
		d := newDesk(t)
		var seen []*sdk.ElicitParams
		s := connect(t, d.url, version, user(t, &seen))
		callTool(t, s, "ask_user", map[string]any{"question": "Q", "wait": 0})
		d.app.MCP.Elicit = true
		callTool(t, s, "ask_user", map[string]any{"question": "Q", "wait": 0, "to": "bob"})
		callTool(t, s, "ask_user", map[string]any{"question": "Which list?", "input_type": "file", "wait": 0})
		cannot := connect(t, d.url, version, nil)
		callTool(t, cannot, "ask_user", map[string]any{"question": "Q", "wait": 0})
		if len(seen) > 0 || len(d.asked) != 4 {
			t.Errorf("%s: %d seen, %d asked", version, len(seen), len(d.asked))
		}
	}
}

// A call that requested input is continued by its state alone; a wrong state is refused, and an
// answer that arrived elsewhere meanwhile counts.
func TestStatesOfCalls(t *testing.T) {
	d := newDesk(t)
	d.app.MCP.Elicit = true
	opts := &sdk.ClientOptions{
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) { return nil, context.Canceled },
		MultiRoundTrip:     &sdk.MultiRoundTripOptions{Disabled: true},
	}
	s := connect(t, d.url, "2026-07-28", opts)
	res := callTool(t, s, "ask_user", yesNo)
	if !res.NeedsInput() || len(res.InputRequests) != 1 || res.RequestState == "" {
		t.Fatalf("%+v", res)
	}
	again := func(state string, content map[string]any) *sdk.CallToolResult {
		res, err := s.CallTool(t.Context(), &sdk.CallToolParams{
			Name: "ask_user", Arguments: yesNo, RequestState: state, InputResponses: sdk.InputResponseMap{"answer": accept(content)},
		})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for _, forged := range []string{"x", "sealed:", "sealed:{}", strings.TrimPrefix(res.RequestState, "sealed:"), `sealed:{"c":"clr_no","u":"2099-01-01T00:00:00Z"}`} {
		if got := again(forged, map[string]any{"q1": "yes"}); !got.IsError {
			t.Errorf("%s: %s", forged, text(got))
		}
	}
	if d.only(t).State != tools.StatePending {
		t.Fatal("answered")
	}
	if got := again(res.RequestState, map[string]any{}); !got.NeedsInput() {
		t.Errorf("%+v", got)
	}
	d.answer(t, d.only(t).ID, tools.Answer{Value: json.RawMessage(`"no"`)})
	if g := read(t, again(res.RequestState, map[string]any{"q1": "yes"})); g.Answers["q1"] != "no" {
		t.Errorf("%+v", g)
	}
}

// Every kind of question has a form in each version, and the filled-in form answers it.
func TestForms(t *testing.T) {
	options := []map[string]any{{"label": "Red one", "value": "red"}, {"label": "Blue one", "value": "blue"}}
	question := map[string]any{"questions": []map[string]any{
		{"id": "text", "question": "T?", "input_type": "text", "validation": map[string]any{"min": 2, "max": 9}, "context": "Why", "placeholder": "abc"},
		{"id": "one", "question": "S?", "input_type": "select", "options": options},
		{"id": "own", "question": "O?", "input_type": "select", "options": options, "allow_other": true},
		{"id": "many", "question": "M?", "input_type": "multiselect", "options": options},
		{"id": "sure", "question": "C?", "input_type": "confirm"},
	}}
	more := map[string]any{"questions": []map[string]any{
		{"id": "n", "question": "N?", "input_type": "number", "validation": map[string]any{"min": 1, "max": 5, "integer": true}},
		{"id": "d", "question": "D?", "input_type": "date", "header": "Day"},
		{"id": "skip", "question": "K?", "input_type": "text", "allow_skip": true},
		{"id": "both", "question": "B?", "input_type": "multiselect", "options": options, "allow_other": true},
		{"id": "none", "question": "Z?", "input_type": "multiselect", "options": options, "allow_skip": true},
	}}
	for _, version := range versions {
		d := newDesk(t)
		d.app.MCP.Elicit = true
		var many any = []any{"blue", "red"}
		both := []any{"red"}
		content := map[string]any{"text": "hello", "one": "red", "own_other": "green", "many": many, "sure": true}
		then := map[string]any{"n": 3, "d": "2026-12-24", "both": both, "both_other": "pink"}
		if version == "2025-06-18" {
			content["many"], then["both"] = "blue, red", "red"
		}
		var seen []*sdk.ElicitParams
		s := connect(t, d.url, version, user(t, &seen, accept(content), accept(then)))
		g := read(t, callTool(t, s, "ask_user", question))
		if want := map[string]any{"text": "hello", "one": "red", "own": "green", "many": []any{"red", "blue"}, "sure": "yes"}; !reflect.DeepEqual(g.Answers, want) {
			t.Errorf("%s: %+v", version, g)
		}
		g = read(t, callTool(t, s, "ask_user", more))
		if want := map[string]any{"n": 3.0, "d": "2026-12-24", "skip": nil, "both": []any{"red", "pink"}, "none": nil}; !reflect.DeepEqual(g.Answers, want) {
			t.Errorf("%s: %+v", version, g)
		}
		if len(seen) != 2 {
			t.Fatalf("%s: %d", version, len(seen))
		}
		schema := seen[0].RequestedSchema.(map[string]any)
		fields := schema["properties"].(map[string]any)
		if want := []string{"many", "one", "own", "own_other", "sure", "text"}; !slices.Equal(slices.Sorted(maps.Keys(fields)), want) ||
			!reflect.DeepEqual(schema["required"], []any{"text", "one", "many", "sure"}) {
			t.Errorf("%s: %v", version, schema)
		}
		one, list := fields["one"].(map[string]any), fields["many"].(map[string]any)
		if old := version == "2025-06-18"; old != (one["enumNames"] != nil) || old == (one["oneOf"] != nil) || old != (list["type"] == "string") {
			t.Errorf("%s: %v %v", version, one, list)
		}
		for name, of := range fields {
			if question := strings.ToUpper(name[:1]) + "?"; name != "own_other" && name != "sure" && name != "one" && of.(map[string]any)["title"] != question {
				t.Errorf("%s: %v", name, of)
			}
		}
		if txt := fields["text"].(map[string]any); txt["minLength"] != 2.0 || txt["maxLength"] != 9.0 || txt["description"] != "Why\nabc" {
			t.Errorf("%v", txt)
		}
		if !strings.HasPrefix(seen[0].Message, "1. T?\n2. S?") {
			t.Errorf("%q", seen[0].Message)
		}
	}
}

// A form says what a time, a scale and a rank are. It has no list in order: the order is a text.
func TestFormsOfTimesScalesAndRanks(t *testing.T) {
	d := newDesk(t)
	d.app.MCP.Elicit = true
	var seen []*sdk.ElicitParams
	s := connect(t, d.url, versions[len(versions)-1], user(t, &seen, accept(map[string]any{"start": "2026-12-24T18:00:00+01:00", "mood": 4, "first": "2 > 3 > Red", "then": "blue, red, gold"})))
	colors := []map[string]any{{"label": "Red", "value": "red"}, {"label": "Blue", "value": "blue"}, {"label": "Gold", "value": "gold"}}
	g := read(t, callTool(t, s, "ask_user", map[string]any{"questions": []map[string]any{
		{"id": "start", "question": "T?", "input_type": "datetime"},
		{"id": "mood", "question": "M?", "input_type": "scale", "scale": map[string]any{"low": "bad", "high": "good"}},
		{"id": "first", "question": "F?", "input_type": "rank", "options": colors},
		{"id": "then", "question": "G?", "input_type": "rank", "options": colors},
	}}))
	if want := map[string]any{"start": "2026-12-24T18:00:00+01:00", "mood": 4.0, "first": []any{"blue", "gold", "red"}, "then": []any{"blue", "red", "gold"}}; !reflect.DeepEqual(g.Answers, want) {
		t.Errorf("%+v", g)
	}
	fields := seen[0].RequestedSchema.(map[string]any)["properties"].(map[string]any)
	for name, want := range map[string]map[string]any{
		"start": {"type": "string", "format": "date-time", "title": "T?"},
		"mood":  {"type": "integer", "minimum": 1.0, "maximum": 5.0, "title": "M?", "description": "1: bad\n5: good"},
		"first": {"type": "string", "title": "F?", "description": "2 > 1 > 3 …\n1. red: Red\n2. blue: Blue\n3. gold: Gold"},
	} {
		if !reflect.DeepEqual(fields[name], want) {
			t.Errorf("%s: %v", name, fields[name])
		}
	}
}

// A separate field takes own words in place of a number, a date, or a yes or no, which then need not
// be given. What it says is a text for the program that asked, never a number.
func TestFormsOfOwnWords(t *testing.T) {
	question := map[string]any{"questions": []map[string]any{
		{"id": "n", "question": "N?", "input_type": "number", "allow_other": true}, {"id": "d", "question": "D?", "input_type": "date", "allow_other": true},
		{"id": "t", "question": "T?", "input_type": "datetime", "allow_other": true}, {"id": "c", "question": "C?", "input_type": "confirm", "allow_other": true},
	}}
	for _, version := range versions {
		d := newDesk(t)
		d.app.MCP.Elicit = true
		var seen []*sdk.ElicitParams
		s := connect(t, d.url, version, user(t, &seen, accept(map[string]any{"n_other": "12", "d": "2026-12-24", "t": "", "t_other": "at noon", "c_other": "if it rains"})))
		g := read(t, callTool(t, s, "ask_user", question))
		if want := map[string]any{"n": "12", "d": "2026-12-24", "t": "at noon", "c": "if it rains"}; !reflect.DeepEqual(g.Answers, want) {
			t.Errorf("%s: %+v", version, g)
		}
		schema := seen[0].RequestedSchema.(map[string]any)
		if required, _ := schema["required"].([]any); len(required) > 0 || len(schema["properties"].(map[string]any)) != 8 {
			t.Errorf("%s: %v", version, schema)
		}
	}
}

// Forms of clients have no conditions: a question that may not apply is not required, states what
// it depends on, and does not count where it did not apply.
func TestFormsOfWhatHangsOnOthers(t *testing.T) {
	question := map[string]any{"questions": []map[string]any{
		{"id": "how", "question": "How?", "input_type": "select", "options": []map[string]any{{"label": "By train", "value": "train"}, {"label": "By car", "value": "car"}}},
		{"id": "seat", "question": "Which seat?", "input_type": "text", "when": map[string]any{"question": "how", "is": []string{"train"}}, "context": "At the window?"},
		{"id": "mail", "question": "Your address?", "input_type": "text", "format": "email"},
	}}
	for _, version := range versions {
		d := newDesk(t)
		d.app.MCP.Elicit = true
		var seen []*sdk.ElicitParams
		s := connect(t, d.url, version, user(t, &seen,
			accept(map[string]any{"how": "car", "seat": "12a", "mail": "ada@example.org"}), accept(map[string]any{"how": "train", "seat": "12a", "mail": "ada@example.org"})))
		g := read(t, callTool(t, s, "ask_user", question))
		if want := map[string]any{"how": "car", "seat": nil, "mail": "ada@example.org"}; !reflect.DeepEqual(g.Answers, want) {
			t.Errorf("%s: %+v", version, g)
		}
		g = read(t, callTool(t, s, "ask_user", question))
		if want := map[string]any{"how": "train", "seat": "12a", "mail": "ada@example.org"}; !reflect.DeepEqual(g.Answers, want) {
			t.Errorf("%s: %+v", version, g)
		}
		schema := seen[0].RequestedSchema.(map[string]any)
		fields := schema["properties"].(map[string]any)
		if seat := fields["seat"].(map[string]any); seat["description"] != "↳ How? By train\nAt the window?" || !reflect.DeepEqual(schema["required"], []any{"how", "mail"}) {
			t.Errorf("%s: %v", version, schema)
		}
		if mail := fields["mail"].(map[string]any); mail["format"] != "email" {
			t.Errorf("%s: %v", version, mail)
		}
	}
}

// A client that is still asking its user learns that another answer came first.
func TestAskingEndsWithTheQuestion(t *testing.T) {
	for _, version := range versions[:2] {
		d := newDesk(t)
		d.app.MCP.Elicit = true
		let := make(chan struct{})
		s := connect(t, d.url, version, &sdk.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			defer close(let)
			d.answer(t, d.only(t).ID, tools.Answer{Value: json.RawMessage(`"no"`)})
			<-ctx.Done() // cancelled
			return nil, ctx.Err()
		}})
		if g := read(t, callTool(t, s, "ask_user", yesNo)); g.Answers["q1"] != "no" {
			t.Errorf("%+v", g)
		}
		<-let
	}
}
