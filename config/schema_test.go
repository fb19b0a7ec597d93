package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tailscale/hujson"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
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

// at returns the part of a schema at a path of keys.
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

// The limits and choices in a schema are those of the loader.
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
		{at(t, g, "properties", "limits", "properties"), inGateway(`{"limits": {%s}}`)},
		{at(t, g, "properties", "clarifications", "properties"), inGateway(`{"clarifications": {%s}}`)},
		{at(t, g, "properties", "models", "additionalProperties", "properties"), inGateway(`{"models": {"m": {"provider": "anthropic", "model": "x", %s}}}`)},
		{at(t, g, "properties", "models", "additionalProperties", "properties", "prices", "properties"), inGateway(`{"models": {"m": {"provider": "demo", "prices": {"currency": "EUR", %s}}}}`)},
		{at(t, a, "properties"), inApp(`%s`)},
		{at(t, a, "properties", "limits", "properties"), inApp(`"limits": {%s}`)},
		{at(t, a, "properties", "clarifications", "properties"), inApp(`"clarifications": {%s}`)},
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

// The default files, and the files of ihub-apps, are valid by the schemas.
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

// Each kind of key accepts the values that its schema accepts, and no others. The default in the schema
// applies to a file without the key.
func TestAKeyReadsWhatItsSchemaTakes(t *testing.T) {
	type own struct {
		whole          int
		long           config.Duration
		word, url, at  string
		yes            bool
		several, known []string
		number         *float64
	}
	known := []string{"a", "b"}
	typ := config.ToolType{Name: "x", About: "is a test.", Keys: func() (any, config.Item) {
		o := &own{whole: 3, long: config.Duration(time.Minute), word: "b", known: known}
		return o, config.Item{Keys: []config.Key{
			config.Int("whole", &o.whole, 2, 9, ""),
			config.Number("number", &o.number, 0, 2, ""),
			config.Length("long", &o.long, time.Second, time.Hour, "", ""),
			config.Word("word", &o.word, "word", known, ""),
			config.WordsOf("known", &o.known, "word", known, ""),
			config.Words("several", &o.several, 2, nil, ""),
			config.Filled("url", &o.url, nil, ""),
			config.Matching("at", &o.at, regexp.MustCompile("^[a-z]+$"), "write letters", ""),
			config.Bool("yes", &o.yes, ""),
		}}
	}}
	raw, err := config.Schema("tools", []config.ToolType{typ})
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := config.CompileSchema(raw)
	if err != nil {
		t.Fatal(err)
	}
	for key, values := range map[string][]string{
		"whole": {`1`, `2`, `9`, `10`, `2.5`, `"3"`}, "number": {`0`, `2`, `2.1`, `-1`, `true`}, "word": {`"a"`, `"c"`, `1`},
		"known": {`["a"]`, `[]`, `["c"]`, `["a", "a"]`}, "several": {`["x", "y"]`, `["x", "x"]`, `["x", "y", "z"]`, `[""]`, `"x"`},
		"url": {`"x"`, `""`, `1`}, "at": {`"ab"`, `"$A"`, `"A"`}, "yes": {`true`, `"yes"`}, "none": {`1`}, "long": {`"1s"`, `"1h"`, `1`},
	} {
		for _, value := range values {
			entry := fmt.Sprintf(`[{"id": "x", "type": "x", "x": {%q: %s}}]`, key, value)
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(entry))
			if err != nil {
				t.Fatal(err)
			}
			_, fault := configtest.Load(t, tree{"tools.json": entry}, env{"A": "a"}, typ)
			if wrong := compiled.Validate(doc); (wrong == nil) != (fault == nil) {
				t.Errorf("%s: %s: the schema says %v, the loader %v", key, value, wrong, fault)
			}
		}
	}
	for _, row := range config.Rows([]config.ToolType{typ}) {
		if !strings.HasPrefix(row.Path, "x.") || row.Default == "" {
			continue
		}
		for _, value := range []string{"", fmt.Sprintf("%q: %s", strings.TrimPrefix(row.Path, "x."), row.Default)} {
			s, err := configtest.Load(t, tree{"tools.json": fmt.Sprintf(`[{"id": "x", "type": "x", "x": {%s}}]`, value)}, nil, typ)
			if err != nil {
				t.Fatal(err)
			}
			tool, _ := s.Tool("", "x")
			if got := tool.Own.(*own); got.whole != 3 || got.long.Std() != time.Minute || got.word != "b" || got.yes || len(got.known) != 2 || len(got.several) != 0 {
				t.Errorf("%s: %s: %+v", row.Path, value, got)
			}
		}
	}
}
