package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
)

// Without a directory the gateway works, with the built-in apps, the demo
// model, and the defaults of the contract.
func TestBuiltin(t *testing.T) {
	s, err := config.Load(config.Options{Env: env{}.Lookup, Tools: fakeTypes})
	if err != nil {
		t.Fatal(err)
	}
	want := config.Gateway{
		Listen: "127.0.0.1:8080", Store: "sqlite:askgate.db",
		Models: map[string]config.Model{"default": {Provider: "demo", Timeout: config.Duration(120 * time.Second), MaxRetries: 2, Reasoning: config.Reasoning{Show: true}, Cache: true}},
		Auth:   config.Auth{Mode: "none"},
		Limits: config.GatewayLimits{Limits: config.Limits{RequestsPerMinute: 60, Burst: 20, ConcurrentTurns: 4, Streams: 20}, StoredBytes: 1 << 30},
		Clarifications: config.Clarifications{PerConversation: 10, PerTurn: 5, ApprovalsPerTurn: 20, MaxQuestions: 5, MaxOptions: 20,
			ExpiresIn: 0, Secrets: "refuse", SecretWords: []string{}, AllowOther: "model", AllowSkip: "model", Keys: map[string]config.QuestionKey{}, OnMessageWhilePending: "answer", OnMessageWhileRunning: "reject"},
		Files:           config.Files{MaxBytes: 10_000_000, PerChat: 20, PerChatBytes: 100_000_000},
		ShutdownTimeout: config.Duration(30 * time.Second),
	}
	if !reflect.DeepEqual(s.Gateway, want) {
		t.Errorf("got  %+v\nwant %+v", s.Gateway, want)
	}
	if len(s.Warnings) > 0 {
		t.Error("warnings:", s.Warnings)
	}
	var ids []string
	for _, a := range s.Apps() {
		ids = append(ids, a.ID)
		if a.MaxSteps != 10 || a.Model != "default" || !slices.Contains(a.Tools, "ask_user") {
			t.Errorf("%s: %+v", a.ID, a)
		}
		for _, text := range append([]config.Text{a.Name, a.Description, a.System}, a.StarterPrompts...) {
			if got := text.Languages(); !slices.Equal(got, []string{"en", "de", "fr", "es"}) {
				t.Errorf("%s: languages %v of %q", a.ID, got, text.In("en"))
			}
		}
	}
	if !slices.Equal(ids, []string{"assistant", "law", "translator"}) {
		t.Error("apps:", ids)
	}
	ask, ok := s.Tool("assistant", "ask_user")
	if !ok || ask.Type != config.TypeAskUser || !ask.RequiresUserInput || ask.Parameters != nil || len(ask.Description.Languages()) != 4 {
		t.Errorf("ask_user: %+v", ask)
	}
	for _, id := range []string{"calculator", "clock"} {
		if tool, ok := s.Tool("assistant", id); !ok || tool.Type != config.TypeBuiltin || tool.ID != id {
			t.Errorf("%s: %+v", id, tool)
		}
	}
}

// A built-in app is omitted from a program that does not have the type of its tools. An app in the
// admin's files is not.
func TestABuiltInAppNeedsItsToolsType(t *testing.T) {
	s, err := config.Load(config.Options{Env: env{}.Lookup})
	if err != nil {
		t.Fatal(err)
	}
	if _, law := s.App("law"); law || len(s.Apps()) != 2 || len(s.Warnings) > 0 {
		t.Error(law, len(s.Apps()), s.Warnings)
	}
	_, err = configtest.Load(t, tree{"apps/law/app.json": `{"id": "law"}`, "apps/law/tools.json": `[{"id": "laws", "type": "documents"}]`}, nil)
	if err == nil || !strings.Contains(err.Error(), `unknown type of tool "documents"`) {
		t.Error(err)
	}
}

// An empty or missing gateway.json means the defaults. A directory without apps
// keeps the built-in ones, even if it has a tools.json.
func TestOnlyGatewayFile(t *testing.T) {
	s := mustLoad(t, tree{"gateway.json": `{"limits": {"burst": 7}}`, "tools.json": `[]`}, nil)
	if _, laws := s.Tool("law", "ordinances"); !laws {
		t.Error("the built-in app has lost its tool")
	}
	s = mustLoad(t, gateway(`{"limits": {"burst": 7}}`), nil)
	if len(s.Apps()) != 3 || s.Gateway.Limits.Burst != 7 || s.Gateway.Limits.RequestsPerMinute != 60 {
		t.Errorf("%d apps, limits %+v", len(s.Apps()), s.Gateway.Limits)
	}
	if a, _ := s.App("translator"); a.Limits.Burst != 7 {
		t.Errorf("the built-in app's limits: %+v", a.Limits)
	}
}

