package openai

import (
	"bufio"
	"bytes"
	"errors"
)

// errLongLine ends a stream with a line over maxLine.
var errLongLine = errors.New("a line is over 16 MiB")

// lines reads a body line by line. A line lies in the read buffer where it
// fits, so it is valid until the next read.
type lines struct {
	r    *bufio.Reader
	long []byte // a line that does not fit
}

// next returns a line without its end. With an error there may be a last,
// unfinished line.
func (l *lines) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = l.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			if len(l.long)+len(line) > maxLine {
				return nil, errLongLine
			}
			l.long = append(l.long, line...)
			line, err = l.r.ReadSlice('\n')
		}
		l.long = append(l.long, line...)
		line = l.long
	}
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, err
}

// more says whether a whole further data line has been read already.
func (l *lines) more() bool {
	rest, _ := l.r.Peek(l.r.Buffered())
	for {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return false
		}
		if _, is := data(rest[:end]); is {
			return true
		}
		rest = rest[end+1:]
	}
}

// data returns the payload of a data line. A line that is a bare JSON object is
// taken for one: some servers report an error so, within a stream.
func data(line []byte) ([]byte, bool) {
	const field = "data:"
	if len(line) >= len(field) && string(line[:len(field)]) == field {
		line = line[len(field):]
		if len(line) > 0 && line[0] == ' ' {
			line = line[1:]
		}
		return line, true
	}
	return line, len(line) > 0 && line[0] == '{'
}
