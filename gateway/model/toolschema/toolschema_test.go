package toolschema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model/toolschema"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

func form(t *testing.T, schema string, dialect toolschema.Dialect) string {
	t.Helper()
	raw, err := toolschema.Portable(tools.Definition{Name: "t", Parameters: []byte(schema)}, dialect)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	again, err := toolschema.Portable(tools.Definition{Name: "t", Parameters: raw}, dialect)
	if err != nil || string(again) != string(raw) {
		t.Errorf("written again\n%s\nis\n%s (%v)", raw, again, err)
	}
	return string(raw)
}

// object is a schema of one property p.
func object(p string) string { return `{"type":"object","properties":{"p":` + p + `}}` }

const (
	anything = `"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"object"},{"type":"array","items":` + anyItem + `}]`
	anyItem  = `{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"object"}]}`
)

func TestCommonForm(t *testing.T) {
	for name, c := range map[string]struct{ schema, want string }{
		"nothing":                  {`{}`, `{"type":"object","properties":{}}`},
		"the form":                 {`{"type":"object","properties":{"b":{"type":"string","maxLength":3,"x-own":[1.0]},"a":{"type":"array","items":{"type":"integer"}}},"required":["b"],"additionalProperties":false}`, `{"type":"object","properties":{"b":{"type":"string","maxLength":3,"x-own":[1.0]},"a":{"type":"array","items":{"type":"integer"}}},"required":["b"],"additionalProperties":false}`},
		"$schema and the like":     {`{"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","$comment":"c","type":"object","properties":{}}`, `{"type":"object","properties":{}}`},
		"a list of types":          {object(`{"type":["string","number"],"description":"d","minLength":1,"minimum":2}`), object(`{"description":"d","anyOf":[{"type":"string","minLength":1},{"type":"number","minimum":2}]}`)},
		"or null":                  {`{"type":"object","properties":{"p":{"type":["string","null"]},"q":{"type":"string"}},"required":["p","q"]}`, `{"type":"object","properties":{"p":{"type":"string"},"q":{"type":"string"}},"required":["q"]}`},
		"or null in a union":       {`{"type":"object","properties":{"p":{"anyOf":[{"type":"string","minLength":1},{"type":"null"}],"default":null,"description":"d"}},"required":["p"]}`, object(`{"type":"string","minLength":1,"description":"d"}`)},
		"only null":                {`{"type":"object","properties":{"p":{"type":"null"}},"required":["p"]}`, `{"type":"object","properties":{}}`},
		"null in an enum":          {object(`{"enum":["a",null]}`), object(`{"type":"string","enum":["a"]}`)},
		"an enum of several types": {object(`{"enum":["a",1]}`), object(`{"anyOf":[{"type":"string","enum":["a"]},{"type":"number","enum":[1]}]}`)},
		"no type":                  {object(`{"description":"d"}`), object(`{"description":"d",` + anything + `}`)},
		"true and false":           {`{"type":"object","properties":{"p":true,"q":false}}`, object(`{` + anything + `}`)},
		"a const":                  {object(`{"const":"a"}`), object(`{"type":"string","const":"a"}`)},
		"a type to infer":          {object(`{"minLength":1}`), object(`{"type":"string","minLength":1}`)},
		"no items":                 {object(`{"type":"array"}`), object(`{"type":"array","items":` + anyItem + `}`)},
		"a tuple":                  {object(`{"type":"array","items":[{"type":"string"}],"additionalItems":{"type":"number"}}`), object(`{"type":"array","items":{"type":"number"},"prefixItems":[{"type":"string"}]}`)},
		"oneOf below the top":      {object(`{"oneOf":[{"type":"string"},{"type":"integer"}]}`), object(`{"anyOf":[{"type":"string"},{"type":"integer"}]}`)},
		"constants of a union":     {object(`{"oneOf":[{"const":"a"},{"const":"b"}]}`), object(`{"type":"string","enum":["a","b"]}`)},
		"a type next to anyOf":     {object(`{"type":"string","description":"d","anyOf":[{"minLength":1},{"pattern":"x"}]}`), object(`{"description":"d","anyOf":[{"minLength":1,"type":"string"},{"pattern":"x","type":"string"}]}`)},
		"allOf":                    {object(`{"description":"d","allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b","a"]}]}`), object(`{"description":"d","type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}`)},
		"$ref":                     {`{"type":"object","properties":{"p":{"$ref":"#/$defs/a~1b","description":"mine"}},"$defs":{"a/b":{"type":"string","description":"its"}}}`, object(`{"description":"mine\nits","type":"string"}`)},
		"$ref by anchor":           {`{"type":"object","properties":{"p":{"$ref":"#x"}},"$defs":{"a":{"$anchor":"x","type":"string"}}}`, object(`{"type":"string"}`)},
		"the top is a $ref":        {`{"$ref":"#/definitions/A","definitions":{"A":{"type":"object","properties":{"p":{"type":"string"}}}}}`, object(`{"type":"string"}`)},
		"recursion": {`{"type":"object","properties":{"p":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}}}`,
			object(`{"type":"object","properties":{"n":{"type":"object","properties":{"n":{"type":"object"}}}}}`)},
		"recursion of a list":    {object(`{"type":"array","items":{"$ref":"#/properties/p"}}`), object(`{"type":"array","items":{"type":"array","items":{"type":"array","items":{"type":"array","items":` + anyItem + `}}}}`)},
		"a $ref to itself":       {object(`{"$ref":"#/properties/p"}`), object(`{` + anything + `}`)},
		"conditions that stay":   {object(`{"type":"string","not":{"const":"a"}}`), object(`{"type":"string","not":{"const":"a"}}`)},
		"conditions that go":     {`{"type":"object","properties":{"p":{"type":"string","not":{"$ref":"#/$defs/a"}}},"$defs":{"a":{}}}`, object(`{"type":"string"}`)},
		"impossible":             {object(`{"allOf":[{"type":"string"},{"type":"object"}]}`), `{"type":"object","properties":{}}`},
		"an integer is a number": {object(`{"allOf":[{"type":"number"},{"type":"integer"}]}`), object(`{"type":"integer"}`)},
		"groups in an object": {object(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`),
			object(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"description":"Give the arguments of one of these groups: a; b."}`)},
		"a map": {object(`{"type":"object","additionalProperties":{"type":["string","null"]}}`), object(`{"type":"object","additionalProperties":{"type":"string"}}`)},
	} {
		if got := form(t, c.schema, toolschema.Common); got != c.want {
			t.Errorf("%s:\n%s\nis\n%s\nwant\n%s", name, c.schema, got, c.want)
		}
	}
}

