package httptool_test

import (
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tooltypes/httptool"
)

func tool(t testing.TB, o httptool.Options) *httptool.Tool {
	t.Helper()
	if o.Method == "" {
		o.Method = "GET"
	}
	made, err := httptool.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestAddresses(t *testing.T) {
	declared := []string{"é&", "page[number]"}
	for _, c := range []struct{ url, arguments, want string }{
		{"http://h/?page[size]=9", `{"page[number]":2}`, "http://h/?page[size]=9&page%5Bnumber%5D=2"},
		{"http://h/?scope=own", `{"scopes":1,"x-scope":2,"own_scope":3}`, "http://h/?scope=own&own_scope=3&scopes=1&x-scope=2"},
		{"http://h/v1/{term}", `{"term":"Zins"}`, "http://h/v1/Zins"},
		{"http://h/v1/{term}", `{"term":"a/b?c#d&e=f%2f+g h"}`, "http://h/v1/a%2Fb%3Fc%23d%26e%3Df%252f%2Bg%20h"},
		{"http://h/v1/{term}", `{"term":"Übergröße 😀"}`, "http://h/v1/%C3%9Cbergr%C3%B6%C3%9Fe%20%F0%9F%98%80"},
		{"http://h/v1/{term}", `{"term":"%2e%2e"}`, "http://h/v1/%252e%252e"},
		{"http://h/v1/{term}", `{"term":"..."}`, "http://h/v1/..."},
		{"http://h/v1/{term}", `{"term":"a..b"}`, "http://h/v1/a..b"},
		{"http://h/v1/{id}.json", `{"id":12345678901234567890}`, "http://h/v1/12345678901234567890.json"},
		{"http://h/{a}-{b}/x", `{"a":true,"b":1.50}`, "http://h/true-1.50/x"},
		{"http://h/../{a}", `{"a":"x"}`, "http://h/../x"}, // the dots are the admin's
		{"http://h:8080?q={q}", `{"q":"a&b=c"}`, "http://h:8080?q=a%26b%3Dc"},
		{"http://h/?q={q}&fixed=1", `{"q":"x y"}`, "http://h/?q=x%20y&fixed=1"},
		{"http://h/?q={q}&fixed=1", `{}`, "http://h/?fixed=1"},
		{"http://h/?q={q}&fixed=1", `{"q":null}`, "http://h/?fixed=1"},
		{"http://h/?q={q}", `{"q":["a","b,c",3]}`, "http://h/?q=a&q=b%2Cc&q=3"},
		{"http://h/?q={q}", `{"q":[]}`, "http://h/"},
		{"http://h/?q={q}", `{"q":""}`, "http://h/?q="},
		{"http://h/?q={q}", `{"q":{"a":1}}`, "http://h/?q=%7B%22a%22%3A1%7D"},
		{"http://h/?range={from}..{to}", `{"from":1,"to":2}`, "http://h/?range=1..2"},
		{"http://h/?range={from}..{to}", `{"from":1}`, "http://h/"},
		{"http://h/?flag&page[size]=10", `{}`, "http://h/?flag&page[size]=10"},
		{"http://h/v1", `{"b":2,"a":"x y","c":[true,null,"z"],"d":null,"é&":"ü"}`, "http://h/v1?a=x%20y&b=2&c=true&c=z&%C3%A9%26=%C3%BC"},
		{"http://h/v1?k=1", `{"a":1}`, "http://h/v1?k=1&a=1"},
		{"http://h/{a}?b={b}", `{"a":"1","b":"2","c":"3"}`, "http://h/1?b=2&c=3"},
		{"http://h/v1", ``, "http://h/v1"},
	} {
		got, body, err := tool(t, httptool.Options{URL: c.url, Declared: declared}).Request(c.arguments)
		if err != nil || got != c.want || body != nil {
			t.Errorf("%s %s:\ngot  %s %s %v\nwant %s", c.url, c.arguments, got, body, err, c.want)
		}
	}
}

func TestArgumentsThatMakeNoAddress(t *testing.T) {
	for _, c := range []struct{ url, arguments, want string }{
		{"http://h/v1/{term}", `{"term":".."}`, "dots"},
		{"http://h/v1/{term}", `{"term":"."}`, "dots"},
		{"http://h/v1/{term}/x", `{"term":"../../admin"}`, "dots"},
		{"http://h/v1/{term}/x", `{"term":"a\\..\\b"}`, "dots"},
		{"http://h/v1/{term}/x", `{"term":"..;/x"}`, "dots"},
		{"http://h/v1/.{term}", `{"term":"."}`, "dots"},
		{"http://h/v1/%2E{term}", `{"term":"."}`, "dots"},
		{"http://h/v1/{a}{b}", `{"a":".","b":"."}`, "dots"},
		{"http://h/v1/{term}", `{"term":""}`, "empty"},
		{"http://h/v1/{term}", `{"term":"  "}`, "empty"},
		{"http://h/v1/{term}/x", `{"term":"//"}`, "empty"},
		{"http://h/v1/{term}", `{}`, `"term"`},
		{"http://h/v1/{term}", `{"term":null}`, `"term"`},
		{"http://h/v1/{term}", `{"term":["a"]}`, "a text"},
		{"http://h/v1/{term}", `{"term":{"a":1}}`, "a text"},
		{"http://h/v1/{term}", `{"term":"a\u0000b"}`, "control"},
		{"http://h/v1/{term}", `{"term":"a\r\nHost: x"}`, "control"},
		{"http://h/?range={from}..{to}", `{"from":[1],"to":2}`, "a text"},
		{"http://h/?scope=own", `{"scope":"all"}`, `"scope"`},
		{"http://h/?scope=own", `{"Scope":"all"}`, `"Scope"`},
		{"http://h/?%73cope=own", `{"scope":"all"}`, `"scope"`},
		{"http://h/?flag", `{"flag":"1"}`, `"flag"`},
		{"http://h/?q={term}", `{"q":"x"}`, `"q"`},
		{"http://h/?scope=own", `{" scope":"all"}`, `" scope"`},
		{"http://h/?scope=own", `{"scope[]":"all"}`, `"scope[]"`},
		{"http://h/?scope=own", `{"sco\u200bpe":"all"}`, `no argument`},
		{"http://h/?scope=own", `{"ｓｃｏｐｅ":"all"}`, `no argument`},
		{"http://h/?user_id=7", `{"user.id":"8"}`, `"user.id"`},
		{"http://h/?user.id=7", `{"user_id":"8"}`, `"user_id"`},
		{"http://h/?page[size]=7", `{"page":"8"}`, `"page"`},
		{"http://h/", `{"a.b":"8"}`, `"a.b"`}, // an undeclared name
		{"http://h/", `{"":"8"}`, `no argument`},
		{"http://h/?q={q}", `{"q":"` + strings.Repeat("x", 9000) + `"}`, "8000"},
		{"http://h/", `[]`, "object"},
		{"http://h/", `null`, "object"},
		{"http://h/", `{} {}`, "valid JSON"},
		{"http://h/", `{"a":`, "object"},
		{"http://h/", `{"b":{"x":1,"x":2}}`, "more than once"}, // what was checked, and only that
	} {
		if got, _, err := tool(t, httptool.Options{URL: c.url}).Request(c.arguments); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %s %v", c.url, c.arguments, got, err)
		}
	}
}

