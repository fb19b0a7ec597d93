package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/config"
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

// roleID is what the name of a role may be, as in the configuration.
var roleID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$`)

// whom is who is asked: a subject of the asker's tenant, or the holders of a role; the zero
// whom is the asker.
type whom struct{ subject, role string }

// asking is what a program asks, as it came: whom and as whom, and the fields of the
// question, which only ask_user understands.
type asking struct {
	to        whom
	by        tools.Asker
	byPath    string // before the names of by's fields, where the caller has them
	chatID    string
	key       string
	locale    string
	details   string   // see tools.Question
	names     []string // of Arguments
	arguments []byte   // one JSON object
	hash      string
	join      string // see turn.Asking
}

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

func (a *asking) readTo(d *jsontext.Decoder) error {
	switch d.PeekKind() {
	case '"':
		if err := text(func(s string) { a.to.subject = s })(d); err != nil {
			return err
		}
		if !goodName(a.to.subject) {
			return invalid("asked", place(d))
		}
		return nil
	case '{':
		given := false
		err := object(d, map[string]field{"role": func(d *jsontext.Decoder) error {
			given = true
			if err := text(func(s string) { a.to.role = s })(d); err != nil {
				return err
			}
			if !roleID.MatchString(a.to.role) {
				return invalid("asked", place(d))
			}
			return nil
		}})
		if err == nil && !given {
			return &fault{code: chat.CodeInvalidRequest, detail: "missing_field", field: "to.role"}
		}
		return err
	}
	_, _ = d.ReadToken() // so that the place is that of the value
	return wrongType(d)
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

// checkNames refuses a program that people would take for the gateway, the assistant or the app
// that was entered.
func checkNames(r *request, q *asking) error {
	ours := []string{"AskGate"}
	for _, language := range r.host.Catalog.Languages() {
		ours = append(ours, r.host.Catalog.Text(language, "page.assistant", nil), r.app.Name.In(language))
	}
	for _, language := range r.app.Name.Languages() {
		ours = append(ours, r.app.Name.In(language))
	}
	for _, own := range [][2]string{{"name", q.by.Name}, {"title", q.by.Title}} {
		if slices.ContainsFunc(ours, func(s string) bool { return confusable.SameName(own[1], s) }) {
			return invalid("asker_poses", q.byPath+own[0])
		}
	}
	return nil
}

// oneLine says that a text has nothing that breaks or turns it.
func oneLine(s string) bool {
	return tools.Clean(s) == s && !slices.ContainsFunc([]rune(s), func(r rune) bool { return r < ' ' || r == '\u0085' || r == '\u2028' || r == '\u2029' })
}

// sameBody is the hash of a JSON object without one of its fields, whatever the order and
// the white space.
func sameBody(data []byte, without string) string {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v map[string]any
	_ = d.Decode(&v) // it was read before
	delete(v, without)
	same, err := json.Marshal(v)
	if err != nil { // what was read can be written
		panic(err)
	}
	sum := sha256.Sum256(same)
	return hex.EncodeToString(sum[:])
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

// mayAsk says whether the caller's programs may ask somebody.
func (c caller) mayAsk(to whom) bool {
	entry := to.subject
	switch {
	case to == whom{}, to.role == "" && to.subject == c.Subject, slices.Contains(c.asks, config.AskAnybody):
		return true
	case to.role != "":
		entry = config.AskRole + to.role
	case strings.HasPrefix(entry, config.AskRole): // a subject of that name, which no entry can name
		return false
	}
	return slices.Contains(c.asks, entry)
}
