package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/askgate/askgate/tools"
)

// Limits of one file. They limit the memory and the stack that a broken or
// hostile file can take; real files stay far below.
const (
	maxFileBytes = 1 << 20
	maxDepth     = 64  // objects and arrays inside each other
	maxFaults    = 100 // reported per file
	maxNumber    = 64  // characters of one number
	maxShown     = 60  // code points of a quotation in a fault
)

// source is one file while it is read.
type source struct {
	name     string // inside the directory, with slashes
	shown    string // path in faults
	text     []byte
	lines    []int // offsets of the starts of lines
	root     hujson.Value
	faults   Faults
	warnings Faults
	dropped  int          // number of faults beyond maxFaults
	ihub     bool         // a file of ihub-apps: a key without an effect is a warning
	judged   map[int]bool // offsets of values with a fault from checkValues
}

func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

var hujsonError = regexp.MustCompile(`^hujson: line (\d+), column (\d+): (?s:(.*))$`)

func (s *source) parse(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	// The last line may be a comment without a line end, which hujson requires.
	s.text = append(text, '\n')
	s.lines = []int{0}
	for i, b := range s.text {
		if b == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	if !utf8.Valid(s.text) {
		at := 0
		for {
			r, n := utf8.DecodeRune(s.text[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
		return s.fault(at, "invalid UTF-8; save the file as UTF-8")
	}
	if at := tooDeep(s.text); at >= 0 {
		return s.fault(at, "objects and lists are nested more than %d levels deep; flatten them", maxDepth)
	}
	root, err := hujson.Parse(s.text)
	if err != nil {
		return s.syntaxFault(err)
	}
	s.root = root
	s.ihub = ofIhub(&s.root) || strings.HasPrefix(s.name, "tools/")
	judged := map[int]bool{}
	s.checkValues(&s.root, judged)
	s.judged = judged
	if s.ihub {
		laterCounts(&s.root)
	}
	return true
}

// syntaxFault turns an error of hujson into a fault with its place and a hint.
func (s *source) syntaxFault(err error) bool {
	m := hujsonError.FindStringSubmatch(err.Error())
	if m == nil {
		return s.whole("%v", err)
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	at := min(s.lines[min(line, len(s.lines))-1]+column-1, len(s.text))
	message := m[3]
	switch {
	case len(bytes.TrimSpace(s.text)) == 0:
		message = "the file is empty; write at least {} (tools.json: [])"
		at = 0
	case strings.Contains(message, "unexpected EOF"):
		message = "unexpected end of file; close the open string, comment, brace or bracket"
		at = len(bytes.TrimRight(s.text, " \t\r\n"))
	case strings.Contains(message, "invalid literal: \""):
		message = "invalid JSON string; write a line break as \\n and a backslash as \\\\"
	case strings.HasPrefix(message, "invalid literal"):
		message = "invalid JSON value; put strings in double quotes"
	default:
		message = "invalid JSON: " + message + "; look for a missing comma, colon or quote before this"
	}
	return s.fault(at, "%s", message)
}

// tooDeep returns the offset of the first bracket nested deeper than maxDepth, or -1. It runs
// before the parser, which is recursive.
func tooDeep(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '/' && bytes.HasPrefix(text[i:], []byte("//")):
			n := bytes.IndexByte(text[i:], '\n')
			if n < 0 {
				return -1
			}
			i += n
		case c == '/' && bytes.HasPrefix(text[i:], []byte("/*")):
			n := bytes.Index(text[i+2:], []byte("*/"))
			if n < 0 {
				return -1
			}
			i += n + 3
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

// checkValues finds faults that do not depend on the key: names that appear
// twice, NUL characters, and numbers out of the range of float64.
func (s *source) checkValues(v *hujson.Value, judged map[int]bool) {
	switch x := v.Value.(type) {
	case *hujson.Object:
		seen := make(map[string]int, len(x.Members))
		for i := range x.Members {
			m := &x.Members[i]
			name := literal(&m.Name)
			if first, twice := seen[name]; twice {
				line, _ := s.position(first)
				shown := tools.Shorten(string(m.Name.Value.(hujson.Literal)), maxShown)
				if s.ihub {
					s.warn(m.Name.StartOffset, "%s appears twice (first on line %d); this one is used", shown, line)
				} else {
					s.fault(m.Name.StartOffset, "%s appears twice (first on line %d); remove one", shown, line)
				}
			} else {
				seen[name] = m.Name.StartOffset
			}
			s.checkValues(&m.Value, judged)
		}
	case *hujson.Array:
		for i := range x.Elements {
			s.checkValues(&x.Elements[i], judged)
		}
	case hujson.Literal:
		switch x.Kind() {
		case '"':
			if strings.ContainsRune(x.String(), 0) {
				judged[v.StartOffset] = true
				s.fault(v.StartOffset, "the string contains a NUL character; remove \\u0000")
			}
		case '0':
			if _, err := strconv.ParseFloat(string(x), 64); err != nil || len(x) > maxNumber || extremeExponent(string(x)) {
				judged[v.StartOffset] = true
				s.fault(v.StartOffset, "the number is out of range; write a smaller one")
			}
		}
	}
}

// extremeExponent finds numbers such as 1e-999999999, which parse as 0, but which exact
// arithmetic (minimum and multipleOf of JSON Schema) would write out in full.
func extremeExponent(number string) bool {
	_, exponent, ok := strings.Cut(strings.ToLower(number), "e")
	if !ok {
		return false
	}
	n, err := strconv.Atoi(exponent)
	return err != nil || n < -400 || n > 400
}

func literal(v *hujson.Value) string {
	lit, _ := v.Value.(hujson.Literal)
	return lit.String()
}

// position returns the line and the column (in code points) of an offset, both from 1.
func (s *source) position(at int) (line, col int) {
	lo, hi := 0, len(s.lines)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; s.lines[mid] <= at {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + 1, utf8.RuneCount(s.text[s.lines[lo]:min(at, len(s.text))]) + 1
}

// fault adds a fault at an offset. It returns false, so that callers can return it.
func (s *source) fault(at int, format string, args ...any) bool {
	if s.judged[at] {
		return false
	}
	if len(s.faults) >= maxFaults {
		s.dropped++
		return false
	}
	line, col := s.position(at)
	s.faults = append(s.faults, Fault{File: s.shown, Line: line, Col: col, Key: s.keyPath(at), Message: fmt.Sprintf(format, args...)})
	return false
}

// whole adds a fault about the whole file. It returns false.
func (s *source) whole(format string, args ...any) bool {
	s.faults = append(s.faults, whole(s.shown, fmt.Sprintf(format, args...)))
	return false
}

func (s *source) warn(at int, format string, args ...any) {
	if len(s.warnings) >= maxFaults {
		return
	}
	line, col := s.position(at)
	s.warnings = append(s.warnings, Fault{File: s.shown, Line: line, Col: col, Key: s.keyPath(at), Message: fmt.Sprintf(format, args...)})
}
