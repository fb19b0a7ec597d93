package groundingtest_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/grounding/groundingtest"
)

// The targets of the detector: it finds at least 92 of 100 invented values, and at most 5 of
// 100 said ones; of each kind, at least 80 and at most 9.
func TestTheDetectorFindsWhatItShould(t *testing.T) {
	for name, result := range map[string]groundingtest.Result{
		"held-out dialogues, seed 1": groundingtest.Measure(1),
		"held-out dialogues, seed 7": groundingtest.Measure(7),
		"other dialogues":            groundingtest.Judge(groundingtest.Generate(3, false, 500)),
	} {
		holds(t, name, result.Total(), 0.92, 0.05)
		for kind, tally := range result.Kinds {
			holds(t, name+", "+kind, tally, 0.8, 0.09)
		}
	}
	for _, heldOut := range []bool{false, true} {
		holds(t, "the sample of people's dialogues", groundingtest.Judge(groundingtest.Sample(1, heldOut)).Total(), 0.92, 0.05)
	}
}

func holds(t *testing.T, name string, of groundingtest.Tally, caught, alarms float64) {
	t.Helper()
	if of.CaughtShare() < caught || of.AlarmShare() > alarms || of.Invented < 50 || of.Said < 30 {
		t.Errorf("%s: %.3f of %d caught, %.3f of %d false alarms", name, of.CaughtShare(), of.Invented, of.AlarmShare(), of.Said)
	}
}

func TestASeedAlwaysMakesTheSame(t *testing.T) {
	encode := func(seed int64) string {
		b, err := json.Marshal([]any{groundingtest.Generate(seed, true, 20), groundingtest.Sample(seed, true)})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first, second := encode(5), encode(5)
	if first != second || first == encode(6) {
		t.Error("a seed does not say what is made")
	}
	if a, b := groundingtest.Measure(5), groundingtest.Measure(5); !maps.Equal(a.Kinds, b.Kinds) {
		t.Errorf("two measurements with one seed differ: %v, %v", a.Kinds, b.Kinds)
	}
}

func TestEachDialogueHasAllItsParts(t *testing.T) {
	said, invented := 0, 0
	for _, c := range groundingtest.Generate(2, true, 200) {
		var given map[string]any
		if err := json.Unmarshal([]byte(c.Arguments), &given); err != nil || len(given) != len(c.Known) || len(c.Texts) == 0 {
			t.Errorf("%s: %d arguments, %d known, %v", c.Name, len(given), len(c.Known), err)
		}
		for _, text := range c.Texts {
			if strings.Contains(text.Content, "{}") {
				t.Errorf("%s: %q names nothing", c.Name, text.Content)
			}
		}
		for _, a := range c.Known {
			if a.Said {
				said++
			} else {
				invented++
			}
		}
	}
	if said < 300 || invented < 300 {
		t.Errorf("%d said, %d invented", said, invented)
	}
}

// The parts share no sentence, so that the held-out part was never examined.
func TestThePartsShareNoSentence(t *testing.T) {
	tuned := make(map[string]bool)
	for _, c := range groundingtest.Generate(1, false, 400) {
		for _, text := range c.Texts {
			tuned[text.Content] = true
		}
	}
	for _, c := range groundingtest.Generate(1, true, 400) {
		for _, text := range c.Texts {
			if tuned[text.Content] && !strings.HasPrefix(text.Content, "{") {
				t.Errorf("%q is in both parts", text.Content)
			}
		}
	}
}

func TestThePrintedTableHasTheMistakes(t *testing.T) {
	result := groundingtest.Measure(1)
	var plain, verbose bytes.Buffer
	if err := result.Print(&plain, false); err != nil {
		t.Fatal(err)
	}
	if err := result.Print(&verbose, true); err != nil {
		t.Fatal(err)
	}
	mistakes := strings.Count(verbose.String(), "missed: /") + strings.Count(verbose.String(), "false alarm: /")
	total := result.Total()
	if wrong := total.Invented - total.Caught + total.Alarms; mistakes != wrong || len(result.Mistakes) != wrong {
		t.Errorf("%d mistakes are shown, %d listed, %d counted", mistakes, len(result.Mistakes), wrong)
	}
	if !strings.HasSuffix(verbose.String(), plain.String()) || strings.Count(plain.String(), "\n") != len(result.Kinds)+1 {
		t.Errorf("the table is\n%s", plain.String())
	}
}
