package native

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/confusable"
)

// These limit, in code points, what an asker calls itself.
const (
	maxAskerName    = 100
	maxAskerTitle   = 200
	maxAskerVersion = 100
)

// maxDetails is the maximum size, in bytes, of a text that is read to its end, with all of it
// visible.
const (
	maxDetails   = 256 << 10
	detailsLimit = "256 KiB" // maxDetails for people
)

// decodeAsking reads the body of a program's question. Together with an error, it returns what
// was read before, so that the locale can be used.
func decodeAsking(data []byte) (*host.Asking, error) {
	a := &host.Asking{By: tools.Asker{Kind: tools.AskerProgram}, ByPath: "askedBy."}
	d, err := host.OpenJSON(data)
	if err != nil {
		return a, err
	}
	b := new(body)
	var question bytes.Buffer
	question.WriteByte('{')
	err = host.ObjectOr(d, map[string]host.Field{
		"to":               a.ReadTo,
		"askedBy":          func(d *jsontext.Decoder) error { return readAskedBy(d, &a.By) },
		"withdrawWhenGone": a.ReadWithdraw,
		"escalate":         a.ReadEscalate,
		"chatId":           host.String(func(s string) { a.ChatID = s }),
		"idempotencyKey":   b.readKey,
		"locale":           b.readLocale,
		"details":          host.String(func(s string) { a.Details = confusable.Visible(s) }),
	}, func(name string) host.Field {
		return func(d *jsontext.Decoder) error {
			value, err := d.ReadValue()
			if len(a.Names) > 0 {
				question.WriteByte(',')
			}
			a.Names = append(a.Names, name)
			quoted, _ := json.Marshal(name) // a text always marshals
			question.Write(quoted)
			question.WriteByte(':')
			question.Write(value)
			return err
		}
	})
	question.WriteByte('}')
	a.Key, a.Locale, a.Arguments = b.IdempotencyKey, b.Locale, question.Bytes()
	switch {
	case err != nil:
		return a, err
	case a.ChatID != "" && !host.ChatID.MatchString(a.ChatID):
		return a, host.Invalid("chat_id", "chatId")
	case len(a.Details) > maxDetails:
		return a, &host.Fault{Code: chat.CodeTooLarge, Field: "details", Params: map[string]any{"Limit": detailsLimit}}
	}
	a.Hash = host.SameBody(data, "idempotencyKey")
	return a, nil
}

func readAskedBy(d *jsontext.Decoder, by *tools.Asker) error {
	err := host.Object(d, map[string]host.Field{
		"name":    named(&by.Name, maxAskerName),
		"title":   named(&by.Title, maxAskerTitle),
		"version": named(&by.Version, maxAskerVersion),
	})
	if err == nil && by.Name == "" {
		return &host.Fault{Code: chat.CodeInvalidRequest, Detail: "missing_field", Field: "askedBy.name"}
	}
	return err
}

// named reads a text that people are shown as a name: one line, without hidden characters.
func named(to *string, most int) host.Field {
	return func(d *jsontext.Decoder) error {
		if err := host.String(func(s string) { *to = s })(d); err != nil {
			return err
		}
		if tools.Blank(*to) || utf8.RuneCountInString(*to) > most || !oneLine(*to) {
			return &host.Fault{Code: chat.CodeInvalidRequest, Detail: "asker_name", Field: host.Place(d), Params: map[string]any{"Max": most}}
		}
		return nil
	}
}

// oneLine reports whether a text has nothing that breaks or reverses it.
func oneLine(s string) bool {
	return tools.Clean(s) == s && !slices.ContainsFunc([]rune(s), func(r rune) bool { return r < ' ' || r == '\u0085' || r == '\u2028' || r == '\u2029' })
}

// decodeBareAnswer reads an answer to the clarification in the address.
func decodeBareAnswer(data []byte) (*turn.Answer, error) {
	d, err := host.OpenJSON(data)
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
	d, err := host.OpenJSON(data)
	if err != nil {
		return b, err
	}
	err = host.Object(d, map[string]host.Field{"message": host.String(func(s string) { b.Message = &s }), "locale": b.readLocale})
	switch {
	case err != nil:
		return b, err
	case b.Message == nil:
		return b, &host.Fault{Code: chat.CodeInvalidRequest, Detail: "missing_field", Field: "message"}
	}
	return b, host.CheckMessage(b.Message, "message")
}

// Ask stores a program's question to a person of its tenant.
func Ask(r *host.Request) error {
	if err := r.Admit(); err != nil {
		return err
	}
	data, err := r.Body()
	if err != nil {
		return err
	}
	q, err := decodeAsking(data)
	r.Speak(q.Locale)
	if err != nil {
		return err
	}
	if q.Key, err = host.IdempotencyKey(r, q.Key); err != nil {
		return err
	}
	c, again, err := host.Ask(r, q)
	if err != nil {
		return err
	}
	r.Response().Header().Set("Location", host.Below(r.HTTP())+"/v1/clarifications/"+url.PathEscape(c.ID))
	status := http.StatusCreated
	if again {
		status = http.StatusOK
	}
	_ = r.Write(status, host.TypeJSON, host.Kept(r, &c))
	return nil
}
