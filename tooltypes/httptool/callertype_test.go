package httptool_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/tooltypes/httptool"
)

// withAuth returns files with one tool, whose entry has these keys, and "auth".
func withAuth(auth, entry string) configtest.Files {
	return configtest.Files{"gateway.json": `{"auth": ` + auth + `}`, "tools.json": `[{"id": "x", ` + entry + `}]`}
}

const (
	tokens = `{"mode": "jwt", "jwt": {"jwks": "https://h/k", "issuer": "i", "audience": ["a"]}}`
	keys   = `{"mode": "apiKeys", "keys": []}`
	proxy  = `{"mode": "proxy", "proxy": {"from": ["10.0.0.5"]}}`
	noAuth = `{"mode": "none"}`
)

func TestFaultsOfPlaceholdersOfTheCaller(t *testing.T) {
	deep := strings.Repeat(`{"a": `, 17) + "1" + strings.Repeat("}", 17)
	for name, c := range map[string]struct {
		auth, entry string
		want        []string
	}{
		"unknown in the url":         {tokens, `"type": "http", "http": {"url": ¶"http://h/{caller.name}"}`, []string{"no placeholder {caller.name}", "{caller.subject}"}},
		"unknown in a header":        {tokens, `"type": "http", "http": {"url": "http://h", "headers": {"X-A": "a", "X-B": ¶"{chat.title}"}}`, []string{"no placeholder {chat.title}"}},
		"unknown in the body":        {tokens, `"type": "http", "http": {"method": "POST", "url": "http://h", "body": {"a": ["b", ¶"{app.}"]}}`, []string{"no placeholder {app.}"}},
		"in the host":                {tokens, `"type": "http", "http": {"url": ¶"http://{caller.tenant}.example/"}`, []string{"scheme or host", "path and query only"}},
		"in the scheme":              {tokens, `"type": "http", "http": {"url": ¶"{caller.tenant}://h/"}`, []string{"scheme or host"}},
		"for a name of the query":    {tokens, `"type": "http", "http": {"url": ¶"http://h/?{caller.tenant}=1"}`, []string{"key={name}"}},
		"for a header's name":        {tokens, `"type": "http", "http": {"url": "http://h", "headers": {¶"{caller.tenant}": "1"}}`, []string{"HTTP header"}},
		"for a member of the body":   {tokens, `"type": "http", "http": {"method": "POST", "url": "http://h", "body": {"a": {¶"{caller.tenant}": 1}}}`, []string{"{caller.tenant} is not replaced here", `"url", "headers" or "body"`}},
		"in the method":              {tokens, `"type": "http", "http": {"method": ¶"{app.id}", "url": "http://h"}`, []string{"{app.id}"}},
		"claims with API keys":       {keys, `"type": "http", "http": {"url": ¶"http://h/{caller.claims.email}"}`, []string{"{caller.claims.email}", `"mode": "jwt"`, `"apiKeys"`}},
		"claims with a proxy":        {proxy, `"type": "http", "http": {"url": "http://h/", "headers": {"X-A": ¶"{caller.claims.email}"}}`, []string{`"mode": "jwt"`, `"proxy"`}},
		"claims without callers":     {noAuth, `"type": "http", "http": {"method": "POST", "url": "http://h/", "body": {"a": {"b": ¶"{caller.claims.email}"}}}`, []string{`"mode": "jwt"`, `"none"`}},
		"claims in arguments":        {keys, `"type": "http", "http": {"url": "http://h/"}}, {"id": "ask_user", "type": "ask_user", "templates": {"t": {"question": "Which?", "optionsFrom": {"tool": "x", "label": "", "arguments": {"a": ¶"{caller.claims.email}"}}}}`, []string{`"mode": "jwt"`}},
		"unknown in arguments":       {tokens, `"type": "http", "http": {"url": "http://h/"}}, {"id": "ask_user", "type": "ask_user", "templates": {"t": {"question": "Which?", "optionsFrom": {"tool": "x", "label": "", "arguments": {"a": [¶"{caller.mail}"]}}}}`, []string{"no placeholder {caller.mail}"}},
		"for a name of arguments":    {tokens, `"type": "http", "http": {"url": "http://h/"}}, {"id": "ask_user", "type": "ask_user", "templates": {"t": {"question": "Which?", "optionsFrom": {"tool": "x", "label": "", "arguments": {¶"{app.id}": 1}}}}`, []string{"{app.id} is not replaced here"}},
		"in a question":              {tokens, `"type": "http", "http": {"url": "http://h/"}}, {"id": "ask_user", "type": "ask_user", "templates": {"t": {"question": {"en": ¶"Which of {caller.subject}?"}, "optionsFrom": {"tool": "x", "label": ""}}}`, []string{"{caller.subject} is not replaced here", "optionsFrom"}},
		"parameter of that name":     {tokens, `"type": "http", "parameters": {"properties": {"caller.subject": {}}}, "http": ¶{"url": "http://h/"}`, []string{`"caller.subject"`, "rename it"}},
		"body of a GET":              {tokens, `"type": "http", "http": {"url": "http://h/", "body": ¶{"a": 1}}`, []string{"GET has no body", `"POST"`}},
		"parameter in the body":      {tokens, `"type": "http", "parameters": {"properties": {"tenant": {}}}, "http": {"method": "POST", "url": "http://h/", "body": ¶{"tenant": 1}}`, []string{`"tenant"`, "rename or remove"}},
		"parameter like the body's":  {tokens, `"type": "http", "parameters": {"properties": {"user_id": {}}}, "http": {"method": "POST", "url": "http://h/", "body": ¶{"user": {"id": 1}}}`, []string{`"user_id"`, "rename or remove"}},
		"body that is a list":        {tokens, `"type": "http", "http": {"method": "POST", "url": "http://h/", "body": ¶[1]}`, []string{"an object"}},
		"body that is deep":          {tokens, `"type": "http", "http": {"method": "POST", "url": "http://h/", "body": ¶` + deep + `}`, []string{"16 levels"}},
		"body that is large":         {tokens, `"type": "http", "http": {"method": "POST", "url": "http://h/", "body": ¶{"a": "` + strings.Repeat("x", 64<<10) + `"}}`, []string{"limit 65536"}},
		"in a variable of the body":  {tokens, `"type": "http", "http": {"method": "POST", "url": "http://h/", "body": {"a": ¶"$WITH"}}`, []string{"the value of the variable", "written here"}},
		"in a variable of a header":  {tokens, `"type": "http", "http": {"url": "http://h/", "headers": {"X-A": ¶"$WITH"}}`, []string{"the value of the variable"}},
		"unknown, in a variable":     {tokens, `"type": "http", "http": {"url": "http://h/", "headers": {"X-A": ¶"$WRONG"}}`, []string{"the value of the variable"}},
		"claims in a variable's url": {keys, `"type": "http", "http": {"url": "$URL"}`, []string{`"mode": "jwt"`}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "claims in a variable's url" {
				files := withAuth(c.auth, c.entry)
				files["tools.json"] = "[¶" + strings.TrimPrefix(files["tools.json"], "[")
				configtest.Faulty(t, files, configtest.Env{"URL": "http://h/{caller.claims.email}"}, types, c.want...)
				return
			}
			faults := configtest.Faulty(t, withAuth(c.auth, c.entry), configtest.Env{"WITH": "s3cr3t {caller.subject}", "WRONG": "s3cr3t {caller.s3cr3t}"}, types, c.want...)
			if text := faults.Error(); strings.Contains(text, "s3cr3t") {
				t.Errorf("shows the variable: %s", text)
			}
		})
	}
}