func TestStores(t *testing.T) {
	for _, store := range []string{
		"sqlite:/var/lib/askgate/chats.db", "postgres://askgate:a%23b@db.example.org/chats", "postgresql://db:5433/chats?sslmode=verify-full",
		"postgres:///chats?host=/var/run/postgresql", "postgres://a,b/chats?target_session_attrs=read-write", "postgres://[::1]:5432/chats?search_path=x",
	} {
		if s := mustLoad(t, gateway(`{"store": "`+store+`"}`), nil); s.Gateway.Store != store {
			t.Errorf("%s became %s", store, s.Gateway.Store)
		}
		if s := mustLoad(t, gateway(`{"store": "$DATABASE"}`), env{"DATABASE": store}); s.Gateway.Store != store {
			t.Errorf("$DATABASE became %s", s.Gateway.Store)
		}
	}
}

func TestCommentsTrailingCommasAndByteOrderMark(t *testing.T) {
	s := mustLoad(t, gateway("\ufeff// first\n{/* a */ \"listen\": \"[::1]:1\", // b\n} // last"), nil)
	if s.Gateway.Listen != "[::1]:1" {
		t.Error(s.Gateway.Listen)
	}
}

func TestRedisAddresses(t *testing.T) {
	for _, address := range []string{"", "redis://h", "redis://:p%3Fss@h:6379", "rediss://user:pass@h:6380/3", "redis://[::1]:6379/"} {
		if s := mustLoad(t, gateway(`{"redis": "`+address+`"}`), nil); s.Gateway.Redis != address {
			t.Errorf("%q became %q", address, s.Gateway.Redis)
		}
	}
}

// The example of contract section 3, as far as this version supports it.
func TestContractExample(t *testing.T) {
	s := mustLoad(t, tree{
		"gateway.json": `{
			"listen": "127.0.0.1:8080", "adminListen": "", "store": "sqlite:askgate.db", "redis": "",
			"models": {
				"default": {"provider": "openai", "baseUrl": "http://127.0.0.1:11434/v1/", "apiKey": "$OPENAI_API_KEY",
				            "model": "qwen3", "timeout": "120s", "maxRetries": 2}
			},
			"auth": {"mode": "apiKeys", "keys": [{"id": "web", "hash": "` + hash + `", "tenant": "acme", "subject": "alice", "roles": ["user"], "mayActAs": false}]},
			"limits": {"requestsPerMinute": 60, "burst": 20, "concurrentTurns": 4, "turnsPerMinutePerApp": 0},
			"clarifications": {"perConversation": 10, "perTurn": 5, "maxQuestions": 5, "maxOptions": 20, "expiresIn": "", "onMessageWhilePending": "answer"},
			"shutdownTimeout": "30s"
		}`,
		"tools.json": `[
			{"id": "ask_user", "type": "ask_user", "name": {"en": "Ask"}, "description": {"en": "Asks.", "de": "Fragt."}, "parameters": { }},
			{"id": "glossary", "type": "http", "description": {"en": "Terms."}, "parameters": {"type": "object", "properties": {"term": {"type": "string"}}, "required": ["term"]},
			 "http": {"method": "GET", "url": "https://terms.example.org/v1/{term}"}, "needsApproval": false},
			{"id": "pick_color", "type": "client", "description": {"en": "Colour."}, "parameters": { }},
		]`,
		"apps/translator.json": `{
			"id": "translator", "enabled": true, "name": {"en": "Translator", "de": "Übersetzer"}, "description": {"en": "Translates."},
			"system": {"en": "You are a translator."}, "model": "default", "tools": ["ask_user", "glossary", "pick_color"],
			"starterPrompts": [{"en": "Translate a text"}], "maxSteps": 10, "temperature": 0.3,
			"limits": {"requestsPerMinute": 30}, "clarifications": {"perConversation": 3, "expiresIn": "24h"},
			"access": {"roles": []}
		}`,
	}, env{"OPENAI_API_KEY": "sk-1", "GLOSSARY_TOKEN": "Bearer 1"})
	m := s.Gateway.Models["default"]
	if m.APIKey != "sk-1" || m.BaseURL != "http://127.0.0.1:11434/v1" || m.Model != "qwen3" || m.Timeout.Std() != 2*time.Minute {
		t.Errorf("model %+v", m)
	}
	if k := s.Gateway.Auth.Keys[0]; k.Hash != hash || k.ID != "web" || k.Tenant != "acme" || k.Subject != "alice" || !slices.Equal(k.Roles, []string{"user"}) {
		t.Errorf("key %+v", k)
	}
	a, ok := s.App("translator")
	if !ok || a.Limits != (config.Limits{RequestsPerMinute: 30, Burst: 20, ConcurrentTurns: 4, Streams: 20}) ||
		a.Clarifications.PerConversation != 3 || a.Clarifications.PerTurn != 5 || a.Clarifications.ExpiresIn.Std() != 24*time.Hour ||
		*a.Temperature != 0.3 || a.Name.In("de-AT") != "Übersetzer" || a.StarterPrompts[0].In("fr") != "Translate a text" {
		t.Errorf("app %+v", a)
	}
	ask, _ := s.Tool("translator", "ask_user")
	if ask.Parameters != nil {
		t.Errorf("empty parameters of ask_user mean the built-in schema, got %s", ask.Parameters)
	}
	g, _ := s.Tool("translator", "glossary")
	if g.Own.(*fakeOwn).url != "https://terms.example.org/v1/{term}" {
		t.Errorf("http %+v", g.Own)
	}
	c, _ := s.Tool("translator", "pick_color")
	if string(c.Parameters) != "{}" || !c.RequiresUserInput {
		t.Errorf("client %+v", c)
	}
	if len(s.Warnings) > 0 {
		t.Error(s.Warnings)
	}
}

