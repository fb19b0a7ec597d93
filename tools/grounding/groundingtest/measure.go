package groundingtest

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/askgate/askgate/tools/grounding"
)

// Tally counts the values of one kind.
type Tally struct {
	Invented, Caught int // values that were not said, and how many of them were found
	Said, Alarms     int // values that were said, and how many of them were found by mistake
}

// CaughtShare returns the share of invented values that was found, from 0 to 1.
func (t Tally) CaughtShare() float64 { return float64(t.Caught) / float64(max(t.Invented, 1)) }

// AlarmShare returns the share of said values that was found by mistake, from 0 to 1.
func (t Tally) AlarmShare() float64 { return float64(t.Alarms) / float64(max(t.Said, 1)) }

func (t *Tally) add(other Tally) {
	t.Invented += other.Invented
	t.Caught += other.Caught
	t.Said += other.Said
	t.Alarms += other.Alarms
}

// Mistake is a value that was judged wrongly.
type Mistake struct {
	Case     Case
	Argument Argument
}

// Result is the result of a measurement.
type Result struct {
	Kinds    map[string]Tally
	Mistakes []Mistake
}

// Total returns the sum of all kinds.
func (r Result) Total() (total Tally) {
	for _, t := range r.Kinds {
		total.add(t)
	}
	return total
}

// dialogues is the number of dialogues that Measure composes.
const dialogues = 2000

// Measure judges held-out dialogues that it composes from a seed. Safe for concurrent use.
func Measure(seed int64) Result { return Judge(Generate(seed, true, dialogues)) }

// Judge runs the detector on each value of the cases.
func Judge(cases []Case) Result {
	r := Result{Kinds: make(map[string]Tally)}
	for _, c := range cases {
		found := grounding.Read(c.Texts).Find(c.Arguments, c.Schema, c.Now)
		for _, a := range c.Known {
			t := r.Kinds[a.Kind]
			flagged := slices.Contains(found, a.Pointer)
			switch {
			case a.Said:
				t.Said++
				if flagged {
					t.Alarms++
				}
			default:
				t.Invented++
				if flagged {
					t.Caught++
				}
			}
			r.Kinds[a.Kind] = t
			if flagged == a.Said {
				r.Mistakes = append(r.Mistakes, Mistake{c, a})
			}
		}
	}
	return r
}

// Print writes a table by kind, and if mistakes is set, the mistakes.
func (r Result) Print(w io.Writer, mistakes bool) error {
	if mistakes {
		slices.SortStableFunc(r.Mistakes, func(a, b Mistake) int { return cmp.Compare(a.Argument.Kind, b.Argument.Kind) })
		for _, m := range r.Mistakes {
			what := "missed"
			if m.Argument.Said {
				what = "false alarm"
			}
			if _, err := fmt.Fprintf(w, "%s: %s %v (%s, said on %s)\n", what, m.Argument.Pointer, m.Argument.Value, m.Case.Name, m.Case.Now.Format("Mon 2006-01-02")); err != nil {
				return err
			}
			for _, text := range m.Case.Texts {
				if _, err := fmt.Fprintf(w, "\t%s\n", text.Content); err != nil {
					return err
				}
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Kinds)) {
		if err := line(w, kind, r.Kinds[kind]); err != nil {
			return err
		}
	}
	return line(w, "all", r.Total())
}

func line(w io.Writer, name string, t Tally) error {
	_, err := fmt.Fprintf(w, "%-14s %6d invented, %5.1f %% caught   %6d said, %4.1f %% false alarms\n", name, t.Invented, 100*t.CaughtShare(), t.Said, 100*t.AlarmShare())
	return err
}
