package httptool_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/httptool"
)

var alice = tools.Caller{
	Tenant: "acme", Subject: "alice/ä", App: "shop", Chat: "c 1",
	Claims: map[string]string{"email": "alice@acme.example", "address.country": "DE", "https://x.example/level": "3", "n": "{caller.tenant}"},
}

// runAs runs a call for a caller. It returns the request, or the error.
func runAs(t *testing.T, o httptool.Options, who tools.Caller, arguments string) (string, *tools.Error) {
	t.Helper()
	sent := ""
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = fmt.Sprintf("%s %s user=%s body=%s", r.Method, r.RequestURI, r.Header.Get("X-User"), body)
	})
	o.URL = server + o.URL
	_, err := tool(t, o).As(who).Run(t.Context(), tools.Call{Arguments: arguments})
	if err == nil {
		return sent, nil
	}
	told, ok := errors.AsType[*tools.Error](err)
	if !ok {
		t.Fatalf("an error that the model cannot read: %v", err)
	}
	if sent != "" {
		t.Errorf("%s: it was sent: %s", o.URL, sent)
	}
	return "", told
}

func TestRequestsSayWhoAsks(t *testing.T) {
	for _, c := range []struct {
		o               httptool.Options
		arguments, want string
	}{
		{httptool.Options{URL: "/{caller.tenant}/{id}?by={caller.subject}&q={q}"}, `{"id":7,"q":"x"}`, "GET /acme/7?by=alice%2F%C3%A4&q=x user= body="},
		{httptool.Options{URL: "/{app.id}-{chat.id}?c={caller.claims.address.country}:{id}"}, `{"id":"a:b"}`, "GET /shop-c%201?c=DE:a%3Ab user= body="},
		{httptool.Options{URL: "/{caller.claims.https://x.example/level}?l={caller.claims.https://x.example/level}&m=1"}, `{}`, "GET /3?l=3&m=1 user= body="},
		{httptool.Options{URL: "/", Headers: map[string]string{"X-User": "{caller.claims.email} of {caller.tenant}"}}, `{}`, "GET / user=alice@acme.example of acme body="},
		{httptool.Options{Method: "POST", URL: "/", Body: json.RawMessage(`{"tenant": "{caller.tenant}", "by": {"ids": ["{caller.subject}", 1.50, null]}, "note": "{term}"}`)}, `{"z":1.0,"a":"<"}`,
			`POST / user= body={"tenant":"acme","by":{"ids":["alice/ä",1.50,null]},"note":"{term}","z":1.0,"a":"<"}`},
		{httptool.Options{Method: "DELETE", URL: "/{id}", Body: json.RawMessage(`{"tenant": "{caller.tenant}"}`)}, `{"id":1}`, `DELETE /1 user= body={"tenant":"acme"}`},
		{httptool.Options{Method: "PUT", URL: "/", Body: json.RawMessage(`{}`)}, `{"a":1}`, `PUT / user= body={"a":1}`},
	} {
		if got, told := runAs(t, c.o, alice, c.arguments); got != c.want || told != nil {
			t.Errorf("%s: %s, %v\nwant %s", c.o.URL, got, told, c.want)
		}
	}
}

// Each place is filled once, from the admin's text.
func TestValuesAreNotFilledAgain(t *testing.T) {
	for _, c := range []struct {
		o               httptool.Options
		arguments, want string
	}{
		{httptool.Options{URL: "/{id}/{caller.tenant}"}, `{"id":"{caller.subject}"}`, "GET /%7Bcaller.subject%7D/acme user= body="},
		{httptool.Options{URL: "/{caller.claims.n}?n={caller.claims.n}", Headers: map[string]string{"X-User": "{caller.claims.n}"}}, `{}`,
			"GET /%7Bcaller.tenant%7D?n=%7Bcaller.tenant%7D user={caller.tenant} body="},
		{httptool.Options{Method: "POST", URL: "/", Body: json.RawMessage(`{"n": "{caller.claims.n}"}`)}, `{"note":"{caller.subject}","caller.subject":"bob"}`,
			`POST / user= body={"n":"{caller.tenant}","note":"{caller.subject}","caller.subject":"bob"}`},
	} {
		if got, told := runAs(t, c.o, alice, c.arguments); got != c.want || told != nil {
			t.Errorf("%s: %s, %v\nwant %s", c.o.URL, got, told, c.want)
		}
	}
}

