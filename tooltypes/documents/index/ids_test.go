package index_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/tooltypes/documents/index"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// Ids of passages are in stored chats and in links: what a later version reads of a file besides
// its text must not change them. These were computed before front matter was read.
func TestIDsOfPassagesStayWhatTheyAre(t *testing.T) {
	long := strings.Repeat(strings.Repeat("word ", 300)+"\n\n", 10)
	for name, c := range map[string]struct{ text, want string }{
		"front.md":           {"---\ntitle: Tenancy Act\nid: ta\ndate: 2020-01-01\n---\nPreface.\n\n# Tenancy Act\n\nOne.\n\n## Notice\n\nTwo.\n\n# Annex\n\nThree.\n\n## Notice\n\nFour.\n", "tzmuux43h6lnwfin nigsc7cecvmqhlxw vupa6nln3xr2nn5h hywihdr4adzk6sbh xruwsehvjjx6thxh"},
		"bom.md":             {"\ufeff---\r\ntitle: T\r\n---\r\n\r\n## A\r\n\r\nx\r\n\r\n## A\r\n\r\ny\r\n", "ofwr3llsow3f2rna eku7j5paknu7auqn"},
		"toml.md":            {"+++\ntitle = 'T'\n+++\nPreface.\n\n# A\n\nx\n", "azwqdaup4hykgsii 2ynqa4zenyvxnjfz"},
		"broken.md":          {"---\ntitle: [\n---\n# A\n\nx\n", "edmaxdjwziyvddcm"},
		"endless.md":         {"---\ntitle: x\n\n# A\n\nx\n\n## B\n\ny\n", "govm3gy544vqyfsz khknqwuwohemk6hw t4bumpexzgrqdgwv"},
		"dots.md":            {"---\ntitle: x\n...\n# A\n\nx\n", "ssruep522l3aeqc5"},
		"two.md":             {"# A\n\nx\n\n## B {#own}\n\ny\n\n# C\n\nz\n\n### D\n\n" + long, "iryalcqqvdmjrazt sw7isrf6tccnbfrj oiiowgjwcurzyisi 2gpqioqbp42jqtkp ybrtorx43mcq7tbw"},
		"none.md":            {"Text.\n", "y6nrz6jimdhdrvn7"},
		"law@2015-01-01.md":  {"# A\n\n## § 1\n\nx\n", "go5lc5jvxpyabf7n"},
		"a.html":             {`<title>T</title><meta name="title" content="M"><meta name="id" content="m"><h1 id="a">A</h1><p>x<h1>B</h1><p>y<h2>C</h2><p>z`, "mm4midmoeweicgq2 nbfyjtdpliv7uok3 xve7ld2y4uzh5g2l"},
		"a.jsonl":            {`{"id":"a","title":"T","text":"x","status":"in force","date":"2020-01-01"}` + "\n" + `{"id":7,"text":"y"}`, "uxlwl3wypmbkxrvp monvnfzwwhltredw"},
		"a.txt":              {"Title\n\nThe text.", "rzqzp2zh6zfqcwut"},
		"law@2015-01-01.txt": {"---\ntitle: x\n---\ntext", "n3mzm34kdtc2zgwa"},
	} {
		r, err := passages.New(passages.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		list, _ := r.Read(name, []byte(c.text))
		var ids []string
		for _, p := range list {
			ids = append(ids, index.ID(name, p.Key))
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%q: %q", name, got)
		}
	}
}
