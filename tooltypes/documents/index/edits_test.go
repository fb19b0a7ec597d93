package index_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tooltypes/documents/index"
)

// edited is an index at a path, which is not settled.
func edited(t *testing.T, path string) *index.Index {
	t.Helper()
	x, err := index.Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	return x
}

// After any edits, searches find what they find in a new index of the same files.
func TestAfterEditsAnIndexIsLikeANewOne(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 5))
		x := edited(t, filepath.Join(t.TempDir(), "x.db"))
		files := map[string]string{}
		words := []string{"tenancy", "budget", "harbour", "bees", "schools", "landlord", "rent", "notice"}
		for range 25 {
			now, gone := map[string]string{}, []string{}
			for range pick(r, 1, 3, 60) {
				name := fmt.Sprintf("%d.md", r.IntN(80))
				var b strings.Builder
				fmt.Fprintf(&b, "# Work %s\n\n", pick(r, words...))
				for i := range 1 + r.IntN(4) {
					fmt.Fprintf(&b, "## § %d\n\n%s %s word%d\n\n", i+1, pick(r, words...), pick(r, words...), r.IntN(1000))
				}
				now[name], files[name] = b.String(), b.String()
			}
			for range r.IntN(3) {
				name := fmt.Sprintf("%d.md", r.IntN(80))
				if _, ok := now[name]; !ok {
					gone = append(gone, name)
					delete(files, name)
				}
			}
			put(t, x, now, gone...)
			if err := x.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		fresh := filled(t, files)
		for _, a := range words {
			for _, b := range append(words, "§ 2", "word7", "schol") {
				query := a + " " + b
				got, want := strings.Split(all(t, x, query), "|"), strings.Split(all(t, fresh, query), "|")
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d: %q: %d passages, %d in a new index", seed, query, len(got), len(want))
				}
			}
		}
	}
}

// all returns what a search finds, as path and title.
func all(t *testing.T, x *index.Index, query string) string {
	t.Helper()
	list, _, err := x.Search(t.Context(), index.Query{Text: query, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range list {
		found = append(found, fmt.Sprint(f.Path, f.Title, f.Best))
	}
	return strings.Join(found, "|")
}

// A file that is saved again and again, like minutes during a meeting, makes none of its words one that
// many passages have.
func TestAWordOfAFileThatIsSavedOftenStaysRare(t *testing.T) {
	files := map[string]string{"minutes.md": "# Minutes\n\nThe budget", "other.md": "# Other\n\nThe harbour"}
	for i := range 300 {
		files[fmt.Sprintf("%d.md", i)] = fmt.Sprintf("# Work %d\n\nlandlords", i)
	}
	path := filepath.Join(t.TempDir(), "x.db")
	x := edited(t, path)
	put(t, x, files)
	if err := x.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 150 {
		put(t, x, map[string]string{"minutes.md": fmt.Sprintf("# Minutes\n\nThe budget, %d", i)})
		put(t, x, map[string]string{"other.md": fmt.Sprintf("# Other\n\nThe harbour, %d", i)})
	}
	if got := found(t, x, "budget harbour"); got != "Other|Minutes" && got != "Minutes|Other" {
		t.Error(got)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var highest int // a search takes memory for all ids up to it
	if err := db.QueryRowContext(t.Context(), `SELECT max(id) FROM passages`).Scan(&highest); err != nil || highest > 302 {
		t.Error("the ids of passages grow with each edit:", highest, err)
	}
}

// Two processes that share an index, and both see the same files, find the same.
func TestProcessesThatShareAnIndexFindTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	x, y := edited(t, path), edited(t, path)
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("%d.md", i)] = fmt.Sprintf("# Work %d\n\nlandlords may keep bees near number%d", i, i)
		if i%3 == 0 {
			files[fmt.Sprintf("%d.md", i)] += " schools"
		}
	}
	for _, each := range []*index.Index{x, y} {
		put(t, each, files)
		if err := each.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	const query = "schools number31 bees near landlords"
	if got, want := found(t, y, query), found(t, x, query); got != want || !strings.HasPrefix(got, "Work 31|") {
		t.Errorf("%s\n%s", got, want)
	}
}
