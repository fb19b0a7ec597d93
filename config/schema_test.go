package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tailscale/hujson"
)

type object = map[string]any

func schema(t *testing.T, name string) (object, *jsonschema.Schema) {
	t.Helper()
	raw, err := config.Schema(name, fakeTypes)
	if err != nil {
		t.Fatal(err)
	}
	var doc object
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := config.CompileSchema(raw)
	if err != nil {
		t.Fatal(err)
	}
	return doc, compiled
}

// at walks into a schema by keys.
func at(t *testing.T, doc object, path ...string) object {
	t.Helper()
	for _, key := range path {
		next, ok := doc[key].(object)
		if !ok {
			t.Fatalf("the schema lacks %s of %v", key, path)
		}
		doc = next
	}
	return doc
}

// The schemas and the Go types have the same keys.
func TestSchemaKeysAreThoseOfTheTypes(t *testing.T) {
	g, _ := schema(t, "gateway")
	a, _ := schema(t, "app")
	tl, _ := schema(t, "tools")
	for name, c := range map[string]struct {
		typ   any
		props object
		extra []string // keys of the files that no field holds
	}{
		"gateway":                {config.Gateway{}, at(t, g, "properties"), []string{"$schema"}},
		"model":                  {config.Model{}, at(t, g, "$defs", "model", "properties"), []string{"fallback"}},
		"reasoning":              {config.Reasoning{}, at(t, g, "$defs", "model", "properties", "reasoning", "properties"), nil},
		"prices":                 {config.Prices{}, at(t, g, "$defs", "model", "properties", "prices", "properties"), nil},
		"auth":                   {config.Auth{}, at(t, g, "properties", "auth", "properties"), nil},
		"jwt":                    {config.JWT{}, at(t, g, "$defs", "jwt", "properties"), nil},
		"claims":                 {config.Origins{}, at(t, g, "$defs", "jwt", "properties", "claims", "properties"), nil},
		"proxy":                  {config.Proxy{}, at(t, g, "$defs", "proxy", "properties"), nil},
		"headers":                {config.Origins{}, at(t, g, "$defs", "proxy", "properties", "headers", "properties"), nil},
		"tls":                    {config.TLS{}, at(t, g, "properties", "tls", "properties"), nil},
		"session":                {config.Session{}, at(t, g, "properties", "auth", "properties", "session", "properties"), nil},
		"webhook":                {config.Webhook{}, at(t, g, "$defs", "webhook", "properties"), nil},
		"cors":                   {config.CORS{}, at(t, g, "properties", "cors", "properties"), nil},
		"key":                    {config.APIKey{}, at(t, g, "$defs", "key", "properties"), nil},
		"limits":                 {config.GatewayLimits{}, at(t, g, "$defs", "limits", "properties"), nil},
		"clarifications":         {config.Clarifications{}, at(t, g, "$defs", "clarifications", "properties"), nil},
		"app":                    {config.App{}, at(t, a, "properties"), []string{"$schema", "preferredModel", "preferredTemperature", "onMessageWhileRunning"}},
		"tokens":                 {config.Tokens{}, at(t, g, "$defs", "limits", "properties", "tokens", "properties"), nil},
		"budget":                 {config.Budget{}, at(t, g, "$defs", "budget", "properties"), nil},
		"access":                 {config.Access{}, at(t, a, "properties", "access", "properties"), nil},
		"limits of an app":       {config.Limits{}, at(t, a, "$defs", "limits", "properties"), nil},
		"clarifications of apps": {config.Clarifications{}, at(t, a, "$defs", "clarifications", "properties"), nil},
		"tool":                   {config.Tool{}, at(t, tl, "$defs", "tool", "properties"), []string{"documents", "enabled", "http"}},
		"optionsFrom":            {config.OptionsFrom{}, at(t, tl, "$defs", "template", "properties", "optionsFrom", "properties"), nil},
	} {
		fields := slices.Clone(c.extra)
		for _, f := range reflect.VisibleFields(reflect.TypeOf(c.typ)) {
			if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "-" && f.IsExported() && !f.Anonymous { // derived from other keys, or a struct of several
				fields = append(fields, key)
			}
		}
		var props []string
		for key := range c.props {
			props = append(props, key)
		}
		slices.Sort(fields)
		slices.Sort(props)
		if !slices.Equal(fields, props) {
			t.Errorf("%s:\ntype   %v\nschema %v", name, fields, props)
		}
	}
}