// 0 is a value and overrides; a missing key does not.
func TestZeroIsNotUnset(t *testing.T) {
	s := mustLoad(t, tree{
		"gateway.json":   `{"clarifications": {"perConversation": 8, "expiresIn": "1d"}}`,
		"apps/none.json": `{"id": "none", "clarifications": {"perConversation": 0, "expiresIn": ""}}`,
		"apps/some.json": `{"id": "some", "clarifications": {}}`,
	}, nil)
	none, _ := s.App("none")
	some, _ := s.App("some")
	if none.Clarifications.PerConversation != 0 || none.Clarifications.ExpiresIn != 0 {
		t.Errorf("none: %+v", none.Clarifications)
	}
	if some.Clarifications.PerConversation != 8 || some.Clarifications.ExpiresIn.Std() != 24*time.Hour {
		t.Errorf("some: %+v", some.Clarifications)
	}
	s = mustLoad(t, tree{
		"gateway.json": `{"limits": {"requestsPerMinute": 0, "burst": 0, "concurrentTurns": 0, "streams": 0}}`,
		"apps/a.json":  `{"id": "a"}`,
		"apps/b.json":  `{"id": "b", "limits": {"concurrentTurns": 2}}`,
	}, nil)
	a, _ := s.App("a")
	b, _ := s.App("b")
	if a.Limits != (config.Limits{}) || b.Limits != (config.Limits{ConcurrentTurns: 2}) {
		t.Errorf("limits %+v, %+v", a.Limits, b.Limits)
	}
	s = mustLoad(t, tree{"gateway.json": `{
		"limits": {"requestsPerMinutePerTenant": 600, "requestsPerMinutePerAddress": 60,
			"tokens": {"perPrincipal": {"max": 100000, "window": "24h"}, "perTenant": {"max": 1000000000000, "window": "7d"}}},
		"clarifications": {"perPrincipalPerDay": 20}, "trustedProxies": ["10.0.0.5", "fd00::/8"]}`,
		"apps/a.json": `{"id": "a", "clarifications": {"perAppPerMinute": 5}}`,
	}, nil)
	if want := (config.Tokens{
		PerPrincipal: config.Budget{Max: 100_000, Window: config.Duration(24 * time.Hour)},
		PerTenant:    config.Budget{Max: 1_000_000_000_000, Window: config.Duration(7 * 24 * time.Hour)},
	}); s.Gateway.Limits.Tokens != want || s.Gateway.Limits.RequestsPerMinutePerTenant != 600 || s.Gateway.Limits.RequestsPerMinutePerAddress != 60 || s.Gateway.Limits.Burst != 20 {
		t.Errorf("limits %+v", s.Gateway.Limits)
	}
	if got := fmt.Sprint(s.Gateway.TrustedProxies); got != "[10.0.0.5/32 fd00::/8]" {
		t.Errorf("trusted proxies %s", got)
	}
	if a, _ := s.App("a"); a.Clarifications.PerPrincipalPerDay != 20 || a.Clarifications.PerAppPerMinute != 5 {
		t.Errorf("caps %+v", a.Clarifications)
	}
	if none.Name.In("de") != "none" {
		t.Error("an app without a name is called by its id")
	}
}

