package config_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
)

// rows returns the cells of the table rows in a text.
func rows(text string) (list [][]string) {
	for _, line := range regexp.MustCompile(`(?m)^\| (.*) \|$`).FindAllStringSubmatch(text, -1) {
		list = append(list, strings.Split(line[1], " | "))
	}
	return list
}

// words returns the names in code spans.
func words(text string) (list []string) {
	for _, m := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// The page about models lists the same keys, addresses and fixed fields as the loader.
func TestThePageOnModelsIsThatOfTheLoader(t *testing.T) {
	raw, err := os.ReadFile("../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	g, _ := schema(t, "gateway")
	keys := slices.Sorted(maps.Keys(at(t, g, "properties", "models", "additionalProperties", "properties")))
	keys = slices.DeleteFunc(keys, func(key string) bool { return key == "provider" }) // the columns
	_, section, _ := strings.Cut(page, "## Which key for which provider")
	table, _, _ := strings.Cut(section, "\n### ")
	var told []string
	for _, row := range rows(table)[2:] {
		if len(row) != 6 {
			t.Errorf("a row with %d cells: %v", len(row), row)
		}
		told = append(told, words(row[0])...)
	}
	slices.Sort(told)
	if !slices.Equal(told, keys) {
		t.Errorf("keys\ntold %v\nread %v", told, keys)
	}
	for _, url := range config.BaseURLs() {
		if !strings.Contains(table, "`"+url+"`") {
			t.Errorf("the table lacks %s", url)
		}
	}
	_, section, _ = strings.Cut(page, "### headers and body")
	section, _, _ = strings.Cut(section, "\n### ")
	for _, name := range config.GatewayHeaders {
		if !strings.HasPrefix(name, "content-") && !strings.Contains(strings.ToLower(section), "`"+name+"`") {
			t.Errorf("the page lacks the header %s", name)
		}
	}
	fixed := map[string][]string{}
	for _, row := range rows(section)[2:] {
		fixed[strings.Trim(row[0], "`")] = words(row[1])
	}
	if want := config.FixedBody(); !maps.EqualFunc(fixed, want, slices.Equal[[]string]) {
		t.Errorf("fixed fields\ntold %v\nread %v", fixed, want)
	}
	// Its examples are valid.
	examples := regexp.MustCompile("(?s)```jsonc\n(\"models\".*?)```").FindAllStringSubmatch(page, -1)
	for _, example := range examples {
		mustLoad(t, gateway("{"+example[1]+"}"), env{"OPENROUTER_KEY": "k", "OPENAI_API_KEY": "k", "AZURE_KEY": "k", "ANTHROPIC_API_KEY": "k", "GEMINI_API_KEY": "k", "DEEPSEEK_API_KEY": "k"})
	}
	if len(examples) == 0 {
		t.Error("no example was found")
	}
}
