package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tooltypes/documents/index"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// words is what is known of words in languages, with a file of synonyms.
func words(t testing.TB, synonyms string, languages ...string) *index.Words {
	t.Helper()
	s, err := index.ReadSynonyms([]byte(synonyms))
	if err != nil {
		t.Fatal(err)
	}
	w, err := index.NewWords(languages, s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// titles returns the titles of a search's results, the best first, and how many match about equally
// well.
func titles(t *testing.T, x *index.Index, query string, w *index.Words) (list []string, best int) {
	t.Helper()
	hits, _, err := x.Search(t.Context(), index.Query{Text: query, Limit: 20, Words: w})
	if err != nil {
		t.Errorf("%q: %v", query, err)
	}
	for _, f := range hits {
		list = append(list, f.Title)
		if f.Best {
			best++
		}
	}
	return list, best
}

// first fails unless the best result of each query has this title.
func first(t *testing.T, x *index.Index, w *index.Words, want map[string]string) {
	t.Helper()
	for query, title := range want {
		if list, _ := titles(t, x, query, w); len(list) == 0 || list[0] != title {
			t.Errorf("%q found %q, want %q first", query, list[:min(3, len(list))], title)
		}
	}
}

var spanish = map[string]string{
	"perros.md":   "# Ley 35/2006, de 28 de noviembre, de perros de guarda\n\n## Artículo 1. Multas y plazos\n\nLa comisión tiene tres vocales.\n\n## Artículo 3. Infracciones\n\n1. Quien carezca de licencia será castigado con multa.\n\n2. La multa se duplica en caso de reincidencia.\n\n## Artículo 3 bis. Seguro\n\nSe contratará un seguro.\n\n## Artículo 12. Renovación\n\nLa licencia se renovará cada dos años, según el artículo 3.",
	"decreto.md":  "# Decreto 7/2010 por el que se desarrolla la Ley 35/2006, de 28 de noviembre, de perros de guarda\n\n## Artículo 3. Modelos\n\nVéase el artículo 3 de la Ley 35/2006.\n\n## Artículo 4. Remisión al artículo 3 de la Ley 35/2006\n\nEl artículo 3 de la Ley 35/2006 se aplica. Artículo 3, Ley 35/2006.",
	"alquiler.md": "# Ley 29/1994, de arrendamientos\n\n## Artículo 3. Fianza\n\nEl arrendatario entrega una fianza de un mes. El contrato de obra queda fuera.\n\n## Artículo 4. Obras\n\nEl contrato se aplica a toda obra que se ejecute: la obra, el contrato, y la obra otra vez.",
	"codigo.md":   "# Código Civil\n\n## Artículo 1255\n\nLos contratantes pueden establecer pactos.\n\n## Artículo 1\n\nLas fuentes.",
}

func TestAQuestionInWords(t *testing.T) {
	x := filled(t, spanish)
	const dogs = "Ley 35/2006, de 28 de noviembre, de perros de guarda › "
	first(t, x, words(t, "sanción, multa\nhabitación, vivienda\nalquiler, contrato de arrendamiento, arrendatario", "es"), map[string]string{
		"¿Qué multas hay si no tengo licencia para mi perro?":     dogs + "Artículo 3. Infracciones", // and not the heading that promises it
		"¿Cada cuántos años tengo que renovar la licencia?":       dogs + "Artículo 12. Renovación",
		"¿Qué sanciones se me imponen sin una licencia?":          dogs + "Artículo 3. Infracciones",
		"¿Cuánta fianza se paga por los contratos de alquileres?": "Ley 29/1994, de arrendamientos › Artículo 3. Fianza",
		"¿Cuánta fiansa se entrega por un mes?":                   "Ley 29/1994, de arrendamientos › Artículo 3. Fianza",
	})
}

// Stop words are left out of a query, unless it has no other words. Without languages there are none.
func TestWordsThatSayLittle(t *testing.T) {
	x := filled(t, map[string]string{"a.md": "# A\n\n## X\n\nto be or not to be", "b.md": "# B\n\n## Y\n\nthe duties", "c.md": "# C\n\n## WEG\n\nWohnungen"})
	en := words(t, "", "en", "de")
	if list, _ := titles(t, x, "to be or not to be", en); len(list) == 0 || list[0] != "A › X" {
		t.Error(list)
	}
	if list, _ := titles(t, x, "to the duties", en); !slices.Equal(list, []string{"B › Y"}) {
		t.Error(list)
	}
	if list, _ := titles(t, x, "to the duties", nil); !slices.Equal(list, []string{"A › X", "B › Y"}) && !slices.Equal(list, []string{"B › Y", "A › X"}) {
		t.Error("without languages, stop words are words as any other:", list)
	}
	if list, _ := titles(t, x, "the duties in WEG", en); !slices.Contains(list, "C › WEG") {
		t.Error("a name in capitals is taken for a stop word:", list)
	}
}

// Among passages that have all words, those come first in which they stand together, also if the
// words stand in others more often.
func TestNeighboursComeFirst(t *testing.T) {
	x := filled(t, spanish)
	want := "Ley 29/1994, de arrendamientos › Artículo 3. Fianza"
	for _, w := range []*index.Words{nil, words(t, "", "es")} {
		first(t, x, w, map[string]string{"contrato de obra": want, `"contrato de obra"`: want, "contrato obra": "Ley 29/1994, de arrendamientos › Artículo 4. Obras"})
	}
}

func TestCitations(t *testing.T) {
	files := map[string]string{
		"bgb.md":   "# Bürgerliches Gesetzbuch (BGB)\n\n## Buch 2 › x\n\n### § 3\n\n(1) Eins.\n\n(2) Zwei.\n\n### § 573c Fristen\n\nKündigung.\n\n### § 12a Name\n\nx",
		"info.md":  "# Verordnung über Pflichten nach dem BGB (BGB-InfoV)\n\n## § 3 Pflichten\n\n§ 3 BGB, § 3 BGB, § 573c BGB.\n\n## § 4 Verhältnis zu § 573c BGB\n\n§ 573c BGB gilt.",
		"act.md":   "# Tenancy Act 1988\n\n## Section 5: Notice\n\nThe landlord.\n\n## Section 6: Relation to section 5 of the Tenancy Act 1988\n\nSection 5 of the Tenancy Act 1988.",
		"loi.md":   "# Loi n° 2006-35 relative aux baux\n\n## Article 1er – Objet\n\nx\n\n## Article L. 121-1 – Renvoi\n\ny",
		"balk.md":  "# Jordabalk\n\n## 3 § Hyra\n\nz",
		"guide.md": "# Guide\n\n## 3.2 Installation\n\nRun it.\n\n## 3 Overview\n\nSee 3.2.",
		"l.jsonl":  `{"id": 1, "title": "HGB § 17", "text": "Firma"}` + "\n" + `{"id": 2, "title": "Verordnung zu § 17 HGB über anderes", "text": "§ 17 HGB"}`,
	}
	for name, text := range spanish {
		files[name] = text
	}
	x := filled(t, files)
	const dogs, bgb = "Ley 35/2006, de 28 de noviembre, de perros de guarda › ", "Bürgerliches Gesetzbuch (BGB) › "
	want := map[string]string{
		"art. 3 Ley 35/2006": dogs + "Artículo 3. Infracciones", "artículo 3.2 de la Ley 35/2006": dogs + "Artículo 3. Infracciones", "¿Qué dice el artículo 3, apartado 2, de la Ley 35/2006?": dogs + "Artículo 3. Infracciones",
		"art. 3 bis Ley 35/2006": dogs + "Artículo 3 bis. Seguro", "apartado 2 del artículo 3 de la ley de perros de guarda": dogs + "Artículo 3. Infracciones", "ARTÍCULO 12 LEY 35/2006": dogs + "Artículo 12. Renovación",
		"art. 1.255 del Código Civil": "Código Civil › Artículo 1255", "artículo 3 Decreto 7/2010": "Decreto 7/2010 por el que se desarrolla la Ley 35/2006, de 28 de noviembre, de perros de guarda › Artículo 3. Modelos",
		"§ 3 Abs. 2 BGB": bgb + "Buch 2 › x › § 3", "§ 573c Absatz 1 BGB": bgb + "Buch 2 › x › § 573c Fristen", "§ 573 c BGB": bgb + "Buch 2 › x › § 573c Fristen", "BGB § 3": bgb + "Buch 2 › x › § 3", "§3 II BGB": bgb + "Buch 2 › x › § 3",
		"Abs. 3 § 12a BGB": bgb + "Buch 2 › x › § 12a Name", "§ 3 Abs. 1 S. 2 Nr. 4 BGB": bgb + "Buch 2 › x › § 3", "Paragraph 3 Bürgerliches Gesetzbuch": bgb + "Buch 2 › x › § 3", "§ 3 des Bürgerlichen Gesetzbuchs": bgb + "Buch 2 › x › § 3",
		"Article 5 of the Tenancy Act": "Tenancy Act 1988 › Section 5: Notice", "s. 5(2)(a) Tenancy Act 1988": "Tenancy Act 1988 › Section 5: Notice", "section 5 of the Tenency Act": "Tenancy Act 1988 › Section 5: Notice", "paragraph 2 of section 5 of the Tenancy Act": "Tenancy Act 1988 › Section 5: Notice",
		"article premier loi 2006-35": "Loi n° 2006-35 relative aux baux › Article 1er – Objet", "article 1 de la loi n° 2006-35": "Loi n° 2006-35 relative aux baux › Article 1er – Objet", "l'article L121-1 de la loi 2006-35": "Loi n° 2006-35 relative aux baux › Article L. 121-1 – Renvoi",
		"3 § Jordabalk": "Jordabalk › 3 § Hyra", "section 3.2 of the guide": "Guide › 3.2 Installation", "section 3 of the guide": "Guide › 3 Overview", "§ 17 HGB": "HGB § 17",
	}
	delete(want, "article premier loi 2006-35") // the number is a word
	first(t, x, nil, want)
	first(t, x, words(t, "BGB, Zivilgesetz", "es", "de", "en", "fr"), want)
	first(t, x, words(t, "BGB, Zivilgesetz", "de"), map[string]string{"§ 573c Zivilgesetz": bgb + "Buch 2 › x › § 573c Fristen"})
}

// A citation without a work finds the article of each, and they match about equally well.
func TestACitationWithoutAWork(t *testing.T) {
	x := filled(t, spanish)
	list, best := titles(t, x, "artículo 3.2", nil)
	if best != 3 || len(list) < 3 || strings.Contains(strings.Join(list[:3], ""), "Remisión") {
		t.Errorf("%d of %q", best, list)
	}
	if list, best := titles(t, x, "artículo 3 de la Ley 35/2006", words(t, "", "es")); best != 1 {
		t.Errorf("%d of %q match equally well", best, list)
	}
}

// Of an article with several passages, that comes first which has the part that is cited.
func TestAPartOfALongArticle(t *testing.T) {
	long := strings.Repeat("Ein langer Satz über Abgaben. ", 260)
	x := filled(t, map[string]string{"a.md": "# Abgabenordnung\n\n## § 3\n\n(1) " + long + "\n\n(2) Der zweite Absatz. " + long})
	first(t, x, nil, map[string]string{"§ 3 Abs. 1 Abgabenordnung": "Abgabenordnung › § 3", "§ 3 Abs. 2 Abgabenordnung": "Abgabenordnung › § 3 (2)"})
}

// The pages of a question and of a citation together are the whole.
func TestPagesOfQuestions(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("f%d.md", i)] = fmt.Sprintf("# Act %d\n\n## Section 3: Fees\n\nThe landlords pay the fee number%d of the year.\n\n## Section 4\n\nA tenant pays%s.", i, i%7, strings.Repeat(" rent", i%5))
	}
	x := filled(t, files)
	w := words(t, "tenant, lodger", "en")
	for _, query := range []string{"what does a landlord pay for the year?", "does the tenant pay his rent?", "section 3", "section 3 of act 17", "lodger"} {
		all, more, err := x.Search(t.Context(), index.Query{Text: query, Limit: 1000, Words: w})
		if err != nil || more || len(all) < 2 {
			t.Fatal(query, len(all), more, err)
		}
		var paged, whole []string
		for skip := 0; skip < len(all); skip += 9 {
			page, _, err := x.Search(t.Context(), index.Query{Text: query, Skip: skip, Limit: 9, Words: w})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range page {
				paged = append(paged, f.ID)
			}
		}
		for _, f := range all {
			whole = append(whole, f.ID)
		}
		if !slices.Equal(paged, whole) {
			t.Errorf("%q: %d in pages, %d at once", query, len(paged), len(whole))
		}
	}
}

