package sse

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"math"
	"strconv"
	"time"
)

// MaxEvent is how many bytes one line, and the data of one event, may have. The largest event
// sent is the snapshot of a long chat.
const MaxEvent = 16 << 20

// ErrTooLong is the error that Read yields for an event over MaxEvent.
var ErrTooLong = errors.New("sse: event is longer than 16 MiB")

// Event is one event as a client sees it.
type Event struct {
	ID   string // the last id that the stream has given, this event's or an earlier one's
	Name string // "message" if the stream gives none
	Data []byte // lines joined with LF; owned by the receiver

	// Retry is the reconnection time that came with the event, or zero. If one comes alone, its
	// Event has only Retry and ID.
	Retry time.Duration
}

// Read yields the events of r as the standard reads them: lines end in LF, CRLF or CR; a byte
// order mark at the start, comments and unknown fields are skipped; and an event that does not
// end with a blank line is dropped. It ends without an error at the end of r; an error of r, or
// ErrTooLong, is yielded last. An event is yielded as soon as its blank line has arrived.
func Read(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		p := parser{lines: lines{r: bufio.NewReader(r)}}
		for {
			ev, err := p.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(ev, err) || err != nil {
				return
			}
		}
	}
}

// parser collects the fields of one event.
type parser struct {
	lines   lines
	lastID  string
	name    string
	data    []byte
	hasData bool
	retry   time.Duration
	begun   bool // the first line, which may have a byte order mark, has been read
}

// next reads up to the end of the next event. At the end of the stream, its error is io.EOF.
func (p *parser) next() (Event, error) {
	p.name, p.data, p.hasData, p.retry = "", nil, false, 0
	for {
		line, err := p.lines.next()
		if err != nil {
			return Event{}, err
		}
		if !p.begun {
			line, p.begun = bytes.TrimPrefix(line, []byte("\ufeff")), true
		}
		if len(line) > 0 {
			if err := p.field(line); err != nil {
				return Event{}, err
			}
			continue
		}
		switch {
		case p.hasData:
			name := p.name
			if name == "" {
				name = "message"
			}
			return Event{ID: p.lastID, Name: name, Data: p.data, Retry: p.retry}, nil
		case p.retry > 0:
			return Event{ID: p.lastID, Retry: p.retry}, nil
		}
		p.name = "" // a block without data is not an event
	}
}

// field reads one line that is not blank.
func (p *parser) field(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte(":")) // a comment has no name
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		p.name = string(value)
	case "data":
		if len(p.data)+1+len(value) > MaxEvent {
			return ErrTooLong
		}
		if p.hasData {
			p.data = append(p.data, '\n')
		}
		p.data, p.hasData = append(p.data, value...), true
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			p.lastID = string(value)
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 63); err == nil && ms <= math.MaxInt64/uint64(time.Millisecond) {
			p.retry = time.Duration(ms) * time.Millisecond
		}
	}
	return nil
}

// lines splits at LF, CRLF and CR. A line that ends in CR is returned at once, without waiting
// for the next byte.
type lines struct {
	r      *bufio.Reader
	long   []byte // the beginning of a line that is longer than the buffer
	skipLF bool   // the last line ended in CR
}

// next returns the next line without its end, valid until the next call. At the end of the
// stream, its error is io.EOF, even if the last line has no end.
func (l *lines) next() ([]byte, error) {
	l.long = l.long[:0]
	for {
		if _, err := l.r.Peek(1); err != nil {
			return nil, err
		}
		buf, _ := l.r.Peek(l.r.Buffered())
		if l.skipLF {
			l.skipLF = false
			if buf[0] == '\n' {
				_, _ = l.r.Discard(1)
				continue
			}
		}
		end := bytes.IndexByte(buf, '\n')
		if end < 0 {
			end = len(buf)
		}
		if cr := bytes.IndexByte(buf[:end], '\r'); cr >= 0 {
			end = cr
		}
		if len(l.long)+end > MaxEvent {
			return nil, ErrTooLong
		}
		whole := end < len(buf)
		if whole {
			l.skipLF = buf[end] == '\r'
		}
		if whole && len(l.long) == 0 {
			_, _ = l.r.Discard(end + 1)
			return buf[:end], nil // stays in the buffer until the next read
		}
		l.long = append(l.long, buf[:end]...)
		if whole {
			_, _ = l.r.Discard(end + 1)
			return l.long, nil
		}
		_, _ = l.r.Discard(end)
	}
}
