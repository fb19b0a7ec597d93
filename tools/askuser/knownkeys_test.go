package askuser_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askgate/askgate/tools/askuser"
)

// keyTexts returns the descriptions of key in a definition: of one question, and of each of several.
func keyTexts(t *testing.T, language string, keys ...askuser.Key) [2]string {
	t.Helper()
	type fields struct {
		Key struct{ Description string }
	}
	var schema struct {
		Properties struct {
			fields
			Questions struct{ Items struct{ Properties fields } }
		}
	}
	_, parameters := askuser.New(askuser.Limits{Keys: keys}, german).DefinitionIn(language)
	if err := json.Unmarshal(parameters, &schema); err != nil {
		t.Fatalf("%v: %s", err, parameters)
	}
	return [2]string{schema.Properties.Key.Description, schema.Properties.Questions.Items.Properties.Key.Description}
}

func inEnglishOr(german string) func(string) string {
	return func(language string) string {
		if language == "de" {
			return german
		}
		return "The \"real\" budget\nin euros\u202e\x07"
	}
}

// The model is told the admin's keys wherever it can name one: in their order, on one line, quoted,
// and with what they stand for in the chat's language.
func TestTheModelIsToldTheKeys(t *testing.T) {
	keys := []askuser.Key{{Name: "budget", Description: inEnglishOr("Was es kosten darf")}, {Name: "format"}}
	for language, want := range map[string]string{
		"de": ` Names in use: "budget": "Was es kosten darf", "format". Use one of them if it fits, or else a name of your own.`,
		"en": ` Names in use: "budget": "The \"real\" budget in euros", "format". Use one of them if it fits, or else a name of your own.`,
	} {
		for _, got := range keyTexts(t, language, keys...) {
			if !strings.HasSuffix(got, "so that an earlier answer can be offered."+want) {
				t.Errorf("%s: %s", language, got)
			}
		}
	}
	if got := keyTexts(t, "en")[0]; strings.Contains(got, "Names in use") {
		t.Errorf("without keys: %s", got)
	}
	p, repairs := asked(t, askuser.New(askuser.Limits{Keys: keys}, german), `{"question":"Q","input_type":"text","key":"another"}`)
	if p.Key != "another" || repairs != "" {
		t.Errorf("another key is asked as %q, repairs %q", p.Key, repairs)
	}
}

// However many keys there are, and however much is said of them, the text is bounded, and says how
// many it leaves out.
func TestHowManyKeysTheModelIsToldIsBounded(t *testing.T) {
	var many, long []askuser.Key
	for i := range 100 {
		name := fmt.Sprintf("key_%02d", i)
		many = append(many, askuser.Key{Name: name})
		long = append(long, askuser.Key{Name: name, Description: func(string) string { return strings.Repeat("ü", 200) }})
	}
	got := keyTexts(t, "en", many...)[0]
	if !strings.Contains(got, `"key_49", and 50 more that are not listed. Use`) || strings.Contains(got, "key_50") {
		t.Errorf("of 100 keys: %s", got)
	}
	got = keyTexts(t, "en", long...)[0]
	if size := utf8.RuneCountInString(got); size > 2400 || !strings.Contains(got, `, and 91 more that are not listed.`) {
		t.Errorf("of 100 keys with long descriptions: %d characters: %s", size, got)
	}
}
