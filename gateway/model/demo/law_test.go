package demo_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
)

// withLaw is a chat of the built-in app of documents.
var withLaw = []model.Definition{{Name: "ask_user"}, {Name: "ordinances__search"}, {Name: "ordinances__read"}}

const (
	several = `{"items":[{"id":"a1","title":"A › § 4"},{"id":"b1","title":"B › § 4"}],"nextCursor":null,"works":["A","B"]}`
	one     = `{"items":[{"id":"b1","title":"B › § 4"},{"id":"b2","title":"B › § 1"}],"nextCursor":null}`
	passage = `{"id":"b1","title":"B › § 4","link":"/v1/b1","text":"Four weeks.\n\nIn writing."}`
)

func TestTheLawIsSearchedAskedReadAndCited(t *testing.T) {
	c := beginWith(t, withLaw, "Welche Kündigungsfrist gilt?").says("demo.law.intro").asks(`{"query":"demo.law.query [de]"}`).
		result(several).says("demo.law.several").asks(`"input_type":"select"`, `{"label":"A","value":"A"},{"label":"B","value":"B"}`).
		result("B\nNote: please").says("demo.law.narrowed [de] map[Work:B]").asks(`"limit":3,"query":"demo.law.query [de] B"`).
		result(one).says("demo.law.read [de] map[Title:B › § 4]").asks(`{"id":"b1"}`)
	c.result(passage).says("demo.law.answer", "Source:[B › § 4](/v1/b1)", "Text:Four weeks.\n> \n> In writing.").ends()
	// A request that matches a single work reads it at once, and one that matches none is reported.
	beginWith(t, withLaw, "harbour text").asks(`{"query":"harbour text"}`).result(one).asks(`{"id":"b1"}`).result(passage).says("demo.law.answer").ends()
	beginWith(t, withLaw, "x").result(`{"items":[],"nextCursor":null}`).says("demo.law.nothing [de] map[Query:x]").ends()
	beginWith(t, withLaw, "x").result(several).result(`{"userAnswer":null,"declined":true}`).says("demo.declined").ends()
	if c := beginWith(t, withLaw, "x").result(several).result(`{"userAnswer":null,"declined":true}`); strings.Contains(c.text, "demo.more") {
		t.Error("it names a menu that this chat does not have:", c.text)
	}
	beginWith(t, withLaw, "x").result(`{"error":{"code":"X","message":"m"}}`).says("demo.error").ends()
	beginWith(t, withLaw, "x").result(one).result(`{"error":{"code":"NOT_FOUND","message":"m"}}`).says("NOT_FOUND").ends()
	if q := beginWith(t, withLaw, strings.Repeat("ü", 5000)).call.Arguments; len(q) > 300 {
		t.Error(len(q))
	}
}

// The starters of the app work in all languages, and use words that its texts contain.
func TestTheLawsStartersFind(t *testing.T) {
	texts, err := os.ReadFile("../../../config/default/apps/law/app.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, starter := range []string{"What is the notice period?", "Welche Kündigungsfrist gilt?", "Quel est le délai de préavis ?", "¿Cuál es el plazo de preaviso?"} {
		if !strings.Contains(string(texts), starter) {
			t.Errorf("no starter %s", starter)
		}
		if c := beginWith(t, withLaw, starter); !strings.Contains(c.call.Arguments, "demo.law.query") {
			t.Error(starter, c.call.Arguments)
		}
	}
	for _, file := range []string{"en/tenancy.md", "en/service.md", "en/harbour.md", "de/miete.md", "de/dienst.md", "de/hafen.md"} {
		text, err := os.ReadFile("../../../config/default/ordinances/" + file)
		if err != nil || !slices.ContainsFunc([]string{"§ 4 Notice period\n", "§ 4 Kündigungsfrist\n"}, func(s string) bool { return strings.Contains(string(text), s) }) {
			t.Error(file, err)
		}
	}
}
