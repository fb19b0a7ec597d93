package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing wrong in one place of the configuration.
type Fault struct {
	File    string // as the admin finds it: the path given by Options.Dir, joined with the file
	Line    int    // from 1; 0: no file, but a flag or an environment variable
	Col     int    // from 1, in Unicode code points
	Message string // what is wrong, and how to fix it
}

// Error is file:line:col: message, the form that editors jump to.
func (f Fault) Error() string {
	if f.File == "" {
		return f.Message
	}
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.File, f.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Col, f.Message)
}

// whole is a fault of a file or directory as a whole, which stands at its start:
// editors and checkers that read file:line:col find all faults alike.
func whole(file, message string) Fault { return Fault{File: file, Line: 1, Col: 1, Message: message} }

// Faults are all faults found in one pass, ordered by file and position.
type Faults []Fault

// Error is one line per fault.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

func (fs Faults) sort() {
	slices.SortStableFunc(fs, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
}