func TestDefaultModel(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		env  env
		want config.Model
		warn string
	}{
		"nothing":         {`{}`, env{}, config.Model{Provider: "demo"}, ""},
		"key":             {`{}`, env{"OPENAI_API_KEY": " k\n"}, config.Model{Provider: "openai", BaseURL: "https://api.openai.com/v1", APIKey: "k", Model: "gpt-4.1-mini"}, ""},
		"base and model":  {`{}`, env{"OPENAI_BASE_URL": "http://h/v1/", "ASKGATE_MODEL": "m"}, config.Model{Provider: "openai", BaseURL: "http://h/v1", Model: "m"}, ""},
		"base, no model":  {`{}`, env{"OPENAI_BASE_URL": "http://h/v1"}, config.Model{Provider: "openai", BaseURL: "http://h/v1", Model: "gpt-4.1-mini"}, "ASKGATE_MODEL"},
		"model alone":     {`{}`, env{"ASKGATE_MODEL": "m"}, config.Model{Provider: "demo"}, "demo model answers"},
		"file has others": {`{"models": {"x": {"provider": "demo"}}}`, env{"OPENAI_API_KEY": "k"}, config.Model{Provider: "openai", BaseURL: "https://api.openai.com/v1", APIKey: "k", Model: "gpt-4.1-mini"}, ""},
		"anthropic":       {`{"models": {"default": {"provider": "anthropic", "model": "m", "maxTokens": 100, "contextTokens": 2000}}}`, env{"ANTHROPIC_API_KEY": "k"}, config.Model{Provider: "anthropic", BaseURL: "https://api.anthropic.com", Model: "m", MaxTokens: 100, ContextTokens: 2000}, ""},
		"file wins":       {`{"models": {"default": {"provider": "demo"}}}`, env{"OPENAI_API_KEY": "k"}, config.Model{Provider: "demo"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustLoad(t, gateway(c.file), c.env)
			c.want.Timeout, c.want.MaxRetries, c.want.Reasoning.Show, c.want.Cache = config.Duration(2*time.Minute), 2, true, true
			if c.want.Provider == "openai" {
				c.want.API = "auto"
			}
			if got := s.Gateway.Models["default"]; !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if got := fmt.Sprint(s.Warnings); (c.warn == "") != (len(s.Warnings) == 0) || !strings.Contains(got, c.warn) {
				t.Errorf("warnings %v, want one with %q", got, c.warn)
			}
		})
	}
	if _, err := load(t, gateway(`{}`), env{"OPENAI_BASE_URL": "localhost"}); err == nil || !strings.Contains(err.Error(), "OPENAI_BASE_URL: not a base address") {
		t.Errorf("a bad OPENAI_BASE_URL: %v", err)
	}
}

