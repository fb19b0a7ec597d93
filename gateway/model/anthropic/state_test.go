package anthropic_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/anthropic"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/tools/arguments"
)

// kept is an answer as the engine stores it: its calls in their canonical form, and its state
// through a store that writes JSON in its own way.
func kept(t *testing.T, g claims.Got) model.Message {
	t.Helper()
	if g.Err != nil || g.Made == nil || g.Made.By == "" {
		t.Fatalf("%s, made %+v (%v)", g, g.Made, g.Err)
	}
	m := model.Message{Role: model.RoleAssistant, Content: g.Text, Made: *g.Made}
	for _, c := range g.Calls {
		var err error
		if c.Arguments, err = arguments.Canonical(c.Arguments); err != nil {
			c.Arguments = "{}"
		}
		m.ToolCalls = append(m.ToolCalls, c)
	}
	if m.Made.State != nil {
		var stored bytes.Buffer
		if err := json.Indent(&stored, m.Made.State, "", " "); err != nil {
			t.Fatal(err)
		}
		m.Made.State = stored.Bytes()
	}
	return m
}

// requests returns the bodies that were sent to a server which responds with its streams, one after
// the other, and then with the last again.
type requests struct {
	streams []string
	bodies  [][]byte
}

func (r *requests) RoundTrip(req *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	answer := r.streams[min(len(r.bodies), len(r.streams)-1)]
	r.bodies = append(r.bodies, raw)
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(answer))}, nil
}

func (r *requests) client(o anthropic.Options) *anthropic.Client {
	if o.BaseURL == "" {
		o.BaseURL = "http://x"
	}
	if o.Model == "" {
		o.Model = "claude-opus-5-5"
	}
	o.Transport = r
	return anthropic.New(o)
}

// said returns the contents of the assistant's messages in a request, as they are written.
func said(t *testing.T, body []byte) []string {
	t.Helper()
	var w struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &w); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range w.Messages {
		if m.Role == "assistant" {
			list = append(list, string(m.Content))
		}
	}
	return list
}

// turn is a history that ends with the results of the last message's calls, or with a further
// question.
func turn(messages ...model.Message) model.Request {
	req := model.Request{Messages: append([]model.Message{{Role: model.RoleUser, Content: "Go"}}, messages...)}
	last := &req.Messages[len(req.Messages)-1]
	for _, c := range last.ToolCalls {
		req.Messages = append(req.Messages, model.Message{Role: model.RoleTool, ToolCallID: c.ID, Content: "done"})
	}
	if len(last.ToolCalls) == 0 {
		req.Messages = append(req.Messages, model.Message{Role: model.RoleUser, Content: "More"})
	}
	return req
}

func think(index int) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"thinking","thinking":"","signature":""}}`, index)
}

func thought(index int, text string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"thinking_delta","thinking":%q}}`, index, text)
}

func sign(index int, signature string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"signature_delta","signature":%q}}`, index, signature)
}

func write(index int) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"text","text":""}}`, index)
}

