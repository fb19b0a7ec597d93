// Command groundingeval measures how many invented arguments package grounding finds, and how
// many said ones it takes for invented.
//
//	go run ./tools/grounding/groundingeval [-v] [-seed N] [-n DIALOGUES]
//
// It composes dialogues from the seed, and replaces values in a sample of dialogues between
// people (package groundingtest).
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/askgate/askgate/tools/grounding/groundingtest"
)

func main() {
	verbose := flag.Bool("v", false, "list what was judged wrongly")
	seed := flag.Int64("seed", 1, "of the dialogues")
	n := flag.Int("n", 2000, "dialogues of a part")
	part := flag.String("part", "", "only this: tuning, or heldout")
	flag.Parse()
	if err := run(os.Stdout, *seed, *n, *part, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "groundingeval:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, seed int64, n int, part string, verbose bool) error {
	if part != "" && part != "tuning" && part != "heldout" {
		return fmt.Errorf("unknown part %q; use tuning or heldout", part)
	}
	for _, of := range []string{"tuning", "heldout"} {
		if part != "" && part != of {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s, seed %d, %d dialogues\n", of, seed, n); err != nil {
			return err
		}
		if err := groundingtest.Judge(groundingtest.Generate(seed, of == "heldout", n)).Print(w, verbose); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s, sample of Schema-Guided Dialogue, seed %d\n", of, seed); err != nil {
			return err
		}
		if err := groundingtest.Judge(groundingtest.Sample(seed, of == "heldout")).Print(w, verbose); err != nil {
			return err
		}
	}
	for _, of := range groundingtest.Parts {
		if part != "" && (part == "tuning") != (of == "tuning") {
			continue
		}
		if _, err := fmt.Fprintf(w, "dialogues by hand, %s\n", of); err != nil {
			return err
		}
		if err := groundingtest.Judge(groundingtest.Dialogues(of)).Print(w, verbose && of != "apart"); err != nil {
			return err
		}
	}
	if part == "tuning" {
		return nil
	}
	if _, err := fmt.Fprintln(w, "fresh messages"); err != nil {
		return err
	}
	return groundingtest.Judge(groundingtest.Fresh()).Print(w, verbose)
}