// A model that names what the admin has fixed is refused, in every spelling that some server takes for
// it, and cannot leave out a value of the caller either.
func TestArgumentsDoNotReplaceValuesOfTheCaller(t *testing.T) {
	body := httptool.Options{
		Method: "POST", URL: "/?scope={caller.tenant}", Body: json.RawMessage(`{"tenant": "{caller.tenant}", "user": {"id": "{caller.subject}"}, "list": [{"x": 1}]}`),
		Declared: []string{"tenant", "Tenant", "note"}, // whatever check says, nothing is overridden
	}
	for _, name := range []string{"tenant", "Tenant", "TENANT", "tenant[]", "tenant[0]", "tenant ", "te.nant", "tenant\u200b", "ｔｅｎａｎｔ", "user", "user.id", "user_id", "userId", "user[]", "id/../tenant", "list", "list[0]", "list.0.x", "scope", "Scope[]"} {
		arguments, _ := json.Marshal(map[string]string{name: "other"})
		_, told := runAs(t, body, alice, string(arguments))
		if name == "id/../tenant" { // no server takes it for another
			if told != nil {
				t.Errorf("%q: %v", name, told)
			}
			continue
		}
		if told == nil || told.Code != tools.CodeInvalidArguments || !strings.Contains(told.Message, "no argument") {
			t.Errorf("%q: %v", name, told)
		}
	}
	query := httptool.Options{URL: "/?tenant={caller.tenant}&f={caller.tenant}:{q}", Declared: []string{"q", "caller.subject"}}
	for _, arguments := range []string{
		`{"q":"x","tenant":"other"}`, `{"q":"x","Tenant[]":"other"}`, `{"q":"x","caller.tenant":"other"}`,
		`{}`, `{"q":null}`, // would leave out the whole parameter
	} {
		if _, told := runAs(t, query, alice, arguments); told == nil || told.Code != tools.CodeInvalidArguments {
			t.Errorf("%s: %v", arguments, told)
		}
	}
	if got, told := runAs(t, query, alice, `{"q":"x","caller.subject":"bob"}`); told != nil || got != "GET /?tenant=acme&f=acme:x&caller.subject=bob user= body=" {
		t.Errorf("%s, %v", got, told)
	}
}

// The error names the claim or the header, not the value, and nothing is sent.
func TestCallsThatCannotBeMadeForTheCaller(t *testing.T) {
	const secret = "s3cr3t-claim"
	for name, c := range map[string]struct {
		o     httptool.Options
		claim string
		want  string
	}{
		"missing in the path":      {httptool.Options{URL: "/{caller.claims.none}"}, "x", "no claim none"},
		"missing in the query":     {httptool.Options{URL: "/?a={caller.claims.none}"}, "x", "no claim none"},
		"missing in a header":      {httptool.Options{URL: "/", Headers: map[string]string{"X-User": "{caller.claims.none}"}}, "x", "no claim none"},
		"missing in the body":      {httptool.Options{Method: "POST", URL: "/", Body: json.RawMessage(`{"a": ["{caller.claims.none}"]}`)}, "x", "no claim none"},
		"empty in the path":        {httptool.Options{URL: "/{caller.claims.c}"}, "", "no claim c"},
		"empty in the query":       {httptool.Options{URL: "/?a={caller.claims.c}"}, "", "no claim c"},
		"empty in a header":        {httptool.Options{URL: "/", Headers: map[string]string{"X-User": "x{caller.claims.c}"}}, "", "no claim c"},
		"blank in the path":        {httptool.Options{URL: "/{caller.claims.c}"}, "  ", "{caller.claims.c} must not be empty"},
		"dots":                     {httptool.Options{URL: "/a/{caller.claims.c}/b"}, "..", "{caller.claims.c} must not contain a path segment of dots"},
		"dots and a slash":         {httptool.Options{URL: "/a/{caller.claims.c}"}, "../" + secret, "segment of dots"},
		"dots and a backslash":     {httptool.Options{URL: "/a/{caller.claims.c}"}, secret + "\\..", "segment of dots"},
		"dots with the admin's":    {httptool.Options{URL: "/a/.{caller.claims.c}"}, ".", "segment of dots"},
		"line ends in the path":    {httptool.Options{URL: "/{caller.claims.c}"}, secret + "\r\nX: y", "control characters"},
		"line ends in a header":    {httptool.Options{URL: "/", Headers: map[string]string{"X-User": "{caller.claims.c}"}}, secret + "\r\nX-Admin: 1", "header X-User"},
		"non-ASCII in a header":    {httptool.Options{URL: "/", Headers: map[string]string{"X-User": "{caller.claims.c}"}}, secret + "ä", "header X-User"},
		"white space in a header":  {httptool.Options{URL: "/", Headers: map[string]string{"X-User": "{caller.claims.c}"}}, secret + " ", "header X-User"},
		"a long header":            {httptool.Options{URL: "/", Headers: map[string]string{"X-User": "{caller.claims.c}"}}, strings.Repeat(secret, 1000), "header X-User"},
		"a long address":           {httptool.Options{URL: "/{caller.claims.c}"}, strings.Repeat("x", 100<<10), "the limit is 8000"},
		"a long query":             {httptool.Options{URL: "/?c={caller.claims.c}"}, strings.Repeat("ä", 2000), "the limit is 8000"},
		"a long address, in parts": {httptool.Options{URL: "/{caller.claims.c}?a={caller.claims.c}"}, strings.Repeat("x", 4000), "the limit is 8000"},
	} {
		who := tools.Caller{Tenant: "acme", Subject: "alice", Claims: map[string]string{"c": c.claim}}
		_, told := runAs(t, c.o, who, `{}`)
		if told == nil || told.Code != tools.CodeToolFailed || !strings.Contains(told.Message, c.want) || told.Cause == "" {
			t.Errorf("%s: %+v", name, told)
			continue
		}
		if text := told.Message + told.Cause; strings.Contains(text, secret) || strings.Contains(text, "xxxx") {
			t.Errorf("%s: shows the value: %s", name, text)
		}
	}
}