// The tool notion-create-attachment as of 2026-08-04, shortened: kimi-code#2661.
const attachment = `{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema","description":"Provide exactly one of the documented input variants.",
	"anyOf":[{"type":"object","properties":{"filename":{"type":"string"},"content":{"type":"string"}},"required":["filename","content"]},
		{"type":"object","properties":{"filename":{"type":"string"},"source_url":{"type":"string"}},"required":["filename","source_url"]}]}`

func TestTheTopHasNoUnion(t *testing.T) {
	for name, c := range map[string]struct{ schema, want string }{
		"attachment": {attachment, `{"type":"object","description":"Provide exactly one of the documented input variants.\nGive the arguments of one of these groups: filename, content; filename, source_url.",` +
			`"properties":{"filename":{"type":"string"},"content":{"type":"string"},"source_url":{"type":"string"}},"required":["filename"]}`},
		"a kind that decides": {`{"oneOf":[{"title":"A file","properties":{"kind":{"const":"file"},"path":{"type":"string"}},"required":["kind","path"],"additionalProperties":false},
			{"properties":{"kind":{"const":"url"},"path":{"type":"integer"}},"required":["kind","path"],"additionalProperties":false}]}`,
			`{"type":"object","properties":{"kind":{"type":"string","enum":["file","url"]},"path":{"anyOf":[{"type":"string"},{"type":"integer"}]}},"required":["kind","path"],"additionalProperties":false,` +
				`"description":"Give the arguments of one of these groups: kind = \"file\", path (A file); kind = \"url\", path."}`},
		"allOf": {`{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}`},
		"only what is required": {`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"oneOf":[{"required":["a"]},{"required":["b"]}],"not":{"required":["c"]}}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"description":"Give the arguments of one of these groups: a; b."}`},
		"an object or null": {`{"type":["object","null"],"properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
	} {
		if got := form(t, c.schema, toolschema.Common); got != c.want {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestGeminiForm(t *testing.T) {
	for name, c := range map[string]struct{ schema, want string }{
		"no parameters":         {`{"type":"object","properties":{},"additionalProperties":false}`, ``},
		"a const":               {object(`{"const":"a"}`), object(`{"type":"string","enum":["a"]}`)},
		"numbers of an enum":    {object(`{"type":"integer","description":"Level.","enum":[0,1]}`), object(`{"type":"integer","description":"Level.\nenum: [0,1]"}`)},
		"an empty text of one":  {object(`{"enum":["","a"]}`), object(`{"type":"string","description":"enum: [\"\",\"a\"]"}`)},
		"formats":               {`{"type":"object","properties":{"a":{"type":"string","format":"date-time"},"b":{"type":"string","format":"uri"},"c":{"type":"integer","format":"int64"}}}`, `{"type":"object","properties":{"a":{"type":"string","format":"date-time"},"b":{"type":"string","description":"format: \"uri\""},"c":{"type":"integer","format":"int64"}}}`},
		"unknown keywords":      {object(`{"type":"number","description":"d","exclusiveMinimum":0,"multipleOf":5,"minimum":1}`), object(`{"type":"number","description":"d\nexclusiveMinimum: 0; multipleOf: 5","minimum":1}`)},
		"a union has no notes":  {object(`{"description":"d","default":1,"type":["string","integer"]}`), object(`{"anyOf":[{"type":"string","description":"d"},{"type":"integer","description":"d"}]}`)},
		"required and unknown":  {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a","b"]}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`},
		"a tuple":               {object(`{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}`), object(`{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"number"},{"type":"boolean"},{"type":"object"}]},"description":"prefixItems: [{\"type\":\"string\"},{\"type\":\"integer\"}]"}`)},
		"a map":                 {object(`{"type":"object","additionalProperties":{"type":"string"}}`), object(`{"type":"object","description":"additionalProperties: {\"type\":\"string\"}"}`)},
		"an object without any": {object(`{"type":"object","properties":{},"additionalProperties":true}`), object(`{"type":"object"}`)},
	} {
		if got := form(t, c.schema, toolschema.Gemini); got != c.want {
			t.Errorf("%s:\n%s\nis\n%s\nwant\n%s", name, c.schema, got, c.want)
		}
	}
}

