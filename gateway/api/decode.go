package api

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/language"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/strictjson"
)

// Limits of the body of messages: maxBody and maxMessage are the contract's
// (section 4), the others our own.
const (
	maxBody    = 1 << 20  // bytes
	bodyLimit  = "1 MiB"  // maxBody for people
	maxDiscard = 64 << 20 // bytes
	maxMessage = 32_000   // code points
	maxKeyLen  = 200      // code points of idempotencyKey
	maxLocale  = 35       // bytes; RFC 5646, section 4.4.1: room for the longest registered tags
	maxDepth   = 64       // nested arrays and objects
	maxEntries = 1000     // of one of our own lists
	maxFiles   = 100      // of one message: what an admin may allow
)

// bodyTimeout is how long a client may take to send its body, even one that no handler
// reads: net/http reads the rest of it before it answers.
const bodyTimeout = 30 * time.Second

// bytesInTime is how much of a body must come within bodyTimeout, where it is larger.
const bytesInTime = 4 << 20

// awaitBody sets the deadline for a body of so many bytes at most; bodyIsIn lifts it, for requests
// that go on longer than that.
func (w *response) awaitBody(size int64) {
	within := time.Duration(max(1, (size+bytesInTime-1)/bytesInTime)) * bodyTimeout
	_ = http.NewResponseController(w.ResponseWriter).SetReadDeadline(time.Now().Add(within)) // not supported: no connection to protect
}

func (w *response) bodyIsIn() {
	_ = http.NewResponseController(w.ResponseWriter).SetReadDeadline(time.Time{})
}

// body is what was posted to messages or resume.
type body struct {
	Message         *string
	Files           []string `json:",omitempty"`
	Answer          *turn.Answer
	Answers         []turn.Answer `json:",omitempty"`
	Resume          bool          `json:",omitempty"`
	IdempotencyKey  string        `json:"-"` // no part of the hash
	Locale          string
	Interactive     *bool
	LastEventID     string `json:"-"` // likewise: whoever repeats a request may have seen more
	ClarificationID string `json:",omitempty"`
}