// The scope of a search holds for questions and citations, too.
func TestQuestionsOnTheDay(t *testing.T) {
	r, err := passages.New(passages.Settings{Versions: &passages.Versions{Key: "id", From: "valid_from", To: "valid_to"}})
	if err != nil {
		t.Fatal(err)
	}
	x := filled(t, nil)
	var files []index.File
	for _, day := range []string{"2010-01-01", "2020-01-01"} {
		list, _ := r.Read("act@"+day+".md", []byte("---\nid: act\nvalid_from: "+day+"\n---\n# Tenancy Act\n\n## Section 3 Rent\n\nThe tenant pays the rent of "+day))
		files = append(files, index.File{Path: "act@" + day + ".md", Passages: list})
	}
	if err := x.Update(t.Context(), files, nil); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"section 3 of the Tenancy Act", "when does a tenant have to pay his rent?"} {
		hits, _, err := x.Search(t.Context(), index.Query{Text: query, Limit: 9, Words: words(t, "", "en"), AsOf: "2015-06-01"})
		if err != nil || len(hits) != 1 || hits[0].Path != "act@2010-01-01.md" {
			t.Errorf("%q: %d hits, %v", query, len(hits), err)
		}
	}
}

// Of very many passages with the same words, a question finds those that a filter fits.
func TestAQuestionOfManyPassagesKeepsToItsFilter(t *testing.T) {
	r, err := passages.New(passages.Settings{Fields: map[string]passages.Kind{"status": passages.Enum}})
	if err != nil {
		t.Fatal(err)
	}
	x := filled(t, nil)
	var files []index.File
	for i := range 600 {
		name := fmt.Sprintf("%d.md", i)
		list, _ := r.Read(name, []byte("---\nstatus: "+[]string{"old", "new"}[i%2]+"\n---\n# Act\n\nThe tenant pays the rent every month"))
		files = append(files, index.File{Path: name, Passages: list})
	}
	if err := x.Update(t.Context(), files, nil); err != nil {
		t.Fatal(err)
	}
	if err := x.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	fits := index.Condition{Field: "status", Kind: passages.Enum, One: []passages.Value{{Kind: passages.Enum, Texts: []string{"new"}}}}
	hits, _, err := x.Search(t.Context(), index.Query{Text: "does a tenant pay rent every month?", Limit: 1000, Words: words(t, "", "en"), Filter: []index.Condition{fits}})
	if err != nil || len(hits) != 300 || slices.ContainsFunc(hits, func(f index.Found) bool { return f.Fields["status"].Texts[0] != "new" }) {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}

func TestBadSynonyms(t *testing.T) {
	for text, want := range map[string]string{
		"a, b\n\nc\n": "line 3: has only one term",
		"# x\na,,b":   "line 2: has a term without words",
		"a, b\xff":    "is not UTF-8",
		"a, one two three four five six seven eight nine": "line 1: has a term of more than 8 words",
		strings.Repeat("a, b\n", 100_000):                 "line 10001: more than 10000 lines",
		"a" + strings.Repeat(", b", 60):                   "line 1: has more than 50 terms",
		strings.Repeat("abcdefgh, ", 1<<17):               "is larger than 1 MiB",
	} {
		if _, err := index.ReadSynonyms([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.30q: %v, want %q", text, err, want)
		}
	}
	if _, err := index.ReadSynonyms([]byte("\ufeff# only a comment\r\n\r\na b, c # and one behind\r\n")); err != nil {
		t.Error(err)
	}
	if _, err := index.NewWords([]string{"xx"}, nil); err == nil {
		t.Error("a language that is not known is accepted")
	}
}

func FuzzSynonyms(f *testing.F) {
	f.Add([]byte("a, b c # d\n"), "b c")
	f.Add([]byte("租金, rent\n\xff"), "租金 rents")
	x, err := index.Open("", "fuzz-synonyms")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(x.Close)
	f.Fuzz(func(t *testing.T, raw []byte, query string) {
		s, err := index.ReadSynonyms(raw)
		if err != nil {
			return
		}
		w, err := index.NewWords(index.Languages(), s)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := x.Search(t.Context(), index.Query{Text: query, Limit: 5, Words: w}); err != nil {
			t.Fatalf("%q: %v", query, err)
		}
	})
}
