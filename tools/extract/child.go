package extract

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
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
	// Ctrl-C and systemd signal all processes. The parent still needs the file that is read, to end its
	// turns and passes in order: without the text, the file would count as damaged.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	if err := confine(); err != nil {
		return 1
	}
	debug.SetMemoryLimit(MaxMemory / 4 * 3)           // tidies up earlier; the limit that holds is confine's
	runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))) // PDFium's code leaves its processor to no other goroutine
	files := make(chan file)
	go receive(in, files)
	for {
		f := <-files
		var lost error
		text, err := formats[f.format](f.data, func() { lost = writeFrame(out, frameReady, nil) })
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

// file is a file to read.
type file struct {
	format Format
	data   []byte
}

// receive takes files from the parent. If the parent is done, or gone, it ends this process at once,
// also while a file is read.
func receive(in io.Reader, files chan<- file) {
	for {
		kind, data, err := readFrame(in, MaxFile)
		if err != nil || formats[Format(kind)] == nil {
			os.Exit(0)
		}
		files <- file{Format(kind), data}
	}
}
