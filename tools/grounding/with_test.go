package grounding_test

import (
	"slices"
	"testing"

	"github.com/askgate/askgate/tools/grounding"
	"github.com/askgate/askgate/tools/grounding/groundingtest"
)

// An index built text by text gives the same results as one built at once.
func TestAnIndexIsAddedTo(t *testing.T) {
	for _, c := range slices.Concat(groundingtest.Generate(7, false, 100), groundingtest.Dialogues("tuning")) {
		var said *grounding.Said
		for n := range len(c.Texts) + 1 {
			said = said.With(c.Texts[:n])
		}
		if got, want := said.Find(c.Arguments, c.Schema, c.Now), grounding.Read(c.Texts).Find(c.Arguments, c.Schema, c.Now); !slices.Equal(got, want) {
			t.Errorf("%s: found %q, not %q", c.Name, got, want)
		}
	}
}

// Texts that are no longer there, such as a deleted memory, do not count.
func TestATextThatIsGoneIsNotSaid(t *testing.T) {
	now := at("2026-03-10")
	texts := []grounding.Text{{Content: "to Lyon", At: now}, {Content: "to Oslo", At: now}}
	said := grounding.Read(texts).With(texts[:1])
	if got := said.Find(`{"a":"Lyon","b":"Oslo"}`, []byte(`{"required":["a","b"]}`), now); !slices.Equal(got, []string{"/b"}) {
		t.Errorf("found %q", got)
	}
}

// A step reads only its new texts, not the 40 KB before it.
func TestAStepReadsWhatIsNew(t *testing.T) {
	texts, _, _ := said40()
	all := testing.AllocsPerRun(2, func() { grounding.Read(texts) })
	said, n := grounding.Read(texts), 0
	step := testing.AllocsPerRun(10, func() {
		n++
		texts = append(texts, grounding.Text{Content: "And one more for Anna.", At: at("2026-03-11").AddDate(0, 0, n)})
		said = said.With(texts)
	})
	if step > all/20 {
		t.Errorf("a step allocates %v times, all of it %v times", step, all)
	}
}

// Stood returns the parts of a text that were said, in whole runs of words and with figures as
// written.
func TestOfATextItsRunsOfWordsStood(t *testing.T) {
	said := grounding.Read([]grounding.Text{{Content: "My landlord is Mr. Okafor; the rent is 12.50 a day, 900 euros a month."}, {Content: "I fly from LHR."}})
	for text, want := range map[string]string{
		"Rent: 900 euros to Okafor.":        "Rent:\n900 euros\nOkafor.",
		"The rent is 900 euros a year":      "The rent is\n900 euros a",
		"Pay 1250 or 12.50":                 "12.50",
		"IBAN DE89370400440532013000 (LHR)": "(LHR)",
		"Okafo":                             "",
		"- ...":                             "",
	} {
		if got := said.Stood(text); got != want {
			t.Errorf("%q: Stood returned %q, want %q", text, got, want)
		}
	}
}

// A plain yes is only a yes.
func TestAPlainYes(t *testing.T) {
	for _, message := range []string{"yes", "Yes, please!", "ok", "sure, go ahead", "That's right.", "ja", "Ja, genau!", "ja bitte", "mach das", "passt so", "oui", "d'accord", "Oui, c'est ça", "vas-y", "sí", "Sí, por favor", "de acuerdo", "vale, adelante", "yep", "Of course", "perfekt, danke"} {
		if !grounding.Agrees(message) {
			t.Errorf("%q is not a yes", message)
		}
	}
	for _, message := range []string{"", "no", "yes?", "yes, but 500", "ja, aber morgen", "please", "thank you", "oui, mais à Lyon", "sí, a Marta", "not ok", "nein danke", "ok, the second", "that", "is it right", "yes 2", "ok no", "no, go on", "yes yes yes yes yes yes yes yes yes"} {
		if grounding.Agrees(message) {
			t.Errorf("%q is a yes", message)
		}
	}
}
