package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/confusable"
)

// Limits of what an asker calls itself, in code points.
const (
	maxAskerName    = 100
	maxAskerTitle   = 200
	maxAskerVersion = 100
)

// maxDetails is how many bytes a text may have that is read to its end, with all of it visible.
const (
	maxDetails   = 256 << 10
	detailsLimit = "256 KiB" // maxDetails for people
)

// decodeAsking reads the body of a program's question. Beside an error it holds what was
// read before it, so that its locale can be used.
func decodeAsking(data []byte) (*asking, error) {
	a := &asking{by: tools.Asker{Kind: tools.AskerProgram}, byPath: "askedBy."}
	d, err := openJSON(data)
	if err != nil {
		return a, err
	}
	b := new(body)
	var question bytes.Buffer
	question.WriteByte('{')
	err = objectOr(d, map[string]field{
		"to":             a.readTo,
		"askedBy":        a.readAskedBy,
		"chatId":         text(func(s string) { a.chatID = s }),
		"idempotencyKey": b.readKey,
		"locale":         b.readLocale,
		"details":        text(func(s string) { a.details = confusable.Visible(s) }),
	}, func(name string) field {
		return func(d *jsontext.Decoder) error {
			value, err := d.ReadValue()
			if len(a.names) > 0 {
				question.WriteByte(',')
			}
			a.names = append(a.names, name)
			quoted, _ := json.Marshal(name) // a text always marshals
			question.Write(quoted)
			question.WriteByte(':')
			question.Write(value)
			return err
		}
	})
	question.WriteByte('}')
	a.key, a.locale, a.arguments = b.IdempotencyKey, b.Locale, question.Bytes()
	switch {
	case err != nil:
		return a, err
	case a.chatID != "" && !chatID.MatchString(a.chatID):
		return a, invalid("chat_id", "chatId")
	case len(a.details) > maxDetails:
		return a, &fault{code: chat.CodeTooLarge, field: "details", params: map[string]any{"Limit": detailsLimit}}
	}
	a.hash = sameBody(data, "idempotencyKey")
	return a, nil
}

func (a *asking) readAskedBy(d *jsontext.Decoder) error {
	err := object(d, map[string]field{
		"name":    named(&a.by.Name, maxAskerName),
		"title":   named(&a.by.Title, maxAskerTitle),
		"version": named(&a.by.Version, maxAskerVersion),
	})
	if err == nil && a.by.Name == "" {
		return &fault{code: chat.CodeInvalidRequest, detail: "missing_field", field: "askedBy.name"}
	}
	return err
}

// named reads a text that people are shown as a name: one line, nothing hidden in it.
func named(to *string, most int) field {
	return func(d *jsontext.Decoder) error {
		if err := text(func(s string) { *to = s })(d); err != nil {
			return err
		}
		if tools.Blank(*to) || utf8.RuneCountInString(*to) > most || !oneLine(*to) {
			return &fault{code: chat.CodeInvalidRequest, detail: "asker_name", field: place(d), params: map[string]any{"Max": most}}
		}
		return nil
	}
}

// oneLine says that a text has nothing that breaks or turns it.
func oneLine(s string) bool {
	return tools.Clean(s) == s && !slices.ContainsFunc([]rune(s), func(r rune) bool { return r < ' ' || r == '\u0085' || r == '\u2028' || r == '\u2029' })
}

// decodeBareAnswer reads an answer to the clarification that the address names.
func decodeBareAnswer(data []byte) (*turn.Answer, error) {
	d, err := openJSON(data)
	if err != nil {
		return nil, err
	}
	var b body
	if err := b.readAnswer(d); err != nil {
		return nil, err
	}
	return b.Answer, nil
}

// decodeLine reads what a program says.
func decodeLine(data []byte) (*body, error) {
	b := new(body)
	d, err := openJSON(data)
	if err != nil {
		return b, err
	}
	err = object(d, map[string]field{"message": text(func(s string) { b.Message = &s }), "locale": b.readLocale})
	switch {
	case err != nil:
		return b, err
	case b.Message == nil:
		return b, &fault{code: chat.CodeInvalidRequest, detail: "missing_field", field: "message"}
	}
	return b, checkMessage(b.Message, "message")
}

// askPeople takes a program's question to somebody of its tenant.
func askPeople(r *request) error {
	if err := r.inApp(); err != nil {
		return err
	}
	if err := r.admit(); err != nil {
		return err
	}
	data, read, err := r.bodyOf()
	defer read()
	if err != nil {
		return err
	}
	q, err := decodeAsking(data)
	r.locale = r.localeFor(q.locale)
	if err != nil {
		return err
	}
	if q.key, err = r.idempotencyKey(q.key); err != nil {
		return err
	}
	c, again, err := ask(r, q)
	if err != nil {
		return err
	}
	r.response().Header().Set("Location", below(r.http())+"/v1/clarifications/"+url.PathEscape(c.ID))
	status := http.StatusCreated
	if again {
		status = http.StatusOK
	}
	_ = r.write(status, typeJSON, kept(r, &c))
	return nil
}
