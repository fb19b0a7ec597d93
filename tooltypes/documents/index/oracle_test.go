package index_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/tooltypes/documents/index"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// law is a document of the oracle, with its facts.
type law struct {
	path  string
	facts passages.Facts
}

// world is documents by path, and what the rules say about them, read naively.
type world map[string]law

// inForce says whether a document is in force on a day: of the versions of its work that are, the one
// that begins last, and of those that begin on the same day the first by path. A version ends at the
// latest when a later one begins.
func (w world) inForce(l law, day string) bool {
	f := l.facts
	if f.Key == "" {
		return true
	}
	if f.From > day || f.To != "" && f.To < day {
		return false
	}
	for _, other := range w {
		o := other.facts
		switch {
		case o.Key != f.Key || other.path == l.path:
		case o.From == f.From && other.path < l.path: // the same version
			return false
		case o.From > f.From && o.From <= day:
			return false
		}
	}
	return true
}

func plainly(s string) string {
	return strings.NewReplacer("É", "e", "é", "e").Replace(strings.ToLower(strings.Join(strings.Fields(s), " ")))
}

func (l law) fits(c index.Condition) bool {
	v, ok := l.facts.Fields[c.Field]
	if !ok {
		return false
	}
	if c.Kind == passages.Number {
		return (len(c.One) == 0 || slices.ContainsFunc(c.One, func(one passages.Value) bool { return one.Number == v.Number })) &&
			(c.After == nil || v.Number > c.After.Number) && (c.Before == nil || v.Number < c.Before.Number)
	}
	return slices.ContainsFunc(v.Texts, func(text string) bool {
		return (len(c.One) == 0 || slices.ContainsFunc(c.One, func(one passages.Value) bool { return plainly(one.Texts[0]) == plainly(text) })) &&
			(c.After == nil || text > c.After.Texts[0]) && (c.Before == nil || text < c.Before.Texts[0])
	})
}

