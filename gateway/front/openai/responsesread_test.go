package openai

import (
	"fmt"
	"strings"
	"testing"
)

// Of an input, only the new part counts.
func TestWhatIsNewInAnInput(t *testing.T) {
	for _, test := range []struct{ input, want string }{
		{`"hi"`, `says "hi"`},
		{`[{"role":"user","content":"hi"}]`, `says "hi"`},
		{`[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"x"},{"type":"input_text","text":"b"}]}]`, `says "a\nb"`},
		{`[{"role":"user","content":"old"},{"role":"assistant","content":"yes"},{"role":"user","content":"new"}]`, `says "new"`},
		{`[{"role":"user","content":"a"},{"role":"user","content":"b"},{"role":"developer","content":"c"},5,{"type":"strange"}]`, `says "b"`},
		{`[{"role":"user","content":"hi","call_id":5},{"role":"user","content":"ho"}]`, `says "ho"`},
		{`[{"type":"function_call_output","call_id":"a","output":"x"}]`, `a="x"`},
		{`[{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"x"}]}]`, `a="x"`},
		{`[{"type":"function_call_output","call_id":"a","output":[5]}]`, `a=[5]`},
		{`[{"type":"function_call_output","call_id":"a"}]`, `a=null`},
		{`[{"role":"user","content":"hi"},{"type":"function_call","call_id":"a"},{"type":"function_call_output","call_id":"a","output":"x"},{"type":"function_call","call_id":"b"},{"type":"function_call_output","call_id":"b","output":"y"}]`, `a="x" b="y"`},
		{`[{"type":"function_call_output","call_id":"a","output":"x"},{"role":"assistant","content":"so"},{"type":"function_call_output","call_id":"b","output":"y"}]`, `b="y"`},
		{`[{"type":"function_call_output","call_id":"a","output":"x"},{"role":"user","content":"hi"}]`, `says "hi" a="x"`},
		{`[{"role":"user","content":"hi"},{"type":"function_call","call_id":"a"},{"type":"function_call_output","call_id":"a","output":"x"},{"type":"item_reference","id":"msg_chat_2_abc_0"},{"role":"user","content":"ho"}]`, `says "ho"`},
		{`[{"role":"user","content":"hi"},{"type":"item_reference","id":"rs_chat_2_abc_0"},{"type":"function_call","call_id":"a"},{"type":"function_call_output","call_id":"a","output":"x"}]`, `a="x"`},
		{`[{"role":"user","content":"hi"},{"type":"item_reference","id":"msg_chat_2_abc_0"}]`, "nothing_new"},
		{`[{"type":"mcp_approval_response","approval_request_id":"a","approve":true,"reason":5}]`, `a={"approved":true,"reason":""}`},
		{`[{"type":"mcp_approval_response","approval_request_id":"a"}]`, "nothing_new"},
		{`[{"role":"user","content":"hi"},{"role":"assistant","content":"yes"}]`, "nothing_new"},
		{`[]`, "nothing_new"},
		{`[{"role":"user","content":[{"type":"input_image"}]}]`, `says ""`},
		{`[{"role":"user"}]`, "responses_text"},
		{`{}`, "responses_input"},
		{`null`, "responses_input"},
	} {
		r, err := readResponse([]byte(`{"model":"m","input":` + test.input + `}`))
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		default:
			if r.message != nil {
				got = fmt.Sprintf("says %q", *r.message)
			}
			for _, a := range r.answers {
				got += fmt.Sprintf(" %s=%s", a.call, a.data)
			}
		}
		if got = strings.TrimSpace(got); got != test.want && !strings.Contains(got, "("+test.want+")") {
			t.Errorf("%s\nis %s, want %s", test.input, got, test.want)
		}
	}
}

// Fields of a wrong type are named; those without a meaning here may have any value.
func TestFieldsOfARequest(t *testing.T) {
	for body, want := range map[string]string{
		`{"input":"hi"}`:                                        "missing_field",
		`{"model":5,"input":"hi"}`:                              "wrong_type",
		`{"model":"m"}`:                                         "responses_input",
		`{"model":"m","input":"hi","stream":"yes"}`:             "wrong_type",
		`{"model":"m","input":"hi","store":1}`:                  "wrong_type",
		`{"model":"m","input":"hi","previous_response_id":{}}`:  "wrong_type",
		`{"model":"m","input":"hi","conversation":{}}`:          "wrong_type",
		`{"model":"m","input":"hi","conversation":{"id":null}}`: "wrong_type",
		`{"model":"m","input":"hi","conversation":5}`:           "wrong_type",
	} {
		if _, err := readResponse([]byte(body)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
	r, err := readResponse([]byte(`{"model":"m","input":"hi","stream":null,"store":null,"previous_response_id":null,"conversation":null,"tools":{"a":1},"temperature":"hot","reasoning":[]}`))
	if err != nil || r.stream || r.ephemeral || r.previous != "" || r.conversation != "" {
		t.Errorf("nulls are %+v, %v", r, err)
	}
}

// The chat of a response's id is the one that it was made from, whatever its name.
func TestResponseIDsNameTheirChat(t *testing.T) {
	for _, id := range []string{"c", "a_b", "_", "-", "resp_x_y", strings.Repeat("x", 64)} {
		if got, fence, _, ok := readResponseID(responseID(id, 17, len(id)%3)); !ok || got != id || fence != 17 {
			t.Errorf("the chat of a response in %q is %q", id, got)
		}
	}
	for _, id := range []string{"", "resp_", "resp_x", "resp_x_x", "resp__1", "x", "resp_a/b_1", "resp_" + strings.Repeat("x", 65) + "_1"} {
		if got, _, _, ok := readResponseID(id); ok {
			t.Errorf("%q is a response in %q", id, got)
		}
	}
}

func FuzzReadResponse(f *testing.F) {
	f.Add([]byte(`{"model":"m","input":"hi"}`))
	f.Add([]byte(`{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"a"}]}],"conversation":{"id":"c"},"tools":[{"type":"function","name":"ask_user"},{"type":"mcp"}]}`))
	f.Add([]byte(`{"model":"m","input":[{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"x"}]},{"type":"mcp_approval_response","approval_request_id":"b","approve":false}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := readResponse(body)
		if err == nil && (r.model == "" || r.message == nil && len(r.answers) == 0) {
			t.Errorf("%s is %+v", body, r)
		}
		if err == nil {
			_, _, _, _ = readResponseID(r.previous)
		}
	})
}
