package demo_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/demo"
)

// played is texts, with a record of the ids that were asked for.
func played(t *testing.T) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	noted := demo.New(func(language, id string, data map[string]any) string {
		ids[id] = true
		return texts(language, id, data)
	})
	results := []string{
		"yes", `{"userAnswer":null,"skipped":true}`, `{"userAnswer":null,"declined":true}`, `{"userAnswer":null,"timedOut":true}`,
		`{"error":{"code":"CLARIFICATION_LIMIT_REACHED"}}`, `{"error":{"code":"X"}}`,
	}
	for _, word := range strings.Fields("hello text select multiselect confirm number date form repair refused cap calculate trip report meeting translate") {
		for _, offered := range [][]model.Definition{tools, nil} {
			for _, r := range results {
				req := model.Request{Tools: offered, Messages: []model.Message{{Role: model.RoleUser, Content: word}}}
				for range 2 {
					for _, err := range noted.Stream(t.Context(), req) {
						if err != nil {
							t.Fatal(err)
						}
					}
					req.Messages = append(req.Messages, model.Message{Role: model.RoleTool, Content: r})
				}
			}
		}
	}
	form := func(place string) string {
		return "Q1 (Where?): " + place + "\nQ2 (Wish?): cheese\nQ3 (When?): 2026-12-05"
	}
	for _, results := range [][]string{
		{form("Sea (sea)"), `{"reference":"DEMO-1"}`},
		{form("Mountains (mountains)"), `{"userAnswer":null,"declined":true}`},
		{form("City (city)")},
		{form("Other: Ghent")},
		{"At noon", `{"error":{"code":"X"}}`, "standup"},
	} {
		for _, word := range strings.Fields("trip report meeting") {
			req := model.Request{Tools: withDemo, Messages: []model.Message{{Role: model.RoleUser, Content: word}}}
			for i := range len(results) + 1 {
				for range noted.Stream(t.Context(), req) {
				}
				if i < len(results) {
					req.Messages = append(req.Messages, model.Message{Role: model.RoleTool, Content: results[i]})
				}
			}
		}
	}
	for _, results := range [][]string{{several, "B", one, passage}, {"{}"}} {
		req := model.Request{Tools: withLaw, Messages: []model.Message{{Role: model.RoleUser, Content: "préavis"}}}
		for i := range len(results) + 1 {
			for range noted.Stream(t.Context(), req) {
			}
			if i < len(results) {
				req.Messages = append(req.Messages, model.Message{Role: model.RoleTool, Content: results[i]})
			}
		}
	}
	return ids
}

func TestEveryTextIsThereAndTheGreetingsWordsWork(t *testing.T) {
	ids := played(t)
	for _, language := range []string{"en", "de", "fr", "es"} {
		raw, err := os.ReadFile("../../../locales/active." + language + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var file map[string]any
		if err := json.Unmarshal(raw, &file); err != nil {
			t.Fatal(err)
		}
		for id := range ids {
			if file[id] == nil {
				t.Errorf("%s: no text %s", language, id)
			}
		}
		for id := range file {
			if strings.HasPrefix(id, "demo.") && !ids[id] {
				t.Errorf("%s: %s is never said", language, id)
			}
		}
		greeting, _ := file["demo.greeting"].(string)
		if !strings.Contains(greeting, "LLM") {
			t.Errorf("%s: the greeting does not say that the demo is not an LLM: %q", language, greeting)
		}
		// "... words: a, b, c 2+3. Or choose here:"
		list := regexp.MustCompile(`: ([^:]+2\+3)`).FindStringSubmatch(greeting)
		if list == nil {
			t.Fatalf("%s: no list of words in %q", language, greeting)
		}
		scenes := map[string]bool{}
		for word := range strings.SplitSeq(list[1], ", ") {
			c := beginWith(t, withDemo, word)
			if strings.Contains(c.text, "demo.greeting") {
				t.Errorf("%s: %q leads to nothing", language, word)
			}
			scenes[c.text] = true
		}
		if len(scenes) != 14 {
			t.Errorf("%s: the words in the greeting lead to %d of 14 scenes", language, len(scenes))
		}
	}
}
