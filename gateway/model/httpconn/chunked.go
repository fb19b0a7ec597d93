package httpconn

import (
	"errors"
	"io"
)

// chunked decodes the chunked transfer coding. It reads a connection into the caller's own buffer, and
// moves the data there over what frames it, so that a short chunk is copied only once. It accepts what
// the decoder of net/http accepts, and skips trailers.
type chunked struct {
	c      *conn
	bare   bool // nothing is left of what came with the head
	at     place
	left   uint64 // of the chunk, bytes; while its size is read: the size so far
	digits int    // of the size
	line   int    // bytes of the line so far
	excess int64  // bytes of lines beyond what short chunks need
}

// place is what the next byte belongs to.
type place int8

const (
	inSize place = iota
	inBlank
	inExtension
	sizeEnd // the LF of a line with a size
	inData
	dataEnd     // the CR behind the data
	dataEndLF   // and its LF
	inTrailer   // the first byte of a line
	trailerLine // another byte of it
	bodyEnd     // the LF of the empty line behind the last chunk
	ended
)

const (
	// maxLine is how long a line with a chunk's size may be, as in net/http.
	maxLine = 4 << 10
	// maxExcess is how many bytes of lines may come in addition to 16 bytes for each chunk and two for
	// each byte of data, as in net/http.
	maxExcess = 16 << 10
)

var errChunked = errors.New("httpconn: malformed chunked encoding")

// Read implements io.Reader.
func (d *chunked) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for d.at != ended {
		n, err := d.next(p)
		out, bad := d.decode(p[:n])
		switch {
		case bad != nil:
			return out, bad
		case d.at == ended && out > 0:
			return out, nil
		case errors.Is(err, io.EOF) && d.at != ended:
			return out, io.ErrUnexpectedEOF
		case err != nil && d.at != ended, out > 0:
			return out, err
		}
	}
	return 0, io.EOF
}

// next reads what comes next.
func (d *chunked) next(p []byte) (int, error) {
	if !d.bare {
		if !d.c.drained() {
			return d.c.reader.Read(p)
		}
		d.bare = true
	}
	return d.c.in.Read(p)
}

// decode moves the data in p to its beginning, and returns its length.
func (d *chunked) decode(p []byte) (out int, err error) {
	for i := 0; i < len(p); {
		if d.at == inData {
			n := int(min(d.left, uint64(len(p)-i)))
			copy(p[out:], p[i:i+n])
			out, i, d.left = out+n, i+n, d.left-uint64(n)
			if d.left == 0 {
				d.at = dataEnd
			}
			continue
		}
		if d.at == ended {
			d.c.dirty = true // it sent more than the answer
			return out, nil
		}
		if !d.frame(p[i]) {
			return out, errChunked
		}
		i++
	}
	return out, nil
}

// frame takes a byte that is not data, and reports whether it may be there.
func (d *chunked) frame(b byte) bool {
	d.line++
	switch d.at {
	case inSize, inBlank, inExtension:
		return d.line <= maxLine && d.size(b)
	case sizeEnd:
		return b == '\n' && d.sized()
	case dataEnd:
		d.at = dataEndLF
		return b == '\r'
	case dataEndLF:
		d.at, d.line, d.digits = inSize, 0, 0
		return b == '\n'
	case inTrailer:
		if d.at = trailerLine; b == '\r' {
			d.at = bodyEnd
		}
		return d.line <= maxHead && b != '\n'
	case trailerLine:
		if b == '\n' {
			d.at = inTrailer
		}
		return d.line <= maxHead
	default: // bodyEnd
		d.at = ended
		return b == '\n'
	}
}

// size takes a byte of the line with a chunk's size.
func (d *chunked) size(b byte) bool {
	switch {
	case b == '\r':
		d.at = sizeEnd
		return d.digits > 0
	case d.at == inExtension:
		return b != '\n'
	case b == ' ' || b == '\t':
		d.at = inBlank
		return d.digits > 0
	case d.at == inBlank:
		return false
	case b == ';':
		d.at = inExtension
		return d.digits > 0
	}
	digit, ok := unhex(b)
	d.digits++
	d.left = d.left<<4 | digit
	return ok && d.digits <= 16
}

// sized ends the line with a chunk's size.
func (d *chunked) sized() bool {
	d.excess = max(d.excess+int64(d.line)-16-2*int64(min(d.left, maxLine+maxExcess)), 0) // more data allows for any line
	if d.at = inData; d.left == 0 {
		d.at, d.line = inTrailer, 0
	}
	return d.excess <= maxExcess
}

func unhex(b byte) (uint64, bool) {
	switch {
	case '0' <= b && b <= '9':
		return uint64(b - '0'), true
	case 'a' <= b && b <= 'f':
		return uint64(b-'a') + 10, true
	case 'A' <= b && b <= 'F':
		return uint64(b-'A') + 10, true
	}
	return 0, false
}
