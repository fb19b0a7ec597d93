// Command secreteval measures the detection of questions that ask for secrets against labelled questions: how many of
// them are found (recall), how many other questions are found by mistake (false alarms), and how long a question takes.
//
//	go run ./tools/askuser/secret/secreteval [-v] [-set NAME] [FILE.jsonl ...]
//	go run ./tools/askuser/secret/secreteval -fit >weights.bin
//
// Without a file it measures each set of the built-in questions with weights fitted to the other sets, so that the
// questions are new to them; -fit fits the weights to all sets. A file is measured with the current weights. Its lines
// are JSON objects: language, kind ("" if the question does not ask for a secret), set, and the fields of a question
// (docs/protocol.md; the default input type is text).
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

// builtIn has all labelled questions. Sets differ in their author and purpose.
//
//go:embed testdata/questions.jsonl
var builtIn []byte

// record is one labelled question.
type record struct {
	Set      string      `json:"set"`
	Language string      `json:"language"`
	Kind     secret.Kind `json:"kind"`
	tools.Part
	Form []tools.Part `json:"form"` // the parts before the question
}

// parts returns the parts of the form. The last one is the one to judge.
func (r record) parts() []tools.Part {
	parts := append(slices.Clone(r.Form), r.Part)
	for i := range parts {
		if parts[i].InputType == "" {
			parts[i].InputType = tools.Text
		}
	}
	return parts
}

// tally has the counts of one language.
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
	verbose := flag.Bool("v", false, "list missed questions and false alarms")
	only := flag.String("set", "", "measure only this set of the built-in questions")
	fitted := flag.Bool("fit", false, "fit the weights to the built-in questions and write them to standard output")
	flag.Parse()
	if err := run(os.Stdout, flag.Args(), *only, *verbose, *fitted); err != nil {
		fmt.Fprintln(os.Stderr, "secreteval:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, files []string, only string, verbose, fitted bool) error {
	all, err := load(builtIn)
	if err != nil {
		return err
	}
	if fitted {
		return fit(w, all)
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
		evaluate(w, name, records, verbose, current)
	}
	sets := map[string]bool{}
	for _, r := range all {
		sets[r.Set] = len(files) == 0 && (only == "" || only == r.Set)
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		if sets[name] {
			apart(w, all, name, verbose)
		}
	}
	return nil
}

var reader = secret.New(nil)

// current reports whether a question asks for a secret, by the current weights.
func current(r record) bool {
	parts := r.parts()
	findings := reader.Find(parts)
	return len(findings) > 0 && findings[len(findings)-1].Part == len(parts)-1
}

// apart measures a set with weights fitted to the others.
func apart(w io.Writer, all []record, name string, verbose bool) map[string]*tally {
	var own, others []record
	for _, r := range all {
		if r.Set == name {
			own = append(own, r)
		} else {
			others = append(others, r)
		}
	}
	m := trained(others)
	return evaluate(w, name, own, verbose, func(r record) bool { return m.score(examples([]record{r})[0]) > 0 })
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
			return nil, fmt.Errorf("invalid line: %w", err)
		}
		out = append(out, r)
	}
	return out, lines.Err()
}

// evaluate measures one set. The counts under "" are those of all languages.
func evaluate(w io.Writer, name string, records []record, verbose bool, find func(record) bool) map[string]*tally {
	counts := map[string]*tally{"": {}}
	var times []time.Duration
	for _, r := range records {
		begin := time.Now()
		found := find(r)
		times = append(times, time.Since(begin))
		if counts[r.Language] == nil {
			counts[r.Language] = &tally{}
		}
		counts[""].add(r, found)
		if r.Language != "" {
			counts[r.Language].add(r, found)
		}
		if verbose && found != (r.Kind != "") {
			fmt.Fprintf(w, "%-7s %-2s %-8s %s\n", map[bool]string{true: "alarm", false: "missed"}[found], r.Language, r.Kind, r.Question)
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

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
