// Command secreteval measures the detection of questions that ask for secrets against labelled questions: how many of
// those that do are found (recall), how many of the others are taken for one (false alarms), by language, and how long a
// question takes.
//
//	go run ./tools/askuser/secret/secreteval [-v] [FILE.jsonl ...]
//
// Without a file it reads the built-in sets: tuning, heldout and third, and questions composed of frames, which the
// weights are fitted to (-fit), and fresh, which is measured only (the comment of package secret says how far). A line
// of a file is a JSON object: language, kind ("" where the question asks for no secret), and the fields of a question
// (contract 6.1; the input type is text where there is none).
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser/secret"
)

var (
	//go:embed testdata/tuning.jsonl
	tuning []byte
	//go:embed testdata/heldout.jsonl
	heldOut []byte
	//go:embed testdata/third.jsonl
	third []byte
	//go:embed testdata/fresh.jsonl
	fresh []byte
)

// record is one labelled question.
type record struct {
	Language string      `json:"language"`
	Kind     secret.Kind `json:"kind"`
	tools.Part
	Form []tools.Part `json:"form"` // the parts before it
}

// parts are those of the form, of which the last is the one in question.
func (r record) parts() []tools.Part {
	parts := append(slices.Clone(r.Form), r.Part)
	for i := range parts {
		if parts[i].InputType == "" {
			parts[i].InputType = tools.Text
		}
	}
	return parts
}

// tally counts the questions of one language.
type tally struct{ secrets, found, safe, alarms int }

func (t *tally) add(r record, found bool) {
	switch {
	case r.Kind != "" && found:
		t.found++
		fallthrough
	case r.Kind != "":
		t.secrets++
	case found:
		t.alarms++
		fallthrough
	default:
		t.safe++
	}
}

func main() {
	verbose := flag.Bool("v", false, "list what was missed and what was a false alarm")
	fitted := flag.Bool("fit", false, "fit the weights to all sets but the fresh one and print them")
	flag.Parse()
	if err := run(os.Stdout, flag.Args(), *verbose, *fitted); err != nil {
		fmt.Fprintln(os.Stderr, "secreteval:", err)
		os.Exit(1)
	}
}

// generated is how many questions are made of frames.
const generated = 10000

// set is a named set of questions.
type set struct {
	name    string
	records []record
}

func builtIn() (sets []set, err error) {
	for _, of := range []struct {
		name string
		data []byte
	}{{"tuning", tuning}, {"heldout", heldOut}, {"third", third}, {"fresh", fresh}} {
		records, err := load(of.data)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set{of.name, records})
	}
	return append(sets, set{"frames", generate(generated, 1)}), nil
}

func run(w io.Writer, files []string, verbose, fitted bool) error {
	sets, err := builtIn()
	if err != nil {
		return err
	}
	if fitted {
		return fit(w, slices.Concat(slices.Repeat(slices.Concat(sets[0].records, sets[1].records, sets[2].records), 12), sets[4].records))
	}
	if len(files) > 0 {
		sets = nil
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		records, err := load(data)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sets = append(sets, set{name, records})
	}
	for _, s := range sets {
		evaluate(w, s.name, s.records, verbose)
	}
	return nil
}

// load reads records.
func load(data []byte) ([]record, error) {
	var out []record
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("a line is no record: %w", err)
		}
		out = append(out, r)
	}
	return out, lines.Err()
}

// evaluate measures one set; the counts of all languages are those of "".
func evaluate(w io.Writer, name string, records []record, verbose bool) map[string]*tally {
	counts := map[string]*tally{"": {}}
	var times []time.Duration
	reader := secret.New(nil)
	for _, r := range records {
		parts := r.parts()
		begin := time.Now()
		findings := reader.Find(parts)
		found := len(findings) > 0 && findings[len(findings)-1].Part == len(parts)-1
		times = append(times, time.Since(begin))
		if counts[r.Language] == nil {
			counts[r.Language] = &tally{}
		}
		counts[""].add(r, found)
		if r.Language != "" {
			counts[r.Language].add(r, found)
		}
		if verbose && found != (r.Kind != "") {
			fmt.Fprintf(w, "%-7s %-2s %-8s %-8s %s\n", map[bool]string{true: "alarm", false: "missed"}[found], r.Language, r.Kind, kindOf(findings, found), r.Question)
		}
	}
	for _, language := range slices.Sorted(maps.Keys(counts)) {
		t := counts[language]
		if language == "" {
			language = "all"
		}
		fmt.Fprintf(w, "%-8s %-3s recall %4d of %4d %6.2f %%   false alarms %4d of %4d %6.2f %%\n", name, language,
			t.found, t.secrets, percent(t.found, t.secrets), t.alarms, t.safe, percent(t.alarms, t.safe))
	}
	if len(times) > 0 {
		slices.Sort(times)
		at := func(q float64) time.Duration { return times[int(q*float64(len(times)-1))] }
		fmt.Fprintf(w, "%-8s     time per question p50 %v  p99 %v  max %v\n", name, at(0.5), at(0.99), at(1))
	}
	return counts
}

// kindOf is what the last part was taken for.
func kindOf(findings []secret.Finding, found bool) secret.Kind {
	if !found {
		return ""
	}
	return findings[len(findings)-1].Kind
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