func TestPrecedence(t *testing.T) {
	dir := t.TempDir()
	gateway(`{"listen": "localhost:1", "adminListen": ":2", "store": "sqlite:file.db"}`).Write(t, dir)
	get := func(e env, o config.Overrides) string {
		t.Helper()
		s, err := config.Load(config.Options{Dir: dir, Env: e.Lookup, Tools: fakeTypes, Overrides: o})
		if err != nil {
			return err.Error()
		}
		return s.Gateway.Listen + " " + s.Gateway.AdminListen + " " + s.Gateway.Store
	}
	e := env{"ASKGATE_LISTEN": "127.0.0.1:3", "ASKGATE_STORE": "sqlite:env.db", "ASKGATE_ADMIN_LISTEN": ""}
	listen, none := "127.0.0.1:5", ""
	for want, got := range map[string]string{
		"localhost:1 :2 sqlite:file.db": get(nil, config.Overrides{}),
		"127.0.0.1:3 :2 sqlite:env.db":  get(e, config.Overrides{}),
		"127.0.0.1:5  sqlite:env.db":    get(e, config.Overrides{Listen: &listen, AdminListen: &none}),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	bad := "nowhere"
	for want, got := range map[string]string{
		"--store: not a store":           get(nil, config.Overrides{Store: &bad}),
		"ASKGATE_LISTEN: not an address": get(env{"ASKGATE_LISTEN": "x"}, config.Overrides{}),
	} {
		if !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestVariablesInTexts(t *testing.T) {
	s := mustLoad(t, app(`"system": {"en": "$PROMPT", "de": "$$PROMPT", "fr": "$5 $PROMPT", "es": "$5"}`), env{"PROMPT": "Be kind."})
	a, _ := s.App("a")
	for language, want := range map[string]string{"en": "Be kind.", "de": "$PROMPT", "fr": "$5 $PROMPT", "es": "$5"} {
		if got := a.System.In(language); got != want {
			t.Errorf("%s: got %q, want %q", language, got, want)
		}
	}
}

// A tool in an app's own file overrides the shared one key by key, or is new, and exists
// only in that app.
func TestOwnTools(t *testing.T) {
	s := mustLoad(t, tree{
		"tools.json":        `[{"id": "x", "type": "client", "name": "Shared", "description": {"en": "shared"}, "parameters": {"type": "object"}}]`,
		"apps/a.json":       `{"id": "a", "tools": ["clock"]}`,
		"apps/a/tools.json": `[{"id": "x", "description": "own"}, {"id": "y", "type": "client"}, {"id": "clock", "name": "Uhr"}]`,
		"apps/b/app.json":   `{"id": "b"}`,
		"apps/c.json":       `{"id": "c", "enabled": false, "tools": ["x"]}`,
	}, nil)
	ax, _ := s.Tool("a", "x")
	bx, _ := s.Tool("b", "x")
	if ax.Description.In("en") != "own" || ax.Name.In("en") != "Shared" || ax.Type != "client" || string(ax.Parameters) != `{"type":"object"}` {
		t.Errorf("a's x: %+v", ax)
	}
	if bx.Description.In("en") != "shared" {
		t.Errorf("b's x: %+v", bx)
	}
	if _, ok := s.Tool("a", "y"); !ok {
		t.Error("a lacks y")
	}
	if _, ok := s.Tool("b", "y"); ok {
		t.Error("b has y, which is a's own")
	}
	if clock, _ := s.Tool("a", "clock"); clock.Name.In("de") != "Uhr" || clock.Type != config.TypeBuiltin {
		t.Errorf("a's clock: %+v", clock)
	}
	if _, ok := s.App("c"); ok || len(s.Apps()) != 2 {
		t.Error("a disabled app is visible")
	}
}

func TestText(t *testing.T) {
	s := mustLoad(t, app(`"name": {"fr": "f", "pt-BR": "b", "de": "d", "en": "e", "es": ""}, "description": {"nl": "n", "it": "i"}`), nil)
	a, _ := s.App("a")
	for language, want := range map[string]string{"de": "d", "de-AT": "d", "DE_at": "d", "pt-br": "b", "pt": "e", "es": "e", "": "e", "zz": "e"} {
		if got := a.Name.In(language); got != want {
			t.Errorf("name in %q: got %q, want %q", language, got, want)
		}
	}
	if got := a.Description.In("en"); got != "n" {
		t.Errorf("without en the first one: got %q", got)
	}
	if got := config.NewText("x"); got.In("de") != "x" || got.IsZero() || !config.NewText("").IsZero() {
		t.Error("NewText")
	}
}

func TestRolesAreWarnings(t *testing.T) {
	keys := `{"auth": {"mode": "apiKeys", "keys": [{"id": "k", "hash": "` + hash + `", "tenant": "t", "subject": "s", "roles": ["admin"]}]}}`
	s := mustLoad(t, tree{"gateway.json": keys, "apps/a.json": `{"id": "a", "access": {"roles": ["admin", "admn"]}}`}, nil)
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Message, `"admn"; did you mean "admin"?`) {
		t.Error(s.Warnings)
	}
	s = mustLoad(t, app(`"access": {"roles": ["admin"]}`), nil)
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Message, "no one may use this app") {
		t.Error(s.Warnings)
	}
}

func TestUnreadFilesAreWarnings(t *testing.T) {
	s := mustLoad(t, tree{"tool.json": `[]`, "apps/a.json": `{"id": "a"}`, "apps/a/aap.json": `x`, "apps/.b.json": `x`, "notes.txt": ``}, nil)
	if got := fmt.Sprint(s.Warnings); len(s.Warnings) != 2 || !strings.Contains(got, `did you mean "tools.json"?`) || !strings.Contains(got, `did you mean "app.json"?`) {
		t.Error(got)
	}
}

func TestWriteDefault(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "config")
	if err := config.WriteDefault(dir); err != nil {
		t.Fatal(err)
	}
	written, err := config.Load(config.Options{Dir: dir, Env: env{}.Lookup, Tools: fakeTypes})
	if err != nil {
		t.Fatal(err)
	}
	builtin, err := config.Load(config.Options{Env: env{}.Lookup, Tools: fakeTypes})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(written.WithoutTypes(), builtin.WithoutTypes()) {
		t.Error("what init writes differs from what is built in")
	}
	if err := config.WriteDefault(dir); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a directory that is not empty must be refused, got %v", err)
	}
	if err := config.WriteDefault(filepath.Join(dir, "gateway.json")); err == nil {
		t.Error("a file was accepted as the directory")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 4 {
		t.Error("a refused directory was changed")
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30s": 30 * time.Second, "1h30m": 90 * time.Minute, "90d": 90 * 24 * time.Hour, "1d12h": 36 * time.Hour, "0s": 0, "250ms": 250 * time.Millisecond,
	} {
		d, err := config.ParseDuration(text)
		if err != nil || d.Std() != want {
			t.Errorf("%q: %v, %v", text, d.Std(), err)
		}
		if again, err := config.ParseDuration(d.String()); err != nil || again != d {
			t.Errorf("%q becomes %q, which reads as %v, %v", text, d, again, err)
		}
	}
	for _, text := range []string{"", "d", "30", "-1s", "1d-1h", "1d+1h", "1.5d", "-1d", "1d ", "999999999999d", "106751d24h", "x", "1d1d"} {
		if d, err := config.ParseDuration(text); err == nil {
			t.Errorf("%q was read as %v", text, d)
		}
	}
}