func words(index int, text string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%q}}`, index, text)
}

// shapes are answers as servers send them, and the part of each that is returned to the model that
// gave it. "" for state: there is none.
var shapes = map[string]struct {
	stream string
	state  bool
	back   string
}{
	"text": {stream(begin, write(0), words(0, " Hi\n"), over(0), ended(`"end_turn"`), stop), false, `[{"type":"text","text":" Hi\n"}]`},
	// The example of platform.claude.com/docs streaming, "Streaming request with tool use": white
	// space within the arguments is the model's.
	"a call as the model wrote it": {stream(begin, write(0), words(0, "Okay"), over(0), use(1, "toolu_01T1x1fJ34qAmk2tNTrN7Up6", "get_weather", "{}"),
		part(1, ""), part(1, `{"location":`), part(1, ` "San`), part(1, ` Francisc`), part(1, `o,`), part(1, ` CA"`), part(1, `, `), part(1, `"unit": "fah`), part(1, `renheit"}`), over(1), ended(`"tool_use"`), stop),
		true, `[{"type":"text","text":"Okay"},{"type":"tool_use","id":"toolu_01T1x1fJ34qAmk2tNTrN7Up6","name":"get_weather","input":{"location": "San Francisco, CA", "unit": "fahrenheit"}}]`},
	"canonical": {stream(begin, write(0), words(0, "Okay"), over(0), use(1, "a", "f", "{}"), part(1, `{"n":1.0,"m":"\u00e9"}`), over(1), ended(`"tool_use"`), stop),
		false, `[{"type":"text","text":"Okay"},{"type":"tool_use","id":"a","name":"f","input":{"n":1.0,"m":"\u00e9"}}]`},
	"a member twice": {stream(begin, use(0, "a", "f", "{}"), part(0, `{"n":1,"n":2}`), over(0), ended(`"tool_use"`), stop),
		true, `[{"type":"tool_use","id":"a","name":"f","input":{"n":1,"n":2}}]`},
	"not an object": {stream(begin, use(0, "a", "f", "{}"), part(0, `{"n":`), over(0), ended(`"tool_use"`), stop),
		false, `[{"type":"tool_use","id":"a","name":"f","input":{}}]`},
	// The example of platform.claude.com/docs streaming, "Streaming request with extended thinking";
	// a signature in pieces is pensarai/apex#534 (2 April 2026).
	"thinking": {stream(begin, think(0), thought(0, "I need to find the GCD of 1071 and 462 using the Euclidean algorithm.\n\n1071 = 2 × 462 + 147"), thought(0, "\n462 = 3 × 147 + 21"),
		sign(0, "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds"), sign(0, "=="), over(0), write(1), words(1, "The answer is "), words(1, "21."), over(1), ended(`"end_turn"`), stop),
		true, `[{"type":"thinking","thinking":"I need to find the GCD of 1071 and 462 using the Euclidean algorithm.\n\n1071 = 2 × 462 + 147\n462 = 3 × 147 + 21","signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds=="},{"type":"text","text":"The answer is 21."}]`},
	// With display "omitted", and at DeepSeek (earendil-works/pi#4003, 30 April 2026), thinking is a
	// signature alone.
	"thinking without text": {stream(begin, think(0), sign(0, "f5604e36-afd8-468a-a225-9347a77a060e"), over(0), use(1, "toolu_1", "f", "{}"), part(1, ""), over(1), ended(`"tool_use"`), stop),
		true, `[{"type":"thinking","thinking":"","signature":"f5604e36-afd8-468a-a225-9347a77a060e"},{"type":"tool_use","id":"toolu_1","name":"f","input":{}}]`},
	// AgnesAI-Labs/AgnesAI-Models#117, 16 August 2026.
	"thinking that is not signed": {stream(begin, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking"}}`, thought(0, "hm"), over(0), write(1), words(1, "Hi"), over(1), ended(`"end_turn"`), stop),
		true, `[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Hi"}]`},
	"redacted": {stream(begin, `{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpP"}}`, over(0), think(1), thought(1, "a"), sign(1, "s<1>"), over(1), write(2), words(2, "Hi"), over(2), ended(`"end_turn"`), stop),
		true, `[{"type":"redacted_thinking","data":"EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpP"},{"type":"thinking","thinking":"a","signature":"s<1>"},{"type":"text","text":"Hi"}]`},
	// The order of anthropics/claude-code#63269, 28 May 2026.
	"thinking between calls": {stream(begin, think(0), thought(0, "a"), sign(0, "s1"), over(0), use(1, "t1", "f", "{}"), part(1, `{"x":1}`), over(1), think(2), sign(2, "s2"), over(2), use(3, "t2", "g", "{}"), over(3), use(4, "t3", "f", "{}"), over(4), ended(`"tool_use"`), stop),
		true, `[{"type":"thinking","thinking":"a","signature":"s1"},{"type":"tool_use","id":"t1","name":"f","input":{"x":1}},{"type":"thinking","thinking":"","signature":"s2"},{"type":"tool_use","id":"t2","name":"g","input":{}},{"type":"tool_use","id":"t3","name":"f","input":{}}]`},
	// Blocks begin in their order; pieces of open ones may alternate (anthropic-sdk-go v2.15.0,
	// Message.Accumulate).
	"pieces that alternate": {stream(begin, think(0), write(1), thought(0, "a"), words(1, "Hi "), thought(0, "b"), use(2, "t", "f", "{}"), words(1, "you"), part(2, `{"x":`), sign(0, "s"), over(0), part(2, `2}`), over(2), over(1), ended(`"tool_use"`), stop),
		true, `[{"type":"thinking","thinking":"ab","signature":"s"},{"type":"text","text":"Hi you"},{"type":"tool_use","id":"t","name":"f","input":{"x":2}}]`},
	"text behind a call": {stream(begin, use(0, "a", "f", "{}"), over(0), write(1), words(1, "Wait."), over(1), ended(`"tool_use"`), stop),
		true, `[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"text","text":"Wait."}]`},
	"two texts": {stream(begin, write(0), words(0, "One "), over(0), write(1), over(1), write(2), words(2, "\n"), over(2), write(3), words(3, "two"), over(3), ended(`"end_turn"`), stop),
		true, `[{"type":"text","text":"One "},{"type":"text","text":"\n"},{"type":"text","text":"two"}]`},
	// "text content blocks must contain non-whitespace text" where the message has no other block:
	// LibreChat-AI/agents#124, 30 April 2026.
	"a blank text": {stream(begin, think(0), sign(0, "s"), over(0), write(1), words(1, "\n\n"), over(1), use(2, "a", "f", "{}"), over(2), ended(`"tool_use"`), stop),
		true, `[{"type":"thinking","thinking":"","signature":"s"},{"type":"tool_use","id":"a","name":"f","input":{}}]`},
	// ToolUseBlock of anthropic-sdk-go v2.15.0.
	"who calls": {stream(begin, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{},"caller":{"type":"direct"},"toolset_name":null}}`, over(0), ended(`"tool_use"`), stop),
		true, `[{"type":"tool_use","id":"a","name":"f","caller":{"type":"direct"},"input":{}}]`},
	"members that are not known": {stream(begin, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{},"toolset_name":"computer","caller":{"type":"later","x":[1]}}}`, over(0), ended(`"tool_use"`), stop),
		true, `[{"type":"tool_use","id":"a","name":"f","caller":{"type":"later","x":[1]},"toolset_name":"computer","input":{}}]`},
	"blocks that are not known": {stream(begin, think(0), sign(0, "s"), over(0), `{"type":"content_block_start","index":1,"content_block":{"type":"hologram","text":"x"}}`, words(1, "x"), over(1), write(2), words(2, "Hi"), over(2), ended(`"end_turn"`), stop),
		true, `[{"type":"thinking","thinking":"","signature":"s"},{"type":"text","text":"Hi"}]`},
	"ids of another form": {stream(begin, use(0, "functions.f:0", "f", "{}"), over(0), ended(`"tool_use"`), stop), false, `[{"type":"tool_use","id":"functions.f:0","name":"f","input":{}}]`},
}