// Filters and days find what the rules say, whatever comes, changes and goes, and in pages of any
// size.
func TestFiltersAndDaysFindWhatTheRulesSay(t *testing.T) {
	for seed := range uint64(15) {
		r := rand.New(rand.NewPCG(seed, 37))
		x, err := index.Open(filepath.Join(t.TempDir(), "x.db"), "")
		if err != nil {
			t.Fatal(err)
		}
		w := world{}
		for range 6 {
			change(t, r, x, w)
			for range 10 {
				ask(t, r, x, w)
			}
		}
		x.Close()
		if t.Failed() {
			t.Fatal("seed", seed)
		}
	}
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func day(r *rand.Rand) string {
	return time.Date(2000, 1, 1+r.IntN(12), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// change puts and removes some files, sometimes so many that their validity is left to Settle.
func change(t *testing.T, r *rand.Rand, x *index.Index, w world) {
	t.Helper()
	var files []index.File
	n := pick(r, 3, 20, 70)
	for len(files) < n {
		path := fmt.Sprintf("%d.md", r.IntN(90))
		if slices.ContainsFunc(files, func(f index.File) bool { return f.Path == path }) {
			continue
		}
		l := law{path: path, facts: passages.Facts{Fields: map[string]passages.Value{}}}
		if r.IntN(3) > 0 {
			l.facts.Key = pick(r, "k1", "k2", "k3", "K1")
			l.facts.From = pick(r, "", day(r), day(r), day(r))
			if to := day(r); r.IntN(2) == 0 && to >= l.facts.From {
				l.facts.To = to
			}
		}
		if r.IntN(4) > 0 {
			l.facts.Fields["status"] = passages.Value{Kind: passages.Enum, Texts: []string{pick(r, "En Vigor", "en vigor", "Dérogé", "x")}}
		}
		if r.IntN(4) > 0 {
			l.facts.Fields["topics"] = passages.Value{Kind: passages.List, Texts: []string{pick(r, "Éa", "b"), pick(r, "ea", "c", "b")}}
		}
		if r.IntN(4) > 0 {
			l.facts.Fields["day"] = passages.Value{Kind: passages.Date, Texts: []string{day(r)}}
		}
		if r.IntN(4) > 0 {
			l.facts.Fields["rank"] = passages.Value{Kind: passages.Number, Number: pick(r, -1, 0, 0.5, 2, 1e300)}
		}
		w[path] = l
		f := index.File{Path: path}
		for i := range 1 + r.IntN(3) {
			f.Passages = append(f.Passages, passages.Passage{Key: fmt.Sprint(i), Work: path, Title: path, Text: "needle", First: i == 0, Part: i + 1, Facts: &l.facts})
		}
		files = append(files, f)
	}
	var gone []string
	for _, path := range slices.Sorted(maps.Keys(w)) {
		if r.IntN(6) == 0 && !slices.ContainsFunc(files, func(f index.File) bool { return f.Path == path }) {
			gone = append(gone, path)
			delete(w, path)
		}
	}
	if err := x.Update(t.Context(), files, gone); err != nil {
		t.Fatal(err)
	}
	if err := x.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func ask(t *testing.T, r *rand.Rand, x *index.Index, w world) {
	t.Helper()
	q := index.Query{Text: "needle", AsOf: pick(r, "", "1999-12-31", "9998-12-31", day(r), day(r), day(r))}
	text := func(kind passages.Kind, s string) passages.Value {
		return passages.Value{Kind: kind, Texts: []string{s}}
	}
	if r.IntN(2) == 0 {
		c := index.Condition{Field: "status", Kind: passages.Enum}
		for range 1 + r.IntN(2) {
			c.One = append(c.One, text(c.Kind, pick(r, "EN  vigor", "deroge", "X", "none")))
		}
		q.Filter = append(q.Filter, c)
	}
	if r.IntN(2) == 0 {
		q.Filter = append(q.Filter, index.Condition{Field: "topics", Kind: passages.List, One: []passages.Value{text(passages.List, pick(r, "EA", "b", "C"))}})
	}
	if r.IntN(3) == 0 {
		c := index.Condition{Field: "day", Kind: passages.Date}
		if a := text(c.Kind, day(r)); r.IntN(2) == 0 {
			c.After = &a
		}
		if b := text(c.Kind, day(r)); r.IntN(2) == 0 {
			c.Before = &b
		}
		if c.After == nil && c.Before == nil {
			c.One = []passages.Value{text(c.Kind, day(r))}
		}
		q.Filter = append(q.Filter, c)
	}
	if r.IntN(3) == 0 {
		n := passages.Value{Kind: passages.Number, Number: pick(r, -1, 0, 0.5, 2)}
		q.Filter = append(q.Filter, pick(r, index.Condition{Field: "rank", Kind: passages.Number, One: []passages.Value{n}}, index.Condition{Field: "rank", Kind: passages.Number, After: &n}, index.Condition{Field: "rank", Kind: passages.Number, Before: &n}))
	}
	want := map[string]bool{}
	for path, l := range w {
		if (q.AsOf == "" || w.inForce(l, q.AsOf)) && !slices.ContainsFunc(q.Filter, func(c index.Condition) bool { return !l.fits(c) }) {
			want[path] = true
		}
	}
	got := map[string]bool{}
	seen := map[string]bool{}
	size := 1 + r.IntN(30)
	for skip := 0; ; skip += size {
		q.Skip, q.Limit = skip, size
		list, more, err := x.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			if seen[f.ID] {
				t.Errorf("%s is in two pages", f.ID)
			}
			seen[f.ID], got[f.Path] = true, true
			if l := w[f.Path]; q.AsOf != "" && l.facts.Key != "" && (f.Never || f.ValidFrom > q.AsOf || f.ValidTo != "" && f.ValidTo < q.AsOf) {
				t.Errorf("%s is found on %s, but says %s to %s", f.Path, q.AsOf, f.ValidFrom, f.ValidTo)
			}
		}
		if !more {
			break
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%+v: found %v, want %v", q, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}
