package groundingtest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/tools/grounding"
)

var (
	//go:embed sgd/tuning.txt
	sgdTuning string
	//go:embed sgd/heldout.txt
	sgdHeldOut string
	//go:embed sgd/values.txt
	sgdValues string
)

// sgdDay is the day on which the dialogues of the set take place.
var sgdDay = time.Date(2019, 3, 1, 12, 0, 0, 0, time.UTC)

// variants is the number of times that a call is judged with other values in place of its own.
const variants = 5

// Sample returns calls from dialogues between people (sgd/ATTRIBUTION.md): each call
// unchanged, and several times with each argument replaced by another value of its slot. The
// replacements can include values that were mentioned as something else.
func Sample(seed int64, heldOut bool) []Case {
	text := sgdTuning
	if heldOut {
		text = sgdHeldOut
	}
	pools := make(map[string][]string)
	for line := range strings.Lines(sgdValues) {
		if slot, list, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			pools[slot] = strings.Split(list, ", ")
		}
	}
	r := rand.New(rand.NewPCG(uint64(seed), 3)) // #nosec G404 G115 -- repeatable, not a secret
	var cases []Case
	var name string
	var said []grounding.Text
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if of, ok := strings.CutPrefix(line, "dialogue "); ok {
			name, said = of, nil
			continue
		}
		by, content, _ := strings.Cut(line, ": ")
		if by != "call" {
			if content != "" {
				said = append(said, grounding.Text{Content: content, At: sgdDay})
			}
			continue
		}
		var given map[string]string
		if err := json.Unmarshal([]byte(content), &given); err != nil {
			panic(fmt.Sprintf("%s: %v", name, err))
		}
		cases = append(cases, sgdCase(name, said, given, true, pools))
		for range variants {
			invented := make(map[string]string)
			for _, slot := range sorted(given) {
				invented[slot] = another(r, pools[sgdPool(slot)], given, slot)
			}
			cases = append(cases, sgdCase(name, said, invented, false, pools))
		}
	}
	return cases
}

// another returns a value of a slot that the call does not have.
func another(r *rand.Rand, pool []string, given map[string]string, slot string) string {
	for {
		v := pool[r.IntN(len(pool))]
		taken := false
		for other, is := range given {
			taken = taken || is == v && sgdPool(other) == sgdPool(slot)
		}
		if !taken {
			return v
		}
	}
}

func sgdCase(name string, said []grounding.Text, given map[string]string, isSaid bool, pools map[string][]string) Case {
	c := Case{Name: name, Texts: slices.Clone(said), Now: sgdDay}
	properties := make(map[string]any)
	for _, slot := range sorted(given) {
		pool := sgdPool(slot)
		kind, _, few := strings.Cut(pool, " ")
		c.Known = append(c.Known, Argument{"/" + slot, kind, given[slot], isSaid})
		properties[slot] = map[string]any{"type": "string"}
		if few {
			properties[slot] = map[string]any{"enum": pools[pool]}
		}
	}
	arguments, _ := json.Marshal(given)
	c.Arguments = string(arguments)
	c.Schema, _ = json.Marshal(map[string]any{"properties": properties, "required": sorted(given)})
	return c
}

// sgdPool returns the set of values that replace those of a slot, and their kind.
func sgdPool(slot string) string {
	switch {
	case slices.Contains([]string{"category", "car_type", "payment_method", "type", "event_type", "class", "device", "subtitle_language"}, slot):
		return "enumerations " + slot
	case strings.HasPrefix(slot, "date") || strings.HasSuffix(slot, "date"):
		return "dates"
	case slot == "time" || strings.HasSuffix(slot, "_time"):
		return "times"
	case strings.HasPrefix(slot, "num") || slot == "amount" || slot == "rating" || slot == "star_rating":
		return "numbers"
	}
	return "names"
}

func sorted(given map[string]string) []string {
	names := make([]string, 0, len(given))
	for name := range given {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
