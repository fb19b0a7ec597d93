package config

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

//go:embed schema/*.json
var schemas embed.FS

// SchemaNames are the names that Schema knows, in order.
func SchemaNames() []string { return []string{"gateway", "app", "tools"} }

// Schema is the JSON Schema (draft 2020-12) of gateway.json, of an app or of a
// tools.json with these types of tools. "" is one object of all three by name.
func Schema(name string, types []ToolType) (json.RawMessage, error) {
	if name == "" {
		all := []byte("{")
		for i, name := range SchemaNames() {
			one, err := Schema(name, types)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				all = append(all, ',')
			}
			all = append(append(all, "\n"+`"`+name+`": `...), one...)
		}
		return append(all, "}\n"...), nil
	}
	if !slices.Contains(SchemaNames(), name) {
		return nil, fmt.Errorf("there is no schema %q; %s", name, Mend(name, SchemaNames()))
	}
	schema, err := schemas.ReadFile("schema/" + name + ".json")
	if err != nil || name != "tools" {
		return schema, err
	}
	return newToolTypes(types).complete(schema)
}

// complete adds the types, and the objects of their keys, to the schema of a tools.json.
func (all toolTypes) complete(schema []byte) (json.RawMessage, error) {
	root, err := hujson.Parse(schema)
	if err != nil {
		return nil, err
	}
	properties := root.Find("/$defs/tool/properties")
	prefix := func(pointer, text string) {
		at := properties.Find(pointer)
		at.Value = hujson.String(text + literal(at))
	}
	names := properties.Find("/type/enum").Value.(*hujson.Array)
	var about []string
	for _, t := range all {
		switch {
		case t.Builtin:
			continue
		case t.Name == TypeBuiltin:
			t.About = strings.Join(all.builtin(), ", ") + "."
		}
		names.Elements = append(names.Elements, hujson.Value{Value: hujson.String(t.Name)})
		about = append(about, t.Name+": "+t.About+" ")
		if t.Read == nil {
			continue
		}
		own, err := hujson.Parse(t.Schema)
		if err != nil {
			return nil, fmt.Errorf("the schema of the type %q: %w", t.Name, err)
		}
		object := properties.Value.(*hujson.Object)
		object.Members = append(object.Members, hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(t.Name)}, Value: own})
	}
	prefix("/type/description", strings.Join(about, ""))
	prefix("/id/description", "What apps list and the model calls. Without an entry there are: "+strings.Join(append([]string{TypeAskUser}, all.builtin()...), ", ")+".")
	root.Standardize()
	return root.Pack(), nil
}
