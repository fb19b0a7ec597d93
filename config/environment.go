package config

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

// maxVariableFile bounds the file that a variable names, in bytes.
const maxVariableFile = 64 << 10

// variableFile is what the file of a variable holds, or what is wrong with it.
type variableFile struct{ value, wrong string }

// env is what a variable holds, as variable has it; what is wrong with its file is a fault.
func (l *loader) env(name string) (value string, set bool) {
	_, known := l.variables[name]
	value, set, wrong := l.variable(name)
	if wrong != "" && !known {
		l.loose = append(l.loose, Fault{File: name, Message: wrong})
	}
	return value, set
}

// variable is what the environment variable name holds. Where that is not set or empty, and
// name_FILE is neither, it is what the file at that path holds, without a line end at its end:
// secrets reach containers in files. wrong says why that cannot be; it does not
// repeat the value.
func (l *loader) variable(name string) (value string, set bool, wrong string) {
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
func (l *loader) readVariable(variable, path string) variableFile {
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
