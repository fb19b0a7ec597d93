package aisdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
)

func withLast(message string) string {
	return `{"id":"c","messages":[7,null,{"role":"stranger"},` + message + `],"trigger":"submit-message"}`
}

// Only the content of a request's newest message counts, whatever precedes it.
func TestTheNewestMessageIsRead(t *testing.T) {
	for body, want := range map[string]string{
		withLast(`{"id":"u1","role":"user","parts":[{"type":"text","text":"a"},{"type":"data-x","data":{}},{"type":7},8,{"type":"text","text":"b"}]}`): `user u1 "a\nb" about ""`,
		withLast(`{"id":"u1","role":"user"}`):                                                      `user u1 "" about ""`,
		`{"id":"c","locale":7,"messages":[{"id":"u1","role":"user","parts":[]}],"messageId":null}`: `user u1 "" about ""`,
		// A question that is pending in the previous message is the one that the person was looking
		// at.
		`{"id":"c","messages":[{"role":"assistant","parts":[{"type":"tool-ask_user","toolCallId":"q","state":"input-available"},{"type":"tool-x","toolCallId":"r","state":"input-available","providerExecuted":true}]},{"id":"u1","role":"user","parts":[]}]}`: `user u1 "" about "q"`,
		`{"id":"c","messages":[{"role":"assistant","parts":[{"type":"tool-x","toolCallId":"r","state":"approval-requested","approval":{"id":"a"}}]},{"id":"u1","role":"user","parts":[]}]}`:                                                                    `user u1 "" about "a"`,
		`{"id":"c","messages":[{"role":"assistant","parts":[{"type":"tool-x","toolCallId":"r","state":"input-available"},{"type":"tool-y","toolCallId":"s","state":"input-available"}]},{"id":"u1","role":"user","parts":[]}]}`:                                `user u1 "" about ""`,
		withLast(`{"id":"a1","role":"assistant","parts":[{"type":"text","text":"x"},{"type":"tool-ask_user","toolCallId":"q","state":"output-available","output":{"a":1}}]}`):                                                                                  `assistant a1 [q {"a":1} false ""]`,
		withLast(`{"id":"a1","role":"assistant","parts":[{"type":"dynamic-tool","toolCallId":"q","state":"output-error","errorText":"no"}]}`):                                                                                                                  `assistant a1 [q  true "no"]`,
		withLast(`{"id":"a1","role":"assistant","parts":[{"type":"tool-x","toolCallId":"q","state":"output-available"}]}`):                                                                                                                                     `assistant a1 [q null false ""]`,
		withLast(`{"id":"a1","role":"assistant","parts":[{"type":"tool-x","toolCallId":"r","state":"approval-responded","approval":{"id":"a","approved":false,"reason":"late"}}]}`):                                                                            `assistant a1 [a {"approved":false,"reason":"late"} false ""]`,
		// The client does not decide about calls that the gateway ran or that are still open.
		withLast(`{"id":"a1","role":"assistant","parts":[{"type":"tool-x","toolCallId":"r","state":"output-available","output":1,"providerExecuted":true},{"type":"tool-x","toolCallId":"s","state":"input-available"},{"type":"tool-x","toolCallId":7,"state":"output-available"},{"type":"tool-x","toolCallId":"r","state":"approval-responded"}]}`): `assistant a1`,
		withLast(`{"id":"` + strings.Repeat("a", 129) + `","role":"assistant","parts":[]}`): `assistant `,
	} {
		r, err := read([]byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		var got string
		if r.said != nil {
			got = fmt.Sprintf("user %s %q about %q", r.said.id, r.said.text, r.said.about)
		} else {
			got = "assistant " + r.reply.id
			for _, o := range r.reply.outputs {
				got += fmt.Sprintf(" [%s %s %v %q]", o.id, o.data, o.failed, o.why)
			}
		}
		if got != want || r.chat != "c" {
			t.Errorf("%s\nis read as %s\nwant       %s", body, got, want)
		}
	}
}

// A required field that is missing or wrong is named.
func TestFaultsNameTheirField(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`{"type":"tool-x","toolCallId":"q","state":"output-available"},`, maxOutputs+1), ",")
	for body, want := range map[string]string{
		`{}`:                         "missing_field id",
		`{"id":7}`:                   "wrong_type id",
		`[]`:                         "malformed_json ",
		`7`:                          "malformed_json ",
		`{"id":"c"}`:                 "missing_field messages",
		`{"id":"c","messages":[]}`:   "missing_field messages",
		`{"id":"c","messages":{}}`:   "wrong_type messages",
		`{"id":"c","messages":[7]}`:  "wrong_type messages[0]",
		`{"id":"c","messages":[{}]}`: "missing_field messages[0].id",
		withLast(`{"id":"m"}`):       "missing_field messages[3].role",
		withLast(`{"id":"m","role":"system","parts":[]}`):                              "unknown_value messages[3].role",
		withLast(`{"id":"m","role":7}`):                                                "wrong_type messages[3].role",
		withLast(`{"id":"m","role":"user","parts":7}`):                                 "wrong_type messages[3].parts",
		withLast(`{"id":"","role":"user","parts":[]}`):                                 "idempotency_key messages[3].id",
		withLast(`{"id":"` + strings.Repeat("a", 129) + `","role":"user","parts":[]}`): "idempotency_key messages[3].id",
		withLast(`{"id":"m","role":"user","parts":[{"type":"text"}]}`):                 "wrong_type messages[3].parts[0].text",
		withLast(`{"id":"m","role":"assistant","parts":[` + many + `]}`):               "entries messages[3].parts",
		`{"id":"c","messages":[{}],"trigger":"resume-stream"}`:                         "unknown_value trigger",
	} {
		_, err := read([]byte(body))
		var e *chat.Error
		if !errors.As(err, &e) {
			t.Errorf("%.100s: %v", body, err)
			continue
		}
		if got := fmt.Sprint(e.Detail, " ", e.Params["Field"]); got != want {
			t.Errorf("%.100s: %q, want %q", body, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{}`, withLast(`{"id":"u1","role":"user","parts":[{"type":"text","text":"a"}]}`),
		withLast(`{"id":"a1","role":"assistant","parts":[{"type":"tool-ask_user","toolCallId":"q","state":"output-available","output":{"a":1}},{"type":"dynamic-tool","toolCallId":"q","state":"output-error","errorText":"no"}]}`),
		withLast(`{"id":"a1","role":"assistant","parts":[{"type":"tool-x","toolCallId":"r","state":"approval-responded","approval":{"id":"a","approved":true}}]}`),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := read(data)
		var e *chat.Error
		switch {
		case err != nil && (!errors.As(err, &e) || e.Detail == ""):
			t.Errorf("%s: a refusal without a text: %v", data, err)
		case err == nil && (r.said == nil) == (r.reply == nil):
			t.Errorf("%s: it is a message or a reply: %+v", data, r)
		case err == nil && r.reply != nil:
			for _, o := range r.reply.outputs {
				if !o.failed && !json.Valid(o.data) {
					t.Errorf("%s: the output %q", data, o.data)
				}
			}
		}
	})
}
