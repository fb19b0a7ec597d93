package askuser_test

import (
	"encoding/json"
	"testing"
)

// A message that can be read as an answer is one; all others are left to the turn (docs/protocol.md).
const (
	openMany   = `{"question":"Q","input_type":"multiselect","allow_other":true,"options":[{"label":"A","value":"a"},{"label":"B","value":"b"}]}`
	openTwo    = `{"question":"Q","input_type":"multiselect","allow_other":true,"options":[{"label":"A","value":"a"},{"label":"B","value":"b"}],"validation":{"min":3,"max":3}}`
	skipOption = `{"question":"Q","input_type":"select","allow_skip":true,"options":[{"label":"Skip","value":"s"},{"label":"B","value":"b"}]}`
	skipOther  = `{"question":"Q","input_type":"select","allow_skip":true,"allow_other":true,"options":[{"label":"A","value":"a"},{"label":"B","value":"b"}]}`
	skipNumber = `{"question":"Q","input_type":"number","allow_skip":true}`
)

func TestRead(t *testing.T) {
	const numbersAsLabels = `{"question":"Q","input_type":"select","options":[{"label":"Three","value":"3"},{"label":"2","value":"two"},{"label":"One","value":"x"}]}`
	const alike = `{"question":"Q","input_type":"select","options":[{"label":"PDF","value":"1st"},{"label":"pdf","value":"2nd"}]}`
	const decimals = `{"question":"Q","input_type":"number"}`
	const anyDay = `{"question":"Q","input_type":"date"}`
	const openNumber = `{"question":"Q","input_type":"number","allow_other":true}`
	for _, c := range []struct{ name, question, message, language, want string }{
		{"value", selected, "fr", "en", `{"value":"fr"}`},
		{"value with white space", selected, " fr\n", "en", `{"value":"fr"}`},
		{"label", selected, "French", "en", `{"value":"fr"}`},
		{"label in any case", selected, "gERMAN", "en", `{"value":"de"}`},
		{"value in any case", selected, "DE", "en", `{"value":"de"}`},
		{"final mark", selected, "French.", "en", `{"value":"fr"}`},
		{"quotes", selected, "„French“", "de", `{"value":"fr"}`},
		{"label and value", selected, "French (fr)", "en", `{"value":"fr"}`},
		{"a label wins over a position", selected, "2", "en", `{"value":"two"}`},
		{"position", selected, "1", "en", `{"value":"fr"}`},
		{"position with a dot", selected, "1.", "en", `{"value":"fr"}`},
		{"position with a bracket", selected, "3)", "en", `{"value":"two"}`},
		{"a value wins over a position", numbersAsLabels, "3", "en", `{"value":"3"}`},
		{"position of the rest", numbersAsLabels, "1", "en", `{"value":"3"}`},
		{"position 0", selected, "0", "en", ""},
		{"position beyond", selected, "4", "en", ""},
		{"something else", selected, "Do you know Latin?", "en", ""},
		{"labels that differ in case", alike, "pdf", "en", `{"value":"2nd"}`},
		{"a name for both", alike, "Pdf", "en", ""},
		{"free text", openSelect, " Latin, please\n", "en", `{"other":" Latin, please\n"}`},
		{"too much free text", openSelect, long(2001), "en", ""},
		{"blank", openSelect, " \u200b", "en", ""},
		{"yes", confirmed, "Yes!", "fr", `{"value":"yes"}`},
		{"no", confirmed, "no.", "de", `{"value":"no"}`},
		{"the label", confirmed, "ja", "de", `{"value":"yes"}`},
		{"a word", confirmed, "Jawohl", "de", `{"value":"yes"}`},
		{"another word", confirmed, "NÖ", "de", `{"value":"no"}`},
		{"not this language's, but on the card", confirmed, "ja", "en", `{"value":"yes"}`},
		{"a position of a confirm", confirmed, "2", "en", `{"value":"no"}`},
		{"neither", confirmed, "perhaps", "en", ""},
		{"number", numbered, "12.5", "en", `{"value":12.5}`},
		{"decimal comma", numbered, "12,5", "de", `{"value":12.5}`},
		{"decimal comma in Spanish", numbered, "-0,5", "es-MX", `{"value":-0.5}`},
		{"no decimal comma in English", numbered, "12,5", "en", ""},
		{"grouped", decimals, "1,500", "en", `{"value":1500}`},
		{"ambiguous comma", decimals, "1,500", "de", ""},
		{"ambiguous dot", decimals, "1.500", "fr", ""},
		{"a dot in German", decimals, "1.5", "de", `{"value":1.5}`},
		{"nought before the comma", decimals, "0,125", "de", `{"value":0.125}`},
		{"grouped in German", decimals, "1.234.567,8", "de", `{"value":1234567.8}`},
		{"grouped in French", decimals, "1\u202f234,5", "fr", `{"value":1234.5}`},
		{"grouped in English", decimals, "1,234,567.8", "de", `{"value":1234567.8}`},
		{"a real minus", decimals, "\u22125", "en", `{"value":-5}`},
		{"out of range", numbered, "101", "en", ""},
		{"a fraction for a whole number", whole, "1.5", "en", ""},
		{"no number", numbered, "about ten", "en", ""},
		{"no number, but free text", openNumber, "about ten", "en", `{"other":"about ten"}`},
		{"date", dated, "2026-02-28", "en", `{"value":"2026-02-28"}`},
		{"no day", dated, "2026-02-30", "en", ""},
		{"German day", dated, "1.2.2026", "de", `{"value":"2026-02-01"}`},
		{"French day", dated, "01/02/2026", "fr", `{"value":"2026-02-01"}`},
		{"ambiguous day", dated, "01/02/2026", "en", ""},
		{"day out of range", dated, "2027-01-01", "en", ""},
		{"no such day", anyDay, "31.02.2026", "de", ""},
		{"text", text, " as it came \n", "en", `{"value":" as it came \n"}`},
		{"long text", text, long(4001), "en", ""},
		{"pattern", code, "AB12", "en", `{"value":"AB12"}`},
		{"pattern with white space around", code, "AB12\n", "en", `{"value":"AB12"}`},
		{"not the pattern", code, "I do not know", "en", ""},
		{"one of several", several, "b", "en", `{"values":["b"]}`},
		{"several", several, "B, a", "en", `{"values":["a","b"]}`},
		{"several by and", several, "A and B", "en", `{"values":["a","b"]}`},
		{"several by und", several, "a und b", "de", `{"values":["a","b"]}`},
		{"several in a list", several, "- A\n- B\n", "en", `{"values":["a","b"]}`},
		{"several by numbers", several, "1, 3", "en", `{"values":["a","c"]}`},
		{"a comma in a label", several, "c, d", "en", `{"values":["c"]}`},
		{"too many of several", several, "1, 2, 3", "en", ""},
		{"one unknown of several", several, "a, x", "en", ""},
		{"one unknown, free text", openSeveral, "a, x", "en", `{"values":["a"],"other":"x"}`},
		{"the unknown first", openMany, "Klingon; 2", "en", `{"values":["b"],"other":"Klingon"}`},
		{"unknown ones in a row, as they stand", openMany, "a, Klingon;  High Elvish\nb, Entish", "en", `{"values":["a","b"],"other":"Klingon;  High Elvish, Entish"}`},
		{"an unknown piece is not taken apart", openMany, "a, B and Klingon", "en", `{"values":["a"],"other":"B and Klingon"}`},
		{"a sentence", openMany, "A bit of a, I think", "en", `{"other":"A bit of a, I think"}`},
		{"the unknown counts", openTwo, "a, b, Klingon", "en", `{"values":["a","b"],"other":"Klingon"}`},
		{"too few with the unknown", openTwo, "a, Klingon", "en", ""},
		{"an unknown one that is too long", openMany, "a, " + long(2001), "en", ""},
		{"not with a single choice", openSelect, "de, Klingon", "en", `{"other":"de, Klingon"}`},
		{"skip", skippable, "Skip.", "en", `{"skipped":true}`},
		{"skip with more words", skippable, "skip this", "en-GB", `{"skipped":true}`},
		{"skip in German", skippable, " ÜBERSPRINGEN!", "de", `{"skipped":true}`},
		{"a word of another language", skippable, "überspringen", "en", `{"value":"überspringen"}`},
		{"skip where it is not allowed", text, "skip", "en", `{"value":"skip"}`},
		{"an option of that name", skipOption, "skip", "en", `{"value":"s"}`},
		{"skip before free text", skipOther, "skip", "en", `{"skipped":true}`},
		{"skip a number", skipNumber, "skip", "en", `{"skipped":true}`},
		{"two of an open one", openSeveral, "a, b", "en", `{"values":["a","b"]}`},
		{"a form", form, "alpha", "en", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := ask(t, c.question)
			got, ok := newTool().Read(q, c.message, c.language)
			if ok != (c.want != "") {
				t.Fatalf("Read = %+v, %v; want %s", got, ok, c.want)
			}
			if !ok {
				return
			}
			data, _ := json.Marshal(got)
			want, _ := json.Marshal(answer(t, c.want))
			if string(data) != string(want) {
				t.Errorf("got %s, want %s", data, want)
			}
		})
	}
}
