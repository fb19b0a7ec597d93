package config

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Row is a key as it is listed.
type Row struct {
	File    string // gateway.json, app.json or tools.json
	Path    string // like models.*.timeout
	Type    string
	Bounds  string // in words; may be empty
	Default string // JSON, or words; "": none
	Must    bool   // an entry needs it
	Restart bool   // a change takes effect at a restart
	Doc     string // Markdown; links go from docs/configuration.md
}

// Rows are the keys of all files, in order. What apps override key by key is listed once, for
// gateway.json. Objects whose keys are listed have no row.
func Rows(types []ToolType) []Row {
	var rows []Row
	for _, name := range SchemaNames() {
		file := map[string]string{"gateway": "gateway.json", "app": "app.json", "tools": "tools.json"}[name]
		rows = appendRows(rows, file, "", tables(types)[name].keys)
	}
	return rows
}

func appendRows(rows []Row, file, path string, keys []Key) []Row {
	for i := range keys {
		k := &keys[i]
		at := join(path, k.Name)
		if k.unsaid {
			continue
		}
		if k.kind != "object" || k.also {
			rows = append(rows, Row{file, at, k.kind, k.bounds, k.shownDefault(), k.must, k.restart, k.Doc})
		}
		if k.keys != nil && !k.also {
			rows = appendRows(rows, file, at+k.step, k.keys())
		}
	}
	return rows
}

// shownDefault is the default as JSON, or what counts without the key in words.
func (k *Key) shownDefault() string {
	if k.def == nil || k.def() == nil {
		return k.unset
	}
	return quoted(k.def())
}

// String is the row as a line of text.
func (r Row) String() string {
	parts := []string{r.File, r.Path, r.Type, r.Bounds, "default " + r.Default, Plain(r.Doc)}
	switch {
	case r.Must:
		parts[4] = "required"
	case r.Default == "":
		parts[4] = "no default"
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " | ")
}

// Markdown is the row of a table: the key, its default, and what it says. below is the path of
// the object that the table is of.
func (r Row) Markdown(below string) string {
	name := "`" + strings.TrimPrefix(r.Path, below) + "`"
	if r.Restart {
		name += " ⟳"
	}
	value := r.Default
	switch {
	case r.Must:
		value = "required"
	case value == "":
		value = "none"
	case json.Valid([]byte(value)):
		value = "`" + value + "`"
	}
	doc := r.Doc
	if r.Bounds != "" && !strings.HasPrefix(r.Bounds, "of ") && r.Type != "word" {
		doc += "; " + r.Bounds
	}
	return fmt.Sprintf("| %s | %s | %s |\n", name, value, doc)
}

var link = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// Plain is Markdown as a text without links and marks of code.
func Plain(markdown string) string {
	return strings.ReplaceAll(link.ReplaceAllString(markdown, "$1"), "`", "")
}

// table is that of a whole file.
type table struct {
	title, doc string
	list       bool // of such objects, and not one of them
	keys       []Key
	foreign    []string // keys of ihub-apps, which have no effect
}

// tables are those of the files, by the names that Schema knows.
func tables(types []ToolType) map[string]table {
	const text = ` A text "$NAME" stands for the environment variable NAME. Comments and trailing commas are accepted.`
	l := newLoader(Options{Tools: types}, builtin())
	l.gateway = defaults()
	return map[string]table{
		"gateway": {"gateway.json", "The gateway itself. Every key is optional." + text, false, l.gatewayKeys(), nil},
		"app":     {"apps/<id>.json or apps/<id>/app.json", "An app: a prompt, a model, a list of tools, limits." + text, false, (&appReader{l: l, app: l.newApp("")}).keys(), foreignAppKeys},
		"tools": {
			"tools.json and apps/<id>/tools.json", "The tools that apps may list. Entries of an app's own file override or extend the shared ones, key by key." + text,
			true, l.newToolReader(&Tool{}).keys(), foreignToolKeys,
		},
	}
}

// SchemaNames are the names that Schema knows, in order.
func SchemaNames() []string { return []string{"gateway", "app", "tools"} }

// Schema is the JSON Schema (draft 2020-12) of gateway.json, of an app or of a
// tools.json with these types of tools. "" is one object of all three by name.
func Schema(name string, types []ToolType) (json.RawMessage, error) {
	all := tables(types)
	one, known := all[name]
	var text string
	switch {
	case known:
		text = one.schema(name)
	case name == "":
		var parts []string
		for _, name := range SchemaNames() {
			parts = append(parts, quoted(name)+": "+all[name].schema(name))
		}
		text = "{" + strings.Join(parts, ", ") + "}"
	default:
		return nil, fmt.Errorf("there is no schema %q; %s", name, Mend(name, SchemaNames()))
	}
	return json.RawMessage(text), nil
}

// definitions are what the schemas of all files refer to.
const definitions = `"text": {
	"description": "A text, or one per language by BCP 47 tag.",
	"anyOf": [
		{"type": "string"},
		{"type": "object", "minProperties": 1, "propertyNames": {"pattern": "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"}, "additionalProperties": {"type": "string"}}
	]
},
"duration": {"description": "A length of time like \"30s\", \"1h30m\" or \"7d\".", "type": "string"}`

func (t table) schema(name string) string {
	object := objectSchema(t.keys)
	if len(t.foreign) > 0 {
		object += fmt.Sprintf(`, "patternProperties": {"^(%s)$": {"description": "A key of ihub-apps, without effect here.", "deprecated": true}}`, strings.Join(t.foreign, "|"))
	}
	if t.list {
		object = fmt.Sprintf(`"type": "array", "maxItems": %d, "items": {%s}`, maxTools, object)
	}
	return fmt.Sprintf(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:askgate:schema:%s", "title": %s, "description": %s, %s, "$defs": {%s}}`,
		name, quoted("AskGate: "+t.title), quoted(t.doc), object, definitions)
}

// objectSchema are the members of the JSON Schema of an object with these keys.
func objectSchema(keys []Key) string {
	var must, properties []string
	for i := range keys {
		k := &keys[i]
		if k.must {
			must = append(must, k.Name)
		}
		if k.unsaid && k.schema == "" {
			continue
		}
		properties = append(properties, quoted(k.Name)+": {"+k.members()+"}")
	}
	object := `"type": "object", "additionalProperties": false, `
	if len(must) > 0 {
		object += `"required": ` + quoted(must) + ", "
	}
	return object + `"properties": {` + strings.Join(properties, ", ") + "}"
}

// members are those of the JSON Schema of a key's value.
func (k *Key) members() string {
	doc := Plain(k.Doc)
	if k.kind == "length of time" && k.bounds != "" {
		doc += "; " + k.bounds
	}
	if k.unset != "" {
		doc += ". Without it: " + Plain(k.unset)
	}
	parts := []string{`"description": ` + quoted(doc)}
	if doc == "" {
		parts = nil
	}
	switch {
	case k.keys != nil:
		parts = append(parts, strings.Replace(k.schema, "%s", objectSchema(k.keys()), 1))
	case k.schema != "":
		parts = append(parts, k.schema)
	}
	if k.def != nil && k.def() != nil {
		parts = append(parts, `"default": `+quoted(k.def()))
	}
	return strings.Join(parts, ", ")
}
