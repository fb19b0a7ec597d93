// Package strictjson reads JSON as RFC 8259 and I-JSON (RFC 7493) have it, so that what
// one part of AskGate accepts reads the same in every other and in any JSON reader
// outside: one value of valid UTF-8 and bounded depth, names once per object, whole
// characters, numbers within a double's range. Callers that owe their clients more
// leniency say so in their Rules.
package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The faults that Open finds besides those of syntax. A repeated name is
// jsontext.ErrDuplicateName in a *jsontext.SyntacticError, whose JSONPointer names it.
var (
	ErrDepth    = errors.New("nested too deeply")
	ErrNumber   = errors.New("number beyond a double's range")
	ErrEncoding = errors.New("text that cannot be kept") // wrapped by the three below

	ErrUTF8      = fmt.Errorf("%w: invalid UTF-8", ErrEncoding)
	ErrNUL       = fmt.Errorf("%w: escaped U+0000", ErrEncoding) // PostgreSQL cannot store it
	ErrSurrogate = fmt.Errorf("%w: half of a surrogate pair", ErrEncoding)
)

// Rules bound what Open accepts. Without an Allow they are strict.
type Rules struct {
	MaxDepth        int  // nested arrays and objects
	AllowDuplicates bool // a name more than once in an object
	AllowHuge       bool // numbers that no double can hold, such as 1e400
	AllowNUL        bool // an escaped U+0000
}

// Open checks the whole of data and returns a decoder that stands before its one value
// and meets no error in it. The decoder reads data in place: data must not change
// meanwhile, and what ReadValue returns is part of it.
//
// The error is one of Err... or a *jsontext.SyntacticError; that wraps ErrDepth and
// ErrNumber, too, and its JSONPointer says where they are.
func Open(data []byte, rules Rules) (*jsontext.Decoder, error) {
	if !utf8.Valid(data) {
		return nil, ErrUTF8
	}
	// Without the escaped backslashes, every \u0000 that is left is an escape.
	if !rules.AllowNUL && bytes.Contains(bytes.ReplaceAll(data, []byte(`\\`), nil), []byte(`\u0000`)) {
		return nil, ErrNUL
	}
	err := check(decoder(data, rules, false), rules)
	if err == nil {
		return decoder(data, rules, false), nil
	}
	// To the library half a surrogate pair is a fault of syntax like any other, but one
	// that it can be told to read over.
	if fault, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		next, ok := errors.AsType[*jsontext.SyntacticError](check(decoder(data, rules, true), rules))
		if !ok || next.ByteOffset > fault.ByteOffset {
			return nil, ErrSurrogate
		}
	}
	return nil, err
}

func decoder(data []byte, rules Rules, halves bool) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(rules.AllowDuplicates), jsontext.AllowInvalidUTF8(halves))
}

// at is a fault of what d has just read.
func at(d *jsontext.Decoder, err error) error {
	return &jsontext.SyntacticError{ByteOffset: d.InputOffset(), JSONPointer: d.StackPointer(), Err: err}
}

// check reads one value and what follows it.
func check(d *jsontext.Decoder, rules Rules) error {
	for begun := false; !begun || d.StackDepth() > 0; begun = true {
		token, err := d.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return &jsontext.SyntacticError{Err: io.ErrUnexpectedEOF}
		case err != nil:
			return err
		case d.StackDepth() > rules.MaxDepth:
			return at(d, ErrDepth)
		case token.Kind() == jsontext.KindNumber && !rules.AllowHuge:
			if _, err := token.Float(); err != nil {
				return at(d, ErrNumber)
			}
		}
	}
	if rest := bytes.TrimLeft(d.UnreadBuffer(), " \t\r\n"); len(rest) > 0 {
		return &jsontext.SyntacticError{ByteOffset: d.InputOffset(), Err: errors.New("something follows the value")}
	}
	return nil
}
