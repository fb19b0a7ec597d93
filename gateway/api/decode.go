package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Limits of the body of messages: the first ones are the contract's (section 4),
// those from maxKeyLen on our own.
const (
	maxBody    = 1 << 20
	bodyLimit  = "1 MiB" // maxBody for people
	maxDiscard = 64 << 20
	maxMessage = 32_000 // code points
	maxKeyLen  = 200    // code points of idempotencyKey
	maxLocale  = 35     // bytes; RFC 5646, section 4.4.1: room for the longest registered tags
	maxDepth   = 64
)

// bodyTimeout is how long a client may take to send its body, whether anybody wants it
// or not: net/http reads what nobody did before it answers.
const bodyTimeout = 30 * time.Second

// awaitBody bounds the time for a body; bodyIsIn lifts the bound for what lasts longer.
func (w *response) awaitBody() {
	_ = http.NewResponseController(w.ResponseWriter).SetReadDeadline(time.Now().Add(bodyTimeout)) // not supported: no connection to protect
}

func (w *response) bodyIsIn() {
	_ = http.NewResponseController(w.ResponseWriter).SetReadDeadline(time.Time{})
}

// body is what was posted to messages.
type body struct {
	Message        *string
	Answer         *turn.Answer
	IdempotencyKey string `json:"-"` // not part of what it is the key of
	Locale         string
	Interactive    *bool
}

