package api_test

import (
	"strings"
	"testing"
)

// A refusal says which thing does not exist, and someone else's reads the same.
func TestNotFoundSaysWhatIsMissing(t *testing.T) {
	s := realServer(t, nil, nil)
	chat := "/v1/apps/plain/chats/c1"
	s.post("c1", `{"message":"hi"}`)
	for name, of := range map[string]struct{ method, path, body, detail, field string }{
		"an app":          {"GET", "/v1/apps/nosuch", "", "The app nosuch does not exist. Available apps: ", ""},
		"a hidden name":   {"GET", "/v1/apps/a%E2%80%AEb", "", "The app a?b does not exist.", ""},
		"a long name":     {"GET", "/v1/apps/" + strings.Repeat("x", 300), "", "The app " + strings.Repeat("x", 100) + "… does not exist.", ""},
		"a chat":          {"GET", "/v1/apps/plain/chats/none", "", "This chat does not exist", ""},
		"a chat to stop":  {"POST", "/v1/apps/plain/chats/none/stop", "", "This chat does not exist", ""},
		"a question":      {"GET", "/v1/clarifications/clr_none", "", "This question does not exist", ""},
		"its options":     {"GET", chat + "/clarifications/clr_none/options", "", "This question does not exist", ""},
		"a file":          {"GET", chat + "/files/fil_none", "", "This file does not exist", ""},
		"a content":       {"GET", chat + "/contents/cnt_none", "", "This content does not exist", ""},
		"a memory":        {"DELETE", "/v1/memory/mem_none", "", "You have no memory with this ID", ""},
		"a queued one":    {"DELETE", chat + "/queued/msg_none", "", "This message does not wait here", ""},
		"an address":      {"GET", "/v1/nothing", "", "This address does not exist", ""},
		"a call":          {"POST", chat + "/messages", `{"answer":{"toolCallId":"none","value":"x"}}`, "No question in this chat has the \"toolCallId\"", "answer.toolCallId"},
		"a question here": {"POST", chat + "/messages", `{"answer":{"clarificationId":"clr_none","value":"x"}}`, "No question in this chat has the \"clarificationId\"", "answer.clarificationId"},
	} {
		p := s.call(of.method, of.path, of.body).wantProblem(t, 404, "not_found")
		if !strings.HasPrefix(p.Detail, of.detail) || p.Field != of.field {
			t.Errorf("%s: %q, field %q", name, p.Detail, p.Field)
		}
	}
	keyed := realServer(t, withKeys, nil)
	bob := []string{"Authorization", "Bearer ag_backend", "X-Askgate-User", "bob"}
	keyed.call("POST", chat+"/messages", `{"message":"hi"}`, bearerOf("ag_alice")...)
	for _, path := range []string{chat, chat + "/contents/cnt_none"} {
		others := keyed.call("GET", path, "", bob...)
		none := keyed.call("GET", strings.Replace(path, "c1", "none", 1), "", bob...)
		if others.wantProblem(t, 404, "not_found"); string(others.body) != string(none.body) {
			t.Errorf("another person's: %s\nmissing: %s", others.body, none.body)
		}
	}
}

// A refusal of a value says which type the field takes.
func TestAWrongTypeNamesTheRightOne(t *testing.T) {
	s := newServer(t, nil, nil)
	for body, want := range map[string]string{
		`{"message":5}`:                               `"message" must be a string.`,
		`{"message":null}`:                            `"message" must be a string.`,
		`{"message":"x","files":"f"}`:                 `"files" must be an array, such as ["..."].`,
		`{"message":"x","files":[""]}`:                `"files[0]" must be a string that is not empty.`,
		`{"message":"x","interactive":"yes"}`:         `"interactive" must be true or false.`,
		`{"answer":"yes"}`:                            `"answer" must be an object, such as {"...": ...}.`,
		`{"answer":{"value":{}}}`:                     `"answer.value" must be a string, a number, true or false.`,
		`{"answer":{"value":true,"arguments":[1,2]}}`: `"answer.arguments" must be an object, or a string that contains its JSON.`,
	} {
		if p := s.post("c1", body).wantProblem(t, 400, "invalid_request"); p.Detail != want {
			t.Errorf("%s: %s", body, p.Detail)
		}
	}
	p := s.call("POST", "/v1/apps/plain/clarifications", `{"to": 5, "question": "Q"}`).wantProblem(t, 400, "invalid_request")
	if p.Detail != `"to" must be a subject, or {"role": "..."}.` {
		t.Error(p.Detail)
	}
}
