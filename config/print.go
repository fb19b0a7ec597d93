package config

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Row is a key in a list of keys.
type Row struct {
	File    string // gateway.json, app.json or tools.json
	Path    string // like models.*.timeout
	Type    string
	Bounds  string // limits, in words; may be empty
	Default string // JSON, or words; "": none
	Must    bool   // an entry must have it
	Restart bool   // a change takes effect at a restart
	Doc     string // Markdown; links go from docs/configuration-keys.md
}

// files maps the names that Schema accepts to files.
var files = map[string]string{"gateway": "gateway.json", "app": "app.json", "tools": "tools.json"}

// Rows returns the keys of all files, in order. Keys that apps can override are listed once, for
// gateway.json. An object whose keys are listed has no row of its own.
func Rows(types []ToolType) []Row {
	var rows []Row
	for _, name := range SchemaNames() {
		rows = appendRows(rows, files[name], "", tables(types)[name].keys)
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
		if !k.container() || k.also {
			rows = append(rows, k.row(file, at))
		}
		if k.keys != nil && !k.also {
			rows = appendRows(rows, file, at+k.step, k.keys())
		}
	}
	return rows
}

// container reports whether the value can only be an object, objects by name, or a list of objects.
func (k *Key) container() bool {
	return k.keys != nil && slices.Contains([]string{"object", "objects by name", "list of objects"}, k.kind)
}

func (k *Key) row(file, path string) Row {
	return Row{file, path, k.kind, k.bounds, k.shownDefault(), k.must, k.restart, k.Doc}
}

// MarkdownTable returns a table of the keys of the object at path in file, and of the objects in it.
// Objects for which apart returns true are listed as one key, because they have a table of their own.
func MarkdownTable(types []ToolType, file, path string, apart func(path string) bool) (string, error) {
	for name, t := range tables(types) {
		if files[name] != file {
			continue
		}
		if keys := below(t.keys, "", path); keys != nil {
			return "| key | default | what |\n| --- | --- | --- |\n" + markdown(keys, path, "", apart), nil
		}
	}
	return "", fmt.Errorf("there is no object %s in %s", path, file)
}

// below returns the keys of the object at path, given the keys of the object at at.
func below(keys []Key, at, path string) []Key {
	if at == path {
		return keys
	}
	for i := range keys {
		next := join(at, keys[i].Name) + keys[i].step
		if keys[i].keys != nil && (path == next || strings.HasPrefix(path, next+".")) {
			return below(keys[i].keys(), next, path)
		}
	}
	return nil
}

// markdown returns the rows for keys at path. name is the prefix of their names in the table.
func markdown(keys []Key, path, name string, apart func(string) bool) string {
	var b strings.Builder
	for i := range keys {
		k := &keys[i]
		next := join(path, k.Name) + k.step
		inside := k.keys != nil && !k.also && !apart(next)
		switch {
		case k.unsaid:
			continue
		case !k.container() || !inside:
			b.WriteString(k.row("", name+k.Name).markdown())
		}
		if inside {
			b.WriteString(markdown(k.keys(), next, name+k.Name+k.step+".", apart))
		}
	}
	return b.String()
}

// shownDefault returns the default as JSON, or in words what applies without the key.
func (k *Key) shownDefault() string {
	if k.def == nil || k.def() == nil {
		return k.unset
	}
	return quoted(k.def())
}

// String returns the row as a line of text.
func (r Row) String() string {
	parts := []string{r.File, r.Path, r.Type, r.Bounds, "default " + Plain(r.Default), Plain(r.Doc)}
	switch {
	case r.Must:
		parts[4] = "required"
	case r.Default == "":
		parts[4] = "no default"
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " | ")
}

// markdown returns the row of a Markdown table: the key, its default, and its description.
func (r Row) markdown() string {
	name, value, doc := "`"+r.Path+"`", r.Default, r.Doc
	if r.Restart {
		name += " ⟳"
	}
	switch {
	case r.Must:
		value = "required"
	case value == "":
		value = "none"
	case json.Valid([]byte(value)):
		value = "`" + value + "`"
	}
	if r.Type == "localised text" {
		doc = "localised; " + doc
	}
	if r.Bounds != "" && r.Type != "word" && !strings.HasPrefix(r.Bounds, "of ") {
		doc += "; " + r.Bounds
	}
	return fmt.Sprintf("| %s | %s | %s |\n", name, value, doc)
}

var link = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// Plain returns Markdown as text without links and code marks.
func Plain(markdown string) string {
	return strings.ReplaceAll(link.ReplaceAllString(markdown, "$1"), "`", "")
}

// table is the table of keys of a file.
type table struct {
	title, doc string
	list       bool // the file is a list of objects, not one object
	keys       []Key
	foreign    []string // keys of ihub-apps, which have no effect
}

// tables returns the tables of the files, by the names that Schema accepts.
func tables(types []ToolType) map[string]table {
	const text = ` A string "$NAME" stands for the environment variable NAME. Comments and trailing commas are accepted.`
	l := newLoader(Options{Tools: types}, builtin())
	return map[string]table{
		"gateway": {"gateway.json", "The gateway itself. Every key is optional." + text, false, l.gateway.keys(), nil},
		"app":     {"apps/<id>.json or apps/<id>/app.json", "An app: a prompt, a model, a list of tools, limits." + text, false, (&appReader{app: l.gateway.conf.newApp(""), gateway: l.gateway}).keys(), foreignAppKeys},
		"tools": {
			"tools.json and apps/<id>/tools.json", "The tools that apps may list. Entries of an app's own file override or extend the shared ones, key by key." + text,
			true, newToolReader(nil, l.types, nil).keys(), append([]string{"requiresUserInput"}, foreignToolKeys...), // which occurs in files of ihub-apps
		},
	}
}

// SchemaNames returns the names that Schema accepts, in order.
func SchemaNames() []string { return []string{"gateway", "app", "tools"} }

// Schema returns the JSON Schema (draft 2020-12) of gateway.json, of an app or of a
// tools.json with these types of tools. For "" it returns an object of all three by name.
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
		return nil, fmt.Errorf("there is no schema %q; %s", name, Suggest(name, SchemaNames()))
	}
	return json.RawMessage(text), nil
}

// definitions are the $defs that the schemas of all files refer to.
const definitions = `"text": {
	"description": "A string, or one per language by BCP 47 tag.",
	"anyOf": [
		{"type": "string"},
		{"type": "object", "minProperties": 1, "propertyNames": {"pattern": "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"}, "additionalProperties": {"type": "string"}}
	]
},
"duration": {"description": "A duration like \"30s\", \"1h30m\" or \"7d\".", "type": "string"}`

func (t table) schema(name string) string {
	object := objectSchema(t.keys)
	if len(t.foreign) > 0 {
		object += fmt.Sprintf(`, "patternProperties": {"^(%s)$": {"description": "A key of ihub-apps; it has no effect here.", "deprecated": true}}`, strings.Join(t.foreign, "|"))
	}
	if t.list {
		object = fmt.Sprintf(`"type": "array", "maxItems": %d, "items": {%s}`, maxTools, object)
	}
	return fmt.Sprintf(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:askgate:schema:%s", "title": %s, "description": %s, %s, "$defs": {%s}}`,
		name, quoted("AskGate: "+t.title), quoted(t.doc), object, definitions)
}

// objectSchema returns the members of the JSON Schema of an object with these keys.
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

// members returns the members of the JSON Schema of the key's value.
func (k *Key) members() string {
	doc := Plain(k.Doc)
	if k.kind == "duration" && k.bounds != "" {
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
