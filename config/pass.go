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

// pass is one pass over a directory: its files, the environment, and the faults found in them.
type pass struct {
	dir       string // the configuration directory; "": the built-in configuration
	files     fs.FS
	lookup    func(string) (string, bool) // looks up environment variables, see variable
	variables map[string]variableFile     // by the variable that the file is for
	others    stamps                      // files outside the directory that were read; nil: does not exist
	sources   []*source
	loose     Faults // faults outside of any file
	notes     Faults // warnings outside of any file
	keySet    string // the file of auth.jwt, "" for none
	checking  bool   // see Options.Checking
	// question checks a question in the files, see Options.Question.
	question func(question []byte, listed bool) error
}

func (p *pass) note(f Fault) { p.notes = append(p.notes, f) }

// fault adds a fault outside of any file.
func (p *pass) fault(f Fault) { p.loose = append(p.loose, f) }

func (p *pass) shown(name string) string {
	if p.dir == "" {
		return "built-in:" + name
	}
	return filepath.Join(p.dir, filepath.FromSlash(name))
}

// path returns the path of a file that is named relative to the configuration directory.
func (p *pass) path(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.dir, filepath.FromSlash(name))
}

// builtIn switches to the built-in files until back is called.
func (p *pass) builtIn() (back func()) {
	files, dir := p.files, p.dir
	p.files, p.dir = builtin(), ""
	return func() { p.files, p.dir = files, dir }
}

// maxVariableFile limits the file that a variable names, in bytes.
const maxVariableFile = 64 << 10

// variableFile is the value in the file of a variable, or what is wrong with the file.
type variableFile struct{ value, wrong string }

// env returns the value of a variable, like variable. It reports a fault if something is wrong with its
// file, once.
func (p *pass) env(name string) (value string, set bool) {
	_, known := p.variables[name]
	value, set, wrong := p.variable(name)
	if wrong != "" && !known {
		p.fault(Fault{File: name, Message: wrong})
	}
	return value, set
}

// variable returns the value of the environment variable name. If that is not set or empty and
// name_FILE is set, it returns the content of the file at that path without a line end at its
// end, because container platforms pass secrets as files. wrong says why neither works; it does
// not repeat the value.
func (p *pass) variable(name string) (value string, set bool, wrong string) {
	value, set = p.lookup(name)
	path, _ := p.lookup(name + "_FILE")
	if path == "" {
		return value, set, ""
	}
	f, known := p.variables[name]
	if !known {
		if value != "" {
			f.wrong = fmt.Sprintf("%s and %s_FILE (%s) are both set; unset one of them", name, name, path)
		} else {
			f = p.readVariable(name+"_FILE", path)
		}
		p.variables[name] = f
	}
	return f.value, f.wrong == "", f.wrong
}

// readVariable reads the file that a variable names. The watcher follows it from then on.
func (p *pass) readVariable(variable, path string) variableFile {
	info, err := os.Stat(path) // before reading, so that the watcher finds a change in between
	p.others[path] = info
	var data []byte
	if err == nil {
		data, err = readFile(path, info, maxVariableFile)
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	var wrong string
	switch {
	case errors.Is(err, errTooLarge):
		wrong = "is larger than 64 KiB; put only the value into it"
	case err != nil:
		wrong = fmt.Sprintf("cannot be read: %s; name a file that the gateway's user may read", reason(err))
	case text == "":
		wrong = "is empty; put the value into it"
	case strings.ContainsAny(text, "\n\r"):
		wrong = "has several lines; put only the value into it, on one line"
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		wrong = "is not valid UTF-8; save the value as UTF-8 text"
	default:
		return variableFile{value: text}
	}
	return variableFile{wrong: fmt.Sprintf("%s names %s, which %s", variable, path, wrong)}
}

// open reads and parses a file. It returns nil if the file does not exist. If the file
// cannot be parsed, ok is false, and the source contains the faults.
func (p *pass) open(name string) (s *source, ok bool) {
	s = &source{name: name, shown: p.shown(name)}
	info, err := fs.Stat(p.files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	p.sources = append(p.sources, s)
	if err != nil {
		return s, s.whole("cannot be read: %v", reason(err))
	}
	if !info.Mode().IsRegular() {
		return s, s.whole("is not a file; put a JSON file here")
	}
	f, err := p.files.Open(name)
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

// readFile reads a file of at most limit bytes. It returns errTooLarge for a larger one.
func readFile(name string, info os.FileInfo, limit int64) ([]byte, error) {
	if !info.Mode().IsRegular() { // opening a pipe would wait for a writer
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