func TestAModelGetsBackWhatItSaid(t *testing.T) {
	for name, c := range shapes {
		for _, step := range []int{0, 1} {
			first := claims.Read(t, overBody(&claims.Body{Text: c.stream, Step: step}), claims.Ask)
			if (first.Made != nil && first.Made.State != nil) != c.state {
				t.Errorf("%s: state %s", name, first.Made.State)
			}
			server := &requests{streams: []string{stream(begin, text0, hi, end0, ended(`"end_turn"`), stop)}}
			m := kept(t, first)
			claims.Read(t, server.client(anthropic.Options{Model: "m"}), turn(m))
			if back := said(t, server.bodies[0]); len(back) != 1 || back[0] != c.back {
				t.Errorf("%s:\nsent back %s\nwant      %s", name, back, c.back)
			}
			if len(m.ToolCalls) > 0 && !bytes.Contains(server.bodies[0], []byte(`"tool_use_id":"`+m.ToolCalls[0].ID+`"`)) {
				t.Errorf("%s: the result is not that of the call: %s", name, server.bodies[0])
			}
		}
	}
}

// State that a model handed out goes back to that model at that server only.
func TestOthersGetTheMessageAlone(t *testing.T) {
	shape := stream(begin, think(0), thought(0, "hm"), sign(0, "secret-signature"), over(0), write(1), words(1, "Okay"), over(1), use(2, "toolu_1", "f", "{}"), part(2, `{"x": 1}`), over(2), ended(`"tool_use"`), stop)
	server := &requests{streams: []string{shape}}
	m := kept(t, claims.Read(t, server.client(anthropic.Options{APIKey: "one"}), claims.Ask))
	const own = `[{"type":"thinking","thinking":"hm","signature":"secret-signature"},{"type":"text","text":"Okay"},{"type":"tool_use","id":"toolu_1","name":"f","input":{"x": 1}}]`
	other := `[{"type":"text","text":"Okay"},{"type":"tool_use","id":"` + model.WireID("toolu_1") + `","name":"f","input":{"x":1}}]`
	for name, c := range map[string]struct {
		o    anthropic.Options
		want string
	}{
		"the same":         {anthropic.Options{}, own},
		"another key":      {anthropic.Options{APIKey: "two"}, own},
		"its other form":   {anthropic.Options{BaseURL: "http://x/v1/messages"}, own},
		"another model":    {anthropic.Options{Model: "claude-opus-5"}, other},
		"another server":   {anthropic.Options{BaseURL: "http://y"}, other},
		"other parameters": {anthropic.Options{Effort: "high", Show: true, MaxTokens: 5000}, own},
	} {
		claims.Read(t, server.client(c.o), turn(m))
		body := server.bodies[len(server.bodies)-1]
		if back := said(t, body); len(back) != 1 || back[0] != c.want {
			t.Errorf("%s: %s", name, back)
		}
		if id := `"tool_use_id":"` + model.WireID("toolu_1") + `"`; bytes.Contains(body, []byte(id)) != (c.want == other) {
			t.Errorf("%s: the result is not that of the call: %s", name, body)
		}
	}
	m.Made.By = "" // the maker is unknown
	claims.Read(t, server.client(anthropic.Options{}), turn(m))
	if back := said(t, server.bodies[len(server.bodies)-1]); back[0] != other {
		t.Errorf("without a maker: %s", back)
	}
}

