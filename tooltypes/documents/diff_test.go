package documents_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tooltypes/documents"
)

// kept returns the paragraphs of a text without those that changes take from one of its sides.
func kept(text string, changes []documents.Change, side func(documents.Change) string) ([]string, bool) {
	var list []string
	for p := range strings.SplitSeq(text, "\n\n") {
		if len(changes) > 0 && side(changes[0]) == p {
			changes = changes[1:]
			continue
		}
		list = append(list, p)
	}
	return list, len(changes) == 0
}

// Without what was removed and what was added, two texts are the same; and what was not touched is
// not listed, in any position.
func TestADiffIsTheDifference(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var before, after []string
		untouched := 0
		for i := range r.IntN(400) {
			p := fmt.Sprint("paragraph ", i)
			if seed%3 == 0 {
				p = fmt.Sprint("paragraph ", r.IntN(20)) // many are equal
			}
			switch n := r.IntN(10); {
			case n < 3:
				before = append(before, p)
			case n < 6:
				after = append(after, p+" new")
			case n < 7:
				before, after = append(before, p), append(after, p+" new")
			default:
				before, after = append(before, p), append(after, p)
				untouched++
			}
		}
		a, b := strings.Join(before, "\n\n"), strings.Join(after, "\n\n")
		changes, ok := documents.Changed(a, b, true)
		if !ok {
			t.Fatal("too many")
		}
		var removed, added []documents.Change
		for _, c := range changes {
			if c.Kind != "added" {
				removed = append(removed, c)
			}
			if c.Kind != "removed" {
				added = append(added, c)
			}
			if c.Before == c.After || (c.Before == "") != (c.Kind == "added") || (c.After == "") != (c.Kind == "removed") {
				t.Errorf("seed %d: %+v", seed, c)
			}
		}
		if a == "" || b == "" {
			continue
		}
		left, ok1 := kept(a, removed, func(c documents.Change) string { return c.Before })
		right, ok2 := kept(b, added, func(c documents.Change) string { return c.After })
		if !ok1 || !ok2 || !slices.Equal(left, right) {
			// With equal paragraphs, the first of them may have been taken for another.
			if seed%3 != 0 || len(left) != len(right) {
				t.Errorf("seed %d: %d and %d paragraphs are left", seed, len(left), len(right))
			}
		}
		if seed%3 != 0 && len(left) != untouched {
			t.Errorf("seed %d: %d paragraphs are left of %d untouched ones", seed, len(left), untouched)
		}
	}
}

// What stays is found between any number of paragraphs that do not.
func TestADiffOfMuchFindsWhatStays(t *testing.T) {
	text := func(what string, n int) string {
		var b strings.Builder
		for i := range 2 * n {
			if i == n {
				b.WriteString("the same\n\n")
			}
			fmt.Fprintf(&b, "%s %d\n\n", what, i)
		}
		return b.String()
	}
	changes, _ := documents.Changed(text("old", 300), text("new", 500), true)
	if len(changes) != 1000 || slices.ContainsFunc(changes, func(c documents.Change) bool { return c.Before == "the same" || c.After == "the same" }) {
		t.Errorf("%d changes: %+v", len(changes), changes)
	}
}

// Lines are compared where no text has paragraphs, but not in Markdown, where a line is not a paragraph.
func TestParagraphsAndLines(t *testing.T) {
	for _, c := range []struct {
		before, after string
		markdown      bool
		want          string
	}{
		{"one\ntwo\nthree", "one\n2\nthree", false, `[{"kind":"changed","before":"two","after":"2"}]`},
		{"one\ntwo\nthree", "one\n2\nthree", true, `[{"kind":"changed","before":"one\ntwo\nthree","after":"one\n2\nthree"}]`},
		{"one\ntwo", "one two", true, `null`},
		{"one\n \ntwo", "one\n\ntwo\n\n\n", false, `null`},
		{"a\n\nb", "b", false, `[{"kind":"removed","before":"a"}]`},
		{"", "b", false, `[{"kind":"added","after":"b"}]`},
		{"a\n\nb\n\nc", "x\n\nc\n\nd", true, `[{"kind":"changed","before":"a","after":"x"},{"kind":"removed","before":"b"},{"kind":"added","after":"d"}]`},
	} {
		changes, ok := documents.Changed(c.before, c.after, c.markdown)
		if raw, _ := json.Marshal(changes); !ok || string(raw) != c.want {
			t.Errorf("%q, %q: %s, want %s", c.before, c.after, raw, c.want)
		}
	}
}

// The cost is bounded, and so is the result.
func TestLargeDiffs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n, of int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "%d %s\n\n", r.IntN(of), strings.Repeat("x", 400))
		}
		return b.String()
	}
	for _, of := range []int{1, 2, 200, 1 << 40} { // equal texts, and different ones
		if _, ok := documents.Changed(text(10_000, of), text(10_000, of), true); !ok {
			t.Error(of)
		}
	}
	if _, ok := documents.Changed(strings.Repeat("x\n\n", 3<<20), "x", true); ok {
		t.Error("too many paragraphs are compared")
	}
	if _, ok := documents.Changed("x", strings.Repeat("x\n", 3<<20), false); ok {
		t.Error("too many lines are compared")
	}
	b := openFacts(t, map[string]string{
		"1.md": version("2010-01-01", "", "## § 1 Rules\n\nneedle "+strings.Repeat("语", 40_000)+" old\n\n"+text(400, 1<<40)), "2.md": version("2015-01-01", "", "## § 1 Rules\n\nneedle "+strings.Repeat("语", 40_000)+" new\n\n"+text(400, 1<<40)),
	})
	b.finds(t, "needle", "needle")
	out, refused := b.run(t, "laws__diff", `{"id": "`+b.search(t, "needle").Items[0].ID+`", "from": "2012-01-01"}`)
	if refused != nil || len(out.Result) > 62<<10 || !json.Valid([]byte(out.Result)) || !strings.Contains(out.Result, `语 old","after":"… 语`) || !strings.Contains(out.Result, `"note":"There are more changes`) {
		t.Errorf("%d bytes, %v: %.300s", len(out.Result), refused, out.Result)
	}
}

// No two texts make a diff fail, or list a paragraph that both have at the same place.
func FuzzChanged(f *testing.F) {
	f.Add("a\n\nb", "a\n\nc", true)
	f.Add("a\r\nb\n \n", "\xff\n\n\x00", false)
	f.Fuzz(func(t *testing.T, before, after string, markdown bool) {
		changes, ok := documents.Changed(before, after, markdown)
		if same, _ := documents.Changed(before, before, markdown); same != nil {
			t.Errorf("%q differs from itself: %+v", before, same)
		}
		for _, c := range changes {
			if !ok || c.Kind == "changed" && strings.Join(strings.Fields(c.Before), " ") == strings.Join(strings.Fields(c.After), " ") {
				t.Errorf("%q, %q: %+v", before, after, c)
			}
		}
	})
}
