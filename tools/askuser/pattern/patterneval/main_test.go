package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/tools/askuser/pattern"
)

// In the built-in corpus, all dangerous patterns are found, and no harmless one is refused.
func TestBuiltInCorpus(t *testing.T) {
	var out strings.Builder
	if err := evaluate(&out, nil, 4000, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"100.00 %", "p50", "p99", "unsafe"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "100.00 %"); n != 2 {
		t.Errorf("recall is not complete:\n%s", out.String())
	}
}

// Patterns composed by the generator and judged by V8, one part only after the method was final: both parts meet the goals.
func TestGenerated(t *testing.T) {
	for _, part := range []string{"tuning", "held"} {
		file, err := os.Open("testdata/generated-" + part + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		total, refused := map[string]float64{}, map[string]float64{}
		for d := json.NewDecoder(file); d.More(); {
			var g generated
			if err := d.Decode(&g); err != nil {
				t.Fatal(err)
			}
			total[g.Label]++
			if _, err := pattern.Check(g.Pattern, 4000); err != nil {
				refused[g.Label]++
			}
		}
		t.Logf("%s: %v, of them refused %v", part, total, refused)
		for label, least := range map[string]float64{"exponential": 0.995, "polynomial": 0.99} {
			if total[label] == 0 || refused[label] < least*total[label] {
				t.Errorf("%s: %v of %v %s found", part, refused[label], total[label], label)
			}
		}
		if refused["safe"] > 0.05*total["safe"] { // generated patterns are stranger than those that people write
			t.Errorf("%s: %v of %v safe refused", part, refused["safe"], total["safe"])
		}
	}
}

// The labels are from V8: it still hangs on the patterns labelled so, and judges new patterns of the generator.
func TestV8Agrees(t *testing.T) {
	node := testenv.Node(t)
	o, err := newOracle(node)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("testdata/generated-held.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tried := 0
	for d := json.NewDecoder(file); d.More() && tried < 6; {
		var g generated
		if err := d.Decode(&g); err != nil {
			t.Fatal(err)
		}
		if g.Label != "exponential" || g.Attack == nil {
			continue
		}
		tried++
		j, err := o.judge(g.Pattern, 4000, 300, []attack{{g.Attack[0], g.Attack[1], g.Attack[2]}})
		if err != nil || j.Class != "exponential" && j.Class != "polynomial" {
			t.Errorf("%s: %+v %v", g.Pattern, j, err)
		}
	}
	if err := o.close(); err != nil || tried < 6 {
		t.Errorf("%d tried, %v", tried, err)
	}
	var out strings.Builder
	if err := generate(&out, nil, node, 3, 3, true); err != nil || !strings.Contains(out.String(), "accepted, and over 1 s:") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// Records with modes.full are also read. Those without a verdict are left out, and -v lists the wrong ones.
func TestOtherFormat(t *testing.T) {
	file := filepath.Join(t.TempDir(), "set.jsonl")
	text := `{"pattern":"(?:a+)+b","modes":{"full":{"must_reject":true,"class":"exponential"}}}
{"pattern":"a*a*a*b","modes":{"full":{"must_reject":false,"class":"polynomial","degree":2}}}
{"pattern":"a+","modes":{"full":{"must_reject":true,"class":"polynomial","degree":3}}}
{"pattern":"x","modes":{"full":{"must_reject":null,"class":"unconfirmed"}}}

{"pattern":"x","verdict":"safe","modes":{"full":{"must_reject":false,"class":"linear"}}}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := evaluate(&out, []string{file}, 4000, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"exponential         found      1 of    1", "harmful polynomial  found      0 of    1",
		"harmless            refused    0 of    1", "harmless quadratic  refused    1 of    1", "a*a*a*b\n", " a+\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if err := evaluate(&out, []string{file + "x"}, 4000, false); err == nil {
		t.Error("a missing file is not an error")
	}
}
