// Package strictjson reads JSON by the rules of RFC 8259 and I-JSON (RFC 7493), so that all
// parts of AskGate and all other JSON readers read the same value: one value of valid UTF-8
// and bounded depth, unique names in each object, whole characters, and numbers in the range
// of a double. Callers that must be more lenient set the Rules.
package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The errors of Open besides syntax errors. A repeated name is jsontext.ErrDuplicateName in a
// *jsontext.SyntacticError, whose JSONPointer points to it.
var (
	ErrDepth    = errors.New("nested too deeply")
	ErrNumber   = errors.New("number beyond a double's range")
	ErrEncoding = errors.New("text that cannot be kept") // wrapped by the three errors below

	ErrUTF8      = fmt.Errorf("%w: invalid UTF-8", ErrEncoding)
	ErrNUL       = fmt.Errorf("%w: escaped U+0000", ErrEncoding) // PostgreSQL cannot store it
	ErrSurrogate = fmt.Errorf("%w: half of a surrogate pair", ErrEncoding)
)

// Rules select the JSON that Open accepts. The zero value of each Allow field is strict.
type Rules struct {
	MaxDepth        int  // nested arrays and objects
	AllowDuplicates bool // of a name in an object
	AllowHuge       bool // numbers that no double can hold, such as 1e400
	AllowNUL        bool // an escaped U+0000
}

// Open checks all of data and returns a decoder at the start of its only value, which it can
// read without an error. The decoder reads data in place: data must not change while it is
// used, and ReadValue returns a part of data.
//
// The error is one of Err... or a *jsontext.SyntacticError, which also wraps ErrDepth and
// ErrNumber; its JSONPointer is the position.
func Open(data []byte, rules Rules) (*jsontext.Decoder, error) {
	if !utf8.Valid(data) {
		return nil, ErrUTF8
	}
	// With escaped backslashes removed, every remaining \u0000 is an escape.
	if !rules.AllowNUL && bytes.Contains(bytes.ReplaceAll(data, []byte(`\\`), nil), []byte(`\u0000`)) {
		return nil, ErrNUL
	}
	err := check(decoder(data, rules, false), rules)
	if err == nil {
		return decoder(data, rules, false), nil
	}
	// The library reports half a surrogate pair as a syntax error, but has an option to
	// accept it.
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

// at returns an error at the token that d has just read.
func at(d *jsontext.Decoder, err error) error {
	return &jsontext.SyntacticError{ByteOffset: d.InputOffset(), JSONPointer: d.StackPointer(), Err: err}
}

// check reads one value and checks that only white space follows it.
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
