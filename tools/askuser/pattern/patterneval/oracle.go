package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"

	"github.com/askgate/askgate/tools/askuser/pattern"
)

//go:embed judge.mjs
var judgeScript string

// oracle is a running Node that judges patterns one at a time.
type oracle struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func newOracle(node string) (*oracle, error) {
	cmd := exec.CommandContext(context.Background(), node, "--input-type=module", "--eval", judgeScript) //nolint:gosec // the caller chooses the Node program
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &oracle{cmd: cmd, in: in, out: bufio.NewReader(out)}, nil
}

func (o *oracle) close() error {
	_ = o.in.Close() // ends its loop
	return o.cmd.Wait()
}

// judged is the result of V8 for a pattern.
type judged struct {
	Class  string    `json:"class"` // safe, grey (slow, but tolerable), polynomial, exponential, invalid
	Ms     float64   `json:"ms"`
	Length int       `json:"length"`
	Attack [3]string `json:"attack"`
}

func (o *oracle) judge(source string, length, most int, attacks []attack) (j judged, err error) {
	list := make([][3]string, len(attacks))
	for i, a := range attacks {
		list[i] = [3]string{a.Prefix, a.Pump, a.Suffix}
	}
	line, err := json.Marshal(map[string]any{"pattern": source, "max": length, "most": most, "attacks": list})
	if err != nil {
		return j, err
	}
	if _, err := o.in.Write(append(line, '\n')); err != nil {
		return j, err
	}
	answer, err := o.out.ReadBytes('\n')
	if err != nil {
		return j, fmt.Errorf("node ended: %w", err)
	}
	return j, json.Unmarshal(answer, &j)
}

// generated is a line of the output of generate, and of the corpus made from it.
type generated struct {
	Pattern string     `json:"pattern"`
	Label   string     `json:"label"` // safe, exponential or polynomial
	Degree  int        `json:"degree,omitempty"`
	Attack  *[3]string `json:"attack,omitempty"` // prefix, pumped word, ending
	Ms      float64    `json:"ms,omitempty"`
}

// generate composes distinct patterns, judges them with V8, and compares that with the verdict of package pattern. With
// acceptedOnly, only patterns that the verdict accepts count toward n and are judged: the slow ones among them were
// missed.
func generate(w io.Writer, corpus io.Writer, node string, seed uint64, n int, acceptedOnly bool) error {
	o, err := newOracle(node)
	if err != nil {
		return err
	}
	c := &composer{Rand: rand.New(rand.NewPCG(seed, 12))}
	seen := map[string]bool{}
	total, refused := map[string]int{}, map[string]int{}
	over := 0
	for done := 0; done < n; {
		source, attacks := c.pattern()
		if seen[source] {
			continue
		}
		seen[source] = true
		_, verdict := pattern.Check(source, 4000)
		if acceptedOnly && verdict != nil {
			continue
		}
		done++
		most := 400 // milliseconds of one run
		if acceptedOnly {
			most = 4000 // none are expected to be slow, and the machine may be busy
		}
		j, err := o.judge(source, 4000, most, attacks)
		if err != nil {
			return err
		}
		total[j.Class]++
		dangerous := j.Class == "exponential" || j.Class == "polynomial"
		if verdict != nil {
			refused[j.Class]++
		}
		if j.Ms >= 1000 && verdict == nil {
			over++
		}
		if j.Class != "grey" && dangerous != (verdict != nil) {
			fmt.Fprintf(w, "%-12s %5.0f ms at %4d  %s\n    %q %v\n", j.Class, j.Ms, j.Length, source, j.Attack, verdict)
		}
		if corpus != nil && (dangerous || j.Class == "safe") {
			g := generated{Pattern: source, Label: j.Class}
			if dangerous {
				g.Attack = &j.Attack
				if j.Class == "polynomial" {
					g.Degree = 3
				}
			}
			line, err := json.Marshal(g)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(corpus, "%s\n", line); err != nil {
				return err
			}
		}
	}
	for _, class := range []string{"exponential", "polynomial", "grey", "safe", "invalid", "error"} {
		if total[class] > 0 {
			fmt.Fprintf(w, "%-19s refused %5d of %5d  %6.2f %%\n", class, refused[class], total[class], percent(refused[class], total[class]))
		}
	}
	fmt.Fprintf(w, "accepted, and over 1 s: %d\n", over)
	return o.close()
}
