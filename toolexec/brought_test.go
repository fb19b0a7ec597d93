package toolexec_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
)

// Tools of clients are offered after the app's own, and their names are in no metric.
func TestToolsOfAClient(t *testing.T) {
	b := set(t, both, ok)
	before := names(b.catalog.Definitions("a", "en", true))
	brought := []tools.Definition{{Name: "one", Description: "One.", Parameters: json.RawMessage(`{"type":"object","required":["a"]}`)}, {Name: "two", Parameters: json.RawMessage(`{"type":"object"}`)}}
	with := b.catalog.With("a", brought)
	if got := names(with.Definitions("a", "en", true)); got != before+" one two" {
		t.Errorf("offered: %s", got)
	}
	if got := names(with.With("a", brought[1:]).Definitions("a", "en", true)); got != before+" two" {
		t.Errorf("the newest count: %s", got)
	}
	if got := names(with.Definitions("a", "en", false)); strings.Contains(got, "one") {
		t.Errorf("no one can answer: %s", got)
	}
	if got := names(b.catalog.Definitions("a", "en", true)); got != before {
		t.Errorf("another turn: %s", got)
	}
	many := make([]tools.Definition, tools.MaxDefinitions)
	for i := range many {
		many[i] = tools.Definition{Name: fmt.Sprint("t", i), Parameters: brought[1].Parameters}
	}
	if got := b.catalog.With("a", many).Definitions("a", "en", true); len(got) != tools.MaxDefinitions || !strings.HasPrefix(names(got), before+" t0 ") {
		t.Errorf("%d are offered", len(got))
	}
	if got := with.Label("a", "one"); got != "client" {
		t.Errorf("metrics name it %s", got)
	}
	if b.catalog.With("nosuch", brought) != b.catalog {
		t.Error("an app that does not exist")
	}
}

func names(defs []tools.Definition) string {
	var all []string
	for _, d := range defs {
		all = append(all, d.Name)
	}
	return strings.Join(all, " ")
}