// An admin may declare any parameter name that no fixed parameter has.
func TestDeclaredNames(t *testing.T) {
	for _, c := range []struct {
		method, url, name string
		taken             bool
	}{
		{"GET", "http://h/", "user.id", true},
		{"GET", "http://h/?user_id=7", "user.id", false},
		{"GET", "http://h/?scope=own", "scope[]", false},
		{"POST", "http://h/?scope=own", "scope", true}, // in the body
	} {
		arguments := `{"` + c.name + `":1}`
		if _, _, err := tool(t, httptool.Options{Method: c.method, URL: c.url, Declared: []string{c.name}}).Request(arguments); (err == nil) != c.taken {
			t.Errorf("%s %s %s: %v", c.method, c.url, c.name, err)
		}
	}
	// Some servers read the body's names before those of the query.
	if _, body, err := tool(t, httptool.Options{Method: "POST", URL: "http://h/?scope=own"}).Request(`{"Scope":"all"}`); err == nil {
		t.Errorf("sent %s", body)
	}
}

func TestBodies(t *testing.T) {
	for _, c := range []struct{ method, url, arguments, address, body string }{
		{"POST", "http://h/{a}?b={b}", `{"a":"1","b":"2","c":"<3>","d":1e40,"e":{"z":1,"y":[null]}}`, "http://h/1?b=2", `{"c":"<3>","d":1e40,"e":{"z":1,"y":[null]}}`},
		{"PUT", "http://h/{a}", `{"a":"1"}`, "http://h/1", `{}`},
		{"PATCH", "http://h/", ``, "http://h/", `{}`},
		{"DELETE", "http://h/{a}", `{"a":"1"}`, "http://h/1", ``},
		{"DELETE", "http://h/{a}", `{"a":"1","why":"x"}`, "http://h/1", `{"why":"x"}`},
	} {
		address, body, err := tool(t, httptool.Options{Method: c.method, URL: c.url}).Request(c.arguments)
		if err != nil || address != c.address || string(body) != c.body {
			t.Errorf("%s %s %s: %s %s %v", c.method, c.url, c.arguments, address, body, err)
		}
	}
}

