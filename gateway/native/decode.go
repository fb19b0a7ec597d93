package native

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/language"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// body is the body of a request to messages or resume.
type body struct {
	Message         *string
	Files           []string `json:",omitempty"`
	Answer          *turn.Answer
	Answers         []turn.Answer `json:",omitempty"`
	Resume          bool          `json:",omitempty"`
	Queue           bool          `json:",omitempty"`
	IdempotencyKey  string        `json:"-"` // not part of the hash
	Locale          string
	Interactive     *bool
	LastEventID     string `json:"-"` // likewise: a client that repeats a request may have seen more
	ClarificationID string `json:",omitempty"`
}

// hash is equal for bodies that say the same, regardless of spelling and order.
func (b *body) hash() string {
	data, err := json.Marshal(b)
	if err != nil { // values of our own types marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// decode reads the body of messages strictly. Errors name the field. Together with an error, it
// returns the part of the body that was read, so that its locale can be used.
func decode(data []byte) (*body, error) {
	b := new(body)
	d, err := host.OpenJSON(data)
	if err != nil {
		return b, err
	}
	err = host.Object(d, map[string]host.Field{
		"message": host.String(func(s string) { b.Message = &s }),
		"files": host.ListUpTo(host.MaxFiles, func(d *jsontext.Decoder) error {
			b.Files = append(b.Files, "")
			return host.Identifier(&b.Files[len(b.Files)-1])(d)
		}),
		"answer":          b.readAnswer,
		"answers":         b.readAnswers,
		"idempotencyKey":  b.readKey,
		"locale":          b.readLocale,
		"interactive":     host.Bool(func(v bool) { b.Interactive = &v }),
		"lastEventId":     host.String(func(s string) { b.LastEventID = cmp.Or(s, "-") }), // an empty one is malformed: it shows nothing
		"clarificationId": host.Identifier(&b.ClarificationID),
		"queue":           host.Bool(func(v bool) { b.Queue = v }),
	})
	if err != nil {
		return b, err
	}
	return b, b.check()
}

// decodeResume reads the body of resume in the same way.
func decodeResume(data []byte) (*body, error) {
	b := &body{Resume: true}
	d, err := host.OpenJSON(data)
	if err != nil {
		return b, err
	}
	return b, host.Object(d, map[string]host.Field{"idempotencyKey": b.readKey, "locale": b.readLocale})
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
		return host.Invalid("both_or_neither", "")
	case b.Message == nil && b.Interactive != nil:
		return host.Invalid("not_for_message", "interactive")
	case b.Message == nil && b.Files != nil:
		return host.Invalid("not_for_message", "files")
	case b.Message == nil && b.Queue:
		return host.Invalid("not_for_message", "queue")
	case b.Message == nil && b.ClarificationID != "":
		return host.Invalid("not_for_message", "clarificationId")
	}
	return host.CheckMessage(b.Message, "message")
}

func (b *body) readKey(d *jsontext.Decoder) error {
	if err := host.String(func(s string) { b.IdempotencyKey = s })(d); err != nil {
		return err
	}
	if !host.Printable(b.IdempotencyKey) {
		return &host.Fault{Code: chat.CodeInvalidRequest, Detail: "idempotency_key", Field: host.Place(d), Params: map[string]any{"Max": host.MaxKeyLen}}
	}
	return nil
}

func (b *body) readLocale(d *jsontext.Decoder) error {
	var tag string
	if err := host.String(func(s string) { tag = s })(d); err != nil {
		return err
	}
	parsed, ok := host.ParseTag(tag)
	if !ok {
		return host.Invalid("locale", host.Place(d))
	}
	// "und", and languages that are not registered, leave the choice to us.
	if base, _, _ := parsed.Raw(); base != (language.Base{}) {
		b.Locale = parsed.String()
	}
	return nil
}

func (b *body) readAnswer(d *jsontext.Decoder) error {
	b.Answer = new(turn.Answer)
	return readAnswer(d, b.Answer)
}

// readAnswers reads several answers, each of which names its question.
func (b *body) readAnswers(d *jsontext.Decoder) error {
	b.Answers = []turn.Answer{}
	err := host.ListUpTo(turn.MaxAnswers, func(d *jsontext.Decoder) error {
		var a turn.Answer
		if err := readAnswer(d, &a); err != nil {
			return err
		}
		if a.ToolCallID == "" && a.ClarificationID == "" {
			return host.Invalid("unnamed_answer", host.Place(d))
		}
		b.Answers = append(b.Answers, a)
		return nil
	})(d)
	if err == nil && len(b.Answers) == 0 {
		return host.Invalid("no_answers", host.Place(d))
	}
	return err
}

// readAnswer reads an answer to a clarification, which may name the clarification.
func readAnswer(d *jsontext.Decoder, a *turn.Answer) error {
	fields := formFields(&a.Answer)
	fields["toolCallId"] = host.Identifier(&a.ToolCallID)
	fields["clarificationId"] = host.Identifier(&a.ClarificationID)
	fields["digest"] = host.Identifier(&a.Digest)
	fields["result"] = host.Raw(&a.Result, "", "")
	fields["arguments"] = host.Raw(&a.Arguments, `{"`, "encoded") // also accepted as text, which programs do not round
	fields["error"] = host.String(func(s string) { a.Error = s })
	fields["once"] = host.Bool(func(v bool) { a.Once = v })
	return host.Object(d, fields)
}

// formFields are the fields of an answer to one or several questions.
func formFields(a *tools.Answer) map[string]host.Field {
	fields := answerFields(a)
	fields["answers"] = host.List(func(d *jsontext.Decoder) error {
		var part tools.Answer
		var err error
		if d.PeekKind() == 'n' { // for a question that is not asked
			_, err = d.ReadToken()
		} else {
			err = host.Object(d, answerFields(&part))
		}
		a.Answers = append(a.Answers, part)
		return err
	})
	return fields
}

// answerFields are the fields of an answer to one question.
func answerFields(a *tools.Answer) map[string]host.Field {
	return map[string]host.Field{
		"value":        host.Raw(&a.Value, `"0tf`, "scalar"),
		"values":       host.List(host.String(func(s string) { a.Values = append(a.Values, s) })),
		"other":        host.String(func(s string) { a.Other = s }),
		"note":         host.String(func(s string) { a.Note = s }),
		"skipped":      host.Bool(func(v bool) { a.Skipped = v }),
		"declined":     host.Bool(func(v bool) { a.Declined = v }),
		"dontAskAgain": host.Bool(func(v bool) { a.DontAskAgain = v }),
	}
}
