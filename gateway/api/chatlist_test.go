package api_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/turn"
)

// TestAChatIsRenamedAndFound: as the schema describes, by its owner alone, within the limits.
func TestAChatIsRenamedAndFound(t *testing.T) {
	t.Parallel()
	s := realServer(t, nil, func(*turn.Options) {})
	c := loadSchemas(t)
	if r := s.call("PATCH", "/v1/apps/plain/chats/c1", `{"title": "None"}`); r.StatusCode != 404 {
		t.Errorf("a chat that does not exist: %d %s", r.StatusCode, r.body)
	}
	for chat, text := range map[string]string{"c1": "Plan my weekend", "c2": "Another café"} {
		if r := s.call("POST", "/v1/apps/plain/chats/"+chat+"/messages", `{"message": "`+text+`"}`); r.StatusCode != 200 {
			t.Fatalf("%d %s", r.StatusCode, r.body)
		}
	}
	for body, want := range map[string]string{
		`{"title": "  Three\n days\tin Lisbon "}`:       `"title":"Three days in Lisbon"`,
		`{"title": "` + strings.Repeat("é", 100) + `"}`: `"title":"` + strings.Repeat("é", 100) + `"`,
		`{"title": "` + strings.Repeat("é", 101) + `"}`: "1 to 100",
		`{"title": " \u200b "}`:                         "1 to 100",
		`{"title": "a\u0000b"}`:                         "NUL",
		`{"title": "a\u001bb"}`:                         "1 to 100",
		`{"title": null}`:                               `"code":"invalid_request"`,
		`{"title": 1}`:                                  `"code":"invalid_request"`,
		`{}`:                                            "1 to 100",
		`{"title": "x", "more": 1}`:                     `"code":"invalid_request"`,
	} {
		r := s.call("PATCH", "/v1/apps/plain/chats/c1", body)
		if !strings.Contains(string(r.body), want) {
			t.Errorf("%s: %d %s, want %s", body, r.StatusCode, r.body, want)
		}
		if r.StatusCode == 200 {
			c.check("ListedChat", r.body)
		}
	}
	s.call("PATCH", "/v1/apps/plain/chats/c1", `{"title": "<Lisbon>"}`)
	for path, want := range map[string]string{"/v1/apps/plain/chats": "ChatList", "/v1/apps/plain/chats/c1": "Snapshot", "/v1/apps/plain/chats?q=lisbon": "ChatList"} {
		r := s.call("GET", path, "")
		c.check(want, r.body)
		if !strings.Contains(string(r.body), `"title":"\u003cLisbon\u003e"`) && !strings.Contains(string(r.body), `"title":"<Lisbon>"`) {
			t.Errorf("%s: %s", path, r.body)
		}
	}

	for query, want := range map[string]string{
		"CAFE": `{"text":"café","match":true}`, "weekend lisbon": `{"text":"weekend","match":true}`, "nowhere": `"items":[]`,
		"": "1 to 200", " \u200b": "1 to 200", strings.Repeat("é", 201): "1 to 200", strings.Repeat("é ", 100): `{"text":"é","match":true}`, "\xff%_*\"": `"items":[]`,
	} {
		r := s.call("GET", "/v1/apps/plain/chats?q="+url.QueryEscape(query), "")
		if !strings.Contains(string(r.body), want) {
			t.Errorf("%q: %d %s, want %s", query, r.StatusCode, r.body, want)
		}
		if r.StatusCode == 200 {
			c.check("ChatList", r.body)
		}
	}
}