// hash is the same for bodies that say the same, in whatever spelling and order.
func (b *body) hash() string {
	data, err := json.Marshal(b)
	if err != nil { // values of our own types marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// readBody reads a request's JSON, up to most bytes. Up to maxDiscard more is read and thrown away: many clients send all of a body before they look at the
// response, and would see a broken connection instead of the refusal.
func readBody(w *response, r *http.Request, most int64) ([]byte, error) {
	if err := checkMediaType(r.Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	var data bytes.Buffer
	if size := r.ContentLength; size > maxBody && size <= most {
		data.Grow(int(size) + bytes.MinRead) // and is not copied as it grows
	}
	if most > maxBody {
		w.awaitBody(most)
	}
	_, err := data.ReadFrom(http.MaxBytesReader(w.ResponseWriter, r.Body, most))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		_, _ = io.CopyN(io.Discard, r.Body, maxDiscard) // the response is the same if this fails
		return nil, tooLarge(most)
	}
	if err != nil { // the client went away, or is too slow
		return nil, invalid("malformed_json", "")
	}
	w.bodyIsIn() // not after an error: net/http then reads the rest, within the deadline
	return data.Bytes(), nil
}

// tooLarge refuses a body of more than most bytes.
func tooLarge(most int64) error {
	return &fault{code: chat.CodeTooLarge, params: map[string]any{"Limit": strconv.FormatInt(most>>20, 10) + " MiB"}}
}

// dropBody reads, up to maxBody, a body that the request does not use, so that the
// deadline for it can be lifted before a long response begins.
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

// decode reads the body of messages strictly. Errors name the field. Beside an error
// the body holds what was read before it, so that its locale can be used.
func decode(data []byte) (*body, error) {
	b := new(body)
	d, err := openJSON(data)
	if err != nil {
		return b, err
	}
	err = object(d, map[string]field{
		"message": text(func(s string) { b.Message = &s }),
		"files": listUpTo(maxFiles, func(d *jsontext.Decoder) error {
			b.Files = append(b.Files, "")
			return identifier(&b.Files[len(b.Files)-1])(d)
		}),
		"answer":          b.readAnswer,
		"answers":         b.readAnswers,
		"idempotencyKey":  b.readKey,
		"locale":          b.readLocale,
		"interactive":     boolean(func(v bool) { b.Interactive = &v }),
		"lastEventId":     text(func(s string) { b.LastEventID = cmp.Or(s, "-") }), // an empty one is malformed: it shows nothing
		"clarificationId": identifier(&b.ClarificationID),
	})
	if err != nil {
		return b, err
	}
	return b, b.check()
}

// decodeResume reads the body of resume in the same way.
func decodeResume(data []byte) (*body, error) {
	b := &body{Resume: true}
	d, err := openJSON(data)
	if err != nil {
		return b, err
	}
	return b, object(d, map[string]field{"idempotencyKey": b.readKey, "locale": b.readLocale})
}

// openJSON checks the whole body before any field is read. A client's result or value is
// passed on as it was written, so repeated names and huge numbers pass here; for our own
// fields, object refuses repeated names.
func openJSON(data []byte) (*jsontext.Decoder, error) {
	d, err := strictjson.Open(data, strictjson.Rules{MaxDepth: maxDepth, AllowDuplicates: true, AllowHuge: true})
	switch {
	case err == nil:
		return d, nil
	case errors.Is(err, strictjson.ErrEncoding):
		return nil, invalid("utf8", "")
	case errors.Is(err, strictjson.ErrDepth):
		return nil, &fault{code: chat.CodeInvalidRequest, detail: "depth", params: map[string]any{"Max": maxDepth}}
	}
	return nil, invalid("malformed_json", "")
}

// check applies the rules between fields and the limits of a message.
func (b *body) check() error {
	given := 0
	for _, is := range []bool{b.Message != nil, b.Answer != nil, b.Answers != nil} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return invalid("both_or_neither", "")
	case b.Message == nil && b.Interactive != nil:
		return invalid("not_for_message", "interactive")
	case b.Message == nil && b.Files != nil:
		return invalid("not_for_message", "files")
	case b.Message == nil && b.ClarificationID != "":
		return invalid("not_for_message", "clarificationId")
	}
	return checkMessage(b.Message, "message")
}

// checkMessage applies the limits of a message; a refusal names field. It accepts nil, which means no message.
func checkMessage(text *string, field string) error {
	switch {
	case text == nil:
	case tools.Blank(*text):
		return invalid("message_blank", field)
	case utf8.RuneCountInString(*text) > maxMessage:
		return &fault{code: chat.CodeTooLarge, detail: "message_too_long", field: field, params: map[string]any{"Max": maxMessage, "Limit": maxMessage}}
	}
	return nil
}

func (b *body) readKey(d *jsontext.Decoder) error {
	if err := text(func(s string) { b.IdempotencyKey = s })(d); err != nil {
		return err
	}
	if !printable(b.IdempotencyKey) {
		return &fault{code: chat.CodeInvalidRequest, detail: "idempotency_key", field: place(d), params: map[string]any{"Max": maxKeyLen}}
	}
	return nil
}

func (b *body) readLocale(d *jsontext.Decoder) error {
	var tag string
	if err := text(func(s string) { tag = s })(d); err != nil {
		return err
	}
	parsed, ok := parseTag(tag)
	if !ok {
		return invalid("locale", place(d))
	}
	// "und", and languages that are not registered, leave the choice to us.
	if base, _, _ := parsed.Raw(); base != (language.Base{}) {
		b.Locale = parsed.String()
	}
	return nil
}

// reserved is a primary subtag that is well-formed by RFC 5646 (section 2.1) but never
// registered. The parser calls it malformed.
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

func (b *body) readAnswer(d *jsontext.Decoder) error {
	b.Answer = new(turn.Answer)
	return readAnswer(d, b.Answer)
}

// readAnswers reads answers that come together, each of which names what it is for.
func (b *body) readAnswers(d *jsontext.Decoder) error {
	b.Answers = []turn.Answer{}
	err := listUpTo(turn.MaxAnswers, func(d *jsontext.Decoder) error {
		var a turn.Answer
		if err := readAnswer(d, &a); err != nil {
			return err
		}
		if a.ToolCallID == "" && a.ClarificationID == "" {
			return invalid("unnamed_answer", place(d))
		}
		b.Answers = append(b.Answers, a)
		return nil
	})(d)
	if err == nil && len(b.Answers) == 0 {
		return invalid("no_answers", place(d))
	}
	return err
}

// readAnswer reads an answer to a clarification, which may say to which.
func readAnswer(d *jsontext.Decoder, a *turn.Answer) error {
	fields := formFields(&a.Answer)
	fields["toolCallId"] = identifier(&a.ToolCallID)
	fields["clarificationId"] = identifier(&a.ClarificationID)
	fields["digest"] = identifier(&a.Digest)
	fields["result"] = raw(&a.Result, "")
	fields["arguments"] = raw(&a.Arguments, `{"`) // also as text, which no program rounds
	fields["error"] = text(func(s string) { a.Error = s })
	fields["once"] = boolean(func(v bool) { a.Once = v })
	return object(d, fields)
}

// formFields are those of an answer to a question, or to several.
func formFields(a *tools.Answer) map[string]field {
	fields := answerFields(a)
	fields["answers"] = list(func(d *jsontext.Decoder) error {
		var part tools.Answer
		var err error
		if d.PeekKind() == 'n' { // to a question that is not asked
			_, err = d.ReadToken()
		} else {
			err = object(d, answerFields(&part))
		}
		a.Answers = append(a.Answers, part)
		return err
	})
	return fields
}

// answerFields are those of an answer to one question.
func answerFields(a *tools.Answer) map[string]field {
	return map[string]field{
		"value":        raw(&a.Value, `"0tf`),
		"values":       list(text(func(s string) { a.Values = append(a.Values, s) })),
		"other":        text(func(s string) { a.Other = s }),
		"note":         text(func(s string) { a.Note = s }),
		"skipped":      boolean(func(v bool) { a.Skipped = v }),
		"declined":     boolean(func(v bool) { a.Declined = v }),
		"dontAskAgain": boolean(func(v bool) { a.DontAskAgain = v }),
	}
}

// field reads the value of one field. The decoder is one of openJSON, whose reads do not
// fail.
type field func(d *jsontext.Decoder) error

// object reads a JSON object that may have each of fields once, and no others. It sets
// the entries of fields that it has read to nil.
func object(d *jsontext.Decoder, fields map[string]field) error { return objectOr(d, fields, nil) }

// objectOr is object where other reads the fields that are not known, each once; nil: there
// may be none.
func objectOr(d *jsontext.Decoder, fields map[string]field, other func(name string) field) error {
	if token, _ := d.ReadToken(); token.Kind() != '{' {
		return wrongType(d)
	}
	for d.PeekKind() != '}' {
		token, _ := d.ReadToken()
		name := token.String()
		read, known := fields[name]
		switch {
		case !known && other != nil:
			read = other(name)
		case !known:
			return invalid("unknown_field", place(d))
		case read == nil:
			return invalid("duplicate_field", place(d))
		}
		fields[name] = nil
		if err := read(d); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// list reads a JSON array by its items.
func list(item field) field { return listUpTo(maxEntries, item) }

func listUpTo(most int, item field) field {
	return func(d *jsontext.Decoder) error {
		if token, _ := d.ReadToken(); token.Kind() != '[' {
			return wrongType(d)
		}
		for n := 0; d.PeekKind() != ']'; n++ {
			if n == most {
				field := strings.TrimSuffix(place(d), fmt.Sprintf("[%d]", most-1))
				return &fault{code: chat.CodeInvalidRequest, detail: "entries", field: field, params: map[string]any{"Max": most}}
			}
			if err := item(d); err != nil {
				return err
			}
		}
		_, err := d.ReadToken()
		return err
	}
}

func text(set func(string)) field {
	return func(d *jsontext.Decoder) error {
		token, _ := d.ReadToken()
		if token.Kind() != '"' {
			return wrongType(d)
		}
		set(token.String())
		return nil
	}
}

func boolean(set func(bool)) field {
	return func(d *jsontext.Decoder) error {
		token, _ := d.ReadToken()
		if kind := token.Kind(); kind != 't' && kind != 'f' {
			return wrongType(d)
		}
		set(token.Bool())
		return nil
	}
}

// raw keeps a value as it was written. kinds lists the jsontext.Kinds that it may have;
// "" allows any.
func raw(to *json.RawMessage, kinds string) field {
	return func(d *jsontext.Decoder) error {
		v, err := d.ReadValue()
		if kinds != "" && strings.IndexByte(kinds, byte(v.Kind())) < 0 {
			return wrongType(d)
		}
		*to = json.RawMessage(v.Clone())
		return err
	}
}

// identifier reads a text that must not be empty.
func identifier(to *string) field {
	return func(d *jsontext.Decoder) error {
		if err := text(func(s string) { *to = s })(d); err != nil {
			return err
		}
		if *to == "" {
			return wrongType(d)
		}
		return nil
	}
}

// wrongType refuses the value that d has just read or entered.
func wrongType(d *jsontext.Decoder) error {
	if path := place(d); path != "" {
		return invalid("wrong_type", path)
	}
	return invalid("malformed_json", "") // whose text asks for one JSON object
}

// place is the path of what d has just read, such as answer.answers[1].note. Long names
// are cut: they can only be unknown ones.
func place(d *jsontext.Decoder) string {
	const most = 64 // code points
	var path strings.Builder
	level := 0
	for name := range d.StackPointer().Tokens() {
		level++
		if kind, _ := d.StackIndex(level); kind == '[' {
			path.WriteString("[" + name + "]")
			continue
		}
		if level > 1 {
			path.WriteByte('.')
		}
		if utf8.RuneCountInString(name) > most {
			name = string([]rune(name)[:most]) + "…"
		}
		path.WriteString(name)
	}
	return path.String()
}

// printable says whether s can be an idempotency key.
func printable(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxKeyLen && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}
