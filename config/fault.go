package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one mistake in the configuration, with its place.
type Fault struct {
	File    string // path of the file: Options.Dir joined with its name there
	Line    int    // from 1; 0: File is a flag or an environment variable
	Col     int    // from 1, in Unicode code points
	Key     string // path of the key, such as auth.keys[0].mayAsk; "": the whole file, or its syntax
	Message string // what is wrong, and how to fix it
}

// Error returns file:line:col: key: message, the form that editors recognize.
func (f Fault) Error() string {
	if f.File == "" {
		return f.Message
	}
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.File, f.Message)
	}
	text := fmt.Sprintf("%s:%d:%d: ", f.File, f.Line, f.Col)
	if f.Key != "" {
		text += f.Key + ": "
	}
	return text + f.Message
}

// whole returns a fault about a whole file or directory. Its position is the start, so that programs
// that read file:line:col can handle it like any other fault.
func whole(file, message string) Fault { return Fault{File: file, Line: 1, Col: 1, Message: message} }

// Faults are all faults of one pass, ordered by file and position.
type Faults []Fault

// Error returns one line per fault.
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
