package index_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tooltypes/documents/index"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// filled is an index of files, by name.
func filled(t *testing.T, files map[string]string) *index.Index {
	t.Helper()
	x, err := index.Open(filepath.Join(t.TempDir(), "x.db"), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	put(t, x, files)
	if err := x.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	return x
}

func put(t *testing.T, x *index.Index, files map[string]string, gone ...string) {
	t.Helper()
	r, err := passages.New(passages.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	var list []index.File
	for name, text := range files {
		p, _ := r.Read(name, []byte(text))
		list = append(list, index.File{Path: name, Passages: p})
	}
	if err := x.Update(t.Context(), list, gone); err != nil {
		t.Fatal(err)
	}
}

// found returns the titles of a search's results, the best first.
func found(t *testing.T, x *index.Index, query string) string {
	t.Helper()
	list, _, err := x.Search(t.Context(), index.Query{Text: query, Limit: 10})
	if err != nil {
		t.Errorf("%q: %v", query, err)
	}
	var titles []string
	for _, f := range list {
		titles = append(titles, f.Title)
	}
	return strings.Join(titles, "|")
}

func TestSearch(t *testing.T) {
	x := filled(t, map[string]string{
		"miete.md":  "# Mietrecht\n\n## Kündigung\n\nDie Kündigungsfrist beträgt drei Monate. Straße und Fußweg.",
		"arbeit.md": "# Arbeitsrecht\n\n## Urlaub\n\nKündigung Kündigung Kündigung Kündigung: siehe dort. Vier Wochen.",
		"zh.md":     "# 租赁法\n\n## 租金\n\n承租人应当按照约定的期限支付租金。",
		"ja.md":     "# 借地借家法\n\n第26条 期間の定めがある場合。データ",
		"hi.md":     "# किराया\n\nकिराया और मकान।",
		"en.md":     "# Tenancy Act\n\n## Notice\n\nThe landlord gives notice in writing. The end. NOT AND OR NEAR",
	})
	for query, want := range map[string]string{
		"Kündigung": "Mietrecht › Kündigung|Arbeitsrecht › Urlaub", "kundigung": "Mietrecht › Kündigung|Arbeitsrecht › Urlaub", "KÜNDIGUNG mietrecht": "Mietrecht › Kündigung|Arbeitsrecht › Urlaub",
		"strasse": "Mietrecht › Kündigung", "fussweg": "Mietrecht › Kündigung", "FUẞWEG": "Mietrecht › Kündigung",
		"ladnlord": "Tenancy Act › Notice", "landlrd": "Tenancy Act › Notice", "notise": "Tenancy Act › Notice", "kündigunsfrist": "Mietrecht › Kündigung", "urlab": "Arbeitsrecht › Urlaub",
		"frist": "Mietrecht › Kündigung", "urlau": "Arbeitsrecht › Urlaub", "landlord nonsenseword": "Tenancy Act › Notice",
		"租金": "租赁法 › 租金", "支付租金": "租赁法 › 租金", "租": "租赁法 › 租金", "期間の定め": "借地借家法", "26条": "借地借家法", "データ": "借地借家法", "मकान": "किराया",
		"the": "Tenancy Act › Notice", "": "", "  ?!": "", "\x00": "", "\xff": "", "🙂": "",
		`notice" OR "urlaub`: "Tenancy Act › Notice|Arbeitsrecht › Urlaub", "title:notice": "Tenancy Act › Notice", "notice*": "Tenancy Act › Notice", "NEAR(notice writing, 1)": "Tenancy Act › Notice", "-notice": "Tenancy Act › Notice",
		"AND": "Tenancy Act › Notice", `"`: "", "^notice": "Tenancy Act › Notice", "{title}:x": "", "'; DROP TABLE passages; --": "",
		strings.Repeat("notice ", 2000): "Tenancy Act › Notice",
	} {
		if got := found(t, x, query); got != want {
			t.Errorf("%.40q: %s, want %s", query, got, want)
		}
	}
	list, _, _ := x.Search(t.Context(), index.Query{Text: "drei monate", Limit: 1})
	if len(list) != 1 || !strings.Contains(list[0].Snippet, "Kündigungsfrist beträgt drei Monate") {
		t.Errorf("%+v", list)
	}
}

func TestFilesComeChangeAndGo(t *testing.T) {
	x := filled(t, map[string]string{"a.md": "# A\n\n## Apples\n\nred", "b.md": "# B\n\npears"})
	list, _, _ := x.Search(t.Context(), index.Query{Text: "apples", Limit: 1})
	id := list[0].ID
	put(t, x, map[string]string{"a.md": "# A\n\nfirst\n\n## Apples\n\ngreen quinces"}, "b.md")
	for query, want := range map[string]string{"red": "", "pears": "", "green": "A › Apples", "quinzes": "A › Apples"} { // new words are known to the spelling correction as well
		if got := found(t, x, query); got != want {
			t.Errorf("%q: %s", query, got)
		}
	}
	if p, ok, err := x.Passage(t.Context(), id); !ok || err != nil || p.Text != "green quinces" || p.Path != "a.md" {
		t.Errorf("an edit elsewhere in the file has changed the id: %+v %v", p, err)
	}
	if _, ok, err := x.Passage(t.Context(), "../a.md"); ok || err != nil {
		t.Error(ok, err)
	}
	if c, err := x.Count(t.Context()); err != nil || c != (index.Counts{Documents: 1, Passages: 2}) {
		t.Errorf("%+v %v", c, err)
	}
}

// The pages of a search together equal one page without limit, through every tier.
func TestPagesAreTheWhole(t *testing.T) {
	files := map[string]string{}
	for i := range 120 {
		files[fmt.Sprintf("f%d.md", i)] = fmt.Sprintf("# Work %d\n\ncommon text of number%d, some landlords", i, i%7)
		if i%5 == 0 {
			files[fmt.Sprintf("f%d.md", i)] = fmt.Sprintf("# Landlord %d\n\ncommon", i)
		}
	}
	x := filled(t, files)
	for _, query := range []string{"landlord", "common", "landlord common", "number3 landlord", "lanldord"} {
		all, more, err := x.Search(t.Context(), index.Query{Text: query, Limit: 1000})
		if err != nil || more || len(all) == 0 {
			t.Fatal(query, len(all), more, err)
		}
		var paged []string
		for skip := 0; ; skip += 7 {
			page, more, err := x.Search(t.Context(), index.Query{Text: query, Skip: skip, Limit: 7})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range page {
				paged = append(paged, f.ID)
			}
			if !more {
				break
			}
		}
		var whole []string
		for _, f := range all {
			whole = append(whole, f.ID)
		}
		if !slices.Equal(paged, whole) {
			t.Errorf("%q: %d in pages, %d at once", query, len(paged), len(whole))
		}
	}
}

// If more passages contain a word than are ranked, those with it in their title come first, and the
// others can still be reached in full.
func TestAWordOfManyPassages(t *testing.T) {
	var lines strings.Builder
	for i := range index.MaxSkip + 300 {
		fmt.Fprintf(&lines, "{\"id\": %d, \"title\": \"Work\", \"text\": \"common\"}\n", i)
	}
	x := filled(t, map[string]string{"l.jsonl": lines.String() + `{"id": "last", "title": "Common", "text": "x"}`})
	if got := found(t, x, "common"); !strings.HasPrefix(got, "Common|Work|") {
		t.Error(got)
	}
	if list, more, err := x.Search(t.Context(), index.Query{Text: "common", Skip: index.MaxSkip - 10, Limit: 10}); len(list) != 10 || !more || err != nil {
		t.Error(len(list), more, err)
	}
}

// No query is interpreted as syntax, and none fails.
func FuzzSearch(f *testing.F) {
	x, err := index.Open("", "fuzz")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(x.Close)
	r, _ := passages.New(passages.Settings{})
	list, _ := r.Read("a.md", []byte("# Tenancy Act\n\nThe landlord gives notice. 租金\n\n## § 3 Rent\n\nRents are paid."))
	if err := x.Update(f.Context(), []index.File{{Path: "a.md", Passages: list}}, nil); err != nil {
		f.Fatal(err)
	}
	all := words(f, "notice, notification of leave\nrent, 租金", index.Languages()...)
	for _, q := range []string{"§ 3 Abs. 2 BGB", "what is the notice of a landlord?", "art. 3.2 a) y 4", "L. 12-1 §", "notices", "notice", `"`, "NEAR(a b)", "a*", "租", "\x00", "ﬁ", "title:x AND", "ｱ", "\u0301"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, w := range []*index.Words{nil, all} {
			if _, _, err := x.Search(t.Context(), index.Query{Text: query, Limit: 5, Words: w}); err != nil {
				t.Fatalf("%q: %v", query, err)
			}
		}
	})
}