// The keys of ihub-apps in the schemas are those that the loader takes.
func TestSchemaKnowsForeignKeys(t *testing.T) {
	a, _ := schema(t, "app")
	tl, _ := schema(t, "tools")
	for name, c := range map[string]struct {
		patterns object
		known    []string
	}{
		"app":  {at(t, a, "patternProperties"), config.ForeignAppKeys},
		"tool": {at(t, tl, "$defs", "tool", "patternProperties"), config.ForeignToolKeys},
	} {
		for pattern := range c.patterns {
			if want := "^(" + strings.Join(c.known, "|") + ")$"; pattern != want {
				t.Errorf("%s: got  %s\nwant %s", name, pattern, want)
			}
		}
	}
}

// Where a schema names bounds or choices, the loader has the same.
func TestSchemaBoundsAreThoseOfTheLoader(t *testing.T) {
	g, _ := schema(t, "gateway")
	a, _ := schema(t, "app")
	inGateway := func(format string) func(string) tree {
		return func(member string) tree { return gateway(fmt.Sprintf(format, member)) }
	}
	inApp := func(format string) func(string) tree {
		return func(member string) tree { return app(fmt.Sprintf(format, member)) }
	}
	checked := 0
	for _, c := range []struct {
		props object
		files func(member string) tree
	}{
		{at(t, g, "$defs", "limits", "properties"), inGateway(`{"limits": {%s}}`)},
		{at(t, g, "$defs", "clarifications", "properties"), inGateway(`{"clarifications": {%s}}`)},
		{at(t, g, "$defs", "model", "properties"), inGateway(`{"models": {"m": {"provider": "anthropic", "model": "x", %s}}}`)},
		{at(t, g, "$defs", "model", "properties", "prices", "properties"), inGateway(`{"models": {"m": {"provider": "demo", "prices": {"currency": "EUR", %s}}}}`)},
		{at(t, a, "properties"), inApp(`%s`)},
		{at(t, a, "$defs", "limits", "properties"), inApp(`"limits": {%s}`)},
		{at(t, a, "$defs", "clarifications", "properties"), inApp(`"clarifications": {%s}`)},
	} {
		for key, p := range c.props {
			p, ok := p.(object)
			if !ok || p["minimum"] == nil {
				continue
			}
			checked++
			lo, hi := p["minimum"].(float64), p["maximum"].(float64)
			for value, good := range map[float64]bool{lo: true, hi: true, lo - 1: false, hi + 1: false} {
				_, err := load(t, c.files(fmt.Sprintf("%q: %v", key, int(value))), nil)
				if (err == nil) != good {
					t.Errorf("%s: %v: the schema says %v, the loader: %v", key, value, good, err)
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d bounds were found", checked)
	}
}

// Everything that ships, and the files of ihub-apps, fit the schemas.
func TestFilesFitTheSchemas(t *testing.T) {
	_, g := schema(t, "gateway")
	_, a := schema(t, "app")
	_, tl := schema(t, "tools")
	checked := 0
	for _, dir := range []string{"default", filepath.Join("testdata", "ihub")} {
		err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".json" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			standard, err := hujson.Standardize(text)
			if err != nil {
				return err
			}
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(standard)))
			if err != nil {
				return err
			}
			fits := a
			switch e.Name() {
			case "gateway.json":
				fits = g
			case "tools.json":
				fits = tl
			}
			checked++
			if err := fits.Validate(doc); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if checked != 9 {
		t.Errorf("%d files were checked", checked)
	}
}

// The comments of the written gateway.json say the defaults: its values are
// those of a configuration without files.
func TestSchemaDefaults(t *testing.T) {
	g, _ := schema(t, "gateway")
	s, err := config.Load(config.Options{Env: env{}.Lookup, Tools: fakeTypes})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		props object
		value any
	}{
		"gateway":        {at(t, g, "properties"), s.Gateway},
		"limits":         {at(t, g, "$defs", "limits", "properties"), s.Gateway.Limits},
		"clarifications": {at(t, g, "$defs", "clarifications", "properties"), s.Gateway.Clarifications},
	} {
		raw, err := json.Marshal(c.value)
		if err != nil {
			t.Fatal(err)
		}
		var got object
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		for key, p := range c.props {
			if want, ok := p.(object)["default"]; ok && !reflect.DeepEqual(got[key], want) {
				t.Errorf("%s.%s: the schema's default is %v, the loader's %v", name, key, want, got[key])
			}
		}
	}
}

func TestSchemaOfAllAndOfNone(t *testing.T) {
	raw, err := config.Schema("", nil)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]object
	if err := json.Unmarshal(raw, &all); err != nil || len(all) != 3 || all["gateway"] == nil || all["app"] == nil || all["tools"] == nil {
		t.Errorf("%v: %v", all, err)
	}
	if _, err := config.Schema("apps", nil); err == nil || !regexp.MustCompile(`did you mean "app"\?`).MatchString(err.Error()) {
		t.Error(err)
	}
}
