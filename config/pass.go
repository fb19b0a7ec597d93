package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// pass is one pass over one directory: its files and the environment, and what is wrong there.
type pass struct {
	opts      Options
	files     fs.FS
	lookup    func(string) (string, bool) // of the environment, see variable
	variables map[string]variableFile     // of variables that name a file
	beside    stamps                      // files read beside the configuration's own; nil: not there
	sources   []*source
	loose     Faults // faults outside of any file
	notes     Faults // warnings outside of any file
	keySet    string // the file of auth.jwt, "" for none
}

func (l *pass) note(f Fault) { l.notes = append(l.notes, f) }

// fault notes a fault outside of any file.
func (l *pass) fault(f Fault) { l.loose = append(l.loose, f) }

func (l *pass) shown(name string) string {
	if l.opts.Dir == "" {
		return "built-in:" + name
	}
	return filepath.Join(l.opts.Dir, filepath.FromSlash(name))
}

// path is that of a file, which begins at the configuration's directory.
func (l *pass) path(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(l.opts.Dir, filepath.FromSlash(name))
}

// builtIn goes to the built-in files, until back is called.
func (l *pass) builtIn() (back func()) {
	files, dir := l.files, l.opts.Dir
	l.files, l.opts.Dir = builtin(), ""
	return func() { l.files, l.opts.Dir = files, dir }
}

// root is a file's value.
func (l *pass) root(s *source, path string) Value { return Value{p: l, s: s, v: &s.root, path: path} }

// maxVariableFile bounds the file that a variable names, in bytes.
const maxVariableFile = 64 << 10

// variableFile is what the file of a variable holds, or what is wrong with it.
type variableFile struct{ value, wrong string }

// env is what a variable holds, as variable has it; what is wrong with its file is a fault.
func (l *pass) env(name string) (value string, set bool) {
	_, known := l.variables[name]
	value, set, wrong := l.variable(name)
	if wrong != "" && !known {
		l.fault(Fault{File: name, Message: wrong})
	}
	return value, set
}

// variable is what the environment variable name holds. Where that is not set or empty, and
// name_FILE is neither, it is what the file at that path holds, without a line end at its end:
// secrets reach containers in files. wrong says why that cannot be; it does not
// repeat the value.
func (l *pass) variable(name string) (value string, set bool, wrong string) {
	value, set = l.lookup(name)
	path, _ := l.lookup(name + "_FILE")
	if path == "" {
		return value, set, ""
	}
	f, known := l.variables[name]
	if !known {
		if value != "" {
			f.wrong = fmt.Sprintf("%s and %s_FILE (%s) are both set; remove one of them", name, name, path)
		} else {
			f = l.readVariable(name+"_FILE", path)
		}
		l.variables[name] = f
	}
	return f.value, f.wrong == "", f.wrong
}

// readVariable reads the file that a variable names. The watcher looks at it from then on.
func (l *pass) readVariable(variable, path string) variableFile {
	info, err := os.Stat(path) // first: what changes meanwhile is found later
	l.beside[path] = info
	var data []byte
	if err == nil {
		data, err = readFile(path, info, maxVariableFile)
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	var wrong string
	switch {
	case errors.Is(err, errTooLarge):
		wrong = "has more than 64 KiB; write the value alone into it"
	case err != nil:
		wrong = fmt.Sprintf("cannot be read: %s; name a file that the gateway's user may read", reason(err))
	case text == "":
		wrong = "is empty; write the value into it"
	case strings.ContainsAny(text, "\n\r"):
		wrong = "has several lines; write the value alone into it, on one line"
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		wrong = "is not valid UTF-8; write the value as UTF-8 text"
	default:
		return variableFile{value: text}
	}
	return variableFile{wrong: fmt.Sprintf("%s names %s, which %s", variable, path, wrong)}
}

// open reads and parses a file. Without a file it returns nil; a file that
// cannot be parsed comes back with its faults and ok false.
func (l *pass) open(name string) (s *source, ok bool) {
	s = &source{name: name, shown: l.shown(name)}
	info, err := fs.Stat(l.files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	l.sources = append(l.sources, s)
	if err != nil {
		return s, s.whole("cannot be read: %v", reason(err))
	}
	if !info.Mode().IsRegular() {
		return s, s.whole("is no file; put a JSON file here")
	}
	f, err := l.files.Open(name)
	if err != nil {
		return s, s.whole("cannot be read: %v", reason(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return s, s.whole("cannot be read: %v", reason(err))
	}
	if len(text) > maxFileBytes {
		return s, s.whole("is larger than 1 MiB; shorten it")
	}
	return s, s.parse(text)
}

var errTooLarge = errors.New("it is larger than 1 MiB")

// readFile reads a file of at most limit bytes; a larger one is errTooLarge.
func readFile(name string, info os.FileInfo, limit int64) ([]byte, error) {
	if !info.Mode().IsRegular() { // opening a pipe would wait for somebody to write
		return nil, errors.New("it is not a file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errTooLarge
	}
	return data, err
}
