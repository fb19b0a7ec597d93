package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

// planted are words in a run that must not appear elsewhere: credentials, and
// texts of people and servers. Each is unique, so that a hit shows where it
// came from.
var planted = struct{ secrets, texts []string }{
	secrets: []string{
		"ag_plantedkey0123456789", "plantedwrongkey", "plantedmodelkey", "plantedtoolheader", "plantedsessionsecret0123456789abcdef", "plantedothersecret0123456789abcdef",
		"plantedtoken", "plantedbasic",
	},
	texts: []string{
		"plantedmessage", "plantedquestion", "plantedoption", "plantedanswer", "plantednote", "plantedsaid", "plantedargument", "plantedresult",
		"plantedfault", "plantedlimit", "plantedidempotency", "plantedcursor", "plantedeventid", "plantedagent", "plantedpath",
		"plantedlanguage", "plantedactor", "plantedsystem",
	},
}

// TestNoSecretAndNoTextIsToldToOperators: after a full run (messages, a question, an
// answer, calls of a server with a secret header, a server that breaks, a model that
// breaks, keys and tokens that are wrong) neither the log, down to debug, nor the metrics
// contain any of them. The problems that callers get do not contain those of others.
func TestNoSecretAndNoTextIsToldToOperators(t *testing.T) {
	tools := serveTools(t, []byte(`[
		{"request": "GET /plantedpath?term=plantedargument", "status": 200, "body": "plantedresult"},
		{"request": "GET /plantedpath?term=plantedargument", "status": 500, "body": "plantedfault plantedtoolheader"}]`))
	call := func(id string) model.ToolCall {
		return model.ToolCall{ID: id, Name: "lookup", Arguments: `{"term":"plantedargument"}`}
	}
	server := modeltest.New(t,
		modeltest.Calls(call("call_1")),
		modeltest.Ask("call_2", `{"question":"plantedquestion?","options":["plantedoption","b"],"allow_other":true}`),
		modeltest.Calls(call("call_3"), model.ToolCall{ID: "call_4", Name: "plantedargument", Arguments: `{"plantedargument"`}),
		modeltest.Answer("plantedsaid"),
		modeltest.Status(http.StatusUnauthorized, `{"error":{"message":"wrong key plantedmodelkey, says the server"}}`),
		modeltest.Status(http.StatusBadRequest, `{"error":{"message":"plantedfault","type":"invalid_request_error"}}`),
		modeltest.Response{modeltest.Text("plantedsaid"), modeltest.Raw("data: {plantedfault\n\n"), modeltest.Done()},
		modeltest.Response{modeltest.Text("plantedsaid"), modeltest.Raw("data: {plantedfault\n\n"), modeltest.Done()}, // tried twice
	)
	hash := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte("ag_plantedkey0123456789")))
	p := start(t, server.URL, map[string]string{
		"gateway.json": `{"models": {"default": {"provider": "openai", "baseUrl": "$MODEL_URL", "apiKey": "$MODEL_KEY", "model": "m", "maxRetries": 0}},
			"auth": {"mode": "apiKeys", "keys": [{"id": "web", "hash": "` + hash + `", "tenant": "acme", "subject": "alice", "roles": ["metrics", "admin"]}], "session": {"secret": "$SESSION_SECRET", "otherSecrets": ["$OTHER_SECRET"]}}}`,
		"apps/helper.json": `{"id": "helper", "name": "Helper", "system": "plantedsystem", "tools": ["ask_user", "lookup"]}`,
		"tools.json": `[{"id": "ask_user", "type": "ask_user"}, {"id": "lookup", "type": "http", "description": "d",
			"parameters": {"type": "object", "properties": {"term": {"type": "string"}}},
			"http": {"url": "` + tools.url + `/plantedpath", "headers": {"Authorization": "$TOOL_HEADER"}}}]`,
	}, "MODEL_KEY=plantedmodelkey", "TOOL_HEADER=plantedtoolheader", "SESSION_SECRET=plantedsessionsecret0123456789abcdef", "OTHER_SECRET=plantedothersecret0123456789abcdef")

	key := []string{"Authorization", "Bearer ag_plantedkey0123456789", "User-Agent", "plantedagent", "Accept-Language", "plantedlanguage"}
	told := "" // to callers
	ask := func(method, path, body string, header ...string) string {
		t.Helper()
		resp := p.do(method, path, body, header...)
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode >= 400 || strings.Contains(string(data), "event: error") {
			told += string(data) + "\n"
		}
		return string(data)
	}
	chat := "/v1/apps/helper/chats/c1" // the log names chats
	whole := ask("POST", chat+"/messages", `{"message":"plantedmessage","idempotencyKey":"plantedidempotency"}`, key...)
	if !strings.Contains(whole, "plantedquestion") || !strings.Contains(whole, "plantedresult") {
		t.Fatalf("the run is not what it should be:\n%s", whole)
	}
	ask("POST", chat+"/messages", `{"message":"plantedmessage two","idempotencyKey":"plantedidempotency"}`, key...)
	ask("POST", chat+"/messages", `{"answer":{"toolCallId":"call_2","value":"no such option"}}`, key...)
	session := p.do("POST", "/v1/session", "", key...).Cookies()
	if len(session) != 1 {
		t.Fatal("no cookie")
	}
	cookie := []string{"Cookie", session[0].Name + "=" + session[0].Value}
	whole = ask("POST", chat+"/messages", `{"answer":{"toolCallId":"call_2","other":"plantedanswer","note":"plantednote"}}`, cookie...)
	if !strings.Contains(whole, "plantedsaid") || !strings.Contains(whole, "HTTP_ERROR") {
		t.Fatalf("the resumed run is not what it should be:\n%s", whole)
	}
	for range 3 { // the model breaks
		if whole = ask("POST", chat+"/messages", `{"message":"plantedmessage"}`, key...); !strings.Contains(whole, "event: error") {
			t.Fatalf("no error:\n%s", whole)
		}
	}
	for _, headers := range [][]string{
		{}, {"Authorization", "Bearer plantedwrongkey"}, {"Authorization", "Bearer a.plantedtoken.b"}, {"Authorization", "Basic plantedbasic"},
		{"Cookie", "askgate=plantedtoken"}, append([]string{"X-Askgate-User", "plantedactor"}, key...),
	} {
		ask("POST", chat+"/messages", `{"message":"plantedmessage"}`, headers...)
		ask("GET", "/metrics", "", headers...)
	}
	ask("GET", chat+"/events?lastEventId=plantedeventid", "", "Authorization", "Bearer plantedwrongkey")
	ask("GET", "/v1/apps/helper/chats?cursor=plantedcursor", "", key...)
	ask("GET", "/plantedpath", "", key...)
	ask("POST", chat+"/messages", strings.Repeat("[", 1000)+"plantedmessage", key...)
	ask("POST", chat+"/messages", `{"message":"plantedmessage`, key...)
	metrics := ask("GET", "/metrics", "", key...)
	ask("DELETE", chat, "", key...)
	p.stop()

	if !strings.Contains(metrics, `askgate_tool_calls_total{app="helper",outcome="refused",tool="unknown"} 1`) {
		t.Error("the metrics are not those of the run")
	}
	// Only the operator sees the server's message about a key, and without the key.
	if !strings.Contains(p.log.String(), "wrong key [key], says the server") || strings.Contains(told, "says the server") ||
		!strings.Contains(told, "Tell your administrator") {
		t.Error("the log does not have the server's words about the key, or callers do")
	}
	for where, text := range map[string]string{"the log": p.log.String(), "the metrics": metrics} {
		for _, word := range append(planted.secrets, planted.texts...) {
			if i := strings.Index(text, word); i >= 0 {
				t.Errorf("%s has %q: ...%s", where, word, text[max(0, i-200):min(len(text), i+60)])
			}
		}
		if strings.Contains(text, session[0].Value) {
			t.Errorf("%s has the cookie", where)
		}
	}
	for _, word := range append(planted.secrets, "plantedfault", "plantedsystem") {
		if i := strings.Index(told, word); i >= 0 {
			t.Errorf("a caller gets %q: ...%s", word, told[max(0, i-200):min(len(told), i+60)])
		}
	}
	if !strings.Contains(p.log.String(), "level=DEBUG") {
		t.Error("the log says less than it could")
	}
}