func TestTemplatesThatAreNone(t *testing.T) {
	for _, address := range []string{"", "h", "http://{h}/", "{s}://h/", "http://h{p}/", "http://h/#{x}", "http://h/?{k}=v", "http://u:p@h/", "http://0x7f.1/", "gopher://h/"} {
		if _, err := httptool.New(httptool.Options{Method: "GET", URL: address}); err == nil {
			t.Errorf("%q is taken", address)
		}
	}
}

// Whatever a model sends, it chooses values and nothing else.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"x", "..", "a/../b", "@evil", "#", "?x=y&z", "\\", "%2e%2e%2f", "\r\n", "://", "..;", "\x00", "é", "[]", ".%00."} {
		f.Add(s, s, s, s)
	}
	get := tool(f, httptool.Options{URL: "https://terms.example.org:8443/v1/{a}/mid-{b}/end?fixed=1&q={q}"})
	post := tool(f, httptool.Options{Method: "POST", URL: "https://terms.example.org:8443/v1/{a}/mid-{b}/end?fixed=1&q={q}"})
	f.Fuzz(func(t *testing.T, a, b, q, name string) {
		raw, err := json.Marshal(map[string]string{"a": a, "b": b, "q": q, name: q})
		if err != nil {
			t.Fatal(err)
		}
		for _, made := range []*httptool.Tool{get, post} {
			address, _, err := made.Request(string(raw))
			if err != nil {
				continue
			}
			u, err := url.Parse(address)
			if err != nil {
				t.Fatalf("%s: %v", address, err)
			}
			if u.Scheme != "https" || u.Host != "terms.example.org:8443" || u.User != nil || u.Fragment != "" {
				t.Errorf("leads elsewhere: %s", address)
			}
			segments := strings.Split(u.EscapedPath(), "/")
			if len(segments) != 5 || segments[1] != "v1" || !strings.HasPrefix(segments[3], "mid-") || segments[4] != "end" {
				t.Errorf("another path: %s", address)
			}
			// Servers that decode first and resolve the path then do not leave it either.
			walked := path.Clean(strings.ReplaceAll(u.Path, `\`, "/"))
			if !strings.HasPrefix(walked, "/v1/") || !strings.HasSuffix(walked, "/end") || strings.Count(walked, "/") < 4 {
				t.Errorf("walks to %s: %s", walked, address)
			}
			query, err := url.ParseQuery(u.RawQuery)
			if err != nil || !slices.Equal(query["fixed"], []string{"1"}) || len(query["q"]) != 1 || len(query) > 3 {
				t.Errorf("another query (%v): %s", err, address)
			}
			if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) {
				t.Errorf("not an address: %q", address)
			}
		}
	})
}

// Addresses are the admin's: whatever one contains, it is accepted or refused, and an accepted one
// leads to its host.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"http://h/{a}", "http://h", "https://[::1]:1/{a}?{b}={c}", "http://h/%{a}", "x://{a}", "http://h?{", "http://h/{a}{a}?a={a}", "http://h/?&&="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, template string) {
		made, err := httptool.New(httptool.Options{Method: "GET", URL: template})
		if err != nil {
			return
		}
		address, _, err := made.Request(`{"a":"@evil","b":"//evil","c":"?"}`)
		if err != nil {
			return
		}
		scheme, rest, _ := strings.Cut(template, "://")
		host := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune("/?#", r) })[0]
		after, ok := strings.CutPrefix(address, scheme+"://"+host)
		if !ok || after != "" && after[0] != '/' && after[0] != '?' {
			t.Errorf("%q became %q", template, address)
		}
	})
}
