// Command secreteval measures the detection of questions that ask for secrets against labelled questions: how many of
// those that do are found (recall), how many of the others are taken for one (false alarms), by language, and how long a
// question takes.
//
//	go run ./tools/askuser/secret/secreteval [-v] [FILE.jsonl ...]
//
// Without a file it reads the built-in set: tuning, whose misses the rules were mended by, and heldout, which was kept
// from that (the comment of package secret says how far). A line of a file is a JSON object:
// language, kind ("" where the question asks for no secret), and the fields of a question (contract 6.1; the input type
// is text where there is none).
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
)

// record is one labelled question.
type record struct {
	Language string      `json:"language"`
	Kind     secret.Kind `json:"kind"`
	tools.Part
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
	flag.Parse()
	if err := run(os.Stdout, flag.Args(), *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "secreteval:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, files []string, verbose bool) error {
	if len(files) == 0 {
		for _, half := range []struct {
			name string
			data []byte
		}{{"tuning", tuning}, {"heldout", heldOut}} {
			if _, err := evaluate(w, half.name, half.data, verbose); err != nil {
				return err
			}
		}
		return nil
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := evaluate(w, name, data, verbose); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// evaluate measures one set; the counts of all languages are those of "".
func evaluate(w io.Writer, name string, data []byte, verbose bool) (map[string]*tally, error) {
	counts := map[string]*tally{"": {}}
	var times []time.Duration
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
		if r.InputType == "" {
			r.InputType = tools.Text
		}
		begin := time.Now()
		finding, found := secret.Find(r.Part)
		times = append(times, time.Since(begin))
		if counts[r.Language] == nil {
			counts[r.Language] = &tally{}
		}
		counts[""].add(r, found)
		if r.Language != "" {
			counts[r.Language].add(r, found)
		}
		if verbose && found != (r.Kind != "") {
			fmt.Fprintf(w, "%-7s %-2s %-8s %-8s %s\n", map[bool]string{true: "alarm", false: "missed"}[found], r.Language, r.Kind, finding.Kind, r.Question)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
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
	return counts, nil
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
