package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// table prints figures in columns.
type table struct{ w *tabwriter.Writer }

func newTable(out io.Writer, head ...any) table {
	t := table{tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.Debug)}
	t.row(head...)
	return t
}

func (t table) row(cells ...any) {
	for _, c := range cells {
		fmt.Fprintf(t.w, "%v\t", c)
	}
	fmt.Fprintln(t.w)
}

// end prints the table.
func (t table) end() {
	_ = t.w.Flush()
}
