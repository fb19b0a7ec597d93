package config

import (
	"embed"
	"encoding/json"
	"fmt"
)

//go:embed schema/*.json
var schemas embed.FS

// SchemaNames are the names that Schema knows, in order.
func SchemaNames() []string { return []string{"gateway", "app", "tools"} }

// Schema is the JSON Schema (draft 2020-12) of gateway.json, of an app or of a
// tools.json. "" is one object of all three by name.
func Schema(name string) (json.RawMessage, error) {
	if name == "" {
		all := []byte("{")
		for i, name := range SchemaNames() {
			one, err := Schema(name)
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
	for _, known := range SchemaNames() {
		if name == known {
			return schemas.ReadFile("schema/" + name + ".json")
		}
	}
	return nil, fmt.Errorf("there is no schema %q; %s", name, mend(name, SchemaNames()))
}
