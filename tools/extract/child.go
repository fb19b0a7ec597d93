package extract

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"sync/atomic"
)

// argument is the first argument of a child.
const argument = "__extract"

// hooked: this program runs as a child if it is started as one.
var hooked atomic.Bool

// Hook must be the first call of a program that reads files with a Reader: main, or TestMain. In a
// child it reads files from standard input until there are no more, and does not return.
func Hook() {
	hooked.Store(true)
	if len(os.Args) != 2 || os.Args[1] != argument {
		return
	}
	os.Exit(child(os.Stdin, os.Stdout))
}

// formats are the functions that read the files of a format. They call ready when they begin. Their
// errors are Refused; any other counts as Damaged.
var formats = map[Format]func(data []byte, ready func()) (Text, error){PDF: readPDF, DOCX: readDOCX}

func child(in io.Reader, out io.Writer) int {
	if err := confine(); err != nil {
		return 1
	}
	debug.SetMemoryLimit(MaxMemory / 4 * 3) // tidies up earlier; the limit that holds is confine's
	for {
		kind, data, err := readFrame(in, MaxFile)
		read := formats[Format(kind)]
		if err != nil || read == nil {
			return 0 // the parent is done, or gone
		}
		var lost error
		text, err := read(data, func() { lost = writeFrame(out, frameReady, nil) })
		if errors.Is(err, errEngine) {
			return 1
		}
		if err == nil && text.size() > MaxText {
			err = Long
		}
		if err == nil && !text.any() {
			err = Scanned
		}
		var content []byte
		if err == nil {
			if content, err = json.Marshal(text); len(content) > maxFrame || len(text.Parts) > maxParts {
				err = Long
			}
		}
		if err != nil {
			why, ok := errors.AsType[Refused](err)
			if !ok {
				why = Damaged
			}
			err = writeFrame(out, frameNone, []byte{byte(why)})
		} else {
			err = writeFrame(out, frameText, content)
		}
		if err != nil || lost != nil {
			return 1
		}
	}
}