// hash identifies what the body says, however it was written.
func (b *body) hash() string {
	data, err := json.Marshal(b)
	if err != nil { // values of our own types marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// readBody reads a request's JSON, up to maxBody. What is over is read too, up to
// maxDiscard, and thrown away: many clients send all of a body before they look at
// the response, and would see a broken connection instead of the refusal.
func readBody(w *response, r *http.Request) ([]byte, error) {
	if err := checkMediaType(r.Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(http.MaxBytesReader(w.ResponseWriter, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		_, _ = io.CopyN(io.Discard, r.Body, maxDiscard) // however it ends, the answer is the same
		return nil, &fault{code: chat.CodeTooLarge, params: map[string]any{"Limit": bodyLimit}}
	}
	if err != nil { // the client went away, or is too slow
		return nil, invalid("malformed_json", "")
	}
	w.bodyIsIn() // else the bound stays: net/http looks for the rest before it answers
	return data, nil
}

// dropBody reads a body that means nothing, up to maxBody: what lasts longer than the time
// for a body must not begin before it is in.
func dropBody(w *response, r *http.Request) error {
	if r.ContentLength == 0 {
		return nil
	}
	if n, err := io.CopyN(io.Discard, r.Body, maxBody+1); n > maxBody || !errors.Is(err, io.EOF) {
		return &fault{code: chat.CodeTooLarge, params: map[string]any{"Limit": bodyLimit}}
	}
	w.bodyIsIn()
	return nil
}

// decode reads the body of messages strictly. Errors name the field. What was
// read so far is returned beside them, for its locale.
func decode(data []byte) (*body, error) {
	b := new(body)
	if err := inspect(data); err != nil {
		return b, err
	}
	err := object(data, "", map[string]field{
		"message":        text(func(s string) { b.Message = &s }),
		"answer":         b.readAnswer,
		"idempotencyKey": b.readKey,
		"locale":         b.readLocale,
		"interactive":    boolean(func(v bool) { b.Interactive = &v }),
	})
	if err != nil {
		return b, err
	}
	return b, b.check()
}

// check looks at what the fields say together.
func (b *body) check() error {
	switch {
	case (b.Message == nil) == (b.Answer == nil):
		return invalid("both_or_neither", "")
	case b.Answer != nil && b.Interactive != nil:
		return invalid("not_for_message", "interactive")
	case b.Message != nil && blank(*b.Message):
		return invalid("message_blank", "message")
	case b.Message != nil && utf8.RuneCountInString(*b.Message) > maxMessage:
		return &fault{code: chat.CodeTooLarge, detail: "message_too_long", field: "message", params: map[string]any{"Max": maxMessage, "Limit": maxMessage}}
	}
	return nil
}

func (b *body) readKey(path string, v json.RawMessage) error {
	if err := text(func(s string) { b.IdempotencyKey = s })(path, v); err != nil {
		return err
	}
	if !printable(b.IdempotencyKey) {
		return &fault{code: chat.CodeInvalidRequest, detail: "idempotency_key", field: path, params: map[string]any{"Max": maxKeyLen}}
	}
	return nil
}

func (b *body) readLocale(path string, v json.RawMessage) error {
	var tag string
	if err := text(func(s string) { tag = s })(path, v); err != nil {
		return err
	}
	parsed, ok := parseTag(tag)
	if !ok {
		return invalid("locale", path)
	}
	// "und", and languages that nobody has registered, ask for nothing.
	if base, _, _ := parsed.Raw(); base != (language.Base{}) {
		b.Locale = parsed.String()
	}
	return nil
}

// reserved is a primary subtag that RFC 5646 (section 2.1) provides for and no
// registry fills: the parser takes it for malformed.
var reserved = regexp.MustCompile(`^[A-Za-z]{4,8}(-|$)`)

// parseTag reads a BCP 47 tag; ok says that it is well-formed. Subtags that are
// not registered are left out.
func parseTag(tag string) (parsed language.Tag, ok bool) {
	if len(tag) > maxLocale {
		return language.Und, false
	}
	parsed, err := language.Parse(tag)
	if _, unknown := errors.AsType[language.ValueError](err); err == nil || unknown {
		return parsed, true
	}
	if !reserved.MatchString(tag) {
		return language.Und, false
	}
	rest := strings.TrimLeft(tag, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	_, err = language.Parse("und" + rest)
	_, unknown := errors.AsType[language.ValueError](err)
	return language.Und, err == nil || unknown
}

func (b *body) readAnswer(path string, v json.RawMessage) error {
	b.Answer = new(turn.Answer)
	fields := answerFields(&b.Answer.Answer)
	fields["toolCallId"] = identifier(&b.Answer.ToolCallID)
	fields["clarificationId"] = identifier(&b.Answer.ClarificationID)
	fields["answers"] = list(func(path string, v json.RawMessage) error {
		var part tools.Answer
		err := object(v, path, answerFields(&part))
		b.Answer.Answers = append(b.Answer.Answers, part)
		return err
	})
	fields["result"] = func(_ string, v json.RawMessage) error { b.Answer.Result = v; return nil }
	fields["arguments"] = func(path string, v json.RawMessage) error {
		if kindOf(v) != "object" {
			return wrongType(path)
		}
		b.Answer.Arguments = v
		return nil
	}
	fields["error"] = text(func(s string) { b.Answer.Error = s })
	return object(v, path, fields)
}

// answerFields are those of an answer to one question.
func answerFields(a *tools.Answer) map[string]field {
	return map[string]field{
		"value": func(path string, v json.RawMessage) error {
			switch kindOf(v) {
			case "string", "number", "boolean":
				a.Value = v
				return nil
			}
			return wrongType(path)
		},
		"values": list(func(path string, v json.RawMessage) error {
			return text(func(s string) { a.Values = append(a.Values, s) })(path, v)
		}),
		"other":    text(func(s string) { a.Other = s }),
		"note":     text(func(s string) { a.Note = s }),
		"skipped":  boolean(func(v bool) { a.Skipped = v }),
		"declined": boolean(func(v bool) { a.Declined = v }),
	}
}

// field reads the value of one field; path names it in errors.
type field func(path string, v json.RawMessage) error

// object reads a JSON object: each field that is there, once, and no other.
// encoding/json alone would take "Message" for "message", the last of two fields
// of one name, and null for anything. data is valid JSON.
func object(data []byte, path string, fields map[string]field) error {
	if kindOf(data) != "object" {
		return wrongType(path)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return invalid("malformed_json", path)
	}
	seen := make(map[string]bool, len(fields))
	for dec.More() {
		token, err := dec.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return invalid("malformed_json", path)
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return invalid("malformed_json", path)
		}
		child := member(path, name)
		read, known := fields[name]
		switch {
		case !known:
			return invalid("unknown_field", child)
		case seen[name]:
			return invalid("duplicate_field", child)
		}
		seen[name] = true
		if err := read(child, v); err != nil {
			return err
		}
	}
	return nil
}

// list reads a JSON array by its items.
func list(item field) field {
	return func(path string, v json.RawMessage) error {
		if kindOf(v) != "array" {
			return wrongType(path)
		}
		var items []json.RawMessage
		if err := json.Unmarshal(v, &items); err != nil {
			return invalid("malformed_json", path)
		}
		for i, v := range items {
			if err := item(fmt.Sprintf("%s[%d]", path, i), v); err != nil {
				return err
			}
		}
		return nil
	}
}

func text(set func(string)) field {
	return func(path string, v json.RawMessage) error {
		var s string
		if kindOf(v) != "string" || json.Unmarshal(v, &s) != nil {
			return wrongType(path)
		}
		set(s)
		return nil
	}
}

func boolean(set func(bool)) field {
	return func(path string, v json.RawMessage) error {
		if kindOf(v) != "boolean" {
			return wrongType(path)
		}
		set(v[0] == 't')
		return nil
	}
}

// identifier reads a name that, if it is there, names something.
func identifier(to *string) field {
	return func(path string, v json.RawMessage) error {
		if err := text(func(s string) { *to = s })(path, v); err != nil {
			return err
		}
		if *to == "" {
			return wrongType(path)
		}
		return nil
	}
}

func wrongType(path string) error {
	if path == "" {
		return invalid("malformed_json", "") // whose text asks for one JSON object
	}
	return invalid("wrong_type", path)
}

// kindOf is the JSON type of a valid value.
func kindOf(v []byte) string {
	v = bytes.TrimLeft(v, " \t\r\n")
	if len(v) == 0 {
		return ""
	}
	switch v[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// member is the path of a field, cut where the caller made up a long name.
func member(path, name string) string {
	const most = 64 // code points
	if utf8.RuneCountInString(name) > most {
		name = string([]rune(name)[:most]) + "…"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// inspect looks at the bytes: valid UTF-8, one JSON value of bounded depth, and
// escapes that are characters. encoding/json would read half a surrogate pair as
// U+FFFD, which is not what was written; and NUL cannot be stored everywhere.
func inspect(data []byte) error {
	if !utf8.Valid(data) {
		return invalid("utf8", "")
	}
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			n, ok := escape(data[i:])
			if !ok {
				return invalid("utf8", "")
			}
			i += n - 1
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return &fault{code: chat.CodeInvalidRequest, detail: "depth", params: map[string]any{"Max": maxDepth}}
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	if !json.Valid(data) {
		return invalid("malformed_json", "")
	}
	return nil
}

// escape is the length of the escape sequence that data begins with, and whether
// it is a character. What is no escape at all is left to the parser.
func escape(data []byte) (int, bool) {
	unit, ok := codeUnit(data)
	switch {
	case !ok:
		return 2, true
	case unit == 0, unit >= 0xDC00 && unit <= 0xDFFF:
		return 0, false
	case unit >= 0xD800 && unit <= 0xDBFF:
		low, ok := codeUnit(data[6:])
		return 12, ok && low >= 0xDC00 && low <= 0xDFFF
	}
	return 6, true
}

// codeUnit reads \uXXXX.
func codeUnit(data []byte) (uint16, bool) {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	var b [2]byte
	if _, err := hex.Decode(b[:], data[2:6]); err != nil {
		return 0, false
	}
	return uint16(b[0])<<8 | uint16(b[1]), true
}

// blank says that there is nothing to read in s: only white space, control
// characters and those without width.
func blank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf)
	}) < 0
}

// printable says that s can be an idempotency key.
func printable(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxKeyLen && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}
