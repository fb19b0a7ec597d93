package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// widest is how many characters of a question a line has.
const widest = 48

// Print writes the report as a table for people, in English but for the advice. What others
// wrote has no character that moves the cursor.
func (r *Report) Print(w io.Writer) error {
	if len(r.Items) == 0 {
		_, err := fmt.Fprintf(w, "Nothing was asked since %s.\n", time.Time(r.Since).UTC().Format(time.DateTime))
		return err
	}
	lines := make([][]string, len(r.Items))
	for i := range r.Items {
		row := &r.Items[i]
		p50, p90 := "-", "-"
		if row.Seconds != nil {
			p50, p90 = brief(row.Seconds.P50), brief(row.Seconds.P90)
		}
		lines[i] = append([]string{row.title(), row.App}, append(row.cells(), p50, p90, row.models())...)
	}
	table := columns(append([]string{"question", "app"}, append(countHeads(), "p50", "p90", "models")...), lines)
	var out strings.Builder
	out.WriteString(table[0])
	for i, line := range table[1:] {
		out.WriteString(line)
		if advice := r.Items[i].Advice; advice != "" {
			out.WriteString("  -> " + advice + "\n")
		}
	}
	if r.Others > 0 {
		fmt.Fprintf(&out, "and %d that were asked less often\n", r.Others)
	}
	if len(r.Models) > 0 {
		lines := make([][]string, len(r.Models))
		for i := range r.Models {
			m := &r.Models[i]
			lines[i] = append([]string{plain(m.Model), m.App}, m.cells()...)
		}
		out.WriteString("\n" + strings.Join(columns(append([]string{"model", "app"}, countHeads()...), lines), ""))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func countHeads() []string {
	return strings.Fields("asked shown answered skipped declined expired superseded other recommended same/other-again")
}

func (c *Counts) cells() []string {
	cells := make([]string, 0, 12)
	for _, n := range []int{c.Asked, c.Shown, c.Answered, c.Skipped, c.Declined, c.Expired, c.Superseded, c.Other, c.Recommended} {
		cells = append(cells, fmt.Sprint(n))
	}
	return append(cells, fmt.Sprintf("%d/%d", c.Again.Same, c.Again.Other))
}

func (r *Row) title() string {
	switch {
	case r.Template != "":
		return plain("[" + r.Template + "]")
	case r.Text == "":
		return "(" + r.InputType + ")"
	case len(r.Options) > 0:
		return plain(r.Text + " (" + strings.Join(r.Options, ", ") + ")")
	default:
		return plain(r.Text)
	}
}

func (r *Row) models() string {
	var each []string
	for model, n := range r.Models {
		each = append(each, fmt.Sprintf("%s %d", plain(model), n))
	}
	slices.Sort(each)
	return strings.Join(each, ", ")
}

// plain is a text on one line, not too long, and without what a terminal would obey.
func plain(text string) string {
	shown := []rune(strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, text)), " "))
	if len(shown) > widest {
		return string(shown[:widest-1]) + "…"
	}
	return string(shown)
}

// brief is a time in its largest unit.
func brief(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%.0fd", d.Hours()/24)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%.0fh", d.Hours())
	case d >= 2*time.Minute:
		return fmt.Sprintf("%.0fm", d.Minutes())
	default:
		return fmt.Sprintf("%.0fs", d.Seconds())
	}
}

// columns aligns cells; each line ends with a newline.
func columns(heads []string, lines [][]string) []string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, line := range append([][]string{heads}, lines...) {
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	_ = w.Flush() // a buffer takes all
	return slices.Collect(strings.Lines(b.String()))
}
