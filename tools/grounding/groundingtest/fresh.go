package groundingtest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/tools/grounding"
)

//go:embed fresh.txt
var fresh string

// options has the options of the enumerations in fresh.txt.
var options = map[string][]string{
	"priority": {"low", "medium", "high"}, "zahlart": {"invoice", "credit_card", "cash"}, "frequence": {"daily", "weekly", "monthly"}, "transporte": {"train", "car", "plane"},
	"unit": {"celsius", "fahrenheit"}, "groesse": {"small", "large"}, "color": {"red", "black", "white"},
}

// Fresh returns messages written by hand in four languages, each with one argument.
func Fresh() []Case {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	var cases []Case
	for line := range strings.Lines(fresh) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 5 {
			continue
		}
		kind, name, value, said, text := fields[0], fields[1], fields[2], fields[3] == "+", fields[4]
		rules := map[string]any{}
		if few := options[name]; slices.Contains(few, strings.Trim(value, `"`)) {
			rules["enum"] = few
		}
		schema, _ := json.Marshal(map[string]any{"required": []string{name}, "properties": map[string]any{name: rules}})
		cases = append(cases, Case{Name: fmt.Sprintf("fresh %d", len(cases)+1), Texts: []grounding.Text{{Content: text, At: now}}, Arguments: `{"` + name + `":` + value + `}`,
			Schema: schema, Now: now, Known: []Argument{{"/" + name, kind, value, said}}})
	}
	return cases
}