// An admin also sees the disabled apps.
func TestWhatIsThereBesideTheAppsInUse(t *testing.T) {
	s := mustLoad(t, tree{
		"tools.json":        `[{"id": "clock", "name": "Shared"}]`,
		"apps/on.json":      `{"id": "on", "tools": ["clock"]}`,
		"apps/b.json":       `{"id": "b", "enabled": false, "name": "B", "model": "default"}`,
		"apps/a/app.json":   `{"id": "a", "enabled": false, "tools": ["clock"]}`,
		"apps/a/tools.json": `[{"id": "clock", "name": "Own"}, {"id": "n", "type": "client"}]`,
	}, nil)
	var disabled []string
	for _, a := range s.Disabled() {
		disabled = append(disabled, a.ID)
	}
	if !slices.Equal(disabled, []string{"a", "b"}) || len(s.Apps()) != 1 {
		t.Errorf("disabled %v, in use %v", disabled, s.Apps())
	}
	if _, ok := s.App("a"); ok {
		t.Error("a disabled app can be used")
	}
	ids := func(list []*config.Tool) (ids []string) {
		for _, tool := range list {
			ids = append(ids, tool.ID+" "+tool.Name.In("en"))
		}
		return ids
	}
	if got := ids(s.Tools()); !slices.Equal(got, []string{"ask_user ", "calculator ", "clock Shared", "demo_booking ", "demo_projects "}) {
		t.Errorf("shared tools %q", got)
	}
	if got := ids(s.OwnTools("a")); !slices.Equal(got, []string{"clock Own", "n "}) {
		t.Errorf("a's own tools %q", got)
	}
	if got := s.OwnTools("on"); len(got) != 0 {
		t.Errorf("an app without a tools.json of its own has %v", got)
	}
}