// State that is damaged, or comes from another build, is ignored; the message is complete without
// it.
func TestAStateThatDoesNotFitIsNone(t *testing.T) {
	server := &requests{streams: []string{stream(begin, text0, hi, end0, ended(`"end_turn"`), stop)}}
	by := claims.Read(t, server.client(anthropic.Options{}), claims.Ask).Made.By
	whole := `{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","length":2},{"type":"tool_use","name":"f"}`
	for state, fits := range map[string]bool{
		`[` + whole + `]`: true,
		``:                false, `null`: false, `{}`: false, `7`: false, `[7]`: false, `[` + whole: false, `[]`: false,
		`[{"type":"text","length":2}]`:                                               false, // no call
		`[` + whole + `,{"type":"tool_use","name":"f"}]`:                             false,
		`[` + whole + `,{"type":"hologram"}]`:                                        false,
		`[{"type":"text","length":1},{"type":"tool_use","name":"f"}]`:                false,
		`[{"type":"text","length":3},{"type":"tool_use","name":"f"}]`:                false,
		`[{"type":"text","length":-1},{"type":"tool_use","name":"f"}]`:               false,
		`[{"type":"text","length":2},{"type":"tool_use","more":{"type":"text"}}]`:    false,
		`[{"type":"text","length":2},{"type":"tool_use","name":"f","input":7}]`:      false,
		`[{"type":"tool_use","name":"f"},{"type":"text","length":2}]`:                true,
		`[{"type":"text","length":2},{"type":"tool_use","name":"f","input":"{\"x"}]`: true, // the call's own arguments
	} {
		m := model.Message{Role: model.RoleAssistant, Content: "Hi", ToolCalls: []model.ToolCall{{ID: "call_1", Name: "f", Arguments: `{"y":2}`}}, Made: model.Made{By: by, State: json.RawMessage(state)}}
		claims.Read(t, server.client(anthropic.Options{}), turn(m))
		back := said(t, server.bodies[len(server.bodies)-1])
		const generic = `[{"type":"text","text":"Hi"},{"type":"tool_use","id":"call_1","name":"f","input":{"y":2}}]`
		if !fits && back[0] != generic || !strings.Contains(back[0], `{"type":"tool_use","id":"call_1","name":"f","input":{"y":2}}`) {
			t.Errorf("%s: %s", state, back)
		}
		if fits && strings.HasPrefix(state, "["+whole) && !strings.Contains(back[0], "thinking") {
			t.Errorf("%s: %s", state, back)
		}
	}
}

// The engine gives calls its own ids where the server's are blank or were used before.
func TestTheIDsThatAreStoredCount(t *testing.T) {
	shape := stream(begin, think(0), sign(0, "s"), over(0), use(1, "", "f", "{}"), over(1), use(2, "", "g", "{}"), over(2), ended(`"tool_use"`), stop)
	server := &requests{streams: []string{shape}}
	m := kept(t, claims.Read(t, server.client(anthropic.Options{}), claims.Ask))
	m.ToolCalls[0].ID, m.ToolCalls[1].ID = "call_1", "call_2"
	claims.Read(t, server.client(anthropic.Options{}), turn(m))
	const want = `[{"type":"thinking","thinking":"","signature":"s"},{"type":"tool_use","id":"call_1","name":"f","input":{}},{"type":"tool_use","id":"call_2","name":"g","input":{}}]`
	if back := said(t, server.bodies[1]); back[0] != want || !bytes.Contains(server.bodies[1], []byte(`{"type":"tool_result","tool_use_id":"call_2"`)) {
		t.Errorf("%s", server.bodies[1])
	}
}