// loaded returns the configuration of an entry that has no faults.
func loaded(t *testing.T, auth, entry string) *config.Snapshot {
	t.Helper()
	s, err := configtest.Load(t, withAuth(auth, entry), configtest.Env{"KEY": "k-12345678"}, types...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEntriesUseWhatTheyName(t *testing.T) {
	s := loaded(t, tokens, `"type": "http", "parameters": {"properties": {"a": {}}}, "http": {"method": "POST", "url": "http://h/{caller.tenant}?a={a}&b={caller.claims.https://x.example/b}",
		"headers": {"X-A": "{caller.claims.a.b}"}, "body": {"key": "$KEY", "price": "$$KEY", "n": 1.50, "by": ["{chat.id}", {"c": "{caller.claims.c}"}]}}`)
	x, _ := s.Tool("assistant", "x")
	if got, want := x.Placeholders(), []string{"caller.claims.a.b", "caller.claims.c", "caller.claims.https://x.example/b", "caller.tenant", "chat.id"}; !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	o := x.Own.(*httptool.Options)
	if got, want := string(o.Body), `{"key":"k-12345678","price":"$KEY","n":1.50,"by":["{chat.id}",{"c":"{caller.claims.c}"}]}`; got != want || !slices.Equal(o.Secrets, []string{"k-12345678"}) {
		t.Errorf("%s, secrets %q\nwant %s", got, o.Secrets, want)
	}
	if got := x.Shown(); !slices.Equal(got.Body, []string{"by", "key", "n", "price"}) {
		t.Errorf("%+v", got)
	}
}

// Texts for people and models are plain text.
func TestPlaceholdersInTextsAreText(t *testing.T) {
	s := loaded(t, tokens, `"type": "http", "name": "{caller.name}", "description": "Finds {caller.subject}.", "parameters": {"properties": {"a": {"description": "{chat.id}", "default": "{app.id}"}}}, "http": {"url": "http://h/"}`)
	if x, _ := s.Tool("assistant", "x"); len(x.Placeholders()) > 0 || len(s.Warnings) > 1 { // no app lists it
		t.Errorf("%q %v", x.Placeholders(), s.Warnings)
	}
}

func TestOneCallerForEveryone(t *testing.T) {
	for _, c := range []struct {
		auth, url string
		warned    bool
	}{
		{noAuth, "http://h/{caller.tenant}/{caller.subject}", true}, {noAuth, "http://h/{chat.id}/{app.id}", false}, {noAuth, "http://h/", false},
		{keys, "http://h/{caller.subject}", false}, {tokens, "http://h/{caller.claims.a}", false},
	} {
		found := 0
		for _, w := range loaded(t, c.auth, `"type": "http", "http": {"url": "`+c.url+`"}`).Warnings {
			if strings.Contains(w.Message, "the same for everyone") {
				found++
			}
		}
		if found > 1 || (found == 1) != c.warned {
			t.Errorf("%s %s: %d warnings", c.auth, c.url, found)
		}
	}
}

// Claims are sealed: without a secret that outlives the process, they do not outlive it either.
func TestClaimsAreBestSealedWithASecret(t *testing.T) {
	const sealed = `{"session": {"secret": "0123456789abcdef0123456789abcdef"}, "mode"`
	for _, c := range []struct {
		auth, url string
		warned    int
	}{
		{tokens, "http://h/{caller.claims.a}/{caller.claims.b}", 1}, {tokens, "http://h/{caller.subject}/{chat.id}", 0},
		{strings.Replace(tokens, `{"mode"`, sealed, 1), "http://h/{caller.claims.a}", 0},
	} {
		var found []config.Fault
		for _, w := range loaded(t, c.auth, `"type": "http", "http": {"url": "`+c.url+`"}`).Warnings {
			if strings.Contains(w.Message, "auth.session.secret") {
				found = append(found, w)
			}
		}
		if len(found) != c.warned || len(found) > 0 && (!strings.Contains(found[0].Message, "{caller.claims.a}") || !strings.Contains(found[0].File, "tools.json")) {
			t.Errorf("%s %s: %v", c.auth, c.url, found)
		}
	}
}

// What an app's own entry leaves unchanged is reported where it is written, once.
func TestPlaceholdersOfAnOverriddenEntry(t *testing.T) {
	configtest.Faulty(t, configtest.Files{
		"gateway.json":      `{"auth": ` + keys + `}`,
		"tools.json":        `[{"id": "x", "type": "http", "http": {"url": ¶"http://h/{caller.claims.a}"}}]`,
		"apps/a/app.json":   `{"id": "a", "tools": ["x"]}`,
		"apps/a/tools.json": `[{"id": "x", "description": "Another one."}]`,
	}, nil, types, `"mode": "jwt"`)
}

func TestArgumentsBesideAValueOfTheCallerAreBestRequired(t *testing.T) {
	s := loaded(t, keys, `"type": "http", "parameters": {"properties": {"a": {}, "b": {}}}, "http": {"url": "http://h/?f={caller.tenant}-{a}&b={b}"}`)
	if !slices.ContainsFunc(s.Warnings, func(f config.Fault) bool { return strings.Contains(f.Message, "{a}") }) ||
		slices.ContainsFunc(s.Warnings, func(f config.Fault) bool { return strings.Contains(f.Message, "{b}") }) {
		t.Error(s.Warnings)
	}
}
