package host

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// ReadBody reads a request's JSON, up to most bytes. It reads and discards up to MaxDiscard more:
// many clients send the whole body before they look at the response, and would see a broken
// connection instead of the refusal.
func ReadBody(w *Response, r *http.Request, most int64) ([]byte, error) {
	if err := checkMediaType(r.Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	var data bytes.Buffer
	if size := r.ContentLength; size > MaxBody && size <= most {
		data.Grow(int(size) + bytes.MinRead) // avoids copying as it grows
	}
	if most > MaxBody {
		w.awaitBody(most)
	}
	_, err := data.ReadFrom(http.MaxBytesReader(w.ResponseWriter, r.Body, most))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		_, _ = io.CopyN(io.Discard, r.Body, MaxDiscard) // the response is the same if this fails
		return nil, TooLarge(most)
	}
	if err != nil { // the client went away, or is too slow
		return nil, Invalid("malformed_json", "")
	}
	w.BodyIsIn() // not after an error: net/http then reads the rest, within the deadline
	return data.Bytes(), nil
}

// TooLarge refuses a body of more than most bytes.
func TooLarge(most int64) error {
	return &Fault{Code: chat.CodeTooLarge, Params: map[string]any{"Limit": strconv.FormatInt(most>>20, 10) + " MiB"}}
}

// DropBody reads, up to MaxBody, a body that the request does not use, so that the deadline for
// it can be lifted before a long response begins.
func DropBody(w *Response, r *http.Request) error {
	if r.ContentLength == 0 {
		return nil
	}
	if n, err := io.CopyN(io.Discard, r.Body, MaxBody+1); n > MaxBody || !errors.Is(err, io.EOF) {
		return &Fault{Code: chat.CodeTooLarge, Params: map[string]any{"Limit": bodyLimit}}
	}
	w.BodyIsIn()
	return nil
}

// CheckMessage applies the limits of a message; a refusal names field. A nil text means that
// there is no message, and passes.
func CheckMessage(text *string, field string) error {
	switch {
	case text == nil:
	case tools.Blank(*text):
		return Invalid("message_blank", field)
	case utf8.RuneCountInString(*text) > maxMessage:
		return &Fault{Code: chat.CodeTooLarge, Detail: "message_too_long", Field: field, Params: map[string]any{"Max": maxMessage, "Limit": maxMessage}}
	}
	return nil
}

// Printable reports whether s can be an idempotency key.
func Printable(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= MaxKeyLen && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// These limit the body of messages: MaxBody and maxMessage are the contract's (section 4), the
// others our own.
const (
	MaxBody    = 1 << 20  // bytes
	MaxDiscard = 64 << 20 // bytes
	maxMessage = 32_000   // code points
	MaxKeyLen  = 200      // code points of idempotencyKey
	maxLocale  = 35       // bytes; RFC 5646, section 4.4.1: room for the longest registered tags
	maxDepth   = 64       // nested arrays and objects
	maxEntries = 1000     // of one of our own lists
	MaxFiles   = 100      // of one message: what an admin may allow
)
