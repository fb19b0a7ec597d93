package api_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of fields in docs")

// field is the part of a JSON Schema that a table of fields shows.
type field struct {
	Ref         string `json:"$ref"`
	Type        any
	Description string
	Enum        []any
	Const       any
	Items       *field
	OneOf       []field
	AnyOf       []field
	AllOf       []field
	Properties  map[string]field
}

// UnmarshalJSON takes the schemas true and false as those of any value.
func (s *field) UnmarshalJSON(data []byte) error {
	if text := string(data); text == "true" || text == "false" {
		return nil
	}
	type plain field // without this method
	return json.Unmarshal(data, (*plain)(s))
}

// fieldTables prints tables of fields from docs/openapi.yaml.
type fieldTables struct {
	schemas map[string]field
	order   map[string][]string // names of properties as the document has them, by the schema's path
}

// schema looks up a path such as "Error" or "Events/properties/done".
func (f fieldTables) schema(path string) (field, bool) {
	name, rest, nested := strings.Cut(path, "/properties/")
	s, ok := f.schemas[name]
	if nested && ok {
		s, ok = s.Properties[rest]
	}
	return s, ok
}

// referred is the name of the schema that s refers to, or "".
func (s field) referred() string {
	if s.Ref == "" && len(s.AllOf) == 1 {
		s.Ref = s.AllOf[0].Ref
	}
	return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
}

// kind names the type of a field for people.
func (f fieldTables) kind(s field) string {
	alternatives := slices.Concat(s.OneOf, s.AnyOf)
	switch name := s.referred(); {
	case name == "Time":
		return "time"
	case name != "" && len(f.schemas[name].Properties) == 0 && f.schemas[name].Items == nil && len(f.schemas[name].AllOf) == 0:
		return f.kind(f.schemas[name])
	case name != "":
		return "`" + name + "`"
	case s.Const != nil:
		return "`" + jsonText(s.Const) + "`"
	case len(s.Enum) > 0:
		var values []string
		for _, v := range s.Enum {
			values = append(values, "`"+jsonText(v)+"`")
		}
		return strings.Join(values, ", ")
	case len(alternatives) > 0:
		var kinds []string
		for _, a := range alternatives {
			kinds = append(kinds, f.kind(a))
		}
		return strings.Join(kinds, " or ")
	case s.Items != nil:
		return "array of " + f.kind(*s.Items)
	}
	switch t := s.Type.(type) {
	case string:
		return t
	case []any:
		var kinds []string
		for _, k := range t {
			kinds = append(kinds, fmt.Sprint(k))
		}
		return strings.Join(kinds, " or ")
	}
	return "any JSON"
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// rows writes one line for each property below a path, and for those of objects in it, but not for those
// of lists in lists: the prose of the page has these.
func (f fieldTables) rows(t *testing.T, b *strings.Builder, path, prefix string, s field) {
	t.Helper()
	for _, name := range f.order[path] {
		p := s.Properties[name]
		text := p.Description
		if text == "" {
			text = f.schemas[p.referred()].Description
		}
		if text = strings.Join(strings.Fields(text), " "); text == "" {
			t.Errorf("docs/openapi.yaml: %s/properties/%s has no description", path, name)
		}
		if n := len(strings.Fields(text)); n > 120 {
			t.Errorf("docs/openapi.yaml: %s/properties/%s is described in %d words; want at most 120", path, name, n)
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s |\n", prefix, name, f.kind(p), strings.ReplaceAll(text, "|", `\|`))
		switch below := path + "/properties/" + name; {
		case len(p.Properties) > 0:
			f.rows(t, b, below, prefix+name+".", p)
		case p.Items != nil && len(p.Items.Properties) > 0 && !strings.Contains(prefix, "[]"):
			f.rows(t, b, below+"/items", prefix+name+"[].", *p.Items)
		}
	}
}

func loadFieldTables(t *testing.T) fieldTables {
	t.Helper()
	var d struct {
		Components struct{ Schemas json.RawMessage }
	}
	if err := json.Unmarshal(loadDocument(t).json, &d); err != nil {
		t.Fatal(err)
	}
	f := fieldTables{order: map[string][]string{}}
	if err := json.Unmarshal(d.Components.Schemas, &f.schemas); err != nil {
		t.Fatal(err)
	}
	f.readOrder(t, json.NewDecoder(strings.NewReader(string(d.Components.Schemas))), "")
	return f
}

// readOrder reads one JSON value, and remembers the order of properties, which maps lose.
func (f fieldTables) readOrder(t *testing.T, d *json.Decoder, path string) {
	t.Helper()
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch token {
	case json.Delim('['):
		for d.More() {
			f.readOrder(t, d, path+"[]")
		}
	case json.Delim('{'):
		for d.More() {
			key, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			if parent, ok := strings.CutSuffix(path, "/properties"); ok {
				f.order[parent] = append(f.order[parent], key.(string))
			}
			f.readOrder(t, d, strings.TrimPrefix(path+"/"+key.(string), "/"))
		}
	default:
		return
	}
	if _, err := d.Token(); err != nil { // the closing one
		t.Fatal(err)
	}
}

// TestPagesHaveTheFields: between the markers, pages have tables printed from docs/openapi.yaml, the one
// description of the API. -update writes them.
func TestPagesHaveTheFields(t *testing.T) {
	f := loadFieldTables(t)
	tables := regexp.MustCompile(`(?s)<!-- fields of (\S+) -->\n.*?<!-- end of fields -->`)
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		written := tables.ReplaceAllStringFunc(string(text), func(old string) string {
			path := tables.FindStringSubmatch(old)[1]
			s, ok := f.schema(path)
			if !ok || len(s.Properties) == 0 {
				t.Fatalf("%s: docs/openapi.yaml has no fields of %s", page, path)
			}
			printed[path] = true
			var b strings.Builder
			f.rows(t, &b, path, "", s)
			return "<!-- fields of " + path + " -->\n\n| field | type | description |\n| --- | --- | --- |\n" + b.String() + "\n<!-- end of fields -->"
		})
		switch {
		case written == string(text):
		case *update:
			if err := os.WriteFile(page, []byte(written), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s has other fields than docs/openapi.yaml; go test ./gateway/api -run PagesHaveTheFields -update", page)
		}
	}
	want := []string{"AskBody", "ClarificationFields", "Error", "Events/properties/clarification.decided", "Events/properties/clarification.escalated", "Events/properties/clarification.resolved", "KeptClarification", "MessageBody", "QuestionFields", "Snapshot"}
	if got := slices.Sorted(maps.Keys(printed)); !slices.Equal(got, want) {
		t.Errorf("the pages have the fields of %v, want %v", got, want)
	}
}