// An answer that was cut off, refused or failed has a maker but no state, because its blocks are
// incomplete.
func TestOnlyAWholeAnswerHasState(t *testing.T) {
	for _, reason := range []string{"max_tokens", "refusal", "pause_turn", "model_context_window_exceeded"} {
		g := claims.Read(t, overBody(&claims.Body{Text: stream(begin, think(0), thought(0, "hm"), sign(0, "s"), over(0), write(1), words(1, "Hi"), over(1), ended(`"`+reason+`"`), stop)}), claims.Ask)
		if g.Made == nil || g.Made.By == "" || g.Made.State != nil || g.Text != "Hi" || g.Thinking != "hm" {
			t.Errorf("%s: %s made %+v", reason, g, g.Made)
		}
	}
}

// Thinking beyond 8 MiB is shown, but no part of it is sent back.
func TestTooMuchThinkingIsNotKept(t *testing.T) {
	piece := thought(0, strings.Repeat("x", 1<<20))
	for n, want := range map[int]bool{7: true, 9: false} {
		events := []string{begin, think(0)}
		for range n {
			events = append(events, piece)
		}
		g := claims.Read(t, overBody(&claims.Body{Text: stream(append(events, sign(0, "s"), over(0), write(1), words(1, "Hi"), over(1), ended(`"end_turn"`), stop)...)}), claims.Ask)
		if len(g.Thinking) != n<<20 || g.Text != "Hi" || (g.Made.State != nil) != want {
			t.Errorf("%d MiB: %d bytes of thinking, state of %d bytes", n, len(g.Thinking), len(g.Made.State))
		}
	}
}

// Pieces that no block of the API produces are shown; that answer has no state.
func TestPiecesOfAnotherTypeThanTheirBlockAreShown(t *testing.T) {
	g := claims.Read(t, overBody(&claims.Body{Text: stream(begin, think(0), words(0, "Hi"), sign(0, "s"), over(0), ended(`"end_turn"`), stop)}), claims.Ask)
	if g.Text != "Hi" || g.Made.State != nil {
		t.Errorf("%s made %+v", g, g.Made)
	}
}

// An assistant's message with neither text nor calls is left out, and the messages around it are
// merged into one.
func TestAnEmptyMessageIsLeftOut(t *testing.T) {
	server := &requests{streams: []string{stream(begin, text0, hi, end0, ended(`"end_turn"`), stop)}}
	claims.Read(t, server.client(anthropic.Options{}), turn(model.Message{Role: model.RoleAssistant, Content: " "}))
	if want := `"messages":[{"role":"user","content":[{"type":"text","text":"Go"},{"type":"text","text":"More"}]}]}`; !strings.HasSuffix(string(server.bodies[0]), want) {
		t.Errorf("%s", server.bodies[0])
	}
}

// FuzzState: whatever is stored, the request is JSON and has the message's text and calls.
func FuzzState(f *testing.F) {
	f.Add(`[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","length":2},{"type":"tool_use","name":"f","input":"{\"x\": 1}","more":{"caller":{}}}]`, "Hi")
	f.Add(`[{"type":"text","length":1},{"type":"redacted_thinking","data":"d"},{"type":"tool_use"}]`, "é")
	server := &requests{streams: []string{stream(begin, text0, hi, end0, ended(`"end_turn"`), stop)}}
	by := claims.Read(f, server.client(anthropic.Options{}), claims.Ask).Made.By
	f.Fuzz(func(t *testing.T, state, text string) {
		m := model.Message{Role: model.RoleAssistant, Content: text, ToolCalls: []model.ToolCall{{ID: "call_1", Name: "f", Arguments: "{}"}}, Made: model.Made{By: by, State: json.RawMessage(state)}}
		server.bodies = nil
		claims.Read(t, server.client(anthropic.Options{Cache: true}), turn(m))
		if back := said(t, server.bodies[0]); len(back) != 1 || strings.Count(back[0], `"id":"call_1"`) < 1 {
			t.Errorf("%s", server.bodies[0])
		}
	})
}