func TestWhatHasNoForm(t *testing.T) {
	many := ""
	for i := range 8000 {
		many += fmt.Sprintf(`{"type":"string","pattern":"%d"},`, i)
	}
	wide := `"properties":{`
	for i := range 6 {
		wide += fmt.Sprintf(`"p%d":{"$ref":"#/$defs/d%d"},`, i, i)
	}
	wide = strings.TrimSuffix(wide, ",") + `}`
	bomb := `{"type":"object",` + wide + `,"$defs":{`
	for i := range 6 {
		bomb += fmt.Sprintf(`"d%d":{"type":"object",%s},`, i, wide)
	}
	doubling := `{"type":"object","properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{`
	for i := range 30 {
		doubling += fmt.Sprintf(`"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	for name, c := range map[string]struct {
		schema  string
		want    string
		dialect toolschema.Dialect
	}{
		"no JSON":          {`{`, "not JSON", 0},
		"a list":           {`[]`, "not one JSON object", 0},
		"two":              {`{} {}`, "not one JSON object", 0},
		"a text":           {`{"type":"string"}`, "string is not an object", 0},
		"no object":        {`{"anyOf":[{"type":"string"}]}`, "no branch", 0},
		"another document": {object(`{"$ref":"https://example.com/x.json"}`), `parameters.properties.p refers to "https://example.com/x.json"`, 0},
		"no such schema":   {object(`{"$ref":"#/$defs/x"}`), "not in the schema", 0},
		"its own type":     {object(`{"type":"file"}`), `parameters.properties.p has the type "file"`, 0},
		"no schema":        {object(`5`), "parameters.properties.p is not a schema", 0},
		"properties":       {`{"properties":[]}`, "parameters.properties is not an object", 0},
		"a name":           {`{"properties":{"größe":{"type":"string"}}}`, `"größe", which Gemini does not accept`, toolschema.Gemini},
		"too large":        {`{"properties":{"a":{"type":"string","description":"` + strings.Repeat("x", 70_000) + `"}}}`, "more than 65536 bytes", 0},
		"too large within": {`{"properties":{"a":{"anyOf":[` + many + `{}]}}}`, "takes too long", 0},
		"far too large":    {`{"description":"` + strings.Repeat("x", 1<<20) + `"}`, "limit 1048576", 0},
		"too deep":         {strings.Repeat(`{"items":`, 300) + `{}` + strings.Repeat(`}`, 300), "levels deep", 0},
		"many":             {bomb[:len(bomb)-1] + `}}`, "more than 20000 schemas", 0},
		"doubling":         {doubling + `"d30":{"type":"string"}}}`, "more than 20000 schemas", 0},
	} {
		raw, err := toolschema.Portable(tools.Definition{Name: "tool_x", Parameters: []byte(c.schema)}, c.dialect)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `"tool_x"`) {
			t.Errorf("%s: %.300v (%d bytes), want %q", name, err, len(raw), c.want)
		}
	}
}

// A form is cached per schema, and its errors name the tool that is asked for.
func TestFormsAreKept(t *testing.T) {
	schema := []byte(object(`{"type":["string","null"]}`))
	first := form(t, string(schema), toolschema.Common)
	if n := testing.AllocsPerRun(10, func() { _, _ = toolschema.Portable(tools.Definition{Parameters: schema}, toolschema.Common) }); n > 0 {
		t.Errorf("%v allocations for a cached form", n)
	}
	if gemini := form(t, object(`{"const":"a"}`), toolschema.Gemini); gemini == form(t, object(`{"const":"a"}`), toolschema.Common) {
		t.Errorf("one form for both dialects: %s", gemini)
	}
	for i := range 3000 { // more than are kept
		form(t, object(fmt.Sprintf(`{"const":"%d"}`, i)), toolschema.Common)
	}
	if again := form(t, string(schema), toolschema.Common); again != first {
		t.Errorf("%s later becomes %s", first, again)
	}
	for _, name := range []string{"one", "two"} {
		if _, err := toolschema.Portable(tools.Definition{Name: name, Parameters: []byte(`[]`)}, toolschema.Common); !strings.Contains(fmt.Sprint(err), name) {
			t.Errorf("of %s: %v", name, err)
		}
	}
}

func TestAskUserHasTheForm(t *testing.T) {
	for _, limits := range []askuser.Limits{{}, {MaxFile: 1 << 20, AllowOther: askuser.AllowOtherAlways}} {
		_, parameters := askuser.New(limits, nil).Definition()
		if got := form(t, string(parameters), toolschema.Common); got != string(parameters) {
			t.Error("the definition is changed")
		}
		if got := form(t, string(parameters), toolschema.Gemini); strings.Contains(got, "anyOf") {
			t.Error("a union in it")
		}
	}
}
