// Command patterneval measures the pattern verdict against labelled patterns: how many dangerous ones are found, how many
// harmless ones are refused, and how long a verdict takes.
//
//	go run ./tools/askuser/pattern/patterneval [-v] [-max N] [FILE.jsonl ...]
//
//	go run ./tools/askuser/pattern/patterneval -generate N [-seed S] [-accepted] [-node PROGRAM] 2>JUDGED.jsonl
//
// With -generate it composes patterns from loops, counts, classes, optional separators, lookarounds and back-references.
// V8 (Node) judges them by searching for the worst texts, with a time limit for each run, and the differences from the
// verdict are listed. With -accepted, only accepted patterns count and are judged. testdata/generated-tuning.jsonl and
// generated-held.jsonl were written this way. Do not examine the second file when you change the method. If you did, add
// it to the first, and generate a new one with new seeds.
//
// Without a file it reads the built-in corpus. Each line of a file is a JSON object: either with the fields of the
// built-in corpus (pattern, label: safe, exponential or polynomial, degree, max), or with pattern, verdict and modes.full
// (must_reject, class, degree).
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/askgate/askgate/tools/askuser/pattern"
)

//go:embed testdata/corpus.jsonl
var builtIn []byte

// record is a line of either format.
type record struct {
	Pattern string `json:"pattern"`
	Label   string `json:"label"`
	Degree  int    `json:"degree"`
	Max     int    `json:"max"`
	Kind    string `json:"kind"`
	Modes   struct {
		Full *struct {
			MustReject *bool  `json:"must_reject"`
			Class      string `json:"class"`
			Degree     int    `json:"degree"`
		} `json:"full"`
	} `json:"modes"`
}

// class returns the reported class of a record, "" to leave it out.
func (r record) class() string {
	if full := r.Modes.Full; full != nil {
		switch {
		case full.MustReject == nil:
			return ""
		case *full.MustReject && full.Class == "exponential":
			return exponential
		case *full.MustReject:
			return polynomial
		case full.Class == "polynomial":
			return quadratic
		}
		return harmless
	}
	switch {
	case r.Label == "exponential":
		return exponential
	case r.Label == "polynomial" && r.Degree > 2:
		return polynomial
	case r.Label == "polynomial":
		return quadratic
	case r.Label == "safe":
		return harmless
	}
	return ""
}

const (
	exponential = "exponential"
	polynomial  = "harmful polynomial"
	quadratic   = "harmless quadratic"
	harmless    = "harmless"
)

func main() {
	verbose := flag.Bool("v", false, "list missed and wrongly refused patterns")
	length := flag.Int("max", 4000, "longest answer, in code points, for records without max")
	n := flag.Int("generate", 0, "compose this many patterns, judge them with Node, and compare")
	seed := flag.Uint64("seed", 1, "seed for composing patterns")
	accepted := flag.Bool("accepted", false, "with -generate: count and judge only patterns that are accepted")
	node := flag.String("node", "node", "the Node program, version 20 or later")
	flag.Parse()
	if *n > 0 {
		if err := generate(os.Stdout, os.Stderr, *node, *seed, *n, *accepted); err != nil {
			fmt.Fprintln(os.Stderr, "patterneval:", err)
			os.Exit(1)
		}
		return
	}
	if err := evaluate(os.Stdout, flag.Args(), *length, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "patterneval:", err)
		os.Exit(1)
	}
}

func evaluate(w io.Writer, files []string, length int, verbose bool) error {
	inputs := [][]byte{builtIn}
	if len(files) > 0 {
		inputs = nil
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		inputs = append(inputs, data)
	}
	total, refused := map[string]int{}, map[string]int{}
	reasons := map[pattern.Reason]int{}
	var times []time.Duration
	var slowest string
	for _, data := range inputs {
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				continue
			}
			var r record
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				return fmt.Errorf("invalid line: %w", err)
			}
			class := r.class()
			if class == "" {
				continue
			}
			longest := length
			if r.Max > 0 {
				longest = r.Max
			}
			begin := time.Now()
			_, err := pattern.Check(r.Pattern, longest)
			took := time.Since(begin)
			if len(times) == 0 || took > slices.Max(times) {
				slowest = r.Pattern
			}
			times = append(times, took)
			total[class]++
			if err != nil {
				refused[class]++
				var why *pattern.Refusal
				if errors.As(err, &why) {
					reasons[why.Reason]++
				}
			}
			wrong := (err != nil) != (class == exponential || class == polynomial)
			if wrong && verbose {
				fmt.Fprintf(w, "%-19s %s\n", class, r.Pattern)
				if err != nil {
					fmt.Fprintf(w, "%-19s   %v\n", "", err)
				}
			}
		}
		if err := lines.Err(); err != nil {
			return err
		}
	}
	for _, class := range [...]string{exponential, polynomial} {
		fmt.Fprintf(w, "%-19s found   %4d of %4d  %6.2f %%\n", class, refused[class], total[class], percent(refused[class], total[class]))
	}
	for _, class := range [...]string{harmless, quadratic} {
		fmt.Fprintf(w, "%-19s refused %4d of %4d  %6.2f %%\n", class, refused[class], total[class], percent(refused[class], total[class]))
	}
	if len(times) > 0 {
		slices.Sort(times)
		at := func(q float64) time.Duration { return times[int(q*float64(len(times)-1))].Round(time.Microsecond) }
		fmt.Fprintf(w, "time per pattern    p50 %v  p99 %v  max %v: %.80s\n", at(0.5), at(0.99), at(1), slowest)
	}
	fmt.Fprintf(w, "reasons             %v\n", reasons)
	return nil
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
