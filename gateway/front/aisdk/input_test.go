package aisdk

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/tools"
)

// A value that clients can represent goes out unchanged, other values as text; a number that
// JavaScript would change is sent as text where a person decides about it.
func TestInputsThatClientsCanHold(t *testing.T) {
	deep := strings.Repeat("[", maxInput+1) + strings.Repeat("]", maxInput+1)
	for _, test := range []struct {
		input       string
		safe, exact bool
	}{
		{`{"a":[1,"x",null,true,1.10,-2e3,1E-7,9007199254740992,100000000000000000000,0.0]}`, true, true},
		{`{"constructor":"x","prototype":1,"b":{"constructor":{"a":{"prototype":1}}}}`, true, true},
		{`{"amount":9007199254740993}`, true, false},
		{`[{"a":0.12345678901234567890}]`, true, false},
		{`[1e-999]`, true, false},
		{`{"__proto__":1}`, false, true},
		{`[{"a":{"\u005f_proto__":1}}]`, false, true},
		{`{"constructor":{"prototype":1}}`, false, true},
		{`{"constructor":null}`, false, true},
		{`{"a":"\u0000"}`, false, true},
		{deep, false, true},
	} {
		want := map[bool]string{true: test.input, false: string(asText(json.RawMessage(test.input)))}
		if got := string(safe(json.RawMessage(test.input))); got != want[test.safe] {
			t.Errorf("%s goes out as %s", test.input, got)
		}
		if got := string(exact(json.RawMessage(test.input))); got != want[test.exact] {
			t.Errorf("%s is shown for a decision as %s", test.input, got)
		}
	}
	asked := front.NewQuestion(chat.Asked{Kind: tools.KindApproval, ClarificationID: "clr_1", ToolCallID: "call_1", ToolName: "clock", Arguments: json.RawMessage(`{"amount":9007199254740993}`)})
	told := string((&encoder{approvals: true}).ready().Question(nil, asked))
	if want := `"input":"{\"amount\":9007199254740993}"`; !strings.Contains(told, want) {
		t.Errorf("an approval is sent as %s", told)
	}
	if got := safe(nil); got != nil {
		t.Errorf("nothing goes out as %s", got)
	}
}