// Without a caller there are no values, so nothing is sent.
func TestCallsWithoutACaller(t *testing.T) {
	for _, name := range []string{"caller.subject", "caller.tenant", "chat.id", "app.id", "caller.claims.c"} {
		if _, told := runAs(t, httptool.Options{URL: "/?a={" + name + "}"}, tools.Caller{}, `{}`); told == nil || told.Code != tools.CodeToolFailed {
			t.Errorf("%s: %v", name, told)
		}
	}
}

func TestValuesThatLookLikePathsStayOneSegment(t *testing.T) {
	who := tools.Caller{Claims: map[string]string{"c": "%2e%2e/a?b#c&d=e"}}
	got, told := runAs(t, httptool.Options{URL: "/v1/{caller.claims.c}/x?c={caller.claims.c}"}, who, `{}`)
	if want := "GET /v1/%252e%252e%2Fa%3Fb%23c%26d%3De/x?c=%252e%252e%2Fa%3Fb%23c%26d%3De user= body="; told != nil || got != want {
		t.Errorf("%s, %v", got, told)
	}
}

// One tool serves all callers at the same time, and keeps none of them.
func TestCallersDoNotMix(t *testing.T) {
	shared := tool(t, httptool.Options{URL: serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) }) + "/{caller.subject}"})
	bob := shared.As(tools.Caller{Subject: "bob"})
	for _, of := range []tools.Tool{shared.As(tools.Caller{Subject: "alice"}), bob} {
		if _, err := of.Run(t.Context(), tools.Call{}); err != nil {
			t.Error(err)
		}
	}
	if out, err := bob.Run(t.Context(), tools.Call{}); err != nil || out.Result != "/bob" {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := shared.Run(t.Context(), tools.Call{}); err == nil {
		t.Error("it keeps a caller")
	}
	if _, ok := bob.(tools.Repeater); !ok {
		t.Error("a GET for a caller may not be repeated")
	}
}

// Whatever the values are, the address keeps its host and the number of its segments and parameters,
// and each part decodes to what was given.
func FuzzPersonal(f *testing.F) {
	f.Add("v1/{a}/{x}", "b={b}&c={a}-{x}", "a/../b", "{caller.claims.a}", "%2e%2e")
	f.Add("{a}{b}", "x={x}", ".", ".", "")
	f.Add("", "q={x}&t={a}", "a&t=b#c", "ä", "\xff\x00")
	f.Add("{a}/{x}/..", "", "\r\n", "\\", "..;")
	f.Fuzz(func(t *testing.T, path, query, a, b, x string) {
		if strings.ContainsAny(path, "?%#") || strings.ContainsAny(query, "?%#+;") { // the admin's own encoding
			return
		}
		full := strings.NewReplacer("{a}", "{caller.claims.a}", "{b}", "{caller.claims.b}")
		made, err := httptool.New(httptool.Options{Method: "GET", URL: full.Replace("http://h.test:8080/" + path + "?x={x}&" + query)})
		if err != nil {
			return
		}
		arguments, _ := json.Marshal(map[string]string{"x": x})
		var sent struct{ X string }
		_ = json.Unmarshal(arguments, &sent) // x as JSON carries it
		address, _, err := made.As(tools.Caller{Claims: map[string]string{"a": a, "b": b}}).(*httptool.Tool).Request(string(arguments))
		if err != nil {
			return
		}
		got, err := url.Parse(address)
		if err != nil || got.Scheme != "http" || got.Host != "h.test:8080" || got.User != nil || got.Fragment != "" {
			t.Fatalf("%q, %v", address, err)
		}
		filled := strings.NewReplacer("{a}", a, "{b}", b, "{x}", sent.X)
		for _, of := range []struct {
			sent, template, by string
			decode             func(string) (string, error)
		}{
			{got.EscapedPath(), "/" + path, "/", url.PathUnescape},
			{got.RawQuery, "x={x}&" + query, "&", url.QueryUnescape},
		} {
			parts, templates := strings.Split(of.sent, of.by), strings.Split(of.template, of.by)
			if len(parts) != len(templates) {
				t.Fatalf("%s: %q", of.template, address)
			}
			for i := range parts {
				if plain, err := of.decode(parts[i]); err != nil || plain != filled.Replace(templates[i]) {
					t.Errorf("%s: %q instead of %q, %v", of.template, plain, filled.Replace(templates[i]), err)
				}
			}
		}
	})
}
